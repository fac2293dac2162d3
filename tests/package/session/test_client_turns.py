"""Tests of client turns: prompts, iteration, exiting early, failures, and turns in handlers."""

from __future__ import annotations

import asyncio
import base64
import copy
import re
import sys
import time
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    UNSET,
    CapabilityError,
    ConnectionClosed,
    DecodeError,
    Issue,
    LimitExceeded,
    RequestError,
)
from acp_bindings.runtime.aio import connect, memory_streams
from acp_bindings.runtime.jsonrpc import Limits
from acp_bindings.runtime.session import Change

from tests.package.session.scripted import (
    ALL,
    ALLOWED,
    BLOCKS,
    CANCEL,
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Script,
    Version,
    call,
    chunk,
    client,
    coming_back,
    each_surface,
    each_v1,
    each_v2,
    each_version,
    entered,
    forever,
    handler,
    initialize,
    logs,
    prompted,
    result,
    selecting,
    settle,
    stray,
    text,
    texts,
    update,
    used,
)
from tests.support import virtual_time


async def collect(turn: Any, found: list[Any]) -> None:
    async for each in turn:
        found.append(each)


# --- iterating, leaving, failing -------------------------------------------------------------


@logs(stray("other"))
@each_version
async def test_iterating_yields_every_update_in_order_and_stops(version: Version) -> None:
    words = [str(number) for number in range(50)]
    async with client(version) as (script, session):
        script.write(chunk("before"))
        await settle()
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*version.accepted(id_), *(chunk(each) for each in words[:25]))
            script.write(call("t", status="pending"), chunk("other", session="other"))
            script.write(*(chunk(each) for each in words[25:]), *version.stopped(id_))
            found = [each async for each in turn]
            assert turn.is_over
        assert [each async for each in turn] == []
        chunks = [each for each in found if hasattr(each, "content")]
        assert [each.content.text for each in chunks if each.content is not UNSET] == words
        names = [each.__class__.__name__ for each in found]
        expected = [*["AgentMessageChunk"] * 25, "ToolCallUpdate", *["AgentMessageChunk"] * 25]
        if version is V2:
            expected = ["RunningStateUpdate", *expected, "IdleStateUpdate"]
        assert names == expected


@each_version
async def test_a_turn_takes_halves_of_characters(version: Version) -> None:
    half = "\ud83d"
    async with client(version) as (script, session):
        said = [
            *(chunk(f"a{half}"), chunk("\ude00b")),
            call("t", title=half, status="in_progress"),
            call("t", status="completed", rawOutput={half: [half]}, _meta={half: half}),
        ]
        async with prompted(version, script, session, *said) as (turn, id_):
            script.write(*version.stopped(id_, _meta={half: half}))
            await turn.wait()
        assert texts(session) == ["a😀b"]
        done = session.state.tool_calls["t"]
        assert (done.title, done.status) == (half, "completed")
        assert (done.raw_output, done.meta) == ({half: [half]}, {half: half})


@each_version
async def test_leaving_the_loop_early_waits_for_the_end(version: Version) -> None:
    async with client(version) as (script, session):

        async def finish() -> None:
            await settle()
            assert not turn.is_over
            assert not left.is_set()
            script.write(chunk("b"), *version.stopped(id_))

        left = asyncio.Event()
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            async for _ in turn:
                break
            finishing = asyncio.create_task(finish())
        left.set()
        assert turn.stop_reason == "end_turn"
        assert texts(session) == ["ab"]
        await finishing


@each_version
async def test_an_exception_in_the_block_cancels_and_does_not_wait(version: Version) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        script.write(*version.accepted(id_))
        await settle()
        assert not await turn.__aexit__(KeyError, KeyError("mine"), None)
        assert turn.is_cancelled
        assert not turn.is_over
        assert session.turns == [turn]
        assert await script.read() == CANCEL
        script.write(chunk("late"), *version.stopped(id_, "cancelled"))
        await settle()
        assert turn.stop_reason == "cancelled"
        assert session.turns == []
        assert texts(session) == ["late"]


