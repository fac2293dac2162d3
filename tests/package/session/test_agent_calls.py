"""What an agent asks of its client in a session, and what it reports while it waits."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import CapabilityError, RequestError
from package.jsonrpc.wire import ask, tell
from package.session.scripted import (
    CANCEL,
    SESSION,
    V1,
    V2,
    Json,
    Script,
    Version,
    agent,
    begun,
    each_surface,
    each_v2,
    each_version,
    ended,
    failure,
    prompt,
    result,
    run,
    settle,
    state,
)

YES = {"outcome": {"outcome": "selected", "optionId": "yes"}}
WAITS, RUNS = state("requires_action"), state("running")


def options(version: Version) -> Any:
    option = version.surface.PermissionOption
    return [option(option_id="yes", name="Yes", kind="allow_once")]


async def ask_permission(version: Version, session: Any) -> Any:
    """Ask what `Version.permission` asks."""
    surface = version.surface
    about = surface.ToolCallUpdate(tool_call_id="t")
    if version.number == 1:
        return await session.ask_permission(about, options(version))
    subject = surface.ToolCallPermissionSubject(tool_call=about)
    return await session.ask_permission("May I?", options(version), subject=subject)


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


def capable(script: Script) -> Json:
    """The request to initialize, with all capabilities."""
    able = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
    return ask(0, "initialize", protocolVersion=1, clientCapabilities=able)


def test_v1_calls_carry_the_session() -> None:
    async def main() -> None:
        async with agent(V1) as (script, session):
            script.write(capable(script))
            await script.read()
            reading = asyncio.create_task(session.fs_read_text_file(path="/a", line=3))
            id_ = await script.request("fs/read_text_file", sessionId=SESSION, path="/a", line=3)
            script.write(result(id_, content="text"))
            assert (await reading).content == "text"
            making = asyncio.create_task(session.terminal_create(command="ls", args=["-l"]))
            made = {"command": "ls", "args": ["-l"], "sessionId": SESSION}
            id_ = await script.request("terminal/create", **made)
            script.write(result(id_, terminalId="1"))
            assert (await making).terminal_id == "1"

    run(main())


def test_v1_calls_need_their_capabilities() -> None:
    async def main() -> None:
        async with agent(V1) as (_, session):
            with pytest.raises(CapabilityError, match="fs/readTextFile"):
                await session.fs_read_text_file(path="/a")

    run(main())


@each_version
def test_a_permission_is_asked_for_in_the_session(version: Version) -> None:
    async def main() -> None:
        async with agent(version) as (script, session):
            asking = asyncio.create_task(ask_permission(version, session))
            expected = version.permission(1)
            id_ = await script.request(expected["method"], **expected["params"])
            script.write(result(id_, **YES))
            assert (await asking).outcome.option_id == "yes"

    run(main())


# --- what is reported meanwhile --------------------------------------------------------------


class Asking:
    """Work that asks for permissions, one after the other or all at once."""

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


def test_v1_nothing_is_reported_around_a_question() -> None:
    async def main() -> None:
        async with agent(V1, Asking(V1)) as (script, _):
            script.write(prompt(1))
            script.write(result(await question(script), **YES))
            await ended(V1, script, 1)

    run(main())


@each_v2
@pytest.mark.parametrize("answer", ["outcome", "error"])
def test_v2_a_question_is_reported(version: Version, answer: str) -> None:
    async def main() -> None:
        work = Asking(version)
        async with agent(version, work) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await script.read() == WAITS
            id_ = await question(script)
            script.write(result(id_, **YES) if answer == "outcome" else failure(id_, -32603))
            assert await script.read() == RUNS
            await ended(version, script, 1)
        assert isinstance(work.answers[0], RequestError) == (answer == "error")

    run(main())


@each_v2
def test_v2_several_questions_are_reported_once(version: Version) -> None:
    async def main() -> None:
        async with agent(version, Asking(version, 3)) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await script.read() == WAITS
            ids = [await question(script) for _ in range(3)]
            for id_ in ids[1:]:
                script.write(result(id_, **YES))
            await settle()
            script.write(result(ids[0], **YES))
            assert await script.read() == RUNS
            await ended(version, script, 1)

    run(main())


@each_v2
def test_v2_the_question_of_a_cancelled_turn_does_not_resume_it(version: Version) -> None:
    async def main() -> None:
        async with agent(version, Asking(version)) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await script.read() == WAITS
            id_ = await question(script)
            script.write(CANCEL)
            assert await script.read() == tell("$/cancel_request", requestId=id_)
            await ended(version, script, 1, "cancelled")

    run(main())


@each_v2
def test_v2_a_question_that_is_given_up_resumes_the_turn(version: Version) -> None:
    async def turn(session: Any, params: Any) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(ask_permission(version, session), 0.01)

    async def main() -> None:
        async with agent(version, turn) as (script, _):
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await script.read() == WAITS
            id_ = await question(script)
            assert await script.read() == tell("$/cancel_request", requestId=id_)
            assert await script.read() == RUNS
            await ended(version, script, 1)

    run(main())


@each_v2
def test_v2_background_work_asks_without_a_report(version: Version) -> None:
    """The state is about work in the foreground; an idle agent stays idle."""

    async def main() -> None:
        async with agent(version) as (script, session):
            await session.idle(stop_reason="end_turn")
            assert await script.read() == state("idle", stopReason="end_turn")
            asking = asyncio.create_task(ask_permission(version, session))
            script.write(result(await question(script), **YES))
            await asking

    run(main())


def test_v2_the_report_repeats_the_background_work() -> None:
    work = [{"type": "_x"}]

    async def turn(session: Any, params: Any) -> None:
        await session.running(background=[v2.UnknownBackgroundWork("_x", work[0])])
        await ask_permission(V2, session)

    async def main() -> None:
        async with agent(V2, turn) as (script, _):
            script.write(prompt(1))
            await begun(V2, script, 1)
            assert await script.read() == state("running", background=work)
            assert await script.read() == state("requires_action", background=work)
            script.write(result(await question(script), **YES))
            assert await script.read() == state("running", background=work)
            assert await script.read() == state("idle", stopReason="end_turn", background=work)

    run(main())


@each_v2
def test_v2_an_elicitation_is_a_question_too(version: Version) -> None:
    surface = version.surface

    async def turn(session: Any, params: Any) -> None:
        asked = surface.ElicitationSchema(type="object", properties={})
        answer = await session.elicitation_create_form("Who?", asked, tool_call_id="t")
        assert isinstance(answer, surface.DeclineCreateElicitationResponse)

    async def main() -> None:
        async with agent(version, turn) as (script, _):
            able: Json = {"elicitation": {"form": {}}}
            info = {"name": "client", "version": "1"}
            script.write(ask(0, "initialize", protocolVersion=2, info=info, capabilities=able))
            await script.read()
            script.write(prompt(1))
            await begun(version, script, 1)
            assert await script.read() == WAITS
            message = await script.read()
            assert message["params"]["mode"] == "form"
            assert message["params"]["sessionId"] == SESSION
            script.write(result(message["id"], action="decline"))
            assert await script.read() == RUNS
            await ended(version, script, 1)

    run(main())
