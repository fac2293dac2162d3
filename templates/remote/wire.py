"""A minimal HTTP client for the remote transport, based on h11, h2 and asyncio.

The body of a request is sent as a whole. A response is read as it arrives, so it can last as long
as the connection. Over TLS, ALPN selects HTTP/2 or HTTP/1.1. Without TLS, HTTP/1.1 is used, with
one socket for each open response. Redirects are not followed, and proxies are not used.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import h11
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings

from ..runtime.aio.streams import Wakeup
from .endpoint import Endpoint

# The maximum time for connecting, including TLS and the first HTTP/2 frame, in seconds.
CONNECTING = 30.0
# The time after which an unused HTTP/1.1 connection is closed, in seconds. Servers typically wait
# longer (5 s). If the server closed the connection just as a request was sent, it would be unknown
# whether the server processed the request.
IDLE = 3.0
# The maximum time for closing a socket, in seconds.
CLOSING = 1.0
# The maximum number of unread bytes to buffer for a response.
WINDOW = 1 << 20
# The flow control window of an HTTP/2 connection. The streams cannot exhaust this large window,
# because each stream also has a smaller window.
_WHOLE_WINDOW = 1 << 30
_FRAME, _HEAD, _GOAWAY = 1 << 14, 9, 7
# TCP keep-alive: the seconds without traffic before the first probe, the seconds between probes,
# and the number of unanswered probes after which the connection is lost.
_PROBES = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 4))


class HttpResponse(NamedTuple):
    """A complete response.

    Attributes:
        status: the status code.
        headers: the headers, by lower-case name.
        body: the body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpExchange:
    """A request and its response. The response is read as it arrives.

    Attributes:
        status: the status code, or 0 before it is received.
        headers: the headers of the response, by lower-case name.
        cookies: the values of the `Set-Cookie` headers.
        unread: the size of the received but unread data, in bytes.
        is_over: whether the response is complete or has failed.
        id: the id of the HTTP/2 stream.
    """

    def __init__(self, connection: _Connection) -> None:
        """Create an exchange for a connection that can send another request."""
        self.status = 0
        self.headers: dict[str, str] = {}
        self.cookies: list[str] = []
        self.unread = 0
        self.is_over = False
        self.id = 0
        self._connection = connection
        self._chunks: deque[bytes] = deque()
        self._reason = ""  # the reason for a failure
        self._change = Wakeup()

    async def wait_head(self) -> None:
        """Wait for the status and the headers.

        Raises:
            ConnectionError: If the exchange fails before the headers arrive.
        """
        while not self.status:
            await self._next_change()

    async def read(self) -> bytes:
        """Wait for part of the body and return it. Return empty bytes at the end of the body.

        Raises:
            ConnectionError: If the exchange fails before the end of the body.
        """
        while not self._chunks:
            if self.is_over and not self._reason:
                return b""
            await self._next_change()
        data = b"".join(self._chunks)
        self._chunks.clear()
        self.unread = 0
        self._connection.consumed(self, len(data))
        return data

    def close(self, reason: str = "the response was abandoned") -> None:
        """Abandon the rest of the response.

        Args:
            reason: the message of the error that pending and later reads raise.
        """
        if not self.is_over:
            self.fail(reason)
            self._connection.give_up(self)

    async def _next_change(self) -> None:
        if self._reason:
            raise ConnectionError(self._reason)
        await self._change.wait()

    # --- connection side ------------------------------------------------------------------------

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        """Store the status and the headers that were received."""
        self.status = status
        self.headers = dict(headers)
        self.cookies = [value for name, value in headers if name == "set-cookie"]
        self._change.notify()

    def feed(self, data: bytes) -> None:
        """Add a received part of the body."""
        if data:
            self._chunks.append(data)
            self.unread += len(data)
            self._change.notify()

    def finish(self) -> None:
        """Mark the response as complete."""
        self.is_over = True
        self._change.notify()

    def fail(self, reason: str) -> None:
        """Mark the exchange as failed unless it is complete."""
        if not self.is_over:
            self._reason = reason
            self.finish()


