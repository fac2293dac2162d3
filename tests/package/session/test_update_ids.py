"""Signatures and ids of the methods that send updates."""

from __future__ import annotations

from typing import Any

import pytest
from package.session.scripted import (
    Version,
    agent,
    client,
    each_surface,
    each_v2,
    ended,
    prompt,
    result,
    run,
    state,
    text,
    update,
)


@each_surface
def test_senders_look_like_methods(version: Version) -> None:
    class_ = version.agent.AgentSession
    kinds = version.surface.AvailableCommandsUpdate.__name__

    async def main() -> None:
        async with agent(version) as (_, session):
            for sender in (class_.available_commands, session.available_commands):
                assert sender.__name__ == "available_commands"
                assert sender.__qualname__ == "AgentSession.available_commands"
                assert kinds in sender.__doc__

    run(main())


@each_surface
def test_an_empty_string_is_the_id_of_a_session(version: Version) -> None:
    async def main() -> None:
        async def turn(session: Any, params: Any) -> None:
            assert session.session_id == ""

        async with agent(version, turn) as (script, other):
            served = other.peer.handler
            session = served.open("")
            assert session.session_id == ""
            assert served.session("") is session
            await session.available_commands(available_commands=[])
            assert (await script.read())["params"]["sessionId"] == ""
            script.write(prompt(1, session=""))
            if version.number == 1:
                await ended(version, script, 1)
                return
            assert (await script.read())["id"] == 1
            said = [(await script.read())["params"] for _ in range(3)]
            assert [each["sessionId"] for each in said] == [""] * 3
            assert said[-1]["update"]["state"] == "idle"

    run(main())


@each_surface
def test_without_an_id_a_session_gets_one(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (_, other):
            served = other.peer.handler
            ids = {served.open().session_id for _ in range(3)} | {served.open(None).session_id}
            assert len(ids) == 4
            assert all(ids)

    run(main())


@each_surface
@pytest.mark.parametrize("way", ["say", "think"])
def test_an_empty_string_is_the_id_of_a_message(version: Version, way: str) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            say = getattr(session, way)
            await say("a", message_id="")
            await say("b")  # goes on with it
            await say("c", message_id="other")
            await say("d", message_id="")
            found = [each.get("messageId") for each in await script.updates(4)]
            # In version 1, what goes on with a message need not name it.
            assert found == ["", "" if version.number == 2 else None, "other", ""]
            if version.number == 2:
                said = [(each.message_id, each.text) for each in session.state.messages]
                assert said == [("", "abd"), ("other", "c")]

    run(main())


@each_v2
def test_v2_an_empty_string_is_the_id_of_a_prompt(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(state("running"))
                content = [text("Hi")]
                script.write(update(sessionUpdate="user_message", messageId="", content=content))
                script.write(state("idle", stopReason="end_turn"), result(id_, messageId=""))
            assert turn.stop_reason == "end_turn"

    run(main())
