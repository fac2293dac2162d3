"""Tests of WebSocket clients with minimal servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.remote import connect_remote, open_remote
from acp_bindings.remote.websocket import ROOM, WebSocketStream
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Message
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed as SocketClosed
from websockets.http11 import Request, Response

from tests.package.remote.scripted import Streams, serving

TEXT = "a\u2028b\U0001f600"


@asynccontextmanager
async def listening(
    script: Callable[[ServerConnection], Awaitable[None]], **options: Any
) -> AsyncGenerator[str]:
    async def run(socket: ServerConnection) -> None:
        with suppress(SocketClosed):
            await script(socket)

    async with serve(run, "127.0.0.1", 0, **options) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/acp"


def message(value: Any) -> Message:
    return Message(json.dumps(value).encode())


async def test_messages_are_text_frames_without_compression() -> None:
    got: list[Any] = []

    async def script(socket: ServerConnection) -> None:
        assert socket.request is not None
        got.append(socket.request.headers.get("Sec-WebSocket-Extensions"))
        async for frame in socket:
            got.append(frame)
            await socket.send(b"binary")
            await socket.send(frame)

    async with listening(script, max_size=None) as url:
        stream = await open_remote(url)
        stream.send([message({"a": TEXT}), message({"b": "x" * 3_000_000})])
        await stream.drain(None)
        [first] = await stream.receive()
        [second] = await stream.receive()
        await stream.close()
    assert json.loads(first.text) == {"a": TEXT}
    assert len(second.text) > 3_000_000
    assert got[0] is None
    assert all(isinstance(frame, str) for frame in got[1:])


async def test_line_ends_within_a_message_are_spaces() -> None:
    async def script(socket: ServerConnection) -> None:
        await socket.send('{\r\n "a": 1\n}')
        await socket.wait_closed()

    async with listening(script) as url:
        stream = await open_remote(url)
        [received] = await stream.receive()
        await stream.close()
    assert b"\n" not in received.text
    assert b"\r" not in received.text
    assert json.loads(received.text) == {"a": 1}


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [(1000, "", "code 1000"), (1001, "restart", "code 1001, 'restart'"), (1008, "", "code 1008")],
)
async def test_a_close_says_its_code_and_reason(code: int, reason: str, expected: str) -> None:
    async def script(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.close(code, reason)

    async with listening(script) as url:
        with pytest.raises(ConnectionClosed, match=f"the server closed the WebSocket: {expected}"):
            async with connect_remote(url, v2.SessionClient) as peer:
                await peer.initialize()


async def test_a_broken_connection_is_said() -> None:
    async def script(socket: ServerConnection) -> None:
        await socket.recv()
        socket.transport.abort()

    async with listening(script) as url:
        with pytest.raises(ConnectionClosed, match="the WebSocket connection was lost"):
            async with connect_remote(url, v2.SessionClient) as peer:
                await peer.initialize()


async def test_a_message_that_is_too_long_says_what_to_do() -> None:
    async def script(socket: ServerConnection) -> None:
        await socket.send("x" * 2000)
        await socket.wait_closed()

    async with listening(script) as url:
        stream = await open_remote(url, max_line=1000)
        with pytest.raises(ConnectionClosed, match="longer than 1000 bytes; pass a larger"):
            await stream.receive()
        await stream.close()


@pytest.mark.parametrize("status", [400, 403, 404, 405, 426, 500])
async def test_http_is_used_if_the_server_has_no_websocket(status: int) -> None:
    class Refusing(Streams):
        async def __call__(self, request: Any) -> None:
            if "upgrade" in request.headers:
                request.reply(status)
            else:
                await super().__call__(request)

    async with (
        serving(Refusing()) as server,
        connect_remote(server.url, v2.SessionClient) as peer,
    ):
        await peer.initialize()
        assert server.requests[0].headers["upgrade"] == "websocket"


async def test_http_can_be_ruled_out() -> None:
    async def refusing(request: Any) -> None:
        request.reply(405)

    async with serving(refusing) as server:
        with pytest.raises(ConnectionClosed, match=r"does not support WebSocket.*transport='http'"):
            await open_remote(server.url, transport="websocket")


async def test_a_failure_over_http_also_says_why_it_is_not_a_websocket() -> None:
    async def refusing(request: Any) -> None:
        request.reply(403, b"not you")

    async with serving(refusing) as server:
        with pytest.raises(ConnectionClosed) as caught:
            async with connect_remote(server.url, v2.SessionClient) as peer:
                await peer.initialize()
    assert str(caught.value).count("not you; pass a valid `token`") == 2
    assert "does not support WebSocket" in str(caught.value)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, "pass a valid `token`"),
        *((status, "connect to http://b/") for status in (300, 302, 399)),
        (429, "try again later"),
        (503, "try again later"),
    ],
)
async def test_a_refusal_is_not_tried_over_http(status: int, expected: str) -> None:
    async def refusing(request: Any) -> None:
        request.reply(status, headers={"location": "http://b/"})

    async with serving(refusing) as server:
        with pytest.raises(ConnectionClosed, match=expected):
            await open_remote(server.url)
    assert len(server.requests) == 1


async def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    async with serving(Streams()) as server:
        url = server.url
    with pytest.raises(ConnectionError, match=r"cannot connect to http://127\.0\.0\.1"):
        await open_remote(url)


async def test_headers_token_and_cookies_are_sent_and_kept() -> None:
    got: list[Any] = []

    def answer(socket: ServerConnection, request: Request, response: Response) -> None:
        got.append(request.headers)
        response.headers["Set-Cookie"] = "worker=2"

    cookies = {"a": "b"}
    async with listening(ServerConnection.wait_closed, process_response=answer) as url:
        stream = await open_remote(url, token="t", headers={"X-Key": "k"}, cookies=cookies)
        await stream.close()
    assert got[0]["Authorization"] == "Bearer t"
    assert got[0]["X-Key"] == "k"
    assert got[0]["Cookie"] == "a=b"
    assert cookies == {"a": "b", "worker": "2"}


async def test_a_server_that_does_not_read_is_noticed_and_left() -> None:
    released = asyncio.Event()

    async def script(socket: ServerConnection) -> None:
        await released.wait()

    async with listening(script, max_queue=1, close_timeout=0.1) as url:
        stream = await open_remote(url)
        stream.send([message({"a": "x" * 1_000_000})] * 30)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(stream.drain(None), 0.1)
        assert stream.unsent() > 10_000_000
        stream.hurry(0.01)  # type: ignore[attr-defined]
        await stream.close()
        released.set()


async def test_closing_sends_what_is_queued() -> None:
    got: list[Any] = []

    async def script(socket: ServerConnection) -> None:
        async for frame in socket:
            got.append(frame)

    async with listening(script) as url:
        stream = await open_remote(url)
        stream.send([message({"a": count}) for count in range(100)])
        await stream.close()
    assert len(got) == 100


async def test_cancelling_leaves_nothing() -> None:
    async with listening(ServerConnection.wait_closed) as url:

        async def talk() -> None:
            async with connect_remote(url, v2.SessionClient, grace=0.1) as peer:
                await peer.initialize()

        task = asyncio.create_task(talk())
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


@pytest.mark.parametrize(
    ("missing", "is_explained"),
    [
        ("websockets", True),
        ("h11", True),
        ("h2", True),
        ("h2.connection", True),
        ("acp_bindings.remote.wire", False),
    ],
)
async def test_a_missing_extra_says_how_to_install_it(
    missing: str, is_explained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    library = missing.partition(".")[0]
    for name in [*sys.modules]:
        is_loaded_again = is_explained and name.partition(".")[0] == library
        if is_loaded_again or name.startswith("acp_bindings.remote."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    from acp_bindings.remote.connecting import open_remote

    with pytest.raises(ImportError) as caught:
        await open_remote("http://127.0.0.1:1/acp")
    text = str(caught.value)
    assert text.startswith(f"remote agents require '{library}") is is_explained
    assert text.endswith("; install acp-bindings[remote]") is is_explained


async def test_an_unknown_transport_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown transport 'carrier'"):
        await open_remote("http://a", transport="carrier")  # type: ignore[arg-type]


class Stuck:
    """A WebSocket whose messages stay in its buffer."""

    class transport:
        @staticmethod
        def get_write_buffer_size() -> int:
            return 5

        @staticmethod
        def abort() -> None: ...

    async def send(self, data: bytes, *, text: bool) -> None:
        await asyncio.Event().wait()

    async def close(self) -> None: ...

    async def wait_closed(self) -> None: ...


class Closed(Stuck):
    """A WebSocket that is closed."""

    async def send(self, data: bytes, *, text: bool) -> None:
        raise SocketClosed(None, None)


async def test_draining_fails_if_messages_can_no_longer_be_sent() -> None:
    stream: Any = WebSocketStream(Closed(), 100)  # type: ignore[arg-type]
    await stream.drain(None)
    stream.send([Message(b"x" * (ROOM + 1))])
    with pytest.raises(ConnectionClosed, match="the WebSocket is closed"):
        await stream.drain(None)
    await stream.close()


async def test_draining_waits_only_without_room() -> None:
    stream: Any = WebSocketStream(Stuck(), 100)  # type: ignore[arg-type]
    stream.send([Message(b"x" * ROOM)])
    await asyncio.wait_for(stream.drain(None), 10)
    stream.send([Message(b"y")])
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(stream.drain(None), 0.01)
    assert stream.unsent() == ROOM + 1 + 5
    stream.hurry(0)
    await stream.close()
