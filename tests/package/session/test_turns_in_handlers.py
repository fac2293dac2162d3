"""Turns that begin in handlers of the same session."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import connect, memory_streams
from package.session.client_turns import ALLOWED, forever, prompted, selecting
from package.session.scripted import (
    ALL,
    SESSION,
    Script,
    Version,
    chunk,
    client,
    each_surface,
    each_v2,
    handler,
    initialize,
    result,
    settle,
    text,
    update,
)
from support import virtual_time


async def second_turn(version: Version, script: Script, first: Any, session: str) -> None:
    """As the agent, end the first turn and then serve the one that the update led to."""
    prompt = [text("again")]
    second = await script.request("session/prompt", sessionId=session, prompt=prompt)
    script.write(*version.stopped(first))
    if version.number == 1:
        script.write(result(second, stopReason="refusal"))
        return
    script.write(result(second, messageId="m2"))
    for members in ({"state": "running"}, {"state": "idle", "stopReason": "refusal"}):
        script.write(update(session, sessionUpdate="state_update", **members))


WAYS = [(version, way) for version in ALL for way in ("handler", "task", "spawn", "other", "later")]


@pytest.mark.parametrize(("version", "way"), WAYS, ids=str)
async def test_a_turn_may_be_entered_because_of_an_update(version: Version, way: str) -> None:
    found: list[Any] = []
    tasks: list[Any] = []
    done = asyncio.Event()
    session_id = "other" if way == "other" else SESSION

    async def prompt() -> None:
        if way == "later":  # the handler is over when the task enters the turn
            await settle()
        async with session.client.session(session_id).prompt("again") as turn:
            pass
        found.append(turn.stop_reason)
        done.set()

    async def take(params: Any) -> None:
        if not isinstance(params.update, version.surface.AgentMessageChunk) or found:
            return
        found.append("update")
        if way == "spawn":
            session.peer.spawn(prompt())
        elif way in ("task", "later"):
            tasks.append(asyncio.create_task(prompt()))
        else:
            await prompt()
        if way == "task":
            await tasks[0]

    async with client(version, session_update=take) as (script, session):
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            await second_turn(version, script, id_, session_id)
        await done.wait()
        assert turn.stop_reason == "end_turn"
        assert found == ["update", "refusal"]


@each_v2
async def test_v2_a_turn_may_be_entered_in_the_handler_of_a_request_of_its_session(
    version: Version,
) -> None:
    async def permission(params: Any) -> Any:
        async with session.prompt("again"):
            pass
        return await selecting(version)(params)

    async with client(version, session_request_permission=permission) as (script, session):
        script.write(chunk("a"), version.permission("p"))
        id_ = await script.prompt("again")
        script.write(*version.accepted(id_), *version.stopped(id_))
        assert await script.read() == result("p", **ALLOWED)


# --- the connection ends while a handler runs ------------------------------------------------


@each_surface
@pytest.mark.parametrize("ended_by", ["the handler", "the agent"])
def test_a_turn_ends_with_the_connection_while_an_update_is_handled(
    version: Version, ended_by: str
) -> None:
    async def main() -> None:
        async def close_or_wait(params: Any) -> None:
            if ended_by == "the handler":
                await peer.close()
            await asyncio.sleep(3600)

        near, far = memory_streams()
        script = Script(far)
        factory = handler(version.client.SessionClient, session_update=close_or_wait)
        async with connect(near, factory) as peer:
            await initialize(version, script, peer)
            session = version.client.SessionClient.of(peer).session(SESSION)
            turn = await session.prompt("Hi").__aenter__()
            id_ = await script.prompt()
            script.write(*version.accepted(id_), chunk("a"))
            await settle()
            if ended_by == "the agent":
                await script.close()
            with pytest.raises(ConnectionClosed):
                await turn.wait()

    virtual_time.run(main(), 3.0)


@each_surface
def test_the_end_of_a_turn_is_told_though_a_handler_does_not_get_on(version: Version) -> None:
    async def main() -> None:
        async def wait(params: Any) -> None:
            await forever()

        async with client(version, session_update=wait) as (script, session):
            async with prompted(version, script, session, chunk("a")) as (turn, id_):
                script.write(*version.stopped(id_))
            assert turn.stop_reason == "end_turn"

    virtual_time.run(main(), 20.0)
