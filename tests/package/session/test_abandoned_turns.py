"""Turns that a client leaves or stops: cancelled tasks, exceptions, an agent that does not read."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from acp_bindings.runtime import CapabilityError, ConnectionClosed
from acp_bindings.runtime.aio import Peer, connect, connect_stdio, memory_streams
from package.jsonrpc.processes import NEVER, program, running
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    REFUSED,
    entered,
    forever,
    prompted,
    working,
)
from package.session.scripted import (
    BLOCKS,
    CANCEL,
    SESSION,
    Script,
    Version,
    client,
    each_surface,
    each_version,
    failure,
    handler,
    result,
    settle,
    used,
)

MUCH = "x" * 100_000  # more than fits while the other side does not read
Wait = Callable[[Any], Coroutine[Any, Any, None]]


async def leave(turn: Any) -> None:
    """Wait for the end of the turn, on leaving the block."""


async def iterate(turn: Any) -> None:
    """Wait for updates."""
    async for _ in turn:
        pass


async def linger(turn: Any) -> None:
    """Wait for something else in the block."""
    await forever()


async def fail(turn: Any) -> None:
    raise KeyError("mine")


each_wait = pytest.mark.parametrize("wait", [leave, iterate, linger])


async def use(session: Any, turns: list[Any], wait: Wait, words: str = "Hi") -> None:
    """Take a turn, with this in the block."""
    async with session.prompt(words) as turn:
        turns.append(turn)
        await wait(turn)


async def end_left_turn(version: Version, script: Script, session: Any, words: str = "Hi") -> None:
    """As the agent, read the prompt and that it was cancelled, and end the one turn."""
    id_ = await script.prompt(words)
    assert await script.read() == CANCEL
    script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
    await settle()
    assert session.turns == []


@each_surface
@each_wait
@pytest.mark.parametrize("how_far", ["not read", "read", "accepted"])
async def test_a_task_that_is_cancelled_where_it_waits_cancels_the_turn_and_ends_at_once(
    version: Version, wait: Wait, how_far: str
) -> None:
    words = MUCH if how_far == "not read" else "Hi"
    async with client(version) as (script, session):
        turns: list[Any] = []
        task = asyncio.create_task(use(session, turns, wait, words))
        id_: Any = None
        if how_far != "not read":
            id_ = await script.prompt()
        if how_far == "accepted":
            script.write(*version.accepted(id_))
        await settle()
        assert not task.done()
        task.cancel()
        await settle()
        assert task.cancelled()
        assert turns == session.turns
        assert turns[0].is_cancelled
        assert not turns[0].is_over
        if how_far == "not read":
            id_ = await script.prompt(words)
        assert await script.read() == CANCEL
        if how_far != "accepted":
            script.write(*version.accepted(id_))
        script.write(*version.stopped(id_, "cancelled"))
        await settle()
        assert session.turns == []
        assert turns[0].stop_reason == "cancelled"


@each_version
@pytest.mark.parametrize(("wait", "error"), [(fail, KeyError), (leave, asyncio.TimeoutError)])
async def test_an_exception_does_not_wait_for_an_agent_that_does_not_read(
    version: Version, wait: Wait, error: type[Exception]
) -> None:
    async with client(version) as (script, session):
        turns: list[Any] = []
        with pytest.raises(error):
            await asyncio.wait_for(use(session, turns, wait, MUCH), 0.01)
        assert turns[0].is_cancelled
        await end_left_turn(version, script, session, MUCH)


@each_version
async def test_cancelling_by_hand_waits_for_room_and_says_so_once(version: Version) -> None:
    async with client(version) as (script, session):
        async with session.prompt(MUCH) as turn:
            cancelling = asyncio.create_task(turn.cancel())
            await settle()
            assert turn.is_cancelled
            assert not cancelling.done()
            await end_left_turn(version, script, session, MUCH)
            await cancelling
        assert turn.stop_reason == "cancelled"


@each_surface
@pytest.mark.parametrize("is_before", [True, False])
async def test_a_task_that_is_cancelled_while_or_before_it_enters_cancels_the_turn(
    version: Version, is_before: bool
) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")

        async def enter() -> None:
            if is_before:
                task.cancel()
            async with turn:
                raise AssertionError("it was cancelled")

        task = asyncio.create_task(enter())
        await asyncio.sleep(0)  # entering has begun, and nothing is sent yet
        assert session.turns == [turn]
        if not is_before:
            task.cancel()
        await settle()
        assert task.cancelled()
        assert turn.is_cancelled
        await end_left_turn(version, script, session)


@each_version
async def test_a_task_that_is_cancelled_while_it_enters_what_cannot_be_sent_sends_nothing(
    version: Version,
) -> None:
    async with client(version, takes=[]) as (_, session):
        image = version.surface.ImageContent(data="", mime_type="image/png")
        entering = asyncio.create_task(session.prompt([image]).__aenter__())
        await asyncio.sleep(0)
        entering.cancel()
        await settle()
        assert session.turns == []
        with pytest.raises((asyncio.CancelledError, CapabilityError)):
            entering.result()


@each_version
@each_wait
async def test_a_task_that_is_cancelled_when_the_connection_has_ended_is_cancelled(
    version: Version, wait: Wait
) -> None:
    async with client(version) as (script, session):
        task = asyncio.create_task(use(session, [], wait))
        await script.prompt()
        await settle()
        await script.close()
        task.cancel()
        await settle()
        assert task.cancelled()
        assert session.turns == []


# --- the end of the connection ---------------------------------------------------------------


@each_surface
@pytest.mark.parametrize("has_sessions", [True, False])
@pytest.mark.parametrize("way", ["leave", "cancel", "withdraw"])
async def test_the_cleanup_of_a_question_to_the_user_is_waited_for(
    version: Version, has_sessions: bool, way: str
) -> None:
    log: list[str] = []

    async def permission(params: Any) -> None:
        log.append("asked")
        try:
            await forever()
        finally:
            await settle(20)
            log.append("cleaned up")

    async def ask() -> None:
        async with connect(near, handler(base, session_request_permission=permission)):
            script.write(version.permission("a"))
            await settle()
            if way == "cancel":
                await forever()
            if way == "withdraw":
                script.write(withdrawal("a"))
                await settle(200)
        log.append("left")

    base = version.client.SessionClient if has_sessions else version.surface.ClientHandler
    near, far = memory_streams()
    script = Script(far)
    using = asyncio.create_task(ask())
    await settle()
    if way == "cancel":
        using.cancel()
    await asyncio.wait([using])
    assert using.cancelled() == (way == "cancel")
    assert log == ["asked", "cleaned up"] + ["left"] * (way != "cancel")
    (answer,) = await script.rest()
    if has_sessions:
        assert answer == result("a", **REFUSED)
    else:
        assert (answer["id"], answer["error"]["code"]) == ("a", -32800)


# --- stopping the agent ----------------------------------------------------------------------


@each_surface
async def test_an_agent_that_stops_is_left_alone(version: Version) -> None:
    async with working(version) as (script, session, turn, id_):
        await settle()
        stopping = asyncio.create_task(turn.stop(NEVER))
        assert await script.read() == CANCEL
        script.write(*version.stopped(id_, "cancelled"))
        await stopping
        assert turn.stop_reason == "cancelled"
        await turn.stop()  # once more, of no effect
        assert session.peer.how_ended == ""


@each_version
async def test_the_error_of_the_turn_is_not_raised(version: Version) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        stopping = asyncio.create_task(turn.stop(NEVER))
        assert await script.read() == CANCEL
        script.write(failure(id_, -32603))
        await stopping
        assert turn.is_over


@each_version
async def test_an_agent_that_has_stopped_is_not_ended_for_a_slow_handler(version: Version) -> None:
    go_on = asyncio.Event()

    async def slow(params: Any) -> None:
        await go_on.wait()

    async with client(version, session_update=slow) as (script, session):
        async with prompted(version, script, session, used(1)) as (turn, id_):
            script.write(*version.stopped(id_))
            await settle()
            assert turn.is_over
            await turn.stop(0.001)
            go_on.set()
        assert turn.stop_reason == "end_turn"


@each_version
@pytest.mark.parametrize("words", ["Hi", MUCH], ids=["read", "unread"])
async def test_an_agent_that_does_not_stop_loses_the_connection(
    version: Version, words: str
) -> None:
    async with client(version) as (script, session):
        async with session.prompt(words) as turn:
            if words != MUCH:
                await script.prompt(words)
            await turn.stop(0.001)
            assert turn.is_over
            assert turn.is_cancelled
            with pytest.raises(ConnectionClosed):
                await session.prompt("Hi").__aenter__()
        await script.rest()
        script._data = b""


async def initialized(version: Version, peer: Peer) -> Any:
    """Initialize the connection to a process. Return a session of the client."""
    params = {"protocolVersion": version.number, "info": {"name": "c", "version": "1"}}
    await peer.initialize(version.surface.decode(version.surface.InitializeRequest, params))
    return version.client.SessionClient.of(peer).session(SESSION)


# Answers `initialize`, and then nothing.
DEAF = """
deafen()
answer(json.loads(sys.argv[1]))
with open(sys.argv[2], "w") as file:
    json.dump(pids(deaf=True), file)
