"""Tests of an application's WebSockets: first messages, invalid messages, limits, and closing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from acp_bindings.remote import RemoteApplication, RemoteLimits, remote_app

from tests.package.aio import loop
from tests.package.remote.agents import Echo
from tests.package.remote.asgi import (
    CONNECTION,
    INITIALIZE,
    Client,
    Socket,
    closing,
    prompt,
    request,
)


async def opened(app: Any, **scope: Any) -> Socket:
    socket = Client(app).socket(**scope)
    event = await socket.next()
    assert event["type"] == "websocket.accept"
    return socket


async def initialized(app: Any) -> Socket:
    socket = await opened(app)
    socket.say(INITIALIZE)
    assert (await socket.hear())["id"] == 0
    return socket


async def test_a_conversation() -> None:
    async with closing(remote_app(Echo)) as app:
        socket = Client(app).socket()
        accepted = await socket.next()
        [(name, id_)] = accepted["headers"]
        assert name == CONNECTION.encode()
        assert len(id_) >= 32
        socket.say(INITIALIZE)
        assert (await socket.hear())["result"]["protocolVersion"] == 2
        socket.say(request(1, "session/new", cwd="/", mcpServers=[]))
        session_id = (await socket.hear())["result"]["sessionId"]
        socket.say(prompt(2, session_id, "line\u2028separator 🎈"))
        heard = [await socket.hear() for _ in range(4)]
        assert "line\u2028separator 🎈" in json.dumps(heard, ensure_ascii=False)
        await socket.leave()


FIRST = {
    "another request": request(0, "session/list"),
    "a notification": {key: INITIALIZE[key] for key in ("jsonrpc", "method", "params")},
    "no JSON": "{",
    "a batch": json.dumps([INITIALIZE]),
    "no object": "1",
    "nothing": "",
}


@pytest.mark.parametrize("name", FIRST)
async def test_the_first_message_is_initialize(name: str) -> None:
    class Never(Echo):
        def __init__(self, peer: Any) -> None:
            raise AssertionError

    async with closing(remote_app(Never)) as app:
        socket = await opened(app)
        socket.say(FIRST[name])
        assert await socket.hear() == 1002
        await socket.task


async def test_bad_json_is_answered() -> None:
    async with closing(remote_app(Echo)) as app:
        socket = await initialized(app)
        socket.say("{")
        answer = await socket.hear()
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
        socket.say(request(7, "session/list"))
        assert (await socket.hear())["id"] == 7
        await socket.leave()


async def test_binary_frames_are_ignored() -> None:
    async with closing(remote_app(Echo)) as app:
        socket = await initialized(app)
        data = json.dumps(request(6, "session/list")).encode()
        socket.incoming.put_nowait({"type": "websocket.receive", "bytes": data, "text": None})
        socket.say(request(7, "session/list"))
        assert (await socket.hear())["id"] == 7
        await socket.leave()


async def test_lines_within_a_message_are_one_message() -> None:
    async with closing(remote_app(Echo)) as app:
        socket = await initialized(app)
        socket.say(json.dumps(request(7, "session/list"), indent=1).replace("\n", "\r\n"))
        assert (await socket.hear())["id"] == 7
        await socket.leave()


async def test_a_long_message_ends_the_connection() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(message_bytes=2000))) as app:
        socket = await initialized(app)
        socket.say(json.dumps(request(7, "session/list")).ljust(2000))
        assert (await socket.hear())["id"] == 7
        socket.say(json.dumps(request(8, "session/list")).ljust(2001))
        assert await socket.hear() == 1009
        await socket.task
        socket = await initialized(app)
        socket.say(request(7, "session/list") | {"params": {"cursor": "é" * 1000}})
        assert await socket.hear() == 1009
        await socket.task


@loop.within(100)
async def test_a_socket_without_initialize_ends() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(listener_timeout=0.05))) as app:
        socket = await opened(app)
        assert await socket.hear() == 1008
        await socket.task
        socket = await initialized(app)  # an initialized connection can be silent
        await asyncio.sleep(0.1)
        socket.say(request(7, "session/list"))
        assert (await socket.hear())["id"] == 7
        await socket.leave()


async def test_sockets_without_initialize_count_as_starts() -> None:
    async with closing(remote_app(Echo, limits=RemoteLimits(starts=1))) as app:
        socket = await opened(app)
        refused = Client(app).socket()
        assert (await refused.next())["status"] == 503
        await refused.next()
        await refused.task
        socket.say(INITIALIZE)
        await socket.hear()
        await (await initialized(app)).leave()
        await socket.leave()


async def test_shutdown_closes_with_1001() -> None:
    app = remote_app(Echo)
    sockets = [await initialized(app), await opened(app)]
    closing = asyncio.create_task(app.aclose())
    for socket in sockets:
        assert await socket.hear() == 1001
        await socket.task
    await closing


async def test_an_agent_that_fails_closes_with_1011(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Echo):
        def __init__(self, peer: Any) -> None:
            raise RuntimeError("no")

    async with closing(remote_app(Broken)) as app:
        socket = await opened(app)
        socket.say(INITIALIZE)
        assert await socket.hear() == 1011
        await socket.task
    assert "a remote connection failed" in caplog.text


async def test_a_client_that_leaves_ends_the_work_of_its_agent() -> None:
    states: list[str] = []

    class Working(Echo):
        async def turn(self, session: Any, params: Any) -> None:
            states.append("begun")
            try:
                await asyncio.Event().wait()
            finally:
                states.append("ended")

    async with closing(remote_app(Working, linger=0)) as app:
        socket = await initialized(app)
        socket.say(request(1, "session/new", cwd="/", mcpServers=[]))
        session_id = (await socket.hear())["result"]["sessionId"]
        socket.say(prompt(2, session_id, "Hi"))
        while not states:
            await asyncio.sleep(0)
        await socket.leave()
    assert states == ["begun", "ended"]


@loop.within(100)
async def test_nothing_more_is_sent_to_a_client_that_has_disappeared(monkeypatch: Any) -> None:
    tried: list[str] = []

    def fail(event: Any) -> None:
        tried.append(event["type"])
        raise OSError("the client has disappeared")

    async with closing(remote_app(Echo)) as app:
        socket = await opened(app)
        monkeypatch.setattr(socket.outgoing, "put_nowait", fail)
        socket.say(INITIALIZE)
        await socket.task
    assert tried == ["websocket.send"]


@loop.within(100)
@pytest.mark.parametrize(("spare", "waiting"), [(-1, 2), (0, 1)])
async def test_no_more_is_read_than_the_agent_has_room_for(spare: int, waiting: int) -> None:
    receiving = asyncio.Event()

    async def talk(stream: Any) -> None:
        await receiving.wait()
        while await stream.receive():
            pass

    room = len(json.dumps(INITIALIZE)) + spare
    async with closing(RemoteApplication(talk, limits=RemoteLimits(room=room))) as app:
        socket = await opened(app)
        for message in (INITIALIZE, request(1, "_a"), request(2, "_b")):
            socket.say(message)
        await asyncio.sleep(0.01)
        assert socket.incoming.qsize() == waiting
        receiving.set()
        await asyncio.sleep(0.01)
        assert socket.incoming.qsize() == 0
        await socket.leave()


@loop.within(100)
async def test_a_client_that_does_not_read_ends_its_connection() -> None:
    limits = RemoteLimits(unread_bytes=500_000)
    async with closing(remote_app(Echo, limits=limits, linger=0, grace=0.1)) as app:
        socket = await initialized(app)
        socket.say(request(1, "session/new", cwd="/", mcpServers=[]))
        session_id = (await socket.hear())["result"]["sessionId"]
        socket.writable.clear()
        socket.say(prompt(2, session_id, "*flood 300000"))  # the agent waits until the client reads
        await asyncio.sleep(0.1)
        assert not socket.task.done()
        socket.say(prompt(3, session_id, "*big 600000"))
        await asyncio.sleep(0.5)
        socket.writable.set()
        while isinstance(code := await socket.hear(), dict):
            pass
        assert code == 1008
        await socket.task
