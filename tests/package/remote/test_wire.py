"""Tests of HTTP over h11 and h2 with servers that close, pause or limit their input."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.remote import wire as wire_module
from acp_bindings.remote.endpoint import Endpoint
from acp_bindings.remote.wire import WINDOW, Wire
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset, WindowUpdated
from h2.settings import SettingCodes
from hyperframe.frame import GoAwayFrame

from tests.package.remote import scripted
from tests.package.remote.scripted import Request, serving

Certificate = tuple[Path, Path]


class Http2(asyncio.Protocol):
    """A server's HTTP/2 connection, which calls a script for each event."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.http = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.server.connections.append(self)
        self.http.initiate_connection()
        self.http.update_settings(self.server.settings)
        self.flush()

    def data_received(self, data: bytes) -> None:
        for event in self.http.receive_data(data):
            self.server.events.append(event)
            self.server.script(self, event)
        self.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.connections.remove(self)

    def respond(self, id_: int, body: bytes | None = b"ok") -> None:
        """Send a response, but do not finish it if `body` is None."""
        self.http.send_headers(id_, [(":status", "200"), ("set-cookie", "a=1")])
        if body is not None:
            self.http.send_data(id_, body, end_stream=True)
        self.flush()

    def go_away(self, last: int) -> None:
        frame = GoAwayFrame(0)
        frame.last_stream_id = last
        self.flush()
        self.transport.write(frame.serialize())

    def flush(self) -> None:
        self.transport.write(self.http.data_to_send())


class Server:
    """An HTTP/2 server with TLS."""

    url = ""
    tls: ssl.SSLContext

    def __init__(self, script: Callable[[Http2, Any], None], settings: Any) -> None:
        self.script = script
        self.settings = settings
        self.connections: list[Http2] = []
        self.events: list[Any] = []

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


async def all_closed(server: scripted.Server) -> None:
    while server.sockets:
        await asyncio.sleep(0.001)


@asynccontextmanager
async def wired(
    certificate: Certificate, script: Callable[[Http2, Any], None], settings: Any = None
) -> AsyncGenerator[tuple[Wire, Server]]:
    server = Server(script, settings or {})
    file, key = certificate
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file, key)
    tls.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: Http2(server), "127.0.0.1", 0, ssl=tls)
    port = listening.sockets[0].getsockname()[1]
    trusted = ssl.create_default_context(cafile=str(file))
    wire = Wire(Endpoint(f"https://127.0.0.1:{port}/acp", tls=trusted))
    try:
        yield wire, server
    finally:
        await wire.close()
        listening.close()
        while server.connections:
            await asyncio.sleep(0.001)


def answer(connection: Http2, event: Any) -> None:
    if isinstance(event, StreamEnded):
        connection.respond(event.stream_id)


async def test_requests_share_a_connection(certificate: Certificate) -> None:
    async with wired(certificate, answer) as (wire, server):
        for _ in range(3):
            response = await wire.request("POST", {"x": "y"}, b"body", most=10)
            assert (response.status, response.body) == (200, b"ok")
        assert len(server.connections) == 1
        headers = dict(server.of(RequestReceived)[1].headers)
        assert headers[":path"] == "/acp"
        assert headers["x"] == "y"
        assert headers["cookie"] == "a=1"


async def test_a_header_that_http2_does_not_allow_is_an_error(certificate: Certificate) -> None:
    async with wired(certificate, answer) as (wire, server):
        with pytest.raises(ConnectionError, match=r"HTTP/2 failed: .*':x'"):
            await wire.open("GET", {":x": "y"})
        # Later requests use another connection.
        assert (await wire.request("GET", {}, most=10)).body == b"ok"
        assert len(server.of(RequestReceived)) == 1


async def test_more_streams_than_the_server_takes_get_another_connection(
    certificate: Certificate,
) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, StreamEnded):
            connection.respond(event.stream_id, None)

    settings = {SettingCodes.MAX_CONCURRENT_STREAMS: 2}
    async with wired(certificate, script, settings) as (wire, server):
        opened = [await wire.open("GET", {}) for _ in range(5)]
        assert len(server.connections) == 3
        for exchange in opened:
            exchange.close()
        await wire.open("GET", {})
        assert len(server.connections) == 3
        assert len(server.of(StreamReset)) == 5