@each_version
@pytest.mark.parametrize("ended_by", ["the turn", "the connection"])
async def test_an_exception_behind_the_end_cancels_nothing(version: Version, ended_by: str) -> None:
    async with client(version) as (script, session):

        async def block() -> None:
            async with prompted(version, script, session) as (turn, id_):
                if ended_by == "the turn":
                    script.write(*version.stopped(id_))
                    async for _ in turn:
                        pass
                else:
                    await settle()
                    await script.close()
                    await session.peer.wait_ended()
                raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            await block()
        await settle()
        assert session.turns == []


@each_version
async def test_a_turn_is_entered_once_and_before_anything_else(version: Version) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")
        problem = "a turn cannot be entered twice; create a new one"
        with pytest.raises(RuntimeError, match="async with"):
            await anext(turn)
        async with turn:
            id_ = await script.prompt()
            with pytest.raises(RuntimeError, match=f"^{problem}$"):
                await turn.__aenter__()
            script.write(*version.accepted(id_), *version.stopped(id_))
        with pytest.raises(RuntimeError, match=f"^{problem}$"):
            await turn.__aenter__()


@each_version
@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({"error": {"code": -7, "message": "no", "data": [1]}}, RequestError(-7, "no", [1])),
        ({"result": [1]}, DecodeError("", "object", "array", "PromptResponse")),
    ],
)
async def test_an_error_of_the_prompt_is_raised_by_the_iteration_and_the_exit(
    version: Version, members: Json, error: Exception
) -> None:
    async with client(version) as (script, session):
        turn, id_ = await entered(script, session)
        script.write(chunk("a"), {"id": id_, **members})
        assert (await anext(turn)).content.text == "a"
        assert texts(session) == ["a"]
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            await anext(turn)
        assert turn.is_over
        assert (turn.response, turn.ending, turn.stop_reason) == (None, None, None)
        assert session.turns == []
        with pytest.raises(type(error)):
            await anext(turn)
        with pytest.raises(type(error)):
            await turn.__aexit__(None, None, None)


@each_version
@pytest.mark.parametrize("is_accepted", [False, True])
async def test_the_end_of_the_connection_is_raised(version: Version, is_accepted: bool) -> None:
    async with client(version) as (script, session):
        turn, other = session.prompt("Hi"), session.prompt("Ho")
        await turn.__aenter__()
        await other.__aenter__()
        for id_ in (await script.prompt(), await script.prompt("Ho")):
            if is_accepted:
                script.write(*version.accepted(id_))
        script.write(chunk("a"))
        await script.close()
        found: list[Any] = []
        with pytest.raises(ConnectionClosed):
            await collect(turn, found)
        assert found[-1].content.text == "a"
        with pytest.raises(ConnectionClosed) as caught:
            await other.__aexit__(None, None, None)
        if is_accepted and version is V2:
            assert str(caught.value) == "the connection closed before the turn ended"
        assert session.turns == []


@each_version
async def test_a_turn_may_end_right_before_the_connection(version: Version) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            script.write(*version.stopped(id_))
            await script.close()
        assert turn.stop_reason == "end_turn"
        await session.peer.wait_ended()
        before = copy.deepcopy(session.state)
        with pytest.raises(ConnectionClosed):
            await session.prompt("Hi").__aenter__()
        assert session.turns == []
        assert session.state == before
        assert texts(session) == ["a"]


# --- prompts ---------------------------------------------------------------------------------


