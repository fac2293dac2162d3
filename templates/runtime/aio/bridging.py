"""`BridgedStream`: a stream that converts messages between protocol versions.

`StandingIn` runs the handler that the client program provides for file and terminal requests.
This module requires the package's bridge, so it is imported only if a bridge is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any, Literal, TypeAlias
from weakref import WeakValueDictionary

from ...bridge import CORRESPONDENCE
from ..bridge.bridge import Bridge
from ..bridge.exchange import End
from ..bridge.stand_in import Closed, Opened, StandIn
from ..jsonrpc.errors import ConnectionClosed, RequestError, VersionMismatch
from ..jsonrpc.events import Request
from ..jsonrpc.handler import Handler
from ..jsonrpc.limits import DEFAULT, MAX_LINE, Limits
from ..jsonrpc.logs import logger_of
from ..jsonrpc.method import CapabilityRequirement, Method
from ..jsonrpc.observing import Bridged, Loss, Observer, observe_with
from ..jsonrpc.receiving import Lines, LineTooLong
from ..values.errors import Issue
from .rejections import Rejections
from .session_lives import SessionLives
from .streams import CHUNK, GRACE, BytesOfMessages, Stream, Wakeup
from .tasks import Once, end_tasks, exit_quietly, wait_done

Direction: TypeAlias = Literal["sent", "received"]

# The protocol versions on the two sides of a bridge.
VERSIONS = tuple(
    surface.SCHEMA.protocol_version for surface in (CORRESPONDENCE.older, CORRESPONDENCE.newer)
)

# The minimum and maximum interval between two requests for terminal output, in seconds. The
# interval doubles as long as there is no new output.
_SOON, _LATE = 0.05, 1.0
_FAILED = "the bridge failed; closing the connection"

_log = logger_of(__name__)


class BridgedStream:
    """A stream for one side of a bridge, called the near side.

    The bridge converts messages in both directions and forwards them over a stream to the other
    side, called the far side.
    """

    def __init__(
        self,
        stream: Stream,
        near: Literal["agent", "client"],
        *,
        shown: Collection[int] | None = None,
        spoken: Collection[int] | None = None,
        max_line: int = MAX_LINE,
        limits: Limits = DEFAULT,
        on_issue: Callable[[Issue], object] | None = None,
        on_loss: Callable[[Loss], object] | None = None,
        observe: Observer | None = None,
        handler: Handler | type[Handler] | None = None,
    ) -> None:
        """Take over a stream. Reading from the stream begins with the first call to `read`.

        Args:
            stream: the connection to the far side.
            near: the role of the peer that uses this stream.
            shown: the protocol versions that a client may speak; by default, both.
            spoken: the protocol versions that the agent is known to speak; by default, they are
                determined from its response to `initialize`.
            max_line: the length of the longest message to accept, in bytes.
            limits: limits on the data stored for each side.
            on_issue: called for each decoding issue.
            on_loss: called for each part of a message that cannot be carried over.
            observe: called for each line that either side sends or receives. For lines on the far
                side, `is_far` is set. Once both sides are known to speak the same version, lines on
                the far side are no longer observed.
            handler: the handler for file and terminal requests; see the `bridge` argument of
                `connect`.

        Raises:
            TypeError: If the handler is not a protocol 1 client handler.
        """
        self._stream = stream
        # A callback that is called with the method and the params before `Bridged.request` sends a
        # request.
        self._prepare: Callable[[str, Any], None] | None = None
        self._calls: set[asyncio.Future[Any]] = set()  # calls waiting for a response
        self._rejections = Rejections()
        self._bridge = bridge = Bridge(
            CORRESPONDENCE,
            shown=shown,
            spoken=spoken,
            max_line=max_line,
            limits=limits,
            near=near,
            on_issue=on_issue,
            on_loss=on_loss,
            on_rejection=self._rejections.report,
            handler=handler,
        )
        self._standing_in: StandingIn | None = None
        if handler is not None:
            assert bridge.stand_in is not None
            made = handler() if isinstance(handler, type) else handler
            self._standing_in = StandingIn(bridge.stand_in, made, self._pass_on_answer)
        ends = (bridge.agent, bridge.client)
        self._near, self._far = ends if near == "agent" else reversed(ends)
        self._limits = limits
        self._unsent: Callable[[], int] | None = getattr(stream, "unsent", None)
        self._written = 0  # bytes written since the stream last had room
        self._grace = GRACE
        self._incoming: list[bytes] = []
        self._is_over = False
        self._error_of_end: ConnectionClosed | None = None
        self._closing = Once()
        self._change = Wakeup()  # notified when data arrives or is read, and at the end
        self._receiving: asyncio.Task[None] | None = None
        self._watches: dict[tuple[End, Direction], _Watch] = {}
        if observe is not None:
            for end in ends:
                is_far = end is self._far
                self._watches[end, "sent"] = _Watch(observe, "sent", max_line, is_far)
                self._watches[end, "received"] = _Watch(observe, "received", max_line, is_far)

    @property
    def bridged(self) -> Bridged | None:
        """The far side if it is known to speak a different version, otherwise None."""
        if not self._bridge.is_translating:
            return None
        return Bridged(self._far.version, self._far.connection.advertised, self._request)

    def begin(self, peer: object, prepare: Callable[[str, Any], None]) -> None:
        self._prepare = prepare
        if self._standing_in is not None:
            self._standing_in.connect(peer)

    async def _request(self, method: Method[Any, Any] | str, params: Any) -> Any:
        typed = None if isinstance(method, str) else method
        name = method if isinstance(method, str) else method.name
        if self._prepare is not None:
            self._prepare(name, params)
        if self._is_over:
            raise self._closed_error()
        data = params if typed is None else typed.codec.encode(params, typed.params)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def then(result: Any) -> None:
            if not future.done():
                future.set_result(result)

        def otherwise(error: BaseException) -> None:
            if not future.done():
                future.set_exception(error)

        id_ = self._bridge.call(self._far, name, data, then, otherwise)
        self._calls.add(future)
        try:
            self._pass_on()
            await self.drain()
            result = await future
        except asyncio.CancelledError:
            if id_ is not None:
                self._bridge.give_up(self._far, id_)
                self._pass_on()
            raise
        finally:
            self._calls.discard(future)
            if not future.cancel() and not future.cancelled():
                future.exception()  # otherwise, asyncio logs an exception that was never retrieved
        return result if typed is None else typed.codec.decode(typed.result, result)

    def _closed_error(self) -> ConnectionClosed:
        return self._far.connection.closed_error()

    @property
    def mismatch(self) -> VersionMismatch | None:
        return self._bridge.mismatch

    @property
    def is_asked(self) -> bool:
        """True if the far side is waiting for a response from the handler."""
        return self._standing_in is not None and self._standing_in.is_busy

    def defines(self, need: CapabilityRequirement, /) -> bool:
        """Return whether the far side's version defines a capability that the params require."""
        if not self._bridge.is_translating:
            return True
        methods = self._far.connection.require_surface().METHODS[self._near.name].values()
        return any(need.names == other.names for method in methods for other in method.needs)

    async def read(self) -> bytes:
        if self._receiving is None and not self._is_over:
            self._receiving = asyncio.create_task(self._receive())
        while not self._incoming and not self._is_over:
            await self._change.wait()
        data = b"".join(self._incoming)
        self._incoming.clear()
        self._change.notify()
        if not data and self._error_of_end is not None:
            raise self._error_of_end
        return data

    def write(self, data: bytes) -> None:
        self._take(self._near, "sent", data)

    async def drain(self, session_id: str | None = None) -> None:
        if isinstance(self._stream, BytesOfMessages):
            await self._stream.drain(session_id)
        else:
            await self._stream.drain()
        self._written = 0

    def unsent(self) -> int:
        return self._written if self._unsent is None else self._unsent()

    def hurry(self, grace: float) -> None:
        self._grace = grace
        hurry: Callable[[float], None] | None = getattr(self._stream, "hurry", None)
        if hurry is not None:
            hurry(grace)

    async def close(self) -> None:
        """Send error responses to the far side's pending requests, then close the stream."""
        await self._closing.run(self._close)

    async def _close(self) -> None:
        self._end()
        try:
            if self._receiving is not None:
                self._receiving.cancel()
                await wait_done(self._receiving)
            self._bridge.receive_eof(self._near)
            self._pass_on()
            self._rejections.close()
            if self._standing_in is not None:
                await self._standing_in.close(self._grace)
        finally:
            await self._stream.close()

    async def _receive(self) -> None:
        """Read from the far side until its stream ends. Pause while the near side isn't reading."""
        try:
            while data := await self._read():
                # Process the data in chunks so that a flood exceeds the limits by at most one
                # chunk.
                for start in range(0, len(data), CHUNK):
                    self._take(self._far, "received", data[start : start + CHUNK])
                    if self.unsent() > self._limits.unread_bytes:
                        _log.error(
                            "closing the connection: the peer left %d bytes unread",
                            self.unsent(),
                        )
                        return
                    while self._incoming:
                        await self._change.wait()
            # When this stream ends, the near side fails its pending requests itself, as it does
            # without a bridge.
            self._bridge.receive_eof(self._far, answered=False)
            self._pass_on()
            await self._hold_end()
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException:
            _log.exception(_FAILED)
        finally:
            self._end()

    def _end(self) -> None:
        """Fail the waiting calls, since no more messages will arrive."""
        self._is_over = True
        for future in self._calls:
            if not future.done():
                future.set_exception(self._closed_error())
        self._change.notify()

    async def _hold_end(self) -> None:
        """Wait until the bridge has delivered the messages that it is holding.

        Messages that follow `initialize` are held until the near side responds to that request. The
        wait also ends when the near side closes this stream, or after a timeout.
        """
        is_late = False

        def give_up() -> None:
            nonlocal is_late
            is_late = True
            self._change.notify()

        timer = asyncio.get_running_loop().call_later(self._grace, give_up)
        try:
            while self._bridge.is_holding and not is_late:
                await self._change.wait()
        finally:
            timer.cancel()

    async def _read(self) -> bytes:
        try:
            return await self._stream.read()
        except OSError as error:
            if isinstance(error, ConnectionClosed):  # the transport provides the reason
                self._error_of_end = error
            return b""

    def _take(self, end: End, direction: Direction, data: bytes) -> None:
        if self._bridge.is_translating is False and self._watches:
            self._watches = {
                key: watch for key, watch in self._watches.items() if self._near in key
            }
        self._observe(end, direction, data)
        was_holding = self._bridge.is_holding
        self._bridge.receive(end, data)
        self._pass_on()
        if was_holding and not self._bridge.is_holding:
            self._change.notify()

    def _pass_on(self) -> None:
        """Deliver the bridge's messages to both sides and the handler."""
        if self._standing_in is not None:
            self._standing_in.take()
        if data := self._bridge.data_to_send(self._far):
            self._observe(self._far, "sent", data)
            self._stream.write(data)
            self._written += len(data)
        data = self._bridge.data_to_send(self._near)
        if data and not self._is_over:  # after the end, the near side fails all its requests
            self._observe(self._near, "received", data)
            self._incoming.append(data)
            self._change.notify()

    def _pass_on_answer(self) -> None:
        """Deliver the handler's response, or close the connection if that fails."""
        try:
            self._pass_on()
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:
            _log.exception(_FAILED)
            self._end()

    def _observe(self, end: End, direction: Direction, data: bytes) -> None:
        if (watch := self._watches.get((end, direction))) is not None:
            watch.feed(data)


