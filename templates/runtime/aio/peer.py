"""`Peer`: a connection over asyncio, and the other side of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar, cast, overload

from ..jsonrpc.agreement import by_version
from ..jsonrpc.connection import Connection
from ..jsonrpc.debugging import is_debugging
from ..jsonrpc.errors import INTERNAL_ERROR, ConnectionClosed, Exit, RequestError, quoted_stderr
from ..jsonrpc.events import (
    Cancellation,
    Event,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
)
from ..jsonrpc.introducing import introduction
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.logs import logger_of
from ..jsonrpc.messages import pick_version
from ..jsonrpc.method import Handler, Kind, Method, Surface, raw_method
from ..jsonrpc.observing import Observer
from ..values.callbacks import call_back
from ..values.deferred import dataclass
from ..values.errors import Issue, quotation
from ..values.unset import UNSET
from .cancelling import uninterrupted
from .child import ChildStream
from .handlers import Handlers, Offer, offers
from .noise import Noise
from .ordering import waiting
from .output import Output
from .serving import Serving, drop
from .silence import Silence
from .stdio import FileStream
from .streams import CHUNK, GRACE, AsyncioStream, Stream

P = TypeVar("P")
R = TypeVar("R")
# Takes the response to a request, or its failure.
OnResponse: TypeAlias = Callable[[Response | Failure], None]

# How long a call that could not be sent waits to be told how the program has ended.
_PATIENCE = 3.0

_log = logger_of(__name__)


@dataclass(slots=True)
class _Call:
    """A request of this side whose caller waits, or that waits for its response."""

    future: asyncio.Future[Any]
    session: str | None
    on_response: OnResponse | None
    is_answered: bool = False


class Peer:
    """A connection, and the other side of it: pass it to a stub to call the other side.

    Attributes:
        handler: the handler of the calls that arrive; None until `initialize` has decided the
            protocol version.
        limits: how much the connection keeps for the other side.
        debug: whether it is in debug mode.
        owed: what the other side owes besides responses, such as the ends of turns; see `silence`
            of the constructor.
    """

    def __init__(
        self,
        stream: Stream,
        side: Literal["agent", "client"],
        *handlers: Handlers,
        max_line: int = MAX_LINE,
        limits: Limits = DEFAULT,
        on_issue: Callable[[Issue], object] | None = None,
        observe: Observer | None = None,
        silence: float | None = 3600.0,
        debug: bool | None = None,
    ) -> None:
        """Take over a stream, in a running event loop. Nothing is received before `run` is called.

        Args:
            stream: the connection to the other side.
            side: the side that this program is.
            handlers: its handlers, see `serve`. A single one is made at once; of several,
                `initialize` decides.
            max_line: the length of the longest message to accept, in bytes.
            limits: how much to keep for the other side.
            on_issue: called for each issue of decoding, see `decode`. What it raises is logged.
            observe: called for each line that is sent or received. What it raises is logged.
            silence: after how many seconds without any message to take an agent for dead that owes
                a response, or the end of a turn, and has no open request itself; None for never.
                Clients may be silent for ever: a person may think for hours.
            debug: whether internal errors that are sent have their tracebacks, and notifications
                that nobody handles are logged; by default, as the environment variable ACP_DEBUG
                says.

        Raises:
            TypeError: something is not a handler of this side.
            ValueError: two handlers are for the same protocol version.
        """
        self._offers = offers(handlers, side)
        self.handler: Handler | None = None
        self.limits = limits
        self.debug = is_debugging(debug)
        self._loop = asyncio.get_running_loop()
        self._side = side
        self._stream = stream
        self._connection = Connection(
            side,
            self._choose_surface,
            max_line=max_line,
            limits=limits,
            initialize_first=True,
            on_issue=on_issue,
            observe=observe,
        )
        self._output = Output(self._connection, stream)
        self._serving = Serving(
            self._connection,
            self._output,
            limits,
            self._handler,
            on_failure=self._discard_refused,
            debug=self.debug,
        )
        self._lanes = self._serving.lanes
        self._noise = Noise()
        self.owed: set[object] = set()
        self._silence = Silence(
            silence if side == "client" else None,
            self._is_owing,
            lambda: bool(self._connection.requests),
            self._end_silence,
        )
        self._calls: dict[int, _Call] = {}
        self._spawned: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._closed = asyncio.Event()
        self._receiving: asyncio.Task[None] | None = None
        self._is_disconnected = False
        self._grace: float | None = None  # what `close` was told
        # Last, since a handler may use all of it when it is made.
        if len(self._offers) == 1:
            [offer] = self._offers.values()
            self._connection.speak(self._start(offer))

    @property
    def surface(self) -> Surface | None:
        """The surface that is spoken, such as the module `v1`; None before it is decided."""
        return self._connection.surface

    @property
    def advertised(self) -> Any:
        """The params or result of `initialize` from the other side; None before."""
        return self._connection.advertised

    @property
    def process(self) -> asyncio.subprocess.Process | None:
        """The process of an agent that `connect_stdio` has started, with its `pid`."""
        return self._stream.process if isinstance(self._stream, ChildStream) else None

    @property
    def how_ended(self) -> str:
        """How the other side has ended, such as its exit status; empty if nothing is known."""
        return self._connection.how_ended

    @property
    def exit(self) -> Exit | None:
        """How the program that `connect_stdio` has started has ended; None while it runs."""
        return self._stream.exit if isinstance(self._stream, ChildStream) else None

    def closed_error(self, text: str) -> ConnectionClosed:
        """Make the error of what the end of the connection prevents, which says how it ended."""
        return self._connection.closed_error(text)

    async def wait_ended(self) -> None:
        """Wait until the other side has ended, and all its notifications have been handled.

        After that, `how_ended` tells how.
        """
        await self._ended.wait()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that lives no longer than the connection.

        When the connection ends, the task has as much time to finish as a handler, and is then
        cancelled. Its exceptions are logged.
        """
        self._require_loop()
        task = asyncio.create_task(self._guard(work))
        if not task.done():  # as an eager task can be
            self._spawned.add(task)
            task.add_done_callback(self._spawned.discard)
            task.add_done_callback(lambda _: work.close())  # in case it never started
            if self._serving.is_closing:
                task.cancel()
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:
            if is_worth_logging(self, error):
                _log.exception("a task of the connection failed")
        except (SystemExit, KeyboardInterrupt):
            self._output.send_now()  # what it has queued, before the program ends
            raise

    # --- calling -----------------------------------------------------------------------------

    @overload
    async def request(
        self, method: Method[P, R], params: P, *, on_response: OnResponse | None = None
    ) -> R: ...

    @overload
    async def request(
        self, method: str, params: Any, *, on_response: OnResponse | None = None
    ) -> Any: ...

    async def request(
        self, method: Method[Any, Any] | str, params: Any, *, on_response: OnResponse | None = None
    ) -> Any:
        """Send a request and wait for its result.

        Cancelling the task that waits sends `$/cancel_request` to the other side.

        Args:
            method: the method; or its name in JSON, such as of one that the schema has dropped.
                Then the params and the result are JSON, too.
            params: its params.
            on_response: called once when the response arrives, before anything that arrives after
                it is looked at. This method returns later; if the response ends a sequence of
                updates, after their handlers (see `Method.ends_updates`). Called even if the task
                that waits was cancelled; and with a failure when the connection ends, or when the
                response of a cancelled request is given up. By default, what `Handler.sent`
                returns.

        Raises:
            RequestError: the response is an error.
            DecodeError: the response is not JSON, or its result does not match the method.
            VersionMismatch: `initialize` was answered with another protocol version.
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
            LimitExceeded: too many requests have no response yet.
        """
        self._require_loop()
        method = self._named(method, "request")
        id_ = self._connection.request(method, params)
        if self._silence.is_idle:
            self._silence.begin()
        if on_response is None and self.handler is not None:
            sent = self.handler.sent
            on_response = call_back(sent, method, params, what="Handler.sent", log=_log)
        session: str | None = getattr(params, "session_id", None) if method.ends_updates else None
        return await self._wait(id_, session, on_response)

    async def initialize(self, *requests: Any, timeout: float | None = 120.0) -> Any:
        """Introduce this client to the agent, and wait for its answer.

        Without requests, that is what the handlers say of themselves, see `Handler.stated`. For
        several protocol versions at once, the request asks for the highest and has the members of
        all. The version that the agent answers decides the handler of this side, and `surface`.

        Args:
            requests: what to send instead: an `InitializeRequest` of each surface to ask for.
            timeout: how long the agent may take to answer, in seconds; None for as long as it
                takes. Some agents are downloaded when they are first started.

        Returns:
            The result, an `InitializeResponse` of that surface.

        Raises:
            TimeoutError: the agent has not answered in time. The connection stays open.
            TypeError: something is not such a request, or a factory needs one.
            ValueError: the versions of the requests and of the handlers do not fit.
            VersionMismatch: the answer is a version that was not asked for.
            RequestError: the response is an error, or the handler cannot be made.
            DecodeError: the result does not match its surface.
            EncodeError: some request does not match its surface; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        self._require_loop()
        if not requests:
            requests = tuple(self._introduction(offer) for offer in self._offers.values())
        for version in by_version(requests):
            if version not in self._offers:
                reason = f"this side has no handler for protocol version {version}"
                raise ValueError(f"{reason}; give it one, or do not ask for that version")
        id_ = self._connection.initialize(*requests)
        try:
            return await self._wait(id_, timeout=timeout)
        except asyncio.TimeoutError:
            who, said = self._describe()
            raise TimeoutError(
                f"{who} has not answered 'initialize' within {timeout:g} seconds{said}"
            ) from None

    def _introduction(self, offer: Offer) -> Any:
        return offer.introduction() if self.handler is None else introduction(self.handler)

    def _named(self, method: Method[Any, Any] | str, kind: Kind) -> Method[Any, Any]:
        if not isinstance(method, str):
            return method
        other = "agent" if self._side == "client" else "client"
        return raw_method(self._connection.require_surface(), other, kind, method)

    def _describe(self) -> tuple[str, str]:
        """Return words for the other side, and for what it has said on its standard error."""
        if not isinstance(self._stream, ChildStream):
            return f"the {'agent' if self._side == 'client' else 'client'}", ""
        started = f"{self._stream.program!r}, process {self._stream.process.pid}"
        return f"the agent ({started})", quoted_stderr(self._stream.stderr)

    def _require_loop(self) -> None:
        """Refuse a call from another thread or event loop, where nothing is safe.

        Raises:
            RuntimeError: tells how to call from there.
        """
        try:
            is_here = asyncio.get_running_loop() is self._loop
        except RuntimeError:  # of a thread without an event loop
            is_here = False
        if not is_here:
            raise RuntimeError(
                "a peer is used in its own event loop: from elsewhere, pass the coroutine to "
                "asyncio.run_coroutine_threadsafe with that loop"
            )

    async def _wait(
        self,
        id_: int,
        session: str | None = None,
        on_response: OnResponse | None = None,
        timeout: float | None = None,
    ) -> Any:
        future: asyncio.Future[Any] = self._loop.create_future()
        call = self._calls[id_] = _Call(future, session, on_response)
        try:
            with waiting():
                self._output.send()
                try:
                    await self._output.drain()
                except ConnectionClosed:
                    if isinstance(self._stream, ChildStream):  # how it has ended tells more
                        await asyncio.wait([future], timeout=_PATIENCE)
                    if not future.done():  # otherwise, the response has arrived meanwhile
                        raise
                if timeout is not None:
                    # Before Python 3.12, `wait_for` may swallow that it is cancelled.
                    await asyncio.wait([future], timeout=timeout)
                    if not future.done():
                        raise asyncio.TimeoutError
                return await future
        except (asyncio.CancelledError, asyncio.TimeoutError):
            given_up = self._connection.cancel(id_)
            self._output.send()
            if given_up is not None:
                self._settle(given_up)
            raise
        finally:
            if call.is_answered:  # otherwise, its `on_response` is still to be called
                self._calls.pop(id_, None)
            if not future.cancel() and not future.cancelled():
                future.exception()  # asyncio reports an exception that is never retrieved

    async def notify(self, method: Method[P, None] | str, params: P) -> None:
        """Send a notification, and wait for room in the stream.

        Args:
            method: the method, or its name in JSON; see `request`.
            params: its params.

        Raises:
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        self.post(method, params)
        await self.drain()

    def post(self, method: Method[P, None] | str, params: P) -> None:
        """Send a notification without waiting for room in the stream, see `drain`.

        Args:
            method: the method, or its name in JSON; see `request`.
            params: its params.

        Raises:
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        self._require_loop()
        self._connection.notify(self._named(method, "notification"), params)
        self._output.send()

    async def drain(self) -> None:
        """Wait for room in the stream, after notifications that were posted.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        self._require_loop()
        if self._output.is_scheduled:
            await asyncio.sleep(0)  # until the end of the step, which sends them
        if self._output.is_congested:
            with waiting():
                await self._output.drain()
        else:
            await self._output.drain()

    # --- receiving ---------------------------------------------------------------------------

    async def run(self, linger: float = 1.0, grace: float = GRACE) -> None:
        """Receive until the stream ends, then close it.

        Args:
            linger: how long handlers may take to finish when the stream has ended, in seconds.
            grace: how long they may take to end when they are then cancelled, in seconds. A
                handler that takes longer is dropped.
        """
        self._receiving = asyncio.create_task(self._receive())
        try:
            await asyncio.wait([self._receiving])
            if self._receiving.cancelled():  # by `close`
                return
            self._receiving.result()
            self._take_end(await self._tell_end())
            self._lanes.after_all(self._ended.set, "the end of the connection")
            loop = asyncio.get_running_loop()
            end = loop.time() + linger
            # The end of one handler may start another.
            while (unfinished := self._unfinished()) and (left := end - loop.time()) > 0:
                await asyncio.wait(unfinished, timeout=left)
        finally:
            self._receiving.cancel()
            await uninterrupted(self._close(grace))

    async def close(self, grace: float | None = None) -> None:
        """End the connection at once, and wait until it has ended.

        Handlers are cancelled; so is one that calls this.

        Args:
            grace: how long handlers may take to end, and then the other side; see `connect_stdio`.
                By default, as long as the connection was told when it was made. With 0, no handler
                is waited for, and a program that `connect_stdio` has started is killed at once.
        """
        self._require_loop()
        if grace is not None:
            self._grace = grace
            if isinstance(self._stream, (AsyncioStream, FileStream)):
                self._stream.hurry(grace)
        if self._receiving is None:
            await self._close(GRACE)
            return
        self._receiving.cancel()
        if grace is not None and self._receiving.done() and not self._serving.is_closing:
            self._serving.is_closing = True
            await self._end_tasks(grace)  # which `run` lets finish
        await self._closed.wait()

    async def _tell_end(self) -> Exit | None:
        return await self._stream.wait_exit() if isinstance(self._stream, ChildStream) else None

    def _is_owing(self) -> bool:
        calls = self._calls.values()
        return bool(self.owed) or not all(call.is_answered or call.future.done() for call in calls)

    def _end_silence(self) -> None:
        """Give an agent up that is silent though it owes something."""
        said = self._describe()[1]
        how = f"the agent has been silent for {self._silence.limit:g} seconds{said}"
        _log.error("the connection is given up: %s", how)
        self._connection.how_ended = how
        assert self._receiving is not None, "something was received, or waited for"
        self._receiving.cancel()

    async def _receive(self) -> None:
        while data := await self._read():
            # In pieces, so that a flood cannot exceed the limit by more than one of them.
            for start in range(0, len(data), CHUNK):
                self._take(self._connection.receive(data[start : start + CHUNK]))
                unread = self._output.unread if self._output.is_watched else 0
                if unread > self.limits.unread_bytes:
                    _give_up(f"the other side does not read {unread} bytes")
                    return
                if self._lanes.needs_room and not await self._lanes.wait_for_room():
                    _give_up("too many notifications wait for handlers")
                    return

    async def _read(self) -> bytes:
        silence = self._silence
        silence.reads += 1
        try:
            return await self._stream.read()
        except OSError:
            return b""
        finally:
            silence.reads += 1

    async def _close(self, grace: float) -> None:
        self._serving.is_closing = True
        self._silence.close()
        grace = grace if self._grace is None else self._grace
        try:
            self._take_end()
            await self._end_tasks(grace)
            if self._receiving is not None:
                await asyncio.wait([self._receiving], timeout=grace)
            # A task that is cancelled before its first step does not respond.
            self._serving.close()
        finally:
            for call in self._calls.values():
                if not call.future.done():
                    call.future.set_exception(self._connection.closed_error())
            self._ended.set()
            try:
                self._noise.close()
                self._output.send_now()
                self._output.close()
                self._connection.close()
            finally:
                try:
                    await self._stream.close()
                finally:
                    self._closed.set()

    async def _end_tasks(self, grace: float) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + grace
        cancelled: set[asyncio.Task[None]] = set()
        while unfinished := self._unfinished():
            for task in unfinished:
                if task not in cancelled:
                    task.cancel()
                    cancelled.add(task)
            await asyncio.wait(unfinished, timeout=max(0.0, end - loop.time()))
            if loop.time() >= end:
                break
        for task in self._unfinished():
            _log.error("a handler did not end within %g seconds, and is dropped: %r", grace, task)
            drop(task)
        await asyncio.sleep(0)  # let the dropped ones notice

    def _unfinished(self) -> list[asyncio.Task[None]]:
        return [task for task in (*self._serving.tasks(), *self._spawned) if not task.done()]

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Notification() | Request():
                    self._serving.take(event)
                case Response() | Failure():
                    self._settle(event)
                case Cancellation():
                    for request in event.requests:
                        self._serving.cancel(request)
                case Refused():
                    self._noise.report(event)
                    self._discard_refused()
                case Ignored():
                    self._noise.report(event)
        self._output.begin_step()

    def _take_end(self, exit: Exit | None = None) -> None:
        self._take(self._connection.receive_eof("" if exit is None else str(exit), exit))
        if self.handler is not None and not self._is_disconnected:
            self._is_disconnected = True
            call_back(self.handler.disconnected, what="disconnected", log=_log)

    def _settle(self, event: Response | Failure) -> None:
        id_ = cast(int, event.id)
        call = self._calls[id_]
        call.is_answered = True
        if isinstance(event, Failure):
            self._discard_refused()
            self._advise(event.error)
        if call.on_response is not None:
            call_back(call.on_response, event, what="the callback of a response", log=_log)
        if call.future.done():  # nobody waits any more
            del self._calls[id_]
        elif call.session is None:
            _resolve(call.future, event)
        else:
            resolve = partial(_resolve, call.future, event)
            self._lanes.after(call.session, resolve, "the response to", event.method.name)

    def _advise(self, error: Exception) -> None:
        """Say where an agent tells more than in an error that only says that there is one."""
        if not isinstance(error, RequestError) or error.code != INTERNAL_ERROR:
            return
        is_bare = error.data is UNSET or error.data is None
        is_shown = isinstance(self._stream, ChildStream) and self._stream.shows_stderr
        if is_shown and is_bare and error.message.lower() == "internal error":
            error.advice = "see the agent's standard error"

    # --- handlers ----------------------------------------------------------------------------

    def _handler(self) -> Handler:
        assert self.handler is not None, "nothing is received before a surface is chosen"
        return self.handler

    def _start(self, offer: Offer) -> Surface:
        try:
            self.handler = handler = offer.make(self)
            if handler.side == ("client" if self._side == "agent" else "agent"):
                raise TypeError(
                    f"this side is the {self._side}, but its handler is one of the other side"
                )
            handler.connected(self)
        except BaseException:
            self._discard_handler()
            raise
        self._connection.extend(handler.extensions)
        return handler.surface

    def _choose_surface(self, version: int) -> Surface:
        self._discard_handler()  # that of an `initialize` that was refused just before
        offer = self._offers[pick_version(version, self._offers)]
        try:
            return self._start(offer)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # even CancelledError, which would end the receiving
            text = f"the handler for protocol version {quotation(version)} cannot be made"
            _log.exception("%s", text)
            if self._side == "client":
                raise RequestError.internal_error(message=text) from error
            raise RequestError.internal_error() from error  # which is sent, so without details

    def _discard_refused(self) -> None:
        """Discard the handler of an `initialize` that was refused."""
        if self.handler is not None and self._connection.surface is None:
            self._discard_handler()

    def _discard_handler(self) -> None:
        """Discard the handler, and end the tasks that it has started."""
        self.handler = None
        for task in self._spawned:
            task.cancel()