@each_version
@pytest.mark.parametrize(
    ("kind", "meta"), [("str", {"a": 1}), ("block", {}), ("list", UNSET), ("tuple", UNSET)]
)
async def test_a_prompt_is_text_or_blocks(version: Version, kind: str, meta: Any) -> None:
    surface = version.surface
    link = surface.ResourceLink(name="n", uri="file:///f")
    blocks = [surface.TextContent(text="a"), link, *blocks_of(surface).values()]
    given = {"str": "a", "block": blocks[0], "list": blocks, "tuple": tuple(blocks)}[kind]
    sent = blocks if kind in ("list", "tuple") else blocks[:1]
    async with client(version) as (script, session):
        async with session.prompt(given, meta=meta) as turn:
            request = surface.PromptRequest(session_id=SESSION, prompt=sent, meta=meta)
            id_ = await script.request("session/prompt", **surface.encode(request))
            script.write(*version.accepted(id_), *version.stopped(id_))
        assert turn.prompt == sent


@each_version
@pytest.mark.parametrize("prompt", ["", [], ()])
async def test_a_prompt_is_not_empty(version: Version, prompt: Any) -> None:
    async with client(version) as (_, session):
        with pytest.raises(ValueError, match="content"):
            session.prompt(prompt)
        assert session.turns == []


@each_version
async def test_a_prompt_that_is_neither_text_nor_blocks_is_refused(version: Version) -> None:
    async with client(version) as (_, session):
        with pytest.raises(TypeError, match="expected text or content blocks, found int"):
            session.prompt(5)
        assert session.turns == []


def blocks_of(surface: Any) -> dict[str, Any]:
    data = base64.b64encode(b"data").decode()
    resource = surface.TextResourceContents(uri="file:///f", text="t")
    return {
        "image": surface.ImageContent(data=data, mime_type="image/png"),
        "audio": surface.AudioContent(data=data, mime_type="audio/wav"),
        "embeddedContext": surface.EmbeddedResource(resource=resource),
    }


@each_version
@pytest.mark.parametrize("name", BLOCKS)
async def test_blocks_that_are_not_advertised_are_not_sent(version: Version, name: str) -> None:
    others = [each for each in BLOCKS if each != name]
    async with client(version, takes=others) as (_, session):
        block = blocks_of(version.surface)[name]
        turn = session.prompt([version.surface.TextContent(text="a"), block])
        with pytest.raises(CapabilityError) as caught:
            await turn.__aenter__()
        parents = {V1: "/agentCapabilities/promptCapabilities", V2: "/capabilities/session/prompt"}
        assert caught.value.capability == f"{parents[version]}/{name}"
        assert session.turns == []
        assert session.state.messages == []
        assert turn.is_over


@each_version
async def test_only_in_version_1_the_client_adds_the_prompt_to_the_state(version: Version) -> None:
    async with client(version) as (script, session):
        async with session.prompt([version.surface.TextContent(text=each) for each in "ab"]):
            id_ = await script.prompt("a", "b")
            assert texts(session, "user") == (["ab"] if version is V1 else [])
            script.write(*version.accepted(id_), chunk("c"), *version.stopped(id_))
        said = [(message.role, message.text) for message in session.state.messages]
        prompt = [("user", "ab")] if version is V1 else []
        assert said == [*prompt, ("agent", "c")]


async def test_v1_the_prompt_comes_before_the_answer_whatever_arrives_at_once() -> None:
    async with client(V1) as (script, session):

        async def answer() -> None:
            for number in range(2):
                id_ = await script.prompt(f"q{number}")
                part = update(sessionUpdate="agent_message_chunk", content=text(f"a{number}"))
                script.write(part, result(id_, stopReason="end_turn"))

        answering = asyncio.create_task(answer())
        for number in range(2):
            async with session.prompt(f"q{number}"):
                pass
        await answering
        said = [(message.role, message.text) for message in session.state.messages]
        assert said == [("user", "q0"), ("agent", "a0"), ("user", "q1"), ("agent", "a1")]


# --- prompts that an agent of protocol 1 reports as well ---------------------------------------