async def test_after_goaway_responses_are_finished_and_requests_go_elsewhere(
    certificate: Certificate,
) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, StreamEnded):
            connection.respond(event.stream_id, None)

    async with wired(certificate, script) as (wire, server):
        exchange = await wire.open("GET", {})
        [first] = server.connections
        first.go_away(1)
        first.http.send_data(1, b"after")
        first.flush()
        assert await exchange.read() == b"after"
        other = await wire.open("GET", {})
        assert len(server.connections) == 2
        first.http.send_data(1, b"end", end_stream=True)
        first.flush()
        assert await exchange.read() == b"end"
        assert await exchange.read() == b""
        while first in server.connections:  # the client closes unused connections
            await asyncio.sleep(0.001)
        other.close()


async def test_requests_after_the_last_one_of_goaway_fail(certificate: Certificate) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, StreamEnded):
            connection.go_away(0)

    async with wired(certificate, script) as (wire, _):
        with pytest.raises(ConnectionError, match="accepts no more requests"):
            await wire.open("GET", {})


async def test_a_reset_stream_fails_alone(certificate: Certificate) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, StreamEnded):
            if event.stream_id == 1:
                connection.http.reset_stream(1, 7)
            else:
                connection.respond(event.stream_id)

    async with wired(certificate, script) as (wire, _):
        with pytest.raises(ConnectionError, match="reset the stream"):
            await wire.open("GET", {})
        assert (await wire.request("GET", {}, most=10)).body == b"ok"


async def test_a_body_waits_for_the_window(certificate: Certificate) -> None:
    size = 0

    def script(connection: Http2, event: Any) -> None:
        nonlocal size
        if isinstance(event, DataReceived):
            size += len(event.data)
            connection.http.acknowledge_received_data(event.flow_controlled_length, 1)
        answer(connection, event)

    async with wired(certificate, script) as (wire, _):
        response = await wire.request("POST", {}, b"x" * 3_000_000, most=10)
    assert response.body == b"ok"
    assert size == 3_000_000


async def test_a_response_that_precedes_the_body_is_taken(certificate: Certificate) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, RequestReceived):
            connection.respond(event.stream_id, b"too long")

    async with wired(certificate, script) as (wire, server):
        response = await wire.request("POST", {}, b"x" * 3_000_000, most=10)
        assert response.body == b"too long"
        assert (await wire.request("GET", {}, most=10)).body == b"too long"
        assert len(server.connections) == 1


async def test_a_response_that_is_not_read_stops_itself_only(certificate: Certificate) -> None:
    rest = b"x" * (4 * WINDOW)
    sent = 0

    def script(connection: Http2, event: Any) -> None:
        nonlocal sent
        if isinstance(event, StreamEnded) and event.stream_id > 1:
            connection.respond(event.stream_id, b"y" * 16_000)
        elif isinstance(event, (StreamEnded, WindowUpdated)):
            if isinstance(event, StreamEnded):
                connection.respond(1, None)
            elif not 0 < sent < len(rest):
                return
            while room := min(connection.http.local_flow_control_window(1), 1 << 14):
                part = rest[sent : sent + room]
                sent += len(part)
                connection.http.send_data(1, part, end_stream=sent == len(rest))
                if sent == len(rest):
                    return

    async with wired(certificate, script) as (wire, _):
        slow = await wire.open("GET", {})
        for _ in range(100):
            assert len((await wire.request("GET", {}, most=1 << 20)).body) == 16_000
        assert sent == WINDOW
        size = 0
        while part := await slow.read():
            size += len(part)
        assert size == len(rest)


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        (b"\x00\x00\x01\x00\x00\x00\x00\x00\x00x", "violated HTTP/2"),
        (b"\xff\xff\xff\x00\x00\x00\x00\x00\x01", "violated HTTP/2: a frame is too large"),
    ],
)
async def test_a_server_that_breaks_http2_fails_the_request(
    frame: bytes, error: str, certificate: Certificate
) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, StreamEnded):
            connection.transport.write(frame)

    async with wired(certificate, script) as (wire, _):
        with pytest.raises(ConnectionError, match=error):
            await wire.open("GET", {})