class _Watch:
    """An adapter that splits a byte stream into lines for an observer."""

    def __init__(
        self, observer: Observer, direction: Direction, max_line: int, is_far: bool
    ) -> None:
        self._observer = observer
        self._direction: Direction = direction
        self._is_far = is_far
        self._lines = Lines(max_line)

    def feed(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            text = line.ends if isinstance(line, LineTooLong) else line
            if text.strip():
                observe_with(self._observer, self._direction, text, is_far=self._is_far)


# --- the handler of the bridge ---------------------------------------------------------------

# The runner of each active handler, by the handler's `id()`. A handler serves only one connection
# at a time, since it could not distinguish sessions that have the same id but belong to different
# connections.
_running: WeakValueDictionary[int, StandingIn] = WeakValueDictionary()


class StandingIn:
    """A runner that calls the bridge's handler for requests and runs these calls concurrently.

    The limits of the agent's connection apply, since these requests are the agent's open requests.
    """

    def __init__(self, stand_in: StandIn, handler: Handler, on_answer: Callable[[], None]) -> None:
        self._stand_in = stand_in
        self._handler = handler
        self._on_answer = on_answer
        self._lives = SessionLives(lambda: handler)
        self._tasks: dict[Request, asyncio.Task[None]] = {}
        self._cancelled: set[Request] = set()
        self._looking: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """True if the handler is working on a request."""
        return bool(self._tasks)

    def connect(self, peer: object) -> None:
        """Notify the handler that it is connected.

        Raises:
            RuntimeError: If the handler already has a connection.
            Exception: If the handler's `connected` method fails.
        """
        if id(self._handler) in _running:
            name = type(self._handler).__qualname__
            raise RuntimeError(
                f"the {name} passed as bridge= already has a connection; pass its class instead"
            )
        self._lives.connect(peer)
        _running[id(self._handler)] = self

    def take(self) -> None:
        """Start handling newly received requests and stop handling cancelled ones."""
        for event in self._stand_in.take_events():
            if isinstance(event, Request):
                task = asyncio.create_task(self._serve(event))
                if not task.done():  # an eager task can already be done
                    self._tasks[event] = task
                continue
            if isinstance(event, Opened):
                self._lives.open(event.session_id, event.cwd, event.additional_directories)
                continue
            if isinstance(event, Closed):
                self._lives.close(event.session_id)
                continue
            for request in event.requests:
                if request in self._tasks and request not in self._cancelled:
                    self._cancelled.add(request)
                    # The cancellation is deferred, since a task cancelled before its first step
                    # sends no response.
                    asyncio.get_running_loop().call_soon(self._tasks[request].cancel)
        if self._stand_in.watched and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Poll terminal output until no terminal is being watched."""
        wait, shown = _SOON, self._stand_in.shown
        try:
            while self._stand_in.watched:
                await asyncio.sleep(wait)
                self._stand_in.look()
                self.take()
                is_new = self._stand_in.shown != shown
                wait, shown = _SOON if is_new else min(2 * wait, _LATE), self._stand_in.shown
        finally:
            self._looking = None

    async def close(self, grace: float) -> None:
        """Cancel the tasks, drop tasks still running after `grace`, and release the handler."""
        if self._looking is not None:
            self._looking.cancel()
        self._cancelled.update(self._tasks)
        await end_tasks(lambda: list(self._tasks.values()), grace)
        if _running.get(id(self._handler)) is self:
            try:
                await self._lives.end(grace)
                self._lives.disconnect()
                await self._lives.end(grace)
            finally:
                del _running[id(self._handler)]

    async def _serve(self, request: Request) -> None:
        try:
            result = await self._handler.handle(request.method, request.params)
            self._stand_in.respond(request, result)
        except BaseException as error:
            self._fail(request, error)
            # The task must not continue after any of these exceptions. GeneratorExit means that
            # `end_tasks` is dropping the task.
            if isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit)):
                if not isinstance(error, GeneratorExit):
                    exit_quietly()
                raise
        finally:
            self._tasks.pop(request, None)
            self._cancelled.discard(request)
            self._on_answer()

    def _fail(self, request: Request, error: BaseException) -> None:
        is_ending = isinstance(error, (asyncio.CancelledError, GeneratorExit))
        if is_ending and request in self._cancelled:
            error = RequestError.request_cancelled()
        elif not isinstance(error, RequestError):
            if not isinstance(error, (SystemExit, KeyboardInterrupt)):
                _log.error("the handler for %s failed", request.method.name, exc_info=error)
            error = RequestError.internal_error()
        self._stand_in.fail(request, error)
