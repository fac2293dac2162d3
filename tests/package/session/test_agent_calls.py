"""What an agent asks of its client in a session, and what it reports while it waits."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import CapabilityError, RequestError
from package.jsonrpc.wire import ask, tell
from package.session.agent_work import async_test, begin
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    agent,
    each_surface,
    each_v2,
    each_version,
    ended,
    failure,
    result,
    settle,
    state,
)

YES = {"outcome": {"outcome": "selected", "optionId": "yes"}}
WAITS, RUNS = state("requires_action"), state("running")


async def ask_permission(version: Version, session: Any) -> Any:
    """Ask what `Version.permission` asks."""
    surface = version.surface
    about = surface.ToolCallUpdate(tool_call_id="t")
    options = [surface.PermissionOption(option_id="yes", name="Yes", kind="allow_once")]
    if version.number == 1:
        return await session.ask_permission(about, options)
    subject = surface.ToolCallPermissionSubject(tool_call=about)
    return await session.ask_permission("May I?", options, subject=subject)


# --- calls -----------------------------------------------------------------------------------


@each_surface
def test_every_call_that_names_a_session_has_a_method(version: Version) -> None:
    """Each takes what its params take, but for the session."""
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
        found = inspect.signature(getattr(session, f"elicitation_create_{tag}")).parameters
        assert {"message", "tool_call_id"} <= set(found)
        assert not {"session_id", "request_id"} & set(found)


@async_test()
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


# --- what is reported meanwhile --------------------------------------------------------------


class Asking:
    """Work that asks for permissions all at once."""

    def __init__(self, version: Version, count: int = 1) -> None:
        self._version = version
        self._count = count
        self.answers: list[Any] = []

    async def __call__(self, session: Any, params: Any) -> None:
        asking = [ask_permission(self._version, session) for _ in range(self._count)]
        self.answers = await asyncio.gather(*asking, return_exceptions=True)


async def question(script: Script) -> Any:
    """Read a question. Return its id."""
    message = await script.read()
    assert message["method"] == "session/request_permission"
    return message["id"]


@each_version
@pytest.mark.parametrize("is_answered", [True, False])
@async_test()
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
@async_test()
async def test_v2_several_questions_are_reported_once(version: Version) -> None:
    async with agent(version, Asking(version, 3)) as (script, _):
        await begin(version, script)
        assert await script.read() == WAITS
        ids = [await question(script) for _ in range(3)]
        for id_ in ids[1:]:
            script.write(result(id_, **YES))
        await settle()
        script.write(result(ids[0], **YES))
        assert await script.read() == RUNS
        await ended(version, script, 1)


@each_v2
@async_test()
async def test_v2_the_question_of_a_cancelled_turn_does_not_resume_it(version: Version) -> None:
    async with agent(version, Asking(version)) as (script, _):
        await begin(version, script)
        assert await script.read() == WAITS
        id_ = await question(script)
        script.write(CANCEL)
        assert await script.read() == tell("$/cancel_request", requestId=id_)
        await ended(version, script, 1, "cancelled")


@each_v2
@async_test()
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


@each_v2
@async_test()
async def test_v2_background_work_asks_without_a_report(version: Version) -> None:
    """The state is about work in the foreground; an idle agent stays idle."""
    async with agent(version) as (script, session):
        await session.idle(stop_reason="end_turn")
        assert await script.read() == state("idle", stopReason="end_turn")
        asking = asyncio.create_task(ask_permission(version, session))
        script.write(result(await question(script), **YES))
        await asking


@async_test()
async def test_v2_the_report_repeats_the_background_work() -> None:
    work = [{"type": "_x"}]

    async def turn(session: Any, params: Any) -> None:
        await session.running(background=[v2.UnknownBackgroundWork("_x", work[0])])
        await ask_permission(V2, session)

    async with agent(V2, turn) as (script, _):
        await begin(V2, script)
        assert await script.read() == state("running", background=work)
        assert await script.read() == state("requires_action", background=work)
        script.write(result(await question(script), **YES))
        assert await script.read() == state("running", background=work)
        assert await script.read() == state("idle", stopReason="end_turn", background=work)


@each_v2
@async_test()
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