def user_chunk(content: Json, message_id: str | None = None) -> Json:
    block = text(content) if isinstance(content, str) else content
    named = {} if message_id is None else {"messageId": message_id}
    return update(sessionUpdate="user_message_chunk", content=block, **named)


def messages(session: Any) -> list[tuple[str, str | None, str]]:
    return [(each.role, each.message_id, each.text) for each in session.state.messages]


AGENT = ("agent", "agent_message-1", "a")
PROMPT = "Hello"
# The agent's echoes, and the user messages in the resulting state.
ECHOES: dict[str, tuple[list[Json], list[tuple[str | None, str]]]] = {
    "whole": ([user_chunk(PROMPT, "u")], [("u", PROMPT)]),
    "pieces": ([user_chunk(each, "u") for each in ("He", "", "llo")], [("u", PROMPT)]),
    "an id for each piece": ([user_chunk("He", "u"), user_chunk("llo", "v")], [("u", PROMPT)]),
    "no id": ([user_chunk("He"), user_chunk("llo")], [(None, PROMPT)]),
    "a late id": ([user_chunk("He"), user_chunk("llo", "u")], [("u", PROMPT)]),
    "a part": ([user_chunk("He", "u")], [("u", PROMPT)]),
    "after usage": ([used(1), user_chunk(PROMPT, "u")], [("u", PROMPT)]),
    "more of the message": ([user_chunk(PROMPT, "u"), user_chunk("!", "u")], [("u", "Hello!")]),
    "twice": ([user_chunk(PROMPT, each) for each in "uv"], [("u", PROMPT), ("v", PROMPT)]),
    "another": ([user_chunk("/x y", "u")], [(None, PROMPT), ("u", "/x y")]),
    "another without an id": (
        [user_chunk("/x"), user_chunk(" y")],
        [(None, PROMPT), (None, "/x y")],
    ),
    "another with its beginning": (
        [user_chunk("He", "u"), user_chunk("lp", "u")],
        [(None, PROMPT), ("u", "Help")],
    ),
    "another with its beginning, without an id": (
        [user_chunk("He"), user_chunk("lp")],
        [(None, PROMPT), (None, "Help")],
    ),
    "another whose rest continues the prompt": (
        [user_chunk(each, "u") for each in ("He", "y! He", "llo")],
        [(None, PROMPT), ("u", "Hey! Hello")],
    ),
    "another before": (
        [user_chunk("Context", "u"), user_chunk(PROMPT, "v")],
        [("v", PROMPT), ("u", "Context")],
    ),
    "another empty": ([user_chunk("", "u"), user_chunk("x", "u")], [(None, PROMPT), ("u", "x")]),
}


@each_v1
@pytest.mark.parametrize("case", ECHOES)
async def test_v1_reported_prompts_are_in_the_state_once(version: Version, case: str) -> None:
    said, expected = ECHOES[case]
    async with client(version) as (script, session):
        async with session.prompt(PROMPT) as turn:
            id_ = await script.prompt(PROMPT)
            script.write(*said, chunk("a"), *version.stopped(id_))
            iterated = [each async for each in turn]
        assert messages(session) == [*(("user", *each) for each in expected), AGENT]
        assert len(iterated) == len(said) + 1
        assert session.state.timeline == session.state.messages
        for message in session.state.messages:
            assert session.state.known_message(message.role, message.message_id) in (message, None)


@each_v1
async def test_v1_output_without_an_id_does_not_split_a_prompt_reported_in_part(
    version: Version,
) -> None:
    output = update(sessionUpdate="agent_message_chunk", content=text("a"))
    async with client(version) as (script, session):
        async with session.prompt(PROMPT):
            id_ = await script.prompt(PROMPT)
            script.write(user_chunk("He", "u"), output, *version.stopped(id_))
        assert messages(session) == [("user", "u", PROMPT), ("agent", None, "a")]


OUTPUTS = [
    chunk("a"),
    chunk("a", role="agent_thought"),
    call("t", title="Look"),
    update(sessionUpdate="plan", entries=[]),
    update(sessionUpdate="_later"),
]


