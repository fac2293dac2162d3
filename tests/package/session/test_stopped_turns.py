"""`Turn.stop`: the agent stops, or its connection ends."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from typing import Any

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import connect_stdio
from acp_bindings.runtime.session.turns import Turn
from package.jsonrpc.processes import NEVER, program, running
from package.session.client_turns import MUCH, process_session, prompted, working
from package.session.scripted import (
    BLOCKS,
    CANCEL,
    Version,
    client,
    each_surface,
    each_version,
    failure,
    settle,
    used,
)


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
        turn = await session.prompt("Hi").__aenter__()
        id_ = await script.prompt()
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
        session = await process_session(version, peer)
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
async def test_a_turn_that_was_not_entered_cannot_be_stopped(version: Version) -> None:
    async with client(version) as (_, session):
        with pytest.raises(RuntimeError, match="enter the turn"):
            await session.prompt("Hi").stop()


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


def test_the_default_is_ten_seconds() -> None:
    assert inspect.signature(Turn.stop).parameters["grace"].default == 10.0
