"""A client's message stream over HTTP, using POST requests and server-sent events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

from ..runtime.aio.streams import GRACE, Wakeup
from ..runtime.aio.tasks import Once
from ..runtime.jsonrpc.envelope import Message
from ..runtime.jsonrpc.errors import ConnectionClosed
from ..runtime.jsonrpc.logs import logger_of
from ..runtime.jsonrpc.receiving import Lines, LineTooLong
from .endpoint import NOT_ADMITTED, NotAdmitted
from .routing import CONNECTION_ID, EVENTS, JSON, SESSION_ID, ClientRouting, Reaction, refusal_text
from .wire import HttpExchange, Wire

# The maximum time for the response to a POST, except for `initialize`, in seconds.
POSTING = 60.0
# The maximum time that a POST waits for its stream to open, in seconds. A proxy might not forward
# the response headers of the stream until data is sent.
HEARING = 5.0
# The maximum time without data on a stream that has contained keep-alive comments, in seconds.
SILENCE = 120.0
# The delays before retries, in seconds.
DELAYS: Final = (0.2, 0.5, 1.0, 2.0, 4.0)
# The time for which a session's stream must be silent before a response from the connection's
# stream is delivered, and the maximum time for which the response waits, in seconds.
SETTLING, SETTLED = 0.05, 2.0
# The maximum time, in seconds, for reading the remaining messages from session streams after the
# connection's stream has ended, and for the server to end an ended session's stream.
ENDING = 1.0
# The maximum time for the DELETE request that closes a connection, in seconds.
DELETING = 2.0
# The maximum number of bytes queued in each direction before senders have to wait.
ROOM = 1 << 16
# The time after which a cancelled task that is still running is cancelled again, in seconds.
_CANCELLING = 0.1
# The maximum number of bytes to read from the body of a rejection.
_REFUSAL = 1 << 16
_POST = {"content-type": JSON, "accept": f"{JSON}, {EVENTS}"}

_log = logger_of(__name__)


class Events:
    """A parser for server-sent events that operates on bytes.

    Attributes:
        has_comments: whether the stream has contained any comments so far.
    """

    def __init__(self, most: int) -> None:
        """Create a parser for a new stream.

        Args:
            most: the maximum length of an event, in bytes.
        """
        self.has_comments = False
        self._most = most
        self._lines = Lines(most + len(b"data: \r"))
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Parse a chunk and return the data of the events that it completes, one line per event.

        Raises:
            ConnectionClosed: If an event is too long.
        """
        events: list[bytes] = []
        for line in self._lines.feed(chunk):
            if isinstance(line, LineTooLong):
                raise _too_long(self._most)
            line = line.removesuffix(b"\r")
            if line.startswith(b"data:"):
                data = line[5:].removeprefix(b" ")
                self._data.append(data)
                self._size += len(data)
                if self._size > self._most:
                    raise _too_long(self._most)
            elif line.startswith(b":"):
                self.has_comments = True
            elif not line and self._data:
                # In JSON, a line break can safely be replaced with a space.
                if data := b" ".join(self._data).strip():
                    events.append(data)
                self._data.clear()
                self._size = 0
        return events


class _Chain:
    """A queue of messages that are posted one after another."""

    def __init__(self, post: Callable[[Message], Coroutine[Any, Any, None]]) -> None:
        self._post = post
        self._messages: deque[Message] = deque()
        self.size = 0  # the size of the queued messages, in bytes
        self.task: asyncio.Task[None] | None = None

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self.size += len(message.text)
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._messages:
            message = self._messages[0]
            await self._post(message)
            self._messages.popleft()
            self.size -= len(message.text)


class _Listener:
    """The state of a stream of server-sent events."""

    task: asyncio.Task[None]

    def __init__(self) -> None:
        # Whether the server accepted the request. The future is pending until the server
        # responds.
        self.opened: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.heard = 0.0  # the time when data last arrived
        self.is_over = False  # whether the stream is no longer needed

    @property
    def is_open(self) -> bool:
        return self.opened.done() and self.opened.result()

    def open(self, is_open: bool) -> None:
        if not self.opened.done():
            self.opened.set_result(is_open)