@pytest.mark.parametrize("output", OUTPUTS)
async def test_v1_a_message_after_output_is_not_taken_for_the_prompt(output: Json) -> None:
    async with client(V1) as (script, session):
        async with session.prompt(PROMPT):
            id_ = await script.prompt(PROMPT)
            script.write(output, user_chunk(PROMPT, "u"), *V1.stopped(id_))
        found = [each for each in messages(session) if each[0] == "user"]
        assert found == [("user", None, PROMPT), ("user", "u", PROMPT)]


async def test_v1_other_blocks_of_a_reported_prompt_are_compared() -> None:
    link = v1.ResourceLink(name="n", uri="file:///f")
    encoded = v1.encode(link, v1.ContentBlock)
    async with client(V1) as (script, session):
        async with session.prompt([v1.TextContent(text="See"), link, v1.TextContent(text="!")]):
            id_ = await script.request(
                "session/prompt", sessionId=SESSION, prompt=[text("See"), encoded, text("!")]
            )
            other = {**encoded, "uri": "file:///g"}
            script.write(user_chunk("See!", "u"), user_chunk(encoded, "u"), user_chunk(other, "v"))
            script.write(*V1.stopped(id_))
        named = [(each.message_id, len(each.content)) for each in session.state.messages]
        assert named == [("u", 3), ("v", 1)]


async def test_v1_an_id_of_another_message_does_not_name_the_prompt() -> None:
    async with client(V1) as (script, session):
        for _ in range(2):
            async with session.prompt(PROMPT):
                id_ = await script.prompt(PROMPT)
                script.write(user_chunk(PROMPT, "u"), *V1.stopped(id_))
        assert messages(session) == [("user", "u", PROMPT), ("user", None, PROMPT)]


@pytest.mark.parametrize("order", ["in turn", "at receipt", "late"])
async def test_v1_prompts_sent_together_are_messages_with_their_ids(order: str) -> None:
    async with client(V1) as (script, session):
        async with session.prompt("One"), session.prompt("Two"):
            one, two = await script.prompt("One"), await script.prompt("Two")
            first, second = user_chunk("One", "1"), user_chunk("Two", "2")
            if order == "in turn":
                script.write(first, chunk("a"), *V1.stopped(one), second, *V1.stopped(two))
            elif order == "at receipt":
                script.write(first, second, chunk("a"), *V1.stopped(one), *V1.stopped(two))
            else:
                script.write(first, chunk("a"), second, *V1.stopped(one), *V1.stopped(two))
        assert messages(session) == [("user", "1", "One"), ("user", "2", "Two"), AGENT]
        assert session.state.known_message("user", "2").text == "Two"


async def test_v1_prompts_that_follow_each_other_are_separate_messages() -> None:
    async with client(V1) as (script, session):
        for words in ("One", "Two"):
            async with session.prompt(words):
                script.write(*V1.stopped(await script.prompt(words)))
        assert messages(session) == [("user", None, "One"), ("user", None, "Two")]


async def test_v1_the_prompt_of_an_abandoned_turn_is_in_the_state_once() -> None:
    async with client(V1) as (script, session):
        turn, id_ = await entered(script, session)
        turn.abandon()
        assert [(await script.read())["method"] for _ in range(2)] == [
            "session/cancel",
            "$/cancel_request",
        ]
        script.write(user_chunk("Hi", "u"), chunk("a"), *V1.stopped(id_, "cancelled"))
        await settle()
        assert messages(session) == [("user", "u", "Hi"), AGENT]


async def test_v1_a_replayed_message_is_not_taken_for_the_prompt() -> None:
    async with client(V1) as (script, session):
        loading, loaded = await coming_back(script, V1, "load", session)
        script.write(user_chunk("Hi", "u"), chunk("a"))
        await settle()
        async with session.prompt("Hi"):
            id_ = await script.prompt()
            script.write(user_chunk("Hi", "v"), result(loaded))
            await loading
            script.write(*V1.stopped(id_))
        users = [each[1] for each in messages(session) if each[0] == "user"]
        assert users == ["u", None, "v"]