for line in sys.stdin:
    pass
time.sleep(3600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@each_version
async def test_the_processes_of_an_agent_that_does_not_stop_end(
    version: Version, tmp_path: Any
) -> None:
    answer = version.initialized(0, BLOCKS)["result"]
    path = tmp_path / "pids"
    command = [*program(DEAF), json.dumps(answer), str(path)]
    async with connect_stdio(command, version.client.SessionClient, grace=0.05) as peer:
        session = await initialized(version, peer)
        async with session.prompt("Hi") as turn:
            while not path.exists() or not path.read_text().endswith("]"):
                await asyncio.sleep(0.005)
            await turn.stop(0.01)
            pids = json.loads(path.read_text())
            assert len(pids) == 3
            assert not running(pids)
        assert peer.exit is not None
        assert peer.exit.signal == "SIGKILL"


@each_version
async def test_a_handler_may_stop_its_turn(version: Version) -> None:
    sessions: list[Any] = []
    stopped: list[str | None] = []

    async def stop(params: Any) -> None:
        for turn in list(sessions[0].turns):
            await turn.stop(NEVER)
            stopped.append(turn.stop_reason)

    async with client(version, session_update=stop) as (script, session):
        sessions.append(session)
        async with session.prompt("Hi"):
            id_ = await script.prompt()
            script.write(*(version.accepted(id_) or [used(1)]))
            assert await script.read() == CANCEL
            script.write(*version.stopped(id_, "cancelled"))
    assert stopped == ["cancelled"]
