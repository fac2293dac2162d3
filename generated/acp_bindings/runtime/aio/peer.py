# Made by acpgen 0.1.0 from templates/runtime/aio/peer.py.
# Do not edit it; make it again with acpgen.

"""The other side of a connection, and the connection itself."""

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
from .streams import Stream

P = TypeVar("P")
R = TypeVar("R")
# Makes the handler of a connection; a stub over the peer calls the other side.
Factory: TypeAlias = "Callable[[Peer], Handler]"
# The same for a server of several protocol versions, by version.
Factories: TypeAlias = "Factory | Mapping[int, Factory]"

_log = logging.getLogger(__name__)


class Peer:
    """The other side of a connection, and the connection itself.

    A `Caller` for the generated stubs.

    Attributes:
        handler: what the other side's requests and notifications go to; None until `initialize`
            has decided the protocol version.
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
        """Take over a stream; `run` has to be called for anything to happen.

        Raises:
            TypeError: the handler is for the other side.
        """
        self.handler: Handler | None = None
        self._side = side
        self._stream = stream
        self._factories = factories
        surface = self._choose if isinstance(factories, Mapping) else self._start(factories)
        self._connection = Connection(side, surface, max_line=max_line, on_issue=on_issue)
        self._lanes = Lanes()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._unbegun: set[Request] = set()
        self._serving: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()
        self._spawned: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._is_broken = False  # what is written is no longer read
        self._is_closing = False
        self._has_written = False  # in this step of the event loop

    def is_handling(self, session_id: str) -> bool:
        """Whether this is called where a notification of that session is handled.

        Those that came after it are only handled when that is done.
        """
        return self._lanes.is_within(session_id)

    @property
    def advertised(self) -> Any:
        """What the other side said in `initialize`: its params or result; None before."""
        return self._connection.advertised

    async def wait_ended(self) -> None:
        """Wait until the other side has nothing more to say, and all it said has been handled."""
        await self._ended.wait()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that lives no longer than the connection.

        When the connection ends it has as much time as a handler to finish, and is then cancelled.
        What it raises is logged.
        """
        task = asyncio.create_task(self._guard(work))
        if not task.done():  # an eager one can be
            self._spawned.add(task)
            task.add_done_callback(self._spawned.discard)
            task.add_done_callback(lambda _: work.close())  # if it was cancelled before it began
            if self._is_closing:
                task.cancel()
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        detach()
        try:
            await work
        except Exception as error:
            if self._is_news(error):
                _log.exception("a task of the connection failed")

    def _is_news(self, error: BaseException) -> bool:
        """Whether an error says more than that this connection has ended."""
        over = self._is_broken or self._is_closing or self._connection.has_ended
        return not (over and isinstance(error, ConnectionClosed))

    # --- calling -----------------------------------------------------------------------------

    async def request(self, method: Method[P, R], params: P) -> R:
        """Send a request and wait for its result.

        When the waiting task is cancelled, the other side is told with `$/cancel_request`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no result of that method.
            VersionMismatch: `initialize` was answered with another protocol version.
            EncodeError: the params are not of the method's type; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        id_ = self._connection.request(method, params)
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting[id_] = future
        try:
            with waiting():
                self._write()
                await self._drain()
                return await future
        except asyncio.CancelledError:
            self._connection.cancel(id_)
            self._write()
            raise
        finally:
            del self._waiting[id_]
            if future.done() and not future.cancelled():
                future.exception()  # asyncio reports one that nobody has looked at

    async def notify(self, method: Method[P, None], params: P) -> None:
        """Send a notification; waits only for room in the stream.

        Raises:
            EncodeError: the params are not of the method's type; nothing was sent.
            ConnectionClosed: the connection has ended.
        """
        self.post(method, params)
        await self.flush()

    def post(self, method: Method[P, None], params: P) -> None:
        """Put a notification in line to be sent; `flush` sends it and waits for room.

        Raises:
            EncodeError: the params are not of the method's type; nothing was put in line.
            ConnectionClosed: the connection has ended.
        """
        self._connection.notify(method, params)

    def send(self) -> None:
        """Send what is in line, without waiting for room in the stream."""
        self._write()

    async def flush(self) -> None:
        """Send what is in line, and wait for room in the stream.

        Raises:
            ConnectionClosed: the connection has ended.
        """
        if not self._write():
            await asyncio.sleep(0)  # until it is written with what else this step brings
        await self._drain()

    async def _drain(self) -> None:
        try:
            await self._stream.drain()
        except OSError as error:
            self._is_broken = True
            raise ConnectionClosed("the other side no longer reads") from error

    def _write(self) -> bool:
        """Write at once what comes first in a step of the event loop, and the rest at its end."""
        if self._has_written:
            return False
        if self._write_now():
            self._has_written = True
            asyncio.get_running_loop().call_soon(self._end_step)
        return True

    def _end_step(self) -> None:
        self._has_written = False
        self._write()

    def _write_now(self) -> bool:
        data = self._connection.data_to_send()
        if data:
            self._stream.write(data)
        return bool(data)

    # --- receiving ---------------------------------------------------------------------------

    async def run(self, linger: float = 1.0) -> None:
        """Receive until the stream ends, then close it.

        Args:
            linger: how many seconds the handlers under way then have to finish.
        """
        try:
            while data := await self._read():
                self._take(self._connection.receive(data))
            self._take(self._connection.receive_eof())
            self._lanes.after_all(self._ended.set)
            loop = asyncio.get_running_loop()
            end = loop.time() + linger
            # What is done may let another handler begin.
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
            # A task that is cancelled before its first step does not answer.
            for request in [*self._unbegun, *self._serving]:
                self._connection.fail(request, _cancellation())
        finally:
            for future in self._waiting.values():  # those whose notifications were not handled
                if not future.done():
                    future.set_exception(ConnectionClosed("the connection was closed"))
            self._ended.set()
            self._write_now()
            self._connection.close()
            await self._stream.close()

    def _unfinished(self) -> list[asyncio.Task[None]]:
        tasks = [*self._serving.values(), *self._lanes.tasks(), *self._spawned]
        return [task for task in tasks if not task.done()]

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Notification():
                    self._lanes.put(_session(event), partial(self._handle, event))
                case Request():
                    self._unbegun.add(event)
                    self._lanes.after(_session(event), partial(self._begin, event))
                case Response() | Failure():
                    self._settle(event)
                case Cancellation():
                    for request in event.requests:
                        self._cancel(request)
                case Refused():
                    _log.warning("refused a message (id %r): %s", event.id, event.error)
                case Ignored():
                    _log.warning("ignored a message: %s", event.reason)
        self._write()

    async def _handle(self, event: Notification) -> None:
        if self._is_closing:
            return
        try:
            await self._handler().handle(event.method, event.params)
        except BaseException as error:
            # Awaiting a task of its own that was cancelled raises CancelledError in a handler, too.
            if _is_exit(error) or (isinstance(error, asyncio.CancelledError) and self._is_closing):
                raise
            if self._is_news(error):
                _log.exception("the handler of %s failed", event.method.name)

    def _begin(self, request: Request) -> None:
        if request not in self._unbegun or self._is_closing:
            return  # it was cancelled, or is when the connection is closed
        self._unbegun.discard(request)
        task = asyncio.create_task(self._serve(request))
        if not task.done():  # an eager one can be
            self._serving[request] = task

    def _cancel(self, request: Request) -> None:
        serving = self._serving.get(request)
        if request in self._unbegun:
            self._unbegun.discard(request)
            self._connection.fail(request, _cancellation())
        elif serving is not None and request not in self._cancelled:
            self._cancelled.add(request)
            # Later: a task that is cancelled before its first step does not answer.
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
                if not isinstance(error, RequestError) and self._is_news(error):
                    _log.exception("the handler of %s failed", request.method.name)
                self._connection.fail(request, error)
                if _is_exit(error):
                    self._write_now()
                    raise
            self._write()
        except ConnectionClosed:
            pass  # nobody is left to be answered
        finally:
            self._serving.pop(request, None)
            self._cancelled.discard(request)

    def _settle(self, event: Response | Failure) -> None:
        future = self._waiting.get(cast(int, event.id))
        if future is None:
            return  # its task was cancelled
        self._lanes.after_all(partial(_resolve, future, event))

    # --- handlers ----------------------------------------------------------------------------

    def _handler(self) -> Handler:
        assert self.handler is not None, "nothing is received before a surface is chosen"
        return self.handler

    def _start(self, factory: Factory) -> Surface:
        self.handler = factory(self)
        if self.handler.side == ("client" if self._side == "agent" else "agent"):
            raise TypeError(f"this side is the {self._side}; its handler is for the other one")
        return self.handler.surface

    def _choose(self, version: int) -> Surface:
        factories = cast("Mapping[int, Factory]", self._factories)
        factory = factories[pick_version(version, factories)]
        try:
            return self._start(factory)
        except Exception as error:
            _log.exception("the handler for protocol version %d cannot be made", version)
            raise RequestError(INTERNAL_ERROR, "internal error") from error


def _session(event: Request | Notification) -> object:
    """What the order of notifications is kept by; None for those of no session."""
    return getattr(event.params, "session_id", None)


def _cancellation() -> RequestError:
    return RequestError(REQUEST_CANCELLED, "request cancelled")


def _is_exit(error: BaseException) -> bool:
    return isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit))


async def _uninterrupted(work: Coroutine[Any, Any, object]) -> None:
    """See some work to its end even when this task is cancelled meanwhile, and raise that then."""
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
