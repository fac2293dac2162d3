"""Turns that a client leaves: cancelled tasks, exceptions, an agent that does not read."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from acp_bindings.runtime import CapabilityError
from acp_bindings.runtime.aio import connect, connect_stdio, memory_streams
from package.jsonrpc.loop import GUARD
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    MUCH,
    REFUSED,
    forever,
    iterate,
    linger,
    process_session,
    stay,
)
from package.session.scripted import (
    BLOCKS,
    CANCEL,
    Script,
    Version,
    client,
    each_surface,
    each_version,
    failure,
    handler,
    result,
    settle,
)

Wait = Callable[..., Coroutine[Any, Any, None]]
each_wait = pytest.mark.parametrize("wait", [stay, iterate, linger])


async def fail(session: Any, turns: list[Any], words: str = "Hi") -> None:
    """Leave the block at once."""
    async with session.prompt(words) as turn:
        turns.append(turn)
        raise KeyError("mine")


async def time_out(session: Any, turns: list[Any], words: str = "Hi") -> None:
    """Leave the block after a while."""
    await asyncio.wait_for(stay(session, turns, words), 0.01)


async def end_left_turn(version: Version, script: Script, session: Any, words: str = "Hi") -> None:
    """As the agent, read the prompt and that it was cancelled, and end the one turn."""
    id_ = await script.prompt(words)
    assert await script.read() == CANCEL
    script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
    await settle()
    assert session.turns == []


# --- an agent that does not read -------------------------------------------------------------


@each_version
@each_wait
async def test_a_cancelled_task_does_not_wait_for_an_agent_that_does_not_read(
    version: Version, wait: Wait
) -> None:
    async with client(version) as (script, session):
        turns: list[Any] = []
        working = asyncio.create_task(wait(session, turns, MUCH))
        await settle()
        assert not working.done()
        working.cancel()
        await settle()
        assert working.cancelled()
        assert turns == session.turns
        assert turns[0].is_cancelled
        await end_left_turn(version, script, session, MUCH)


@each_version
@pytest.mark.parametrize(("leave", "error"), [(fail, KeyError), (time_out, asyncio.TimeoutError)])
async def test_an_exception_does_not_wait_for_an_agent_that_does_not_read(
    version: Version, leave: Wait, error: type[Exception]
) -> None:
    async with client(version) as (script, session):
        turns: list[Any] = []
        with pytest.raises(error):
            await leave(session, turns, MUCH)
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


# Answers `initialize`, and reads on only after a signal.
HUNG = """
import json, signal, sys
go_on = [signal.SIGUSR1]
signal.pthread_sigmask(signal.SIG_BLOCK, go_on)
asked = json.loads(sys.stdin.readline())
reply = {"jsonrpc": "2.0", "id": asked["id"], "result": json.loads(sys.argv[1])}
print(json.dumps(reply), flush=True)
signal.sigwait(go_on)
methods = [json.loads(line)["method"] for line in sys.stdin]
with open(sys.argv[2], "w") as file:
    json.dump(methods, file)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@each_version
async def test_a_process_that_does_not_read_is_told_when_it_reads_again(
    version: Version, tmp_path: Any
) -> None:
    answer = version.initialized(0, BLOCKS)["result"]
    found = tmp_path / "methods"
    command = [sys.executable, "-c", HUNG, json.dumps(answer), str(found)]
    async with connect_stdio(command, version.client.SessionClient, grace=GUARD) as peer:
        session = await process_session(version, peer)
        working = asyncio.create_task(linger(session, [], MUCH * 30))
        await settle()
        working.cancel()
        await asyncio.wait([working], timeout=GUARD / 2)
        assert working.cancelled()
        stream: Any = peer._stream
        assert stream.process.returncode is None
        stream.process.send_signal(signal.SIGUSR1)
    assert stream.process.returncode == 0
    assert json.loads(found.read_text()) == ["session/prompt", "session/cancel"]


# --- cancelled while waiting in the context itself -------------------------------------------


@each_surface
@each_wait
@pytest.mark.parametrize("is_accepted", [True, False])
async def test_a_task_that_is_cancelled_where_it_waits_cancels_the_turn(
    version: Version, wait: Wait, is_accepted: bool
) -> None:
    async with client(version) as (script, session):
        turns: list[Any] = []
        working = asyncio.create_task(wait(session, turns))
        id_ = await script.prompt()
        if is_accepted:
            script.write(*version.accepted(id_))
        await settle()
        working.cancel()
        await settle()
        assert working.cancelled()
        assert turns[0].is_cancelled
        assert not turns[0].is_over
        assert await script.read() == CANCEL
        script.write(*([] if is_accepted else version.accepted(id_)))
        script.write(*version.stopped(id_, "cancelled"))
        await settle()
        assert session.turns == []
        assert turns[0].stop_reason == "cancelled"


@each_surface
@pytest.mark.parametrize("is_before", [True, False])
async def test_a_task_that_is_cancelled_while_or_before_it_enters_cancels_the_turn(
    version: Version, is_before: bool
) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")

        async def enter() -> None:
            if is_before:
                working.cancel()
            async with turn:
                raise AssertionError("it was cancelled")

        working = asyncio.create_task(enter())
        await asyncio.sleep(0)  # entering has begun, and nothing is sent yet
        assert session.turns == [turn]
        if not is_before:
            working.cancel()
        await settle()
        assert working.cancelled()
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
        working = asyncio.create_task(wait(session, []))
        await script.prompt()
        await settle()
        await script.close()
        working.cancel()
        await settle()
        assert working.cancelled()
        assert session.turns == []


@each_version
async def test_two_turns_that_are_left_each_say_so(version: Version) -> None:
    async with client(version) as (script, session):
        working = [asyncio.create_task(stay(session, [])) for _ in range(2)]
        ids = [await script.prompt(), await script.prompt()]
        for task in working:
            task.cancel()
        await settle()
        assert [await script.read(), await script.read()] == [CANCEL, CANCEL]
        for id_ in ids:
            script.write(failure(id_, -32800))
        await settle()
        assert session.turns == []


# --- the end of the connection ---------------------------------------------------------------


@each_surface
@pytest.mark.parametrize("has_sessions", [True, False])
@pytest.mark.parametrize("way", ["leave", "cancel", "mark_cancelled"])
async def test_the_cleanup_of_a_question_to_the_user_is_waited_for(
    version: Version, has_sessions: bool, way: str
) -> None:
    log: list[str] = []

    async def permission(params: Any) -> None:
        log.append("asked")
        try:
            await forever()
        finally:
            for _ in range(20):
                await asyncio.sleep(0)
            log.append("cleaned up")

    base = version.client.SessionClient if has_sessions else version.surface.ClientHandler
    near, far = memory_streams()
    script = Script(far)

    async def use() -> None:
        async with connect(near, handler(base, session_request_permission=permission)):
            script.write(version.permission("a"))
            await settle()
            assert log == ["asked"]
            if way == "cancel":
                await forever()
            if way == "mark_cancelled":
                script.write(withdrawal("a"))
                for _ in range(200):
                    await asyncio.sleep(0)
        log.append("left")

    using = asyncio.create_task(use())
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
