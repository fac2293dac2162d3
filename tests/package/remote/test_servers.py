"""Tests of applications on real servers: a conversation over each transport, and shutdown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from acp_bindings.remote import RemoteLimits, remote_app
from starlette.applications import Starlette
from starlette.routing import Mount
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.package.remote.agents import Echo
from tests.package.remote.asgi import CONNECTION, INITIALIZE, SESSION, prompt, request
from tests.package.remote.servers import SERVERS, serving

EVENTS = {"accept": "text/event-stream"}


class Talk:
    """A minimal HTTP client for conversations."""

    def __init__(self, http: httpx.AsyncClient, url: str) -> None:
        self.http = http
        self.url = url
        self.headers: dict[str, str] = {}

    async def initialize(self) -> None:
        response = await self.http.post(self.url, json=INITIALIZE)
        assert response.status_code == 200, response.text
        assert response.json()["id"] == 0
        self.headers = {CONNECTION: response.headers[CONNECTION]}

    async def post(self, message: Any, session_id: str | None = None) -> None:
        headers = {**self.headers, **({SESSION: session_id} if session_id else {})}
        response = await self.http.post(self.url, json=message, headers=headers)
        assert response.status_code == 202, response.text

    @asynccontextmanager
    async def listen(self, session_id: str | None = None) -> AsyncGenerator[Any]:
        headers = {**EVENTS, **self.headers, **({SESSION: session_id} if session_id else {})}
        async with self.http.stream("GET", self.url, headers=headers) as response:
            assert response.status_code == 200
            assert "connection" not in response.headers
            yield self.events(response)

    async def events(self, response: httpx.Response) -> AsyncGenerator[Any]:
        rest = b""
        async for data in response.aiter_bytes():
            *events, rest = (rest + data).split(b"\n\n")
            for event in events:
                if event.startswith(b"data: "):
                    yield json.loads(event[6:])

    async def converse(self, text: str) -> str:
        """Play a turn in a new session and return the agent's message."""
        await self.initialize()
        async with self.listen() as events:
            await self.post(request(1, "session/new", cwd="/", mcpServers=[]))
            session_id = (await anext(events))["result"]["sessionId"]
        async with self.listen(session_id) as events:
            await self.post(prompt(2, session_id, text), session_id)
            said = await said_by(events)
        assert (await self.http.delete(self.url, headers=self.headers)).status_code == 202
        return said


async def said_by(events: Any) -> str:
    async for event in events:
        update = event.get("params", {}).get("update", {})
        if update.get("sessionUpdate") == "agent_message_chunk":
            return str(update["content"]["text"])
    raise AssertionError("the agent said nothing")


@pytest.mark.parametrize("server", SERVERS)
async def test_http(server: str) -> None:
    text = "line\u2028separator 🎈" + "x" * (3 << 20)
    async with serving(remote_app(Echo), server) as port, httpx.AsyncClient(timeout=30) as http:
        assert await Talk(http, f"http://127.0.0.1:{port}/acp").converse(text) == text


async def test_http_2_in_the_clear() -> None:
    text = "line\u2028separator 🎈" + "x" * (3 << 20)
    http = httpx.AsyncClient(timeout=30, http1=False, http2=True)
    async with serving(remote_app(Echo), "hypercorn") as port, http:
        assert await Talk(http, f"http://127.0.0.1:{port}/acp").converse(text) == text


async def test_a_message_that_is_too_long_ends_no_http_2_connection() -> None:
    app = remote_app(Echo, limits=RemoteLimits(message_bytes=1000))
    http = httpx.AsyncClient(timeout=30, http1=False, http2=True)
    async with serving(app, "hypercorn") as port, http:
        talk = Talk(http, f"http://127.0.0.1:{port}/acp")
        await talk.initialize()
        async with talk.listen() as events:
            long = request(1, "session/list", cwd="x" * 500_000)
            response = await http.post(talk.url, json=long, headers=talk.headers)
            assert response.status_code == 413
            await talk.post(request(2, "session/new", cwd="/", mcpServers=[]))
            assert (await anext(events))["id"] == 2