class _Connection(asyncio.Protocol):
    """A connection to the server. Each subclass implements a version of HTTP."""

    transport: asyncio.Transport
    reason = "the server closed the connection"

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    @property
    def has_room(self) -> bool:
        """True if another request can be sent immediately."""
        raise NotImplementedError

    async def begin(
        self, exchange: HttpExchange, method: str, endpoint: Endpoint, headers: Any, body: bytes
    ) -> None:
        """Send a request. This method reserves the connection before its first `await`."""
        raise NotImplementedError

    async def ready(self) -> None:
        """Wait until a request can be sent."""

    def consumed(self, exchange: HttpExchange, size: int) -> None:
        """Record that `size` bytes of a response were read."""
        raise NotImplementedError

    def give_up(self, exchange: HttpExchange) -> None:
        """Stop receiving a response that is no longer needed."""
        raise NotImplementedError

    def fail(self, reason: str) -> None:
        """Fail all exchanges."""
        raise NotImplementedError

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self.fail(f"{self.reason}: {exc}" if exc else self.reason)
        self.closed.set()

    def end(self) -> None:
        """Begin to close the socket, unless it is already closing.

        Closing a TLS transport twice would make `abort` ineffective.
        """
        if not self.transport.is_closing():
            self.transport.close()

    async def close(self) -> None:
        """Close the socket and wait until it is closed."""
        self.end()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.closed.wait(), CLOSING)
        if not self.closed.is_set():
            self.transport.abort()
            await self.closed.wait()  # closed in the next iteration of the event loop


