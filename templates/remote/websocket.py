"""A client's message stream over a WebSocket."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed as SocketClosed
from websockets.exceptions import InvalidHandshake, InvalidStatus

from ..runtime.aio.streams import GRACE, Wakeup
from ..runtime.aio.tasks import Once
from ..runtime.jsonrpc.envelope import Message
from ..runtime.jsonrpc.errors import ConnectionClosed
from .endpoint import NOT_ADMITTED, Endpoint, NotAdmitted
from .routing import refusal_text

# The maximum time for opening a WebSocket, in seconds.
OPENING = 30.0
# The interval between pings and the maximum time for a response, in seconds. A server that is only
# busy can also respond late.
PING, PONG = 20.0, 60.0
# The maximum number of queued bytes before senders have to wait.
ROOM = 1 << 16

_TOO_BIG = 1009


class Unsupported(Exception):
    """Raised when the server does not support WebSocket at this URL.

    Attributes:
        status: the HTTP status of the response, or 0 if there was no HTTP response.
    """

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


class _Connect(connect):
    """A connector that does not follow redirects.

    If it followed redirects, it would send the user's headers to other servers.
    """

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


async def open_websocket(endpoint: Endpoint, most: int) -> WebSocketStream:
    """Open a WebSocket.

    If a proxy is configured in the environment, it is used as documented for `websockets`.

    Args:
        endpoint: the URL and settings.
        most: the maximum length of a received message, in bytes.

    Raises:
        OSError: If the server cannot be reached.
        ConnectionClosed: If the server rejects the client.
        Unsupported: If the server does not support WebSocket at this URL.
    """
    options: dict[str, Any] = {}
    if endpoint.tls is not None:
        endpoint.tls.set_alpn_protocols(["http/1.1"])  # HTTP/2 has a different WebSocket handshake
        options["ssl"] = endpoint.tls
    try:
        socket = await _Connect(
            endpoint.websocket_url,
            additional_headers=endpoint.request_headers(),
            user_agent_header=None,
            compression=None,
            open_timeout=OPENING,
            ping_interval=PING,
            ping_timeout=PONG,
            max_size=most,
            **options,
        )
    except InvalidStatus as error:
        response = error.response
        endpoint.keep_cookies(response.headers.get_all("Set-Cookie"))
        location = response.headers.get("Location", "")
        text = refusal_text(response.status_code, bytes(response.body or b""), location)
        # Don't fall back to HTTP if the server is busy. It would probably reject HTTP as well.
        # Otherwise, the client would keep using HTTP even after WebSocket becomes available.
        is_busy = response.status_code in (429, 503)
        if response.status_code == 401 or is_busy or 300 <= response.status_code < 400:
            kind = NotAdmitted if response.status_code in NOT_ADMITTED else ConnectionClosed
            raise kind(f"the server rejected the WebSocket: {text}") from error
        # This includes 403, which some servers send if they do not support WebSocket.
        raise Unsupported(text, response.status_code) from error
    except (InvalidHandshake, EOFError) as error:
        raise Unsupported(str(error)) from error
    if socket.response is not None:
        endpoint.keep_cookies(socket.response.headers.get_all("Set-Cookie"))
    return WebSocketStream(socket, most)


class WebSocketStream:
    """A `MessageStream` over a WebSocket."""

    def __init__(self, socket: ClientConnection, most: int) -> None:
        """Wrap a WebSocket.

        Args:
            socket: the WebSocket, which is closed with the stream.
            most: the maximum length of a received message, in bytes.
        """
        self._socket = socket
        self._most = most
        self._messages: deque[Message] = deque()
        self._size = 0  # the size of the queued messages, in bytes
        self._sending: asyncio.Task[None] | None = None
        self._change = Wakeup()
        self._grace = GRACE
        self._closing = Once()

    async def receive(self) -> Sequence[Message]:
        """Return the next messages.

        Raises:
            ConnectionClosed: If the WebSocket has closed. The error contains the reason.
        """
        try:
            while isinstance(text := await self._socket.recv(), bytes):
                pass  # ignore binary messages
        except SocketClosed as error:
            raise self._closed_error(error) from error
        return [Message(text.replace("\r", " ").replace("\n", " ").encode())]

    def send(self, messages: Sequence[Message]) -> None:
        """See `MessageStream`."""
        for message in messages:
            self._messages.append(message)
            self._size += len(message.text)
        if self._sending is None:
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._messages:
                message = self._messages[0]
                await self._socket.send(message.text, text=True)
                self._messages.popleft()
                self._size -= len(message.text)
                self._change.notify()
        except SocketClosed:
            pass  # `receive` reports the error
        finally:
            self._sending = None
            self._change.notify()

    async def drain(self, session_id: str | None) -> None:
        """See `MessageStream`."""
        while self._size > ROOM and self._sending is not None:
            await self._change.wait()
        if self._messages and self._sending is None:
            raise ConnectionClosed("the WebSocket is closed")

    def unsent(self) -> int:
        """See `MessageStream`."""
        return self._size + self._socket.transport.get_write_buffer_size()

    def hurry(self, grace: float) -> None:
        """See `MessageStream`."""
        self._grace = grace

    async def close(self) -> None:
        """See `MessageStream`."""
        await self._closing.run(self._close)

    async def _close(self) -> None:
        try:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._end(), self._grace)
        finally:
            if self._sending is not None:
                self._sending.cancel()
            self._socket.transport.abort()
            # The socket closes in the next iteration of the event loop.
            await self._socket.wait_closed()

    async def _end(self) -> None:
        while self._sending is not None:
            await self._change.wait()
        await self._socket.close()

    def _closed_error(self, error: SocketClosed) -> ConnectionClosed:
        sent, received = error.sent, error.rcvd
        if sent is not None and sent.code == _TOO_BIG and not error.rcvd_then_sent:
            most = f"a message is longer than {self._most} bytes"
            return ConnectionClosed(f"{most}; pass a larger `max_line`")
        if received is None:
            return ConnectionClosed(f"the WebSocket connection was lost: {error}")
        reason = f", {received.reason!r}" if received.reason else ""
        return ConnectionClosed(f"the server closed the WebSocket: code {received.code}{reason}")
