"""Tests of an agent's messages to its client in a session: updates, replays and calls."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import re
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, ConnectionClosed, EncodeError, RequestError
from acp_bindings.testing import Client as ScriptedClient

from tests.package.jsonrpc.wire import ask, tell
from tests.package.laws.instances import Choices, generate
from tests.package.laws.schemas import SURFACES
from tests.package.session.scripted import (
    ALL,
    CANCEL,
    SESSION,
    V1,
    V2,
    V2_UNSTABLE,
    Json,
    Script,
    Version,
    agent,
    begin,
    each_surface,
    each_v2,
    each_version,
    ended,
    failure,
    nothing,
    prompt,
    result,
    said,
    settle,
    state,
    text,
    whole_turn,
)

# --- senders ---------------------------------------------------------------------------------


def senders(version: Version) -> dict[str, type]:
    found: dict[str, type] = {}
    for name, method in vars(version.agent.AgentSession).items():
        named = re.match(r"Send a `(\w+)`\.", getattr(method, "__doc__", None) or "")
        if named:
            found[name] = getattr(version.surface, named[1])
    assert len(found) > 5
    return found


@functools.cache
def drawn(version: Version) -> dict[type, list[Any]]:
    surface = version.surface
    found: dict[type, list[Any]] = {}
    for first in range(256):
        for second in (0, 1, 2, 3, 5):
            choices = Choices(bytes((first, second, 4, 4, second, 4)))
            value = generate(SURFACES[version.name], "SessionUpdate", choices).value
            update = surface.decode(surface.SessionUpdate, value)
            found.setdefault(update.__class__, []).append(update)
    return found


SENDERS = [(version, name) for version in ALL for name in senders(version)]
each_sender = pytest.mark.parametrize(("version", "name"), SENDERS, ids=str)


@each_surface
def test_every_kind_of_update_has_a_sender(version: Version) -> None:
    surface = version.surface
    classes = set(senders(version).values())
    chunks = {surface.AgentMessageChunk, surface.AgentThoughtChunk}  # `say` and `think`
    unknown = {each for each in drawn(version) if each.__name__.startswith(("Unknown", "Unrec"))}
    if version is V2_UNSTABLE:  # this schema defines a state named "unknown"
        unknown.remove(surface.UnknownStateUpdate)
    errors = {getattr(surface, "ErrorIdleStateUpdate", None)}  # sent only if the work fails
    assert classes == set(drawn(version)) - chunks - unknown - errors


@each_sender
async def test_a_sender_sends_the_update_it_is_named_after(version: Version, name: str) -> None:
    surface = version.surface
    async with agent(version) as (script, session):
        updates = drawn(version)[senders(version)[name]]
        assert len(updates) >= 3
        expected = version.client.SessionState()
        for update in updates[:20]:
            unlisted: list[Any] = []  # skip updates with unlisted constants, which are logged
            surface.encode(update, surface.SessionUpdate, on_issue=unlisted.append)
            if unlisted:
                continue
            members = {each: getattr(update, each) for each in update.__dataclass_fields__}
            await getattr(session, name)(**members)
            (found,) = await script.updates(1)
            assert found == surface.encode(update, surface.SessionUpdate)
            tag = found["sessionUpdate"]
            assert name in (tag, tag.removesuffix("_update"), found.get("state"))
            if tag == "state_update":
                assert found["state"] == name
            expected.apply(update)
        assert session.state == expected


@each_surface
async def test_the_only_required_argument_of_a_sender_needs_no_name(version: Version) -> None:
    async with agent(version) as (script, session):
        await session.available_commands([])
        expected = {"sessionUpdate": "available_commands_update", "availableCommands": []}
        assert await script.updates(1) == [expected]


@each_surface
async def test_meta_may_be_of_the_update_or_of_its_notification(version: Version) -> None:
    async with agent(version) as (script, session):
        await session.say("a", meta={"a": 1})
        await session.think("b", meta={"b": 2})
        await session.usage(used=1, size=2, meta={"c": 3})
        found = [update["_meta"] for update in await script.updates(3)]
        assert found == [{"a": 1}, {"b": 2}, {"c": 3}]
        update = version.surface.UsageUpdate(used=1, size=2)
        await session.update(update, meta={"d": 4})
        params = (await script.read())["params"]
        assert params.pop("_meta") == {"d": 4}
        assert "_meta" not in params["update"]
        raw = {"sessionUpdate": "_vendor", "a": [1]}
        await session.update(version.surface.decode(version.surface.SessionUpdate, raw))
        assert await script.updates(1) == [raw]


@each_version
async def test_an_update_that_cannot_be_sent_is_not_part_of_the_state(version: Version) -> None:
    async with agent(version) as (script, session):
        wrong = version.surface.TextContent(text="a", meta={"a": object()})
        with pytest.raises(EncodeError):
            await session.say(wrong)
        assert session.state.messages == []
        await session.say("a")
        assert await said(script) == "a"


@each_version
async def test_updates_may_be_sent_outside_of_turns(version: Version) -> None:
    async with agent(version, nothing) as (script, session):
        await session.say("before")
        assert await said(script) == "before"
        await whole_turn(version, script)
        await session.say("behind")
        assert await said(script) == "behind"
        await script.close()
        await session.peer.wait_ended()
        with pytest.raises(ConnectionClosed):
            await session.say("a")


# --- messages --------------------------------------------------------------------------------


WAYS = {"say": "agent_message_chunk", "think": "agent_thought_chunk"}


@each_surface
@pytest.mark.parametrize("way", WAYS)
async def test_what_is_said_is_text_or_a_block(version: Version, way: str) -> None:
    link = version.surface.ResourceLink(name="n", uri="file:///f")
    async with agent(version) as (script, session):
        send = getattr(session, way)
        await send("a")
        await send(link)
        await send("", message_id="")
        updates = await script.updates(3)
        assert {each["sessionUpdate"] for each in updates} == {WAYS[way]}
        block = {"type": "resource_link", "name": "n", "uri": "file:///f"}
        assert [each["content"] for each in updates] == [text("a"), block, text("")]
        first, second, last = (each.get("messageId") for each in updates)
        assert last == ""
        assert first == second
        assert (first is None) == (version.number == 1)


SAY: tuple[str, Json] = ("say", {"content": "a"})
THINK: tuple[str, Json] = ("think", {"content": "a"})
USAGE: tuple[str, Json] = ("usage", {"used": 1, "size": 2})
INFO: tuple[str, Json] = ("session_info", {"title": "t"})
CALL: tuple[str, Json] = ("tool_call", {"tool_call_id": "t"})
RUNNING: tuple[str, Json] = ("running", {})
IDLE: tuple[str, Json] = ("idle", {})
USER: tuple[str, Json] = ("user_message", {"message_id": "u"})


def named(message_id: str) -> tuple[str, Json]:
    return ("say", {"content": "a", "message_id": message_id})


@each_v2
@pytest.mark.parametrize(
    ("calls", "shape"),
    [
        ([SAY, SAY, SAY], "aaa"),
        ([THINK, THINK], "aa"),
        ([THINK, SAY], "ab"),
        ([THINK, THINK, SAY, SAY, THINK], "aabbc"),
        ([SAY, USAGE, SAY, INFO, RUNNING, SAY], "aaa"),
        ([SAY, CALL, SAY], "ab"),
        ([SAY, IDLE, SAY], "ab"),
        ([THINK, IDLE, THINK], "ab"),
        ([SAY, USER, SAY], "ab"),
        ([CALL, SAY, CALL, SAY], "aa"),
        ([named("m"), SAY, SAY], "mmm"),
        ([SAY, named("m"), SAY], "amm"),
        ([named("m"), named("n"), SAY], "mnn"),
        ([named("m"), THINK, SAY], "mab"),
        ([named("m"), named("n"), named("m"), SAY], "mnmn"),
        ([named("m"), THINK, named("m"), SAY], "mamb"),
        ([named(""), SAY, named("m"), named("")], "__m_"),
    ],
)
async def test_v2_adjacent_chunks_of_a_kind_are_one_message(
    version: Version, calls: list[tuple[str, Json]], shape: str
) -> None:
    """A chunk without an id continues the last timeline entry if both are of the same kind."""
    found = []
    async with agent(version) as (script, session):
        for way, members in calls:
            await getattr(session, way)(**members)
            (update,) = await script.updates(1)
            if way in WAYS:
                found.append(update["messageId"])
    given = {"m": "m", "n": "n", "": "_"}
    fresh = [each for each in found if each not in given]
    letters = dict(zip(dict.fromkeys(fresh), "abc", strict=False))
    assert "".join((given | letters)[each] for each in found) == shape


@each_version
async def test_an_agent_need_not_keep_the_transcript(version: Version) -> None:
    async with agent(version) as (script, session):
        session.agent.keep_state = False
        for number in range(100):
            await session.say(str(number))
            await session.think(str(number))
        ids = [each.get("messageId") for each in await script.updates(200)]
        assert len(set(ids)) == (200 if version.number == 2 else 1)
        assert [each.content for each in session.state.timeline] == [[]]
        assert session.state.messages == session.state.timeline
        with pytest.raises(RuntimeError, match="set keep_state in the agent"):
            await session.replay()


async def test_without_state_chunks_of_a_message_still_belong_together() -> None:
    async with agent(V2) as (script, session):
        session.agent.keep_state = False
        for way, members in (SAY, SAY, USAGE, SAY, THINK, SAY):
            await getattr(session, way)(**members)
        a, b, _, c, d, e = [each.get("messageId") for each in await script.updates(6)]
        assert a == b == c
        assert len({a, d, e}) == 3
        assert session.state.usage is not None


# --- objects that the program changes later ------------------------------------------------------


@each_version
@pytest.mark.parametrize("way", ["say", "think", "update"])
async def test_a_block_can_be_reused_for_several_chunks(version: Version, way: str) -> None:
    surface = version.surface
    more = {"message_id": "m"} if version is V2 else {}
    async with agent(version) as (script, session):
        block = surface.TextContent(text="", meta={"a": [1]})
        chunk = surface.AgentMessageChunk(content=block, **more)
        for words in ("a", "b", "c"):
            block.text = words
            await (session.update(chunk) if way == "update" else getattr(session, way)(block))
        block.meta["a"].append(2)
        await script.updates(3)
        rebuilt = version.client.SessionState()
        for update in session.state.to_updates():
            rebuilt.apply(update)
        [message] = rebuilt.messages
        assert (message.text, message.content[0].meta) == ("abc", {"a": [1]})


@each_version
async def test_the_state_keeps_a_copy_of_each_update(version: Version) -> None:
    surface = version.surface

    def updates() -> list[Any]:
        content = surface.Content(content=surface.TextContent(text="a"))
        call = {"tool_call_id": "t", "title": "T", "content": [content], "meta": {"a": [1]}}
        option = {"id": "o"} if version is V1 else {"config_id": "o"}
        values = [surface.SessionConfigSelectOption(value="a", name="A")]
        select = surface.SelectSessionConfigOption(
            name="O", current_value="a", options=values, **option
        )
        entry = surface.PlanEntry(content="p", priority="low", status="pending")
        plan: Any = surface.Plan(entries=[entry]) if version is V1 else None
        if plan is None:
            plan = surface.PlanUpdate(plan=surface.PlanItems(plan_id="p", entries=[entry]))
        return [
            (surface.ToolCall if version is V1 else surface.ToolCallUpdate)(**call),
            surface.ConfigOptionUpdate(config_options=[select]),
            plan,
            surface.UnknownSessionUpdate("_x", {"sessionUpdate": "_x", "a": [1]}),
        ]

    async with agent(version) as (script, session):
        call, options, plan, unknown = given = updates()
        for update in given:
            await session.update(update)
        await script.updates(4)
        call.content[0].content.text = "changed"
        call.meta["a"].append(2)
        options.config_options[0].current_value = "changed"
        entries = plan.entries if version is V1 else plan.plan.entries
        entries[0].status = "completed"
        unknown.raw["a"].append(2)
        expected = version.client.SessionState()
        for update in updates():
            expected.apply(update)
        assert session.state == expected


@each_version
async def test_the_state_keeps_a_copy_of_the_prompt(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        params.prompt[0].text = "changed"

    async with agent(version, turn) as (script, session):
        await whole_turn(version, script)
        assert session.state.messages[0].text == "Hi"


async def test_the_state_keeps_a_copy_of_a_response() -> None:
    modes = v1.SessionModeState(
        available_modes=[v1.SessionMode(id="a", name="A")], current_mode_id="a"
    )
    options: list[Any] = [
        v1.SelectSessionConfigOption(id="o", name="O", current_value="a", options=[])
    ]

    async def new(params: Any) -> Any:
        return v1.NewSessionResponse(session_id=SESSION, modes=modes, config_options=options)

    async with agent(V1, session_new=new) as (script, session):
        script.write(ask(1, "session/new", cwd="/", mcpServers=[]))
        assert (await script.read())["id"] == 1
        options[0].current_value = "changed"
        modes.current_mode_id = "changed"
        [kept] = session.state.config_options.config_options
        assert kept.current_value == "a"
        assert session.state.current_mode.current_mode_id == "a"


# --- ids that are an empty string ------------------------------------------------------------


@each_surface
async def test_an_empty_string_is_the_id_of_a_session(version: Version) -> None:
    async with agent(version, nothing) as (script, other):
        session = other.agent.open("")
        assert session is other.agent.session("")
        await session.available_commands(available_commands=[])
        script.write(prompt(1, session=""))
        messages = [await script.read() for _ in range(2 if version.number == 1 else 5)]
        assert ["result" in each for each in messages if each.get("id") == 1] == [True]
        about = [each["params"]["sessionId"] for each in messages if "params" in each]
        assert about == [""] * (1 if version.number == 1 else 4)


# --- background work -------------------------------------------------------------------------


async def test_v2_each_state_says_again_what_goes_on_in_the_background() -> None:
    listed = {"background": [{"type": "tool_call", "toolCallId": "t"}]}
    none: Json = {"background": []}
    end = {"state": "idle", "stopReason": "end_turn"}
    failed = {"state": "idle", "stopReason": "error", "error": {"code": -7, "message": "no"}}

    async def turn(session: Any, params: Any) -> None:
        if params.prompt[0].text == "none":
            await session.running(background=[])
        if params.prompt[0].text == "fail":
            raise RequestError(-7, "no")

    async with agent(V2, turn) as (script, session):
        script.write(prompt(1))
        await script.read()
        await script.updates(3)
        await session.idle(background=[v2.BackgroundToolCall(tool_call_id="t")])
        await script.updates(1)
        for words, expected in (
            ("Hi", [{**end, **listed}]),
            ("fail", [{**failed, **listed}]),
            ("none", [{"state": "running", **none}, {**end, **none}]),
        ):
            script.write(prompt(1, words))
            await script.read()
            _, *found = await script.updates(2 + len(expected))
            assert {each.pop("sessionUpdate") for each in found} == {"state_update"}
            assert found == [{"state": "running", **listed}, *expected]


# --- replays ---------------------------------------------------------------------------------


@each_surface
async def test_a_replay_of_nothing_says_what_goes_on_in_version_2(version: Version) -> None:
    async with agent(version) as (script, session):
        for _ in range(2):
            await session.replay()
            assert version.number == 1 or await script.read() == state("idle")
        if version.number == 1:
            return
        await session.running()
        await session.replay()
        await session.report_state()
        assert [await script.read() for _ in range(3)] == [state("running")] * 3


@each_version
async def test_a_replay_rebuilds_the_state_unmixed(version: Version) -> None:
    surface = version.surface
    gate = asyncio.Event()

    async def turn(session: Any, params: Any) -> str:
        await session.think("hm")
        await session.tool_call(tool_call_id="t", title="T", status="in_progress")
        await session.say("a")
        await gate.wait()
        for _ in range(10):
            await session.say("b")
        return "refusal"

    async with agent(version, turn) as (script, session):
        for number in range(10):
            await session.user_message_chunk(
                message_id=f"u{number}", content=surface.TextContent(text="q")
            )
        await script.updates(10)
        await begin(version, script)
        await script.updates(3)
        gate.set()
        await session.replay()
        await settle()
        rebuilt = version.client.SessionState()
        end = ""
        while end != "idle":
            found = await script.read()
            if "id" in found:  # in protocol 1, the response ends the turn
                break
            params = found["params"]["update"]
            rebuilt.apply(surface.decode(surface.SessionUpdate, params))
            end = params.get("state")
        assert rebuilt.messages[-1].text == "abbbbbbbbbb"
        assert rebuilt == session.state


@each_version
async def test_any_name_of_a_file_can_be_said(version: Version) -> None:
    name = os.fsdecode(b"caf\xe9.txt")

    async def turn(session: Any, params: Any) -> None:
        assert params.prompt[0].text == name
        await session.say(name)

    async with agent(version, turn) as (script, session):
        await begin(version, script, 1, name)
        (found,) = await script.updates(1)
        assert found["content"]["text"] == "caf\udce9.txt"
        await ended(version, script, 1)
        assert session.state.messages[-1].text == name


@each_version
async def test_a_replay_joins_halves_of_characters(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        await session.say("a\ud83d")
        await session.say("\ude00b")

    async with agent(version, turn) as (script, session):
        await begin(version, script)
        await script.updates(2)
        await ended(version, script, 1)
        await session.replay()
        told = await script.updates(2 if version.number == 1 else 3)
        content = text("a😀b")
        assert told[1]["content"] == (content if version.number == 1 else [content])


# --- calls -----------------------------------------------------------------------------------

YES = {"outcome": {"outcome": "selected", "optionId": "yes"}}
WAITS, RUNS = state("requires_action"), state("running")


async def ask_permission(version: Version, session: Any) -> Any:
    surface = version.surface
    about = surface.ToolCallUpdate(tool_call_id="t")
    options = [surface.PermissionOption(option_id="yes", name="Yes", kind="allow_once")]
    if version.number == 1:
        return await session.ask_permission(about, options)
    subject = surface.ToolCallPermissionSubject(tool_call=about)
    return await session.ask_permission("May I?", options, subject=subject)


@each_surface
def test_every_call_that_names_a_session_has_a_method(version: Version) -> None:
    """Each method accepts all fields of its params except the session id."""
    surface, session = version.surface, version.agent.AgentSession
    seen = 0
    for wire, method in surface.CLIENT_METHODS.items():
        params = method.params
        if not isinstance(params, type) or wire == "session/update":
            continue
        wanted = set(inspect.signature(params).parameters)
        if "session_id" not in wanted:
            assert not hasattr(session, method.handler)
            continue
        name = "ask_permission" if wire == "session/request_permission" else method.handler
        _, *found = inspect.signature(getattr(session, name)).parameters.values()
        assert {each.name for each in found} == wanted - {"session_id"}
        assert found[-1].name == "unknown_fields"
        seen += 1
    assert seen == (8 if version.number == 1 else 1)
    for tag in ("form", "url"):
        made = inspect.signature(getattr(session, f"elicitation_create_{tag}")).parameters
        assert {"message", "tool_call_id"} <= set(made)
        assert not {"session_id", "request_id"} & set(made)


async def test_v1_calls_carry_the_session_and_need_their_capabilities() -> None:
    async with agent(V1) as (script, session):
        with pytest.raises(CapabilityError, match="fs/readTextFile"):
            await session.fs_read_text_file(path="/a")
        able = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
        script.write(ask(0, "initialize", protocolVersion=1, clientCapabilities=able))
        await script.read()
        reading = asyncio.create_task(session.fs_read_text_file(path="/a", line=3))
        id_ = await script.request("fs/read_text_file", sessionId=SESSION, path="/a", line=3)
        script.write(result(id_, content="text"))
        assert (await reading).content == "text"
        making = asyncio.create_task(session.terminal_create(command="ls", args=["-l"]))
        made = {"command": "ls", "args": ["-l"], "sessionId": SESSION}
        script.write(result(await script.request("terminal/create", **made), terminalId="1"))
        assert (await making).terminal_id == "1"


async def test_v1_an_unchecked_agent_calls_what_the_client_lacks() -> None:
    async with agent(V1) as (script, session):
        session.agent.check_capabilities = False
        reading = asyncio.create_task(session.fs_read_text_file(path="/a"))
        id_ = await script.request("fs/read_text_file", sessionId=SESSION, path="/a")
        script.write(result(id_, content="text"))
        assert (await reading).content == "text"


# --- reports during permission requests ------------------------------------------------------


class Asking:
    def __init__(self, version: Version, count: int = 1) -> None:
        self._version = version
        self._count = count
        self.answers: list[Any] = []

    async def __call__(self, session: Any, params: Any) -> None:
        asking = [ask_permission(self._version, session) for _ in range(self._count)]
        self.answers = await asyncio.gather(*asking, return_exceptions=True)


async def question(script: Script) -> Any:
    message = await script.read()
    assert message["method"] == "session/request_permission"
    return message["id"]


@each_version
@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_question_is_reported_in_version_2(version: Version, is_answered: bool) -> None:
    work = Asking(version)
    async with agent(version, work) as (script, _):
        await begin(version, script)
        assert version is V1 or await script.read() == WAITS
        expected = version.permission(1)
        id_ = await script.request(expected["method"], **expected["params"])
        script.write(result(id_, **YES) if is_answered else failure(id_, -32603))
        assert version is V1 or await script.read() == RUNS
        await ended(version, script, 1)
    [answer] = work.answers
    if is_answered:
        assert answer.outcome.option_id == "yes"
    else:
        assert isinstance(answer, RequestError)


@each_v2
async def test_v2_several_questions_are_reported_once(version: Version) -> None:
    async with agent(version, Asking(version, 3)) as (script, session):
        await begin(version, script)
        assert await script.read() == WAITS
        ids = [await question(script) for _ in range(3)]
        for id_ in ids[1:]:
            script.write(result(id_, **YES))
        await settle()
        assert isinstance(session.state.state, version.surface.RequiresActionStateUpdate)
        script.write(result(ids[0], **YES))
        assert await script.read() == RUNS
        await ended(version, script, 1)


@each_v2
async def test_v2_the_question_of_a_cancelled_turn_does_not_resume_it(version: Version) -> None:
    async with agent(version, Asking(version)) as (script, _):
        await begin(version, script)
        assert await script.read() == WAITS
        id_ = await question(script)
        script.write(CANCEL)
        assert await script.read() == tell("$/cancel_request", requestId=id_)
        await ended(version, script, 1, "cancelled")


@each_v2
async def test_v2_a_question_that_is_given_up_resumes_the_turn(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(ask_permission(version, session), 0.01)

    async with agent(version, turn) as (script, _):
        await begin(version, script)
        assert await script.read() == WAITS
        id_ = await question(script)
        assert await script.read() == tell("$/cancel_request", requestId=id_)
        assert await script.read() == RUNS
        await ended(version, script, 1)


FULL = "x" * 100_000  # more than the buffers can hold while the client is not reading


async def asking_behind(version: Version, session: Any, words: str) -> asyncio.Task[Any]:
    """Ask for permission while a message is being sent, so that the state report has to wait."""
    saying = asyncio.create_task(session.say(words))
    asking = asyncio.create_task(ask_permission(version, session))
    await asyncio.sleep(0)
    assert isinstance(session.state.state, version.surface.RequiresActionStateUpdate)
    asking.add_done_callback(lambda _: saying.cancel())
    return asking


@each_v2
@pytest.mark.parametrize("words", ["Hi", FULL], ids=["same step", "no room"])
async def test_v2_a_question_cancelled_before_it_is_sent_resumes_the_turn(
    version: Version, words: str
) -> None:
    async def turn(session: Any, params: Any) -> None:
        asking = await asking_behind(version, session, words)
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        assert isinstance(session.state.state, version.surface.RunningStateUpdate)
        await ask_permission(version, session)

    async with agent(version, turn) as (script, _):
        await begin(version, script)
        await settle()
        await script.updates(1)
        assert [await script.read() for _ in range(3)] == [WAITS, RUNS, WAITS]
        script.write(result(await question(script), **YES))
        assert await script.read() == RUNS
        await ended(version, script, 1)


@each_v2
async def test_v2_the_turn_waits_for_the_questions_that_are_left(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        first = await asking_behind(version, session, FULL)
        second = asyncio.create_task(ask_permission(version, session))
        await asyncio.sleep(0)
        first.cancel()
        answers.extend(await asyncio.gather(first, second, return_exceptions=True))

    answers: list[Any] = []
    async with agent(version, turn) as (script, session):
        await begin(version, script)
        await settle()
        await script.updates(1)
        assert await script.read() == WAITS
        id_ = await question(script)
        await settle()
        assert isinstance(session.state.state, version.surface.RequiresActionStateUpdate)
        script.write(result(id_, **YES))
        assert await script.read() == RUNS
        await ended(version, script, 1)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert answers[1].outcome.option_id == "yes"


@each_v2
async def test_v2_a_question_that_cannot_be_announced_leaves_the_turn_running(
    version: Version,
) -> None:
    async def turn(session: Any, params: Any) -> None:
        running = version.surface.RunningStateUpdate
        session.state.apply(running(meta={"key": object()}))  # cannot be written
        unsent = version.surface.RequiresActionStateUpdate(meta={"key": object()})
        session._waiting = lambda: unsent
        for _ in range(2):
            with pytest.raises(EncodeError):
                await ask_permission(version, session)
        del session._waiting
        assert isinstance(session.state.state, running)
        await ask_permission(version, session)

    async with agent(version, turn) as (script, _):
        await begin(version, script)
        assert await script.read() == WAITS
        script.write(result(await question(script), **YES))
        assert await script.read() == RUNS
        await ended(version, script, 1)


@each_v2
@pytest.mark.parametrize("is_before", [True, False])
async def test_v2_a_question_that_the_connection_ends_leaves_the_turn_running(
    version: Version, is_before: bool
) -> None:
    states: list[Any] = []

    async def turn(session: Any, params: Any) -> None:
        if is_before:
            await closed.wait()
        try:
            await ask_permission(version, session)
        finally:
            states.append(session.state.state)

    closed = asyncio.Event()
    async with agent(version, turn) as (script, _):
        await begin(version, script)
        if not is_before:
            assert await script.read() == WAITS
            await question(script)
        await script.close()
        closed.set()
        await settle()
    assert [type(each) for each in states] == [version.surface.RunningStateUpdate]


@each_v2
async def test_v2_background_work_asks_without_a_report(version: Version) -> None:
    """The state describes only foreground work, so an idle agent stays idle during the request."""
    async with agent(version) as (script, session):
        await session.idle(stop_reason="end_turn")
        assert await script.read() == state("idle", stopReason="end_turn")
        asking = asyncio.create_task(ask_permission(version, session))
        script.write(result(await question(script), **YES))
        await asking


@each_v2
async def test_v2_an_elicitation_is_a_question_too(version: Version) -> None:
    surface = version.surface

    async def turn(session: Any, params: Any) -> None:
        asked = surface.ElicitationSchema(type="object", properties={})
        answer = await session.elicitation_create_form("Who?", asked, tool_call_id="t")
        assert isinstance(answer, surface.DeclineCreateElicitationResponse)

    async with agent(version, turn) as (script, _):
        able: Json = {"elicitation": {"form": {}}}
        info = {"name": "client", "version": "1"}
        script.write(ask(0, "initialize", protocolVersion=2, info=info, capabilities=able))
        await script.read()
        await begin(version, script)
        assert await script.read() == WAITS
        message = await script.read()
        assert (message["params"]["mode"], message["params"]["sessionId"]) == ("form", SESSION)
        script.write(result(message["id"], action="decline"))
        assert await script.read() == RUNS
        await ended(version, script, 1)


# --- sequences -------------------------------------------------------------------------------


async def test_tuples_become_lists_of_the_state() -> None:
    """Constructors accept tuples, but the state needs lists because chunks are appended to them."""
    parts = tuple(v2.Content(content=v2.TextContent(text=text)) for text in "ab")
    chunk = v2.ToolCallContentChunk(tool_call_id="t", content=parts[1])
    found: list[Any] = []

    class Agent(v2.SessionAgent):
        async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
            await session.tool_call(tool_call_id="t", content=parts[:1])
            await session.update(chunk)
            state = v2.SessionState()
            state.apply(v2.ToolCallUpdate(tool_call_id="t", content=parts[:1]))
            state.apply(chunk)
            found.extend([session.state.tool_calls["t"].content, state.tool_calls["t"].content])

    async with ScriptedClient(Agent) as client:
        await client.prompt("Hi")
    assert found == [list(parts), list(parts)]