async def test_v1_a_client_without_state_recognizes_reported_prompts() -> None:
    async with client(V1) as (script, session):
        session.client.keep_state = False
        async with session.prompt(PROMPT):
            id_ = await script.prompt(PROMPT)
            script.write(user_chunk("He", "u"), user_chunk("llo", "u"), *V1.stopped(id_))
        assert messages(session) == [("user", "u", PROMPT)]


NAMED = [("added", None), ("changed", "u")]
CHANGES: dict[str, list[tuple[str, str | None]]] = {
    "whole": NAMED,
    "pieces": NAMED,
    "no id": [("added", None)],
    "another with its beginning": [*NAMED, ("changed", None), ("added", "u"), ("changed", "u")],
}


@pytest.mark.parametrize("case", CHANGES)
async def test_v1_subscribers_see_a_reported_prompt_change(case: str) -> None:
    said, _ = ECHOES[case]
    changes: list[Change] = []
    async with client(V1) as (script, session):
        session.state.subscribe(changes.append)
        async with session.prompt(PROMPT):
            id_ = await script.prompt(PROMPT)
            script.write(*said, *V1.stopped(id_))
    assert [(each.kind, each.key) for each in changes] == CHANGES[case]
    assert {each.where for each in changes} == {"messages"}
    if case == "whole":
        assert changes[1].update == v1.UserMessageChunk(
            content=v1.TextContent(text=PROMPT), message_id="u"
        )
        assert changes[0].entry is changes[1].entry


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks are never eager before Python 3.12")
async def test_v1_eager_answers_follow_the_prompt() -> None:
    factory = getattr(asyncio, "eager_task_factory", None)
    asyncio.get_running_loop().set_task_factory(factory)
    async with client(V1) as (script, session):

        async def answer() -> None:
            id_ = await script.prompt(PROMPT)
            script.write(user_chunk(PROMPT, "u"), chunk("a"), *V1.stopped(id_))

        answering = asyncio.create_task(answer())
        async with session.prompt(PROMPT):
            pass
        await answering
        assert messages(session) == [("user", "u", PROMPT), AGENT]


# --- turns and handlers ----------------------------------------------------------------------


async def second_turn(version: Version, script: Script, first: Any, session: str) -> None:
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
        if way == "later":  # enter the turn only after the handler has returned
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
async def test_v2_a_turn_may_be_entered_in_a_handler_of_its_session(version: Version) -> None:
    async def permission(params: Any) -> Any:
        async with session.prompt("again"):
            pass
        return await selecting(version)(params)

    async with client(version, user=permission) as (script, session):
        script.write(chunk("a"), version.permission("p"))
        id_ = await script.prompt("again")
        script.write(*version.accepted(id_), *version.stopped(id_))
        assert await script.read() == result("p", **ALLOWED)


@each_surface
@pytest.mark.parametrize("ended_by", ["the handler", "the agent"])
def test_a_turn_ends_with_the_connection_in_a_handler(version: Version, ended_by: str) -> None:
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
            turn, id_ = await entered(script, session)
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


# --- state, turns and their usage follow the messages as they arrive; handlers run after that ---


async def words_of(turn: Any) -> list[str]:
    return [u.content.text for u in [u async for u in turn] if hasattr(u, "content")]