class HttpStream:
    """A client's `MessageStream` over HTTP.

    Requests and notifications are posted one after another. Responses are posted from a separate
    queue, since the response to a posted request might depend on them. `receive` returns the
    messages from all streams.
    """

    def __init__(self, wire: Wire, most: int, preface: str = "") -> None:
        """Create a stream without sending a request. The first message must be `initialize`.

        Args:
            wire: the HTTP connections, which are closed together with the stream.
            most: the maximum length of a received message, in bytes.
            preface: a prefix for errors during `initialize`, such as the reason for using HTTP.
        """
        self._wire = wire
        self._most = most
        self._preface = preface
        self._routing = ClientRouting()
        self._id = ""
        self._calls, self._responses = _Chain(self._post), _Chain(self._post)
        self._listeners: dict[str | None, _Listener] = {}
        # Other tasks, which deliver responses or listen to ended sessions.
        self._settling: set[asyncio.Task[None]] = set()
        self._incoming: list[Message] = []
        self._size = 0  # the size of `_incoming`, in bytes
        self._lost: ConnectionClosed | None = None  # the reason why the connection closed
        self._change = Wakeup()
        self._grace = GRACE
        self._closing = Once()

    # --- connection ------------------------------------------------------------------------------

    async def receive(self) -> Sequence[Message]:
        """Return the next messages.

        Raises:
            ConnectionClosed: If the connection has closed. The error contains the reason.
        """
        while not self._incoming:
            if self._lost is not None:
                raise self._lost
            await self._change.wait()
        messages, self._incoming = self._incoming, []
        self._size = 0
        self._change.notify()
        return messages

    def send(self, messages: Sequence[Message]) -> None:
        """See `MessageStream`."""
        if self._lost is None:
            for message in messages:
                is_response = message.read_envelope().is_response
                (self._responses if is_response else self._calls).add(message)

    async def drain(self, session_id: str | None) -> None:
        """See `MessageStream`."""
        while self.unsent() > ROOM and self._lost is None:
            await self._change.wait()
        if self._lost is not None:
            raise self._lost

    def unsent(self) -> int:
        """See `MessageStream`."""
        return self._calls.size + self._responses.size

    def hurry(self, grace: float) -> None:
        """See `MessageStream`."""
        self._grace = grace

    async def close(self) -> None:
        """Close the connection and notify the server with a DELETE request."""
        await self._closing.run(self._close)

    async def _close(self) -> None:
        try:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wait_sent(), self._grace)
            self._lose("the connection was closed")
            await self._end_tasks()
            if self._id:
                with suppress(OSError, asyncio.TimeoutError):
                    ending = self._wire.request("DELETE", {CONNECTION_ID: self._id}, most=_REFUSAL)
                    await asyncio.wait_for(ending, min(self._grace, DELETING))
        finally:
            for task in self._tasks():
                task.cancel()
            await self._wire.close()

    async def _wait_sent(self) -> None:
        while self.unsent() and self._lost is None:
            await self._change.wait()

    async def _end_tasks(self) -> None:
        while tasks := self._tasks():
            for task in tasks:
                task.cancel()
            # Cancel repeatedly, since `wait_for` can ignore a cancellation before Python 3.12.
            await asyncio.wait(tasks, timeout=_CANCELLING)

    def _tasks(self) -> list[asyncio.Task[None]]:
        chains = [chain.task for chain in (self._calls, self._responses) if chain.task is not None]
        listening = [listener.task for listener in self._listeners.values()]
        return [task for task in (*chains, *listening, *self._settling) if not task.done()]

    def _lose(self, reason: str, error: type[ConnectionClosed] = ConnectionClosed) -> None:
        """Mark the connection as closed. If it was already closed, keep the earlier reason."""
        if self._lost is None:
            self._lost = error(reason)
            self._change.notify()

    # --- posting -----------------------------------------------------------------------------

    async def _post(self, message: Message) -> None:
        """Post a message and handle the response status."""
        try:
            if self._lost is None:
                await self._try_to_post(message)
        except OSError as error:
            self._lose(f"{self._preface}{error}")
        except Exception as error:
            _log.exception("posting a message failed; closing the connection")
            self._lose(f"posting a message failed: {error!r}")
        finally:
            self._change.notify()  # wake up tasks that are waiting in `drain`

    async def _try_to_post(self, message: Message) -> None:
        session_id = named = self._routing.posted(message)
        is_heard = session_id is None or await self._hear(session_id)
        delays = iter(DELAYS)
        while self._lost is None:
            status, headers, body = await self._send(message, named)
            reaction = self._routing.react(
                status,
                names_session=named is not None,
                omitted_session=named is not session_id,
            )
            if reaction is Reaction.GO_ON:
                if not self._id:
                    await self._begin(headers.get(CONNECTION_ID, ""), body)
                elif not is_heard and named is not None:
                    self._listen_to(named)  # retry, since the session now exists on the server
                return
            if reaction is Reaction.OMIT_SESSION:
                named = None
                continue
            delay = next(delays, None)
            if reaction is Reaction.POST_LATER and delay is not None:
                await asyncio.sleep(max(delay, _retry_after(headers)))
                continue
            text = refusal_text(status, body, headers.get("location", ""))
            if reaction is Reaction.END:
                kind = NotAdmitted if status in NOT_ADMITTED else ConnectionClosed
                self._lose(f"{self._preface}the server rejected a message: {text}", kind)
                return
            failure = self._routing.failed(message, status, body)
            if failure is not None:
                self._deliver(failure)
            else:
                method = message.read_envelope().method or "a response"
                _log.warning("the server rejected %r: %s; dropping it", method, text)
            return

    async def _send(self, message: Message, session_id: str | None) -> Any:
        most = _REFUSAL if self._id else self._most
        sending = self._wire.request(
            "POST", {**_POST, **self._names(session_id)}, message.text, most=most
        )
        try:
            # The response to `initialize` has no time limit, since the agent has to start first.
            return await asyncio.wait_for(sending, POSTING if self._id else None)
        except asyncio.TimeoutError:
            raise ConnectionError(f"no response to a POST within {POSTING:g} seconds") from None

    async def _begin(self, id_: str, body: bytes) -> None:
        """Handle the response to `initialize`."""
        if len(body) > self._most:
            raise _too_long(self._most)
        message = Message(b" ".join(body.split(b"\n")).replace(b"\r", b" "))
        self._routing.received(message, None)
        if id_:
            self._id = id_
            await self._hear(None)
        elif b'"error"' not in body:
            raise ConnectionError(
                "the response to `initialize` contains no Acp-Connection-Id; check the URL"
            )
        self._deliver(message)

    def _names(self, session_id: str | None) -> dict[str, str]:
        names = {CONNECTION_ID: self._id} if self._id else {}
        if session_id is not None:
            names[SESSION_ID] = session_id
        return names

    # --- listening ---------------------------------------------------------------------------

    async def _hear(self, session_id: str | None) -> bool:
        """Listen to a stream and wait, up to a time limit, until it is open.

        Returns:
            False if the stream could not be opened, otherwise True, even if the server has not
            responded yet.
        """
        listener = self._listen_to(session_id)
        await asyncio.wait([listener.opened], timeout=HEARING)
        return listener.is_open or not listener.opened.done()

    def _listen_to(self, session_id: str | None) -> _Listener:
        listener = self._listeners.get(session_id)
        if listener is None:
            listener = self._listeners[session_id] = _Listener()
            listener.task = asyncio.create_task(self._listen(session_id, listener))
        return listener

    async def _listen(self, session_id: str | None, listener: _Listener) -> None:
        """Listen to a stream, reopening it if necessary, until it fails or is no longer needed."""
        reason, is_broken, fast = "", False, 0
        loop = asyncio.get_running_loop()
        try:
            while self._lost is None and fast < len(DELAYS):
                start = loop.time()
                try:
                    exchange = await self._open(session_id)
                    if isinstance(exchange, str):
                        reason = exchange
                        break
                    if is_broken and not self._fail(session_id, reason):
                        # Updates might have been lost. Without a pending request that can fail, the
                        # only way to report the loss is to close the connection.
                        self._lose(reason)
                        exchange.close()
                        break
                    is_broken = False
                    listener.open(True)
                    await self._read(session_id, listener, exchange)
                    reason = "the server ended the stream"
                except OSError as error:
                    reason = str(error)
                    if is_broken or isinstance(error, ConnectionClosed):
                        self._lose(reason)
                    is_broken = True
                if session_id is None or listener.is_over or self._routing.has_ended(session_id):
                    break
                # Wait before reopening the stream. If the server is shutting down, the connection's
                # stream also ends during this pause.
                await asyncio.sleep(DELAYS[fast])
                fast = 0 if loop.time() - start > 2 * DELAYS[-1] else fast + 1
        except Exception as error:
            _log.exception("listening failed; closing the connection")
            self._lose(f"listening failed: {error!r}")
        finally:
            if not listener.is_over:
                del self._listeners[session_id]
            was_open = listener.is_open
            listener.open(False)
        if session_id is None:
            await self._wait_for_sessions()
            self._lose(f"{reason} of the connection" if reason.endswith("stream") else reason)
        elif self._routing.has_ended(session_id):
            self._routing.left(session_id)
        elif was_open and not listener.is_over and not self._fail(session_id, reason) and is_broken:
            self._lose(reason)

    async def _open(self, session_id: str | None) -> HttpExchange | str:
        """Open and return a stream. If the server rejects the request, return the reason."""
        headers = {"accept": EVENTS, "cache-control": "no-cache", **self._names(session_id)}
        delays = iter(DELAYS)
        while True:
            exchange = await self._wire.open("GET", headers)
            status = exchange.status
            kind = exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
            if status == 200 and kind == EVENTS:
                return exchange
            try:
                body = await exchange.read()
            finally:
                exchange.close()
            delay = next(delays, None)
            # Also retry after 409: the server might not have noticed that an earlier stream has
            # failed.
            if status not in (409, 429, 503) or delay is None:
                break
            await asyncio.sleep(max(delay, _retry_after(exchange.headers)))
        if status == 200:
            return f"the server sends {kind or 'no content type'!r} instead of events"
        text = refusal_text(status, body, exchange.headers.get("location", ""))
        return f"the server rejected a stream: {text}"

    async def _read(
        self, session_id: str | None, listener: _Listener, exchange: HttpExchange
    ) -> None:
        events = Events(self._most)
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle | None = None
        try:
            while data := await exchange.read():
                listener.heard = loop.time()
                for text in events.feed(data):
                    self._take(Message(text), session_id)
                if timer is not None:
                    timer.cancel()
                while self._size > ROOM and self._lost is None:
                    await self._change.wait()
                if events.has_comments:
                    reason = f"the server was silent for {SILENCE:g} seconds"
                    timer = loop.call_later(SILENCE, exchange.close, reason)
        finally:
            exchange.close()
            if timer is not None:
                timer.cancel()

    def _take(self, message: Message, stream: str | None) -> None:
        arrival = self._routing.received(message, stream)
        if arrival.opened is not None:
            self._listen_to(arrival.opened)
        astray = None if arrival.astray is None else self._listeners.get(arrival.astray)
        if astray is not None and astray.is_open:
            self._keep(asyncio.create_task(self._settle(astray, message)))
        else:
            self._deliver(message)
        if arrival.ended is not None:
            self._leave(arrival.ended)

    def _leave(self, session_id: str) -> None:
        """Stop listening to an ended session's stream if the server doesn't end it in time."""
        listener = self._listeners.pop(session_id, None)
        if listener is not None:
            listener.is_over = True
            self._keep(listener.task)
            asyncio.get_running_loop().call_later(ENDING, listener.task.cancel)
        self._routing.left(session_id)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _settle(self, listener: _Listener, message: Message) -> None:
        """Deliver a response after the earlier messages about its session.

        The order of messages on different streams is undefined, so the response waits until the
        session's stream has been silent for a moment.
        """
        loop = asyncio.get_running_loop()
        start = loop.time()
        while loop.time() < start + SETTLED:
            left = max(listener.heard, start) + SETTLING - loop.time()
            if left <= 0:
                break
            await asyncio.sleep(left)
        self._deliver(message)

    async def _wait_for_sessions(self) -> None:
        """Give session streams time to deliver messages after the connection's stream has ended."""
        tasks = [task for task in self._tasks() if task is not asyncio.current_task()]
        if tasks and self._lost is None:
            await asyncio.wait(tasks, timeout=ENDING)

    def _fail(self, session_id: str | None, reason: str) -> bool:
        """Make all pending requests about a session fail, since no responses can arrive anymore.

        If the connection's stream has also ended, the requests fail later, when the connection
        closes.

        Returns:
            Whether any requests failed.
        """
        if session_id is None or None not in self._listeners:
            return False
        failures = self._routing.failures(session_id, reason)
        for message in failures:
            self._deliver(message)
        return bool(failures)

    def _deliver(self, message: Message) -> None:
        self._incoming.append(message)
        self._size += len(message.text)
        self._change.notify()


def _retry_after(headers: Any) -> float:
    """Return the seconds in a `Retry-After` header, up to a limit, or 0 if there is no header."""
    value = headers.get("retry-after", "")
    return min(float(value), DELAYS[-1]) if value.isdecimal() and value.isascii() else 0.0


def _too_long(most: int) -> ConnectionClosed:
    return ConnectionClosed(f"a message is longer than {most} bytes; pass a larger `max_line`")