def _give_up(problem: str) -> None:
    _log.error("the connection is given up: %s", problem)


def _resolve(future: asyncio.Future[Any], event: Response | Failure) -> None:
    if future.done():
        return
    if isinstance(event, Response):
        future.set_result(event.result)
    else:
        future.set_exception(event.error)


# What the sessions use, and programs need not.


def is_worth_logging(peer: Peer, error: BaseException) -> bool:
    """Return whether an error tells more than that a connection has ended."""
    return peer._serving.is_worth_logging(error)  # pyright: ignore[reportPrivateUsage]


def as_own(peer: Peer, error: RequestError) -> RequestError:
    """Return an error as one of this side, if the other side has sent it; see `Connection`."""
    return peer._connection.as_own(error)  # pyright: ignore[reportPrivateUsage]


def after_handlers(peer: Peer, session_id: str, callback: Callable[[], None], name: str) -> None:
    """Call back when the handlers of the session's notifications so far are done.

    Does not wait for a handler that itself waits for the other side, nor without an end for any
    other; see `ordering`.

    Args:
        peer: the connection.
        session_id: the session.
        callback: what to call; at once if there is nothing to wait for.
        name: what waits, for the log.
    """
    lanes = peer._lanes  # pyright: ignore[reportPrivateUsage]
    lanes.after(session_id, callback, name)