@each_version
async def test_no_update_is_lost_while_a_handler_calls_the_agent(version: Version) -> None:
    """Updates that arrive during the call belong to the turn and affect the turn's final state."""
    handled: list[str] = []

    async def ask_back(params: Any) -> None:
        said = getattr(params.update, "content", None)
        if said and said.text == "1":
            await version.surface.AgentStub(session.peer).ext_request("_ask", None)
        handled.extend([said.text] if said else [])

    async with client(version, session_update=ask_back) as (script, session):
        async with prompted(version, script, session, chunk("1"), chunk("2")) as (turn, id_):
            asked = await script.read()
            assert asked["method"] == "_ask"
            script.write(chunk("3"), *version.stopped(id_))
            await settle()
            assert turn.is_over
            assert texts(session) == ["123"]
            script.write(result(asked["id"]))
        assert await words_of(turn) == ["1", "2", "3"]
        await settle()
        assert handled == ["1", "2", "3"]


@each_version
@pytest.mark.logs(stray("other"))
async def test_a_slow_handler_of_another_session_delays_no_turn(version: Version) -> None:
    go_on = asyncio.Event()

    async def slow(params: Any) -> None:
        if params.session_id != SESSION:
            await go_on.wait()

    async with client(version, session_update=slow) as (script, session):
        elsewhere = chunk("other", session="other")
        async with prompted(version, script, session, elsewhere) as (turn, id_):
            script.write(chunk("in"), *version.stopped(id_), chunk("out"))
        assert turn.stop_reason == "end_turn"
        go_on.set()
        assert await words_of(turn) == ["in"]


@each_version
async def test_the_end_of_a_turn_waits_for_the_handlers_of_its_updates(version: Version) -> None:
    handled: list[str] = []

    async def slow(params: Any) -> None:
        await settle()
        handled.append(getattr(getattr(params.update, "content", None), "text", "state"))

    async with client(version, session_update=slow) as (script, session):
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            script.write(chunk("b"), *version.stopped(id_))
            await asyncio.sleep(0.001)
            assert turn.is_over
        assert [each for each in handled if each != "state"] == ["a", "b"]


@each_v2
async def test_the_end_of_a_turn_waits_for_the_handler_of_the_update_that_ends_it(
    version: Version,
) -> None:
    handled: list[str] = []

    async def slow(params: Any) -> None:
        if isinstance(params.update, version.surface.IdleStateUpdate):
            await asyncio.sleep(0.001)
        handled.append(type(params.update).__name__)

    async with (
        client(version, session_update=slow) as (script, session),
        prompted(version, script, session) as (turn, id_),
    ):
        await settle()
        script.write(*version.stopped(id_))
        await turn.wait()
        assert handled[-1] == "IdleStateUpdate"


# --- escapes ---------------------------------------------------------------------------------


@each_version
async def test_a_wait_for_a_turn_can_be_limited(version: Version) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session) as (turn, id_):
            with pytest.raises(TimeoutError, match=r"within 0\.01 seconds"):
                await turn.wait(timeout=0.01)
            assert not turn.is_over
            assert turn.quiet_for > 0
            written = time.monotonic()
            script.write(chunk("a"))
            await settle()
            assert turn.quiet_for <= time.monotonic() - written
            script.write(*version.stopped(id_))
            await turn.wait(timeout=60)
        assert turn.stop_reason == "end_turn"


async def test_a_turn_that_was_not_entered_is_neither_waited_for_nor_ended() -> None:
    async with client(V2) as (_, session):
        turn = session.prompt("Hi")
        for ending in (turn.wait(), turn.stop()):
            with pytest.raises(
                RuntimeError, match=r"^the turn was not entered; use `async with` first$"
            ):
                await ending
        turn.abandon()
        assert not turn.is_over


@each_version
async def test_an_abandoned_turn_is_over_at_once(version: Version) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")
        async with turn:
            id_ = await script.prompt()
            turn.abandon()
            assert turn.is_over
        assert turn.is_cancelled
        assert turn.stop_reason is None
        assert turn.ending is None
        assert session.turns == []
        read = [await script.read() for _ in range(2)]
        assert [each["method"] for each in read] == ["session/cancel", "$/cancel_request"]
        script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
        await settle()
        assert turn.stop_reason is None


