"""What agents and clients keep of a session, and write back as updates."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime.aio import Peer, memory_streams
from package.session.agent_work import async_test, nothing
from package.session.client_turns import prompted
from package.session.scripted import (
    CANCEL,
    SESSION,
    V2,
    Script,
    Version,
    agent,
    agreeing,
    begun,
    client,
    each_surface,
    each_version,
    ended,
    handler,
    prompt,
    settle,
    update,
)


def rebuilt(state: Any) -> Any:
    """The state that its updates lead to, in strict mode."""
    again = state.__class__()
    for each in state.to_updates():
        again.apply(each)
    return again


# --- text in chunks --------------------------------------------------------------------------


def say(version: Version, state: Any, words: str, **members: Any) -> None:
    surface = version.surface
    named = {} if version.number == 1 else {"message_id": "m"}
    content = surface.TextContent(text=words, **members)
    state.apply(surface.AgentMessageChunk(content=content, **named))


@each_surface
def test_chunks_of_one_text_are_written_as_one(version: Version) -> None:
    state = version.surface.session.SessionState()
    words = [f"{number} " for number in range(100)]
    for each in words:
        say(version, state, each)
    assert len(state.messages[0].content) == 100
    [written] = state.to_updates()
    content = written.content if version.number == 1 else written.content[0]
    assert content.text == "".join(words)
    assert rebuilt(state) == state


@each_surface
def test_text_that_says_more_stays_apart(version: Version) -> None:
    state = version.surface.session.SessionState()
    say(version, state, "a")
    say(version, state, "b", meta={"key": 1})
    say(version, state, "c", unknown_fields={"more": 1})
    say(version, state, "d")
    say(version, state, "e")
    again = rebuilt(state)
    assert [block.text for block in again.messages[0].content] == ["a", "b", "c", "de"]
    assert again == state


def test_messages_with_other_text_are_not_equal() -> None:
    one, other = V2.surface.session.SessionState(), V2.surface.session.SessionState()
    say(V2, one, "a")
    say(V2, one, "b")
    say(V2, other, "ab")
    assert one == other
    say(V2, other, "c")
    assert one != other
    assert one.messages[0] != "ab"


# --- a cancelled tool call -------------------------------------------------------------------


@each_surface
@async_test()
async def test_a_state_with_a_cancelled_tool_call_is_written_as_the_schema_allows(
    version: Version,
) -> None:
    async with client(version) as (script, session):
        kind = "tool_call" if version.number == 1 else "tool_call_update"
        dig = update(sessionUpdate=kind, toolCallId="t", title="Dig", status="in_progress")
        async with prompted(version, script, session, dig) as (_, id_):
            await settle()
            session.send_cancel()
            assert (await script.read())["method"] == "session/cancel"
            assert session.state.tool_calls["t"].status == "cancelled"
            surface = version.surface
            written = [
                surface.encode(each, surface.SessionUpdate) for each in session.state.to_updates()
            ]
            for each in written:
                surface.decode(surface.SessionUpdate, each, strict=True)
            [status] = [each["status"] for each in written if "toolCallId" in each]
            assert status == ("failed" if version.number == 1 else "cancelled")
            assert session.state.tool_calls["t"].status == "cancelled"
            script.write(*version.stopped(id_, "cancelled"))


# --- an agent without state ------------------------------------------------------------------


@each_version
@async_test()
async def test_an_agent_need_not_keep_the_transcript(version: Version) -> None:
    async with agent(version, nothing) as (script, session):
        session.agent.keep_state = False
        lean = session
        for number in range(100):
            await lean.say(str(number))
            await lean.think(str(number))
        read = await script.updates(200)
        assert len(lean.state.timeline) == 1
        assert len(lean.state.messages) <= 1
        assert sum(len(message.content) for message in lean.state.messages) == 0
        with pytest.raises(RuntimeError, match="set keep_state in the agent"):
            await lean.replay()
        ids = [each.get("messageId") for each in read]
        assert len(set(ids)) == (200 if version.number == 2 else 1)


@async_test()
async def test_without_state_chunks_of_a_message_still_belong_together() -> None:
    async with agent(V2, nothing) as (script, session):
        session.agent.keep_state = False
        lean = session
        await lean.say("a")
        await lean.say("b")
        await lean.update(V2.surface.UsageUpdate(used=1, size=2))
        await lean.say("c")
        await lean.think("d")
        await lean.say("e")
        read = await script.updates(6)
        a, b, _, c, d, e = [each.get("messageId") for each in read]
        assert a == b == c
        assert len({a, d, e}) == 3
        assert lean.state.usage is not None


# --- cancelling a prompt that is not a turn yet ------------------------------------------------


@each_version
@async_test()
async def test_a_prompt_is_cancelled_while_an_override_awaits_before_the_turn(
    version: Version,
) -> None:
    worked: list[str] = []

    go_on = asyncio.Event()

    class Slow(version.agent.SessionAgent):  # type: ignore[misc,name-defined]
        initialize = staticmethod(agreeing(version))

        async def turn(self, session: Any, params: Any) -> None:
            worked.append("worked")

        async def session_prompt(self, params: Any) -> Any:
            await go_on.wait()
            return await super().session_prompt(params)

    near, far = memory_streams()
    script = Script(near)
    peer = Peer(far, "agent", Slow)
    running = asyncio.create_task(peer.run(0))
    await script.initialize(version.number)
    session = peer.handler.open(SESSION)  # type: ignore[union-attr]
    script.write(prompt(1))
    await settle()
    script.write(CANCEL)
    await settle()
    go_on.set()
    if version.number == 1:
        await ended(version, script, 1, "cancelled")
    else:
        assert (await script.read())["error"]["code"] == -32800
    script.write(prompt(2))
    await begun(version, script, 2)
    await ended(version, script, 2)
    await settle()
    assert worked == ["worked"]
    assert session._turns == []
    await script.close()
    await running


@each_version
@async_test("the handler of 'session/prompt' failed")
async def test_a_prompt_that_an_override_answers_itself_leaves_no_turn(version: Version) -> None:
    async def refuse(params: Any) -> Any:
        raise ValueError("no")

    near, far = memory_streams()
    script = Script(near)
    base = version.agent.SessionAgent
    made = handler(base, initialize=agreeing(version), session_prompt=refuse)
    peer = Peer(far, "agent", made)
    running = asyncio.create_task(peer.run(0))
    await script.initialize(version.number)
    session = peer.handler.open(SESSION)  # type: ignore[union-attr]
    script.write(prompt(1))
    assert (await script.read())["error"]["code"] == -32603
    assert session._turns == []
    await script.close()
    await running
