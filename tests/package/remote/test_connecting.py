"""Tests of connections between our clients and our applications over each transport."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.remote import RemoteLimits, connect_remote, remote_app, wire
from acp_bindings.remote.endpoint import Endpoint
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Peer

from tests.package.remote.agents import Echo
from tests.package.remote.asgi import closing
from tests.package.remote.servers import serving

# The transports, each with a server that supports it.
WAYS = (
    ("websocket", "hypercorn"),
    ("websocket", "uvicorn"),
    ("http", "hypercorn"),
    ("http", "uvicorn"),
    ("http/2", "hypercorn"),
    ("websocket over TLS", "hypercorn"),
)
SIZES = (1, 100_000, 1_000, 1_000_000)
ways = pytest.mark.parametrize(("transport", "server"), WAYS)


@asynccontextmanager
async def connected(
    app: Any,
    transport: str,
    server: str,
    certificate: tuple[Path, Path],
    client: Any = v2.SessionClient,
    **options: Any,
) -> AsyncGenerator[Peer]:
    served: dict[str, Any] = {}
    scheme = "http"
    if "/2" in transport or "TLS" in transport:
        file, key = certificate
        served = {"certfile": str(file), "keyfile": str(key)}
        options["tls"] = ssl.create_default_context(cafile=str(file))
        scheme = "https"
    chosen: Any = "websocket" if transport.startswith("websocket") else "http"
    async with closing(app), serving(app, server, **served) as port:
        url = f"{scheme}://127.0.0.1:{port}/acp"
        async with connect_remote(url, client, transport=chosen, **options) as peer:
            await peer.initialize()
            yield peer


async def say(peer: Peer, text: str) -> str:
    session = await v2.ClientSession.create(peer, cwd="/")
    async with session.prompt(text) as turn:
        await turn.wait()
    return "".join(each.text for each in session.state.messages if each.role == "agent")


@ways
async def test_texts_arrive_whole(
    transport: str, server: str, certificate: tuple[Path, Path]
) -> None:
    async with connected(remote_app(Echo), transport, server, certificate) as peer:
        assert await say(peer, "a\u2028b\x85\U0001f600") == "a\u2028b\x85\U0001f600"
        assert len(await say(peer, "x" * 3_000_000)) == 3_000_000
        assert len(await say(peer, "*big 2000000")) == 2_000_000
        assert len(await say(peer, "*flood 2000000")) == 2_000_000


@ways
async def test_a_client_has_more_than_a_hundred_sessions(
    transport: str, server: str, certificate: tuple[Path, Path]
) -> None:
    async with connected(remote_app(Echo), transport, server, certificate) as peer:
        texts = await asyncio.gather(*[say(peer, str(count)) for count in range(120)])
    assert texts == [str(count) for count in range(120)]


@ways
async def test_sessions_that_ended_leave_room_for_more(
    transport: str, server: str, certificate: tuple[Path, Path]
) -> None:
    app = remote_app(Echo, limits=RemoteLimits(sessions=10))
    async with connected(app, transport, server, certificate) as peer:
        for count in range(30):
            session = await v2.ClientSession.create(peer, cwd="/")
            async with session.prompt(str(count)) as turn:
                await turn.wait()
            await session.close()
        [connection] = app._connections.values()
        while connection.routing.listeners > 1:
            await asyncio.sleep(0.01)
        assert connection.routing.outboxes.keys() <= {None}


@ways
async def test_a_client_of_protocol_1_is_bridged(
    transport: str, server: str, certificate: tuple[Path, Path]
) -> None:
    app = remote_app(Echo, bridge=True)
    async with connected(app, transport, server, certificate, v1.SessionClient) as peer:
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
        async with session.prompt("hello") as turn:
            await turn.wait()
        assert session.state.messages[-1].text == "hello"


@ways
async def test_the_end_of_the_application_ends_the_connection(
    transport: str, server: str, certificate: tuple[Path, Path]
) -> None:
    app = remote_app(Echo)
    async with connected(app, transport, server, certificate) as peer:
        await say(peer, "hello")
        await app.aclose()
        await peer.wait_ended()
        with pytest.raises(ConnectionClosed, match=r"the server (closed|ended)"):
            await v2.ClientSession.create(peer, cwd="/")


@ways
async def test_a_token_is_needed(
    transport: str, server: str, certificate: tuple[Path, Path]
) -> None:
    app = remote_app(Echo, token="secret")
    async with connected(app, transport, server, certificate, token="secret") as peer:
        assert await say(peer, "hello") == "hello"
    app = remote_app(Echo, token="secret")
    with pytest.raises(ConnectionClosed, match="pass a valid `token`") as caught:
        async with connected(app, transport, server, certificate, token="wrong"):
            pass
    assert "secret" not in str(caught.value)


async def test_refusals_do_not_end_a_connection_of_http_2(
    certificate: tuple[Path, Path],
) -> None:
    file, key = certificate
    app = remote_app(Echo)
    async with closing(app), serving(app, "hypercorn", certfile=file, keyfile=key) as port:
        tls = ssl.create_default_context(cafile=str(file))
        client = wire.Wire(Endpoint(f"https://127.0.0.1:{port}/acp", tls=tls))
        headers = {"content-type": "application/json", "acp-connection-id": "x"}
        requests = [client.request("POST", headers, b" " * size, most=1000) for size in SIZES]
        responses = await asyncio.gather(*requests)
        assert {each.status for each in responses} == {404}
        await client.close()


async def test_a_server_that_closes_each_connection_is_not_tried_for_ever() -> None:
    class Late(wire.Wire):
        async def _open_socket(self) -> Any:
            connection = await super()._open_socket()
            await self._connections[-1].closed.wait()
            return connection

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(close, "127.0.0.1", 0) as server:
        client = Late(Endpoint(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
        with pytest.raises(ConnectionError, match="the server closed the connection"):
            await asyncio.wait_for(client.open("GET", {}), 10)
        await client.close()


async def test_a_tls_connection_to_a_silent_server_is_closed(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, key = certificate
    accepting = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    accepting.load_cert_chain(file, key)
    monkeypatch.setattr(wire, "CLOSING", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> ssl.SSLSocket:
            return accepting.wrap_socket(listening.accept()[0], server_side=True)

        accepted = asyncio.create_task(asyncio.to_thread(accept))
        url = f"https://127.0.0.1:{listening.getsockname()[1]}"
        tls = ssl.create_default_context(cafile=str(file))
        client = wire.Wire(Endpoint(url, tls=tls))
        asking = asyncio.create_task(client.open("GET", {}))
        with await accepted:
            await asyncio.wait_for(client.close(), 10)
            with pytest.raises(OSError, match="the server closed the connection"):
                await asking


async def test_a_certificate_is_checked(certificate: tuple[Path, Path]) -> None:
    file, key = certificate
    app = remote_app(Echo)
    async with closing(app), serving(app, "hypercorn", certfile=file, keyfile=key) as port:
        for transport in (None, "http"):
            with pytest.raises(OSError, match=r"(?i)certificate"):
                async with connect_remote(
                    f"https://127.0.0.1:{port}/acp",
                    v2.SessionClient,
                    transport=transport,  # type: ignore[arg-type]
                ) as peer:
                    await peer.initialize()