async def test_updates_that_nobody_reads_have_a_limit() -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(backlog=3)
        async with prompted(V2, script, session) as (turn, id_):
            script.write(*(chunk(str(number)) for number in range(5)), *V2.stopped(id_))
            await settle()
            with pytest.raises(LimitExceeded, match="updates were dropped"):
                await anext(turn)
            assert await words_of(turn) == ["3", "4"]
        assert texts(session) == ["01234"]


@pytest.mark.logs(stray("stray 0"))
async def test_sessions_that_only_stray_updates_name_have_a_limit() -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(stray_sessions=2)
        script.write(*(chunk("x", session=f"stray {number}") for number in range(5)))
        await settle()
        assert list(session.client.sessions) == [SESSION, "stray 3", "stray 4"]
        kept = session.client.session("stray 3")
        script.write(*(chunk("x", session=f"late {number}") for number in range(5)))
        await settle()
        assert session.client.sessions["stray 3"] is kept


# --- usage -----------------------------------------------------------------------------------


@each_surface
async def test_usage_is_what_was_last_said_in_the_turn(version: Version) -> None:
    async with client(version) as (script, session):
        script.write(used(1))
        await settle()
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            assert turn.usage is None
            script.write(*version.stopped(id_))
        assert turn.usage is None
        async with prompted(version, script, session, used(2), chunk("a"), used(3)) as (turn, id_):
            script.write(*version.stopped(id_))
        last = version.surface.UsageUpdate(used=3, size=100)
        assert turn.usage == last
        script.write(used(4))
        await settle()
        assert (turn.usage, session.state.usage.used) == (last, 4)


async def test_v2_usage_of_a_turn_keeps_what_its_updates_left_out() -> None:
    cost = {"amount": 1.5, "currency": "EUR"}
    first = update(sessionUpdate="usage_update", used=1, size=9, cost=cost)
    async with client(V2) as (script, session):
        async with prompted(V2, script, session, first) as (turn, id_):
            script.write(used(2), *V2.stopped(id_))
        expected = v2.Cost(amount=1.5, currency="EUR")
        assert turn.usage == v2.UsageUpdate(used=2, size=100, cost=expected)


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
@pytest.mark.parametrize("usage", [None, {"totalTokens": 9, "inputTokens": 5, "outputTokens": 4}])
async def test_usage_is_what_the_ending_says_if_it_does(version: Version, usage: Json) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session, used(2)) as (turn, id_):
            script.write(*version.stopped(id_, usage=usage), *([used(3)] if usage else []))
        await settle()
        expected = version.surface.UsageUpdate(used=2, size=100)
        if usage is not None:
            expected = version.surface.Usage(total_tokens=9, input_tokens=5, output_tokens=4)
        assert turn.usage == expected


@pytest.mark.parametrize("data", ["***", "aGk=\n", "a Gk="])
@pytest.mark.parametrize("is_chunk", [True, False])
async def test_output_that_is_not_base64_is_an_issue(data: str, is_chunk: bool) -> None:
    issues: list[Issue] = []
    near, far = memory_streams()
    script = Script(far)
    tag = "terminal_output_chunk" if is_chunk else "terminal_update"
    members = {"data": data} if is_chunk else {"output": {"data": data}}
    async with connect(near, V2.client.SessionClient, on_issue=issues.append) as peer:
        await initialize(V2, script, peer, BLOCKS)
        session = V2.client.SessionClient.of(peer).session(SESSION)
        script.write(update(sessionUpdate=tag, terminalId="T", **members))
        await settle()
        assert session.state.terminal_output == {}
        assert len(session.state.timeline) == 1
    [issue] = issues
    place = "/params/update/data" if is_chunk else "/params/update/output/data"
    assert (issue.action, issue.pointer, issue.raw) == ("accepted", place, data)
    assert issue.reason == (
        "the output of a terminal is not base64; keeping the update without the output"
    )