class _Http1(_Connection):
    def __init__(self) -> None:
        super().__init__()
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_FRAME * 4)
        self._exchange: HttpExchange | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    @property
    def has_room(self) -> bool:
        return self._exchange is None and not self.transport.is_closing()

    async def begin(
        self, exchange: HttpExchange, method: str, endpoint: Endpoint, headers: Any, body: bytes
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._exchange = exchange
        names: list[tuple[str, str]] = [("host", endpoint.authority), *headers.items()]
        if method == "POST":
            names.append(("content-length", str(len(body))))
        request = h11.Request(method=method, target=endpoint.target, headers=names)
        parts = (request, h11.Data(data=body), h11.EndOfMessage())
        # Write the complete request without waiting, since the server can respond before it has
        # read the entire request.
        self.transport.write(b"".join([self._http.send(part) or b"" for part in parts]))

    def data_received(self, data: bytes) -> None:
        if self._exchange is None:
            self.end()  # unexpected data, since there is no pending request
            return
        self._take(data)

    def eof_received(self) -> None:
        if self._exchange is not None:
            self._take(b"")

    def _take(self, data: bytes) -> None:
        try:
            self._http.receive_data(data)
            while (exchange := self._exchange) is not None:
                event = self._http.next_event()
                if isinstance(event, h11.Response):
                    exchange.begin(event.status_code, _decoded(event.headers))
                elif isinstance(event, h11.Data):
                    exchange.feed(bytes(event.data))
                    if exchange.unread > WINDOW:
                        self.transport.pause_reading()
                elif isinstance(event, h11.EndOfMessage):
                    self._end(exchange)
                elif not isinstance(event, h11.InformationalResponse):
                    return
        except h11.ProtocolError as error:
            # If the input has ended, the error only means that the response is incomplete.
            self.fail(f"the server violated HTTP: {error}" if data else self.reason)
            self.end()

    def _end(self, exchange: HttpExchange) -> None:
        self._exchange = None
        exchange.finish()
        self.transport.resume_reading()
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            self._timer = asyncio.get_running_loop().call_later(IDLE, self.end)
        else:
            self.end()

    def consumed(self, exchange: HttpExchange, size: int) -> None:
        if exchange is self._exchange:
            self.transport.resume_reading()

    def give_up(self, exchange: HttpExchange) -> None:
        self._exchange = None
        self.transport.abort()  # also discards the unsent part of the request

    def fail(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._exchange is not None:
            self._exchange.fail(reason)
            self._exchange = None


class _Http2(_Connection):
    def __init__(self) -> None:
        super().__init__()
        self._http = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self._http.local_settings = Settings(
            client=True,
            initial_values={SettingCodes.ENABLE_PUSH: 0, SettingCodes.INITIAL_WINDOW_SIZE: WINDOW},
        )
        self._exchanges: dict[int, HttpExchange] = {}
        self._input = bytearray()
        self._taken = 0  # bytes received since the connection's window was last extended
        self._is_ready = False  # whether the server's settings were received
        self._is_ending = False  # whether the server no longer accepts requests
        self._change = Wakeup()  # notified when a window changes or the connection closes

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._http.initiate_connection()
        self._http.increment_flow_control_window(_WHOLE_WINDOW)
        self._flush()

    @property
    def has_room(self) -> bool:
        room = self._http.remote_settings.max_concurrent_streams
        is_open = self._is_ready and not self._is_ending and not self.transport.is_closing()
        return is_open and len(self._exchanges) < room

    async def ready(self) -> None:
        while not self._is_ready:
            if self.closed.is_set():
                raise ConnectionError(self.reason)
            await self._change.wait()

    async def begin(
        self, exchange: HttpExchange, method: str, endpoint: Endpoint, headers: Any, body: bytes
    ) -> None:
        id_ = exchange.id = self._http.get_next_available_stream_id()
        pseudo = [
            (":method", method),
            (":scheme", "https"),
            (":authority", endpoint.authority),
            (":path", endpoint.target),
        ]
        try:
            self._http.send_headers(id_, [*pseudo, *headers.items()], end_stream=not body)
        except H2Error:  # raised, for example, for invalid headers
            # The two sides no longer agree on how headers are compressed.
            self._is_ending = True
            self._close_if_unused()
            raise
        self._exchanges[id_] = exchange
        start = 0
        try:
            # Stop if the response is complete: the server can respond before the body is sent.
            while start < len(body) and not exchange.is_over:
                window = self._http.local_flow_control_window(id_)
                size = min(window, self._http.max_outbound_frame_size, len(body) - start)
                if size <= 0:
                    self._flush()
                    await self._change.wait()
                    continue
                part = body[start : start + size]
                start += size
                self._http.send_data(id_, part, end_stream=start == len(body))
        finally:
            if start < len(body):
                self._reset(id_)
            self._flush()

    def data_received(self, data: bytes) -> None:
        self._input += data
        try:
            while len(self._input) >= _HEAD:
                size = int.from_bytes(self._input[:3], "big")
                if size > _FRAME:
                    raise H2Error("a frame is too large")
                if len(self._input) < _HEAD + size:
                    break
                frame = bytes(self._input[: _HEAD + size])
                del self._input[: _HEAD + size]
                # Don't pass a GOAWAY frame to h2. After such a frame, h2 would reject the remaining
                # data of responses that the server is still completing.
                if frame[3] == _GOAWAY:
                    self._end(int.from_bytes(frame[_HEAD : _HEAD + 4], "big") & 0x7FFFFFFF)
                    continue
                for event in self._http.receive_data(frame):
                    self._take(event)
        except H2Error as error:
            self.fail(f"the server violated HTTP/2: {error or type(error).__name__}")
            self.end()
        # Extend the connection's window even if some streams are not read. Otherwise, such a stream
        # could block the others.
        if self._taken >= WINDOW:
            with suppress(H2Error):  # the connection already ended
                self._http.increment_flow_control_window(self._taken)
            self._taken = 0
        self._flush()

    def _take(self, event: Any) -> None:
        if isinstance(event, (WindowUpdated, RemoteSettingsChanged)):
            self._is_ready = True
            self._change.notify()
            return
        if isinstance(event, DataReceived):
            self._taken += event.flow_controlled_length
        exchange = self._exchanges.get(getattr(event, "stream_id", 0))
        if exchange is None:
            return
        if isinstance(event, ResponseReceived):
            headers = [(str(name), str(value)) for name, value in event.headers]
            exchange.begin(int(dict(headers)[":status"]), headers)
        elif isinstance(event, DataReceived):
            exchange.feed(event.data)
            self._reopen(exchange, event.flow_controlled_length - len(event.data))
        elif isinstance(event, StreamEnded):
            exchange.finish()
            self._forget(exchange)
        elif isinstance(event, StreamReset):
            exchange.fail(f"the server reset the stream (error {event.error_code})")
            self._forget(exchange)

    def _end(self, last: int) -> None:
        """Stop sending requests and fail the requests that the server did not process.

        `last` is the id of the last stream that the server processed.
        """
        self._is_ending = True
        for id_ in [id_ for id_ in self._exchanges if id_ > last]:
            self._exchanges.pop(id_).fail("the server accepts no more requests on this connection")
        self._close_if_unused()

    def _forget(self, exchange: HttpExchange) -> None:
        self._exchanges.pop(exchange.id, None)
        self._change.notify()
        self._close_if_unused()

    def _close_if_unused(self) -> None:
        if self._is_ending and not self._exchanges:
            self.end()

    def _reset(self, id_: int) -> None:
        with suppress(H2Error):  # the stream already ended
            self._http.reset_stream(id_, ErrorCodes.CANCEL)
        self._flush()

    def consumed(self, exchange: HttpExchange, size: int) -> None:
        self._reopen(exchange, size)
        self._flush()

    def _reopen(self, exchange: HttpExchange, size: int) -> None:
        """Allow the server to send `size` more bytes of a response."""
        if size and exchange.id in self._exchanges:
            with suppress(H2Error):  # the stream already ended
                self._http.increment_flow_control_window(size, exchange.id)

    def give_up(self, exchange: HttpExchange) -> None:
        if exchange.id in self._exchanges:
            self._reset(exchange.id)
        self._forget(exchange)

    def fail(self, reason: str) -> None:
        for exchange in self._exchanges.values():
            exchange.fail(reason)
        self._exchanges.clear()
        self._change.notify()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._change.notify()

    def _flush(self) -> None:
        data = self._http.data_to_send()
        if not self.transport.is_closing():
            self.transport.write(data)


class _Opening(asyncio.Protocol):
    """A protocol that selects the HTTP version once the socket is open."""

    connection: _Connection

    def connection_made(self, transport: Any) -> None:
        tls = transport.get_extra_info("ssl_object")
        is_http2 = tls is not None and tls.selected_alpn_protocol() == "h2"
        self.connection = _Http2() if is_http2 else _Http1()
        transport.set_protocol(self.connection)
        self.connection.connection_made(transport)


class Wire:
    """The HTTP connections to an endpoint's server."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Create a pool that has no connections yet."""
        self.endpoint = endpoint
        self._connections: list[_Connection] = []
        self._is_closed = False

    async def open(
        self, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> HttpExchange:
        """Send a request and wait for the status and headers of the response.

        Args:
            method: the HTTP method.
            headers: additional headers, by lower-case name.
            body: the body.

        Raises:
            OSError: If the server cannot be reached or does not respond.
        """
        if self._is_closed:
            raise ConnectionError("the connection is closed")
        while (connection := self._free_connection()) is None:
            opened = await self._connect()
            if opened.transport.is_closing():  # closed by a proxy that cannot reach a server
                raise ConnectionError(opened.reason)
        exchange = HttpExchange(connection)
        everything = {**self.endpoint.request_headers(), **headers}
        try:
            await connection.begin(exchange, method, self.endpoint, everything, body)
            await exchange.wait_head()
        except H2Error as error:
            exchange.close()
            raise ConnectionError(f"HTTP/2 failed: {error or type(error).__name__}") from error
        except BaseException:
            exchange.close()
            raise
        self.endpoint.keep_cookies(exchange.cookies)
        return exchange

    async def request(
        self, method: str, headers: Mapping[str, str], body: bytes = b"", *, most: int
    ) -> HttpResponse:
        """Send a request and wait for the response.

        Args:
            method: the HTTP method.
            headers: additional headers, by lower-case name.
            body: the body.
            most: the maximum length of the response body, in bytes. If the body is longer, one
                additional byte is returned, and the rest is discarded.

        Raises:
            OSError: If the server cannot be reached or does not send a complete response.
        """
        exchange = await self.open(method, headers, body)
        parts: list[bytes] = []
        try:
            size = 0
            while size <= most and (part := await exchange.read()):
                parts.append(part)
                size += len(part)
        finally:
            exchange.close()
        return HttpResponse(exchange.status, exchange.headers, b"".join(parts)[: most + 1])

    def _free_connection(self) -> _Connection | None:
        self._connections = [each for each in self._connections if not each.closed.is_set()]
        return next((each for each in self._connections if each.has_room), None)

    async def _connect(self) -> _Connection:
        """Open another connection, which might already be closed when this method returns."""
        endpoint = self.endpoint
        if endpoint.tls is not None:
            endpoint.tls.set_alpn_protocols(["h2", "http/1.1"])
        try:
            return await asyncio.wait_for(self._open_socket(), CONNECTING)
        except asyncio.TimeoutError:
            reason = f"connecting to {endpoint} took more than {CONNECTING:g} seconds"
            raise ConnectionError(reason) from None

    async def _open_socket(self) -> _Connection:
        endpoint = self.endpoint
        transport, opening = await asyncio.get_running_loop().create_connection(
            _Opening,
            endpoint.host,
            endpoint.port,
            ssl=endpoint.tls,
            server_hostname=None if endpoint.tls is None else endpoint.host,
        )
        _keep_alive(transport)
        self._connections.append(opening.connection)
        await opening.connection.ready()
        connection: _Connection = opening.connection
        return connection

    async def close(self) -> None:
        """Close all connections."""
        self._is_closed = True
        for each in self._connections:
            each.end()
        await asyncio.gather(*[each.close() for each in self._connections])


def _decoded(headers: Any) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]


def _keep_alive(transport: asyncio.Transport) -> None:
    """Enable TCP keep-alive to detect a peer that disappeared without closing the connection."""
    connected = transport.get_extra_info("socket")
    with suppress(OSError):
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _PROBES:
            if hasattr(socket, name):
                connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