async def test_a_server_that_opens_no_connection_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wire_module, "CONNECTING", 0.01)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        wire = Wire(Endpoint(f"https://127.0.0.1:{silent.getsockname()[1]}/acp"))
        with pytest.raises(ConnectionError, match=r"/acp took more than 0\.01 seconds"):
            await wire.open("GET", {})
        await wire.close()


async def test_a_lost_connection_fails_what_is_open(certificate: Certificate) -> None:
    def script(connection: Http2, event: Any) -> None:
        if isinstance(event, StreamEnded):
            connection.respond(event.stream_id, None)

    async with wired(certificate, script) as (wire, server):
        exchange = await wire.open("GET", {})
        server.connections[0].transport.abort()
        with pytest.raises(ConnectionError, match="closed the connection"):
            await exchange.read()


# --- HTTP/1.1 --------------------------------------------------------------------------------


async def test_a_socket_is_used_again_unless_the_server_closes_it() -> None:
    async def script(request: Request) -> None:
        request.reply(200, b"ok", {"connection": "close"} if request.body else {})

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        ports = set()
        for body in (b"", b"", b"last", b""):
            await wire.request("POST", {}, body, most=10)
            ports.add(server.requests[-1].writer.get_extra_info("peername")[1])
        assert len(ports) == 2
        await wire.close()


async def test_a_socket_with_unexpected_data_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_module, "IDLE", 600.0)

    async def script(request: Request) -> None:
        request.reply(200, b"ok")

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        await wire.request("GET", {}, most=10)
        server.requests[0].writer.write(b"HTTP/1.1 200 OK\r\n")
        await asyncio.wait_for(all_closed(server), 10)
        assert (await wire.request("GET", {}, most=10)).body == b"ok"
        await wire.close()


async def test_a_server_that_disappeared_is_detected_within_two_minutes() -> None:
    async def script(request: Request) -> None:
        request.reply(200, b"ok")

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        await wire.request("GET", {}, most=10)
        [connection] = wire._connections
        option = connection.transport.get_extra_info("socket").getsockopt
        assert option(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if sys.platform == "linux":
            idle, interval, count = (
                option(socket.IPPROTO_TCP, name)
                for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
            assert idle + interval * count < 120
        await wire.close()


async def test_unread_data_is_counted() -> None:
    async def script(request: Request) -> None:
        request.start()
        request.data(b"12345")

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        exchange = await wire.open("GET", {})
        while not exchange.unread:
            await asyncio.sleep(0.001)
        assert exchange.unread == 5
        assert await exchange.read() == b"12345"
        assert exchange.unread == 0
        await wire.close()


@pytest.mark.parametrize("most", [0, 1, 2, 4, 5])
async def test_a_long_body_is_cut_after_one_more_byte(most: int) -> None:
    async def script(request: Request) -> None:
        request.reply(200, b"12345")

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        assert (await wire.request("GET", {}, most=most)).body == b"12345"[: most + 1]
        await wire.close()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", "closed the connection"),
        (b"HTTP/1.1 200 OK\r\n", "closed the connection"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", "closed the connection"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n", "closed the"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", "violated HTTP"),
    ],
)
async def test_an_incomplete_response_is_an_error(text: bytes, error: str) -> None:
    async def script(request: Request) -> None:
        request.writer.write(text)
        await request.writer.drain()
        request.writer.close()

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        with pytest.raises(ConnectionError, match=error):
            await wire.request("GET", {}, most=100)
        await wire.close()


async def test_a_response_before_the_end_of_the_request_is_taken() -> None:
    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(b"HTTP/1.1 413 Too Long\r\ncontent-length: 2\r\n\r\nno")
        with suppress(OSError):
            while await reader.read(1 << 20):
                pass
        writer.close()

    listening = await asyncio.start_server(take, "127.0.0.1", 0)
    wire = Wire(Endpoint(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"))
    response = await wire.request("POST", {}, b"x" * 10_000_000, most=100)
    assert (response.status, response.body) == (413, b"no")
    await wire.close()
    listening.close()
    await asyncio.sleep(0.05)


async def test_closing_ends_what_is_open() -> None:
    async def script(request: Request) -> None:
        request.start()

    async with serving(script) as server:
        wire = Wire(Endpoint(server.url))
        exchange = await wire.open("GET", {})
        await wire.close()
        with pytest.raises(ConnectionError):
            await exchange.read()
        with pytest.raises(ConnectionError):
            await wire.open("GET", {})
