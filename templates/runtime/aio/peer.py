"""`Peer`: a connection over asyncio, and the other side of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar, cast

from ..jsonrpc.connection import MAX_LINE, Connection
from ..jsonrpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, ConnectionClosed, RequestError
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
from ..jsonrpc.messages import pick_version
from ..jsonrpc.method import Handler, Method, Surface
from ..values.errors import Issue
from .ordering import Lanes, detach, waiting
from .output import Output
from .streams import Stream

P = TypeVar("P")
R = TypeVar("R")
# Makes the handler of a connection. A stub over the peer calls the other side.
Factory: TypeAlias = "Callable[[Peer], Handler]"
# One factory, or one for each protocol version.
Factories: TypeAlias = "Factory | Mapping[int, Factory]"

_log = logging.getLogger(__name__)


class Peer:
    """A connection, and the other side of it: pass it to a stub to call the other side.

    Attributes:
        handler: the handler of the calls that arrive; None until `initialize` has decided the
            protocol version.
    """

    def __init__(
        self,
        stream: Stream,
        side: Literal["agent", "client"],
        factories: Factories,
        *,
        max_line: int = MAX_LINE,
        on_issue: Callable[[Method[Any, Any], Issue], object] | None = None,
    ) -> None:
        """Take over a stream. Nothing is received before `run` is called.

        Args:
            stream: the connection to the other side.
            side: the side that this program is.
            factories: makes the handler; for an agent, there may be a factory for each protocol
                version.
            max_line: the length of the longest message to accept, in bytes.
            on_issue: called for each issue of decoding, see `decode`. An exception that it raises
                ends the connection.

        Raises:
            TypeError: the handler is one of the other side.
        """
        self.handler: Handler | None = None
        self._side = side
        self._stream = stream
        self._factories = factories
        surface = self._choose_surface if isinstance(factories, Mapping) else self._start(factories)
        self._connection = Connection(side, surface, max_line=max_line, on_issue=on_issue)
        self._output = Output(self._connection, stream)
        self._lanes = Lanes()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._unstarted: set[Request] = set()
        self._serving: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()
        self._spawned: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._is_closing = False

    def is_handling(self, session_id: str) -> bool:
        """Return whether the current code handles a notification of that session.

        The notifications behind it are not handled before it is done.
        """
        return self._lanes.is_within(session_id)

    @property
    def advertised(self) -> Any:
        """The params or result of `initialize` from the other side; None before."""
        return self._connection.advertised

    async def wait_ended(self) -> None:
        """Wait until the other side has ended, and all its notifications have been handled."""
        await self._ended.wait()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that lives no longer than the connection.

        When the connection ends, the task has as much time to finish as a handler, and is then
        cancelled. Its exceptions are logged.
        """
        task = asyncio.create_task(self._guard(work))
        if not task.done():  # as an eager task can be
            self._spawned.add(task)
            task.add_done_callback(self._spawned.discard)
            task.add_done_callback(lambda _: work.close())  # in case it never started
            if self._is_closing:
                task.cancel()
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        detach()
        try:
            await work
        except Exception as error:
            if self._is_worth_logging(error):
                _log.exception("a task of the connection failed")

    def _is_worth_logging(self, error: BaseException) -> bool:
        """Return whether an error tells more than that this connection has ended."""
        is_over = self._output.is_broken or self._is_closing or self._connection.has_ended
        return not (is_over and isinstance(error, ConnectionClosed))

    # --- calling -----------------------------------------------------------------------------

    async def request(self, method: Method[P, R], params: P) -> R:
        """Send a request and wait for its result.

        Cancelling the task that waits sends `$/cancel_request` to the other side.

        Raises:
            RequestError: the response is an error.
            DecodeError: the result does not match the method.
            VersionMismatch: `initialize` was answered with another protocol version.
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        id_ = self._connection.request(method, params)
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting[id_] = future
        try:
            with waiting():
                self._output.send()
                await self._output.drain()
                return await future
        except asyncio.CancelledError:
            self._connection.cancel(id_)
            self._output.send()
            raise
        finally:
            del self._waiting[id_]
            if future.done() and not future.cancelled():
                future.exception()  # asyncio reports an exception that is never retrieved

    async def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification, and wait for room in the stream.

        Raises:
            EncodeError: the params do not match the method; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        self.post(method, params)
        await self.flush()

    def post(self, method: Method[P, None], params: P) -> None:
        """Queue a notification; `flush` or `send` sends it.

        Raises:
            EncodeError: the params do not match the method; nothing was queued.
            ConnectionClosed: the connection has ended.
        """
        self._connection.notify(method, params)

    def send(self) -> None:
        """Send the queued messages, without waiting for room in the stream."""
        self._output.send()

    async def flush(self) -> None:
        """Send the queued messages, and wait for room in the stream.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        if not self._output.send():
            await asyncio.sleep(0)  # until the end of the step, which sends them
        await self._output.drain()

    # --- receiving ---------------------------------------------------------------------------

    async def run(self, linger: float = 1.0) -> None:
        """Receive until the stream ends, then close it.

        Args:
            linger: how long handlers may take to finish when the stream has ended, in seconds.
        """
        try:
            while data := await self._read():
                self._take(self._connection.receive(data))
            self._take(self._connection.receive_eof())
            self._lanes.after_all(self._ended.set)
            loop = asyncio.get_running_loop()
            end = loop.time() + linger
            # The end of one handler may start another.
            while (unfinished := self._unfinished()) and (left := end - loop.time()) > 0:
                await asyncio.wait(unfinished, timeout=left)
        finally:
            await _uninterrupted(self._close())

    async def _read(self) -> bytes:
        try:
            return await self._stream.read()
        except OSError:
            return b""

    async def _close(self) -> None:
        self._is_closing = True
        try:
            self._take(self._connection.receive_eof())
            while unfinished := self._unfinished():
                for task in unfinished:
                    task.cancel()
                await asyncio.wait(unfinished)
            # A task that is cancelled before its first step does not respond.
            for request in [*self._unstarted, *self._serving]:
                self._connection.fail(request, _cancellation())
        finally:
            # The responses that were still behind unhandled notifications.
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(ConnectionClosed("the connection was closed"))
            self._ended.set()
            self._output.send_now()
            self._connection.close()
            await self._stream.close()

    def _unfinished(self) -> list[asyncio.Task[None]]:
        tasks = [*self._serving.values(), *self._lanes.tasks(), *self._spawned]
        return [task for task in tasks if not task.done()]

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Notification():
                    self._lanes.put(_session_id(event), partial(self._handle, event))
                case Request():
                    self._unstarted.add(event)
                    self._lanes.after(_session_id(event), partial(self._start_serving, event))
                case Response() | Failure():
                    self._settle(event)
                case Cancellation():
                    for request in event.requests:
                        self._cancel(request)
                case Refused():
                    _log.warning("refused a message (id %r): %s", event.id, event.error)
                case Ignored():
                    _log.warning("ignored a message: %s", event.reason)
        self._output.send()

    async def _handle(self, event: Notification) -> None:
        if self._is_closing:
            return
        try:
            await self._handler().handle(event.method, event.params)
        except BaseException as error:
            # A handler may also raise CancelledError because a task that it awaits was cancelled.
            if _is_exit(error) or (isinstance(error, asyncio.CancelledError) and self._is_closing):
                raise
            if self._is_worth_logging(error):
                _log.exception("the handler of %s failed", event.method.name)

    def _start_serving(self, request: Request) -> None:
        if request not in self._unstarted or self._is_closing:
            return  # it was cancelled, or closing the connection will cancel it
        self._unstarted.discard(request)
        task = asyncio.create_task(self._serve(request))
        if not task.done():  # as an eager task can be
            self._serving[request] = task

    def _cancel(self, request: Request) -> None:
        serving = self._serving.get(request)
        if request in self._unstarted:
            self._unstarted.discard(request)
            self._connection.fail(request, _cancellation())
        elif serving is not None and request not in self._cancelled:
            self._cancelled.add(request)
            # Not now: a task that is cancelled before its first step does not respond.
            asyncio.get_running_loop().call_soon(serving.cancel)

    async def _serve(self, request: Request) -> None:
        detach()
        try:
            try:
                result = await self._handler().handle(request.method, request.params)
                self._connection.respond(request, result)
            except BaseException as error:
                is_cancelled = request in self._cancelled or self._is_closing
                if is_cancelled and isinstance(error, asyncio.CancelledError):
                    error = _cancellation()
                if not isinstance(error, RequestError) and self._is_worth_logging(error):
                    _log.exception("the handler of %s failed", request.method.name)
                self._connection.fail(request, error)
                if _is_exit(error):
                    self._output.send_now()
                    raise
            self._output.send()
        except ConnectionClosed:
            pass  # nobody is left to respond to
        finally:
            self._serving.pop(request, None)
            self._cancelled.discard(request)

    def _settle(self, event: Response | Failure) -> None:
        future = self._waiting.get(cast(int, event.id))
        if future is None:
            return  # the task that made the request was cancelled
        self._lanes.after_all(partial(_resolve, future, event))

    # --- handlers ----------------------------------------------------------------------------

    def _handler(self) -> Handler:
        assert self.handler is not None, "nothing is received before a surface is chosen"
        return self.handler

    def _start(self, factory: Factory) -> Surface:
        self.handler = factory(self)
        if self.handler.side == ("client" if self._side == "agent" else "agent"):
            raise TypeError(
                f"this side is the {self._side}, but its handler is one of the other side"
            )
        return self.handler.surface

    def _choose_surface(self, version: int) -> Surface:
        factories = cast("Mapping[int, Factory]", self._factories)
        factory = factories[pick_version(version, factories)]
        try:
            return self._start(factory)
        except Exception as error:
            _log.exception("the handler for protocol version %d cannot be made", version)
            raise RequestError(INTERNAL_ERROR, "internal error") from error


def _session_id(event: Request | Notification) -> object:
    """Return the session whose notifications are handled in order; None if there is none."""
    return getattr(event.params, "session_id", None)


def _cancellation() -> RequestError:
    return RequestError(REQUEST_CANCELLED, "request cancelled")


def _is_exit(error: BaseException) -> bool:
    return isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit))


async def _uninterrupted(work: Coroutine[Any, Any, object]) -> None:
    """Await work to its end even if this task is cancelled, and then raise the cancellation."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled


def _resolve(future: asyncio.Future[Any], event: Response | Failure) -> None:
    if future.done():
        return
    if isinstance(event, Response):
        future.set_result(event.result)
    else:
        future.set_exception(event.error)