@pytest.mark.parametrize("server", SERVERS)
async def test_websocket(server: str) -> None:
    text = "line\u2028separator 🎈" + "x" * (3 << 20)
    app = remote_app(Echo, token="secret")
    async with serving(app, server) as port:
        url = f"ws://127.0.0.1:{port}/acp"
        with pytest.raises(InvalidStatus) as refused:
            await open_socket(url, proxy=None)
        assert refused.value.response.status_code == 401
        headers = {"authorization": "Bearer secret"}
        socket = await open_socket(url, additional_headers=headers, max_size=None, proxy=None)
        assert len(socket.response.headers[CONNECTION]) >= 32  # type: ignore[union-attr]

        async def events() -> AsyncGenerator[Any]:
            async for frame in socket:
                yield json.loads(frame)

        heard = events()
        await socket.send(json.dumps(INITIALIZE))
        assert (await anext(heard))["id"] == 0
        await socket.send(json.dumps(request(1, "session/new", cwd="/", mcpServers=[])))
        session_id = (await anext(heard))["result"]["sessionId"]
        message = json.dumps(prompt(2, session_id, text), ensure_ascii=False)
        # WebSocket fragments form one message, even if they split an escaped character.
        await socket.send([message[:50], message[50:51], "", message[51:]])
        assert await said_by(heard) == text
        await heard.aclose()
        await socket.close()


@pytest.mark.parametrize("server", SERVERS)
async def test_a_page_passes_its_token_as_a_subprotocol(server: str) -> None:
    app = remote_app(Echo, token="secret", origins=["https://page.example"])
    async with serving(app, server) as port:
        url = f"ws://127.0.0.1:{port}/acp"
        offered: Any = ["acp", "acp.bearer.secret"]
        socket = await open_socket(
            url, subprotocols=offered, origin="https://page.example", proxy=None  # type: ignore[arg-type]
        )
        assert socket.subprotocol == "acp"
        await socket.close()


@pytest.mark.parametrize("server", SERVERS)
async def test_shutdown_ends_connections(server: str) -> None:
    app = remote_app(Echo, linger=0)
    async with httpx.AsyncClient(timeout=30) as http, serving(app, server) as port:
        socket = await open_socket(f"ws://127.0.0.1:{port}/acp", proxy=None)
        await socket.send(json.dumps(INITIALIZE))
        await socket.recv()
        talk = Talk(http, f"http://127.0.0.1:{port}/acp")
        await talk.initialize()
        async with talk.listen() as events:
            await app.aclose()
            assert [each async for each in events] == []
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001


@pytest.mark.parametrize("server", SERVERS)
async def test_a_listener_that_vanishes_is_noticed(server: str) -> None:
    app = remote_app(Echo, limits=RemoteLimits(listener_timeout=1.0), linger=0)
    async with serving(app, server) as port, httpx.AsyncClient(timeout=30) as http:
        talk = Talk(http, f"http://127.0.0.1:{port}/acp")
        await talk.initialize()
        async with talk.listen():
            await talk.post(request(5, "session/list"))
        while app._connections:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("server", SERVERS)
async def test_mounted_in_another_application(server: str) -> None:
    app = remote_app(Echo)
    whole = Starlette(routes=[Mount("/agents/echo", app=app)])
    async with serving(whole, server) as port, httpx.AsyncClient(timeout=30) as http:
        url = f"http://127.0.0.1:{port}/agents/echo/acp"
        assert await Talk(http, url).converse("Hi") == "Hi"
        socket = await open_socket(url.replace("http", "ws"), proxy=None)
        await socket.send(json.dumps(INITIALIZE))
        assert json.loads(await socket.recv())["id"] == 0
        await socket.close()
        await app.aclose()


async def test_a_server_without_websockets_says_so() -> None:
    async with serving(remote_app(Echo), "uvicorn", ws="none") as port:
        with pytest.raises(InvalidStatus) as refused:
            await open_socket(f"ws://127.0.0.1:{port}/acp", proxy=None)
        assert refused.value.response.status_code == 426
