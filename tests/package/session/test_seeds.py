"""What responses say of the state of a session, in both roles."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.session.agent_work import async_test
from package.session.client_turns import bring_back, each_way_back, opening, read_bring_back
from package.session.scripted import (
    SESSION,
    V1,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Version,
    client,
    each_surface,
    each_version,
    failure,
    result,
    settle,
    update,
)

OPTION = {
    "id": "o",
    "configId": "o",
    "name": "O",
    "type": "boolean",
    "currentValue": True,
}
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
COMMAND = {"type": "command", "name": "c", "description": "d"}


def carried(version: Version) -> Json:
    """What the responses that open a session may have, besides its id."""
    both: Json = {"configOptions": [OPTION]}
    if version.number == 1:
        return {**both, "modes": MODES}
    return {**both, "availableCommands": [COMMAND]}


def seeded(state: Any) -> Json:
    """The same, as a state has it."""
    options, commands = state.config_options, state.available_commands
    mode = getattr(state, "current_mode", None)
    return {
        "options": options and [each.current_value for each in options.config_options],
        "commands": commands and [each.name for each in commands.available_commands],
        "mode": mode and mode.current_mode_id,
    }


def expected(version: Version) -> Json:
    if version.number == 1:
        return {"options": [True], "commands": None, "mode": "ask"}
    return {"options": [True], "commands": ["c"], "mode": None}


OPENING = [
    *((version, "new") for version in (V1, V1_UNSTABLE, V2, V2_UNSTABLE)),
    (V1, "load"),
    (V1_UNSTABLE, "load"),
    *((version, "resume") for version in (V1, V1_UNSTABLE, V2, V2_UNSTABLE)),
    (V1_UNSTABLE, "fork"),
    (V2_UNSTABLE, "fork"),
]


@pytest.mark.parametrize(("version", "kind"), OPENING, ids=str)
def test_responses_that_open_a_session_seed_its_state(version: Version, kind: str) -> None:
    surface = version.surface
    params, _ = opening(version, kind)
    name = {"new": "New", "load": "Load", "resume": "Resume", "fork": "Fork"}[kind]
    ids = {"sessionId": SESSION} if kind in ("new", "fork") else {}
    response = getattr(surface, f"{name}SessionResponse")
    found = surface.decode(response, {**ids, **carried(version)})
    state = version.client.SessionState()
    state.seed(f"session/{kind}", params, found)
    assert seeded(state) == expected(version)


@each_surface
def test_what_a_response_lacks_is_not_seeded(version: Version) -> None:
    state = version.client.SessionState()
    new = version.surface.NewSessionResponse(session_id=SESSION)
    state.seed("session/new", opening(version, "new")[0], new)
    assert state == version.client.SessionState()


def test_other_responses_say_nothing() -> None:
    state = V1.client.SessionState()
    state.seed("session/prompt", None, V1.surface.PromptResponse(stop_reason="end_turn"))
    assert state == V1.client.SessionState()


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
@async_test()
async def test_a_new_title_is_seeded(version: Version) -> None:
    async with client(version) as (script, session):
        setting = asyncio.create_task(session.set_title(title="A"))
        id_ = await script.request("session/set_title", sessionId=SESSION, title="A")
        script.write(result(id_, title="A!"))
        await setting
        assert session.state.info.title == "A!"


@async_test()
async def test_the_reported_status_is_seeded_as_it_is() -> None:
    async with client(V2_UNSTABLE) as (script, session):
        asking = asyncio.create_task(session.status())
        id_ = await script.request("session/status", sessionId=SESSION)
        script.write(result(id_, status="open", state={"state": "running"}))
        await asking
        assert session.state.state == V2_UNSTABLE.surface.RunningStateUpdate()


@each_version
@async_test()
async def test_a_new_session_is_seeded_before_what_follows_is_looked_at(version: Version) -> None:
    kinds = {"sessionUpdate": "config_option_update", "configOptions": []}
    found: list[Any] = []

    async def note(params: Any) -> None:
        found.append(seeded(session.client.sessions["new"].state)["options"])

    async with client(version, session_update=note) as (script, session):
        params, members = opening(version, "new")
        creating = asyncio.create_task(version.client.ClientSession.create(session.peer, params))
        id_ = await script.request("session/new", **members)
        answer = result(id_, sessionId="new", **carried(version))
        script.write(answer, update("new", **kinds))
        made = await creating
        await settle()
        assert seeded(made.state) == {**expected(version), "options": []}
    assert found == [[]]


@each_way_back
@async_test()
async def test_a_session_that_comes_back_is_seeded(version: Version, kind: str) -> None:
    async with client(version) as (script, session):
        told: list[Any] = []
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        session.state.subscribe(told.append)
        script.write(result(id_, **carried(version)))
        await coming
        assert seeded(session.state) == expected(version)
        assert [(each.kind, each.update, each.is_replay) for each in told] == [
            ("added", None, False)
        ] * 2


@pytest.mark.parametrize("is_done", [True, False])
@async_test()
async def test_the_mode_is_that_which_was_asked_for_once_the_agent_agrees(is_done: bool) -> None:
    async with client(V1) as (script, session):
        setting = asyncio.create_task(session.set_mode(mode_id="code"))
        id_ = await script.request("session/set_mode", sessionId=SESSION, modeId="code")
        assert session.state.current_mode is None
        script.write(result(id_) if is_done else failure(id_, -32603))
        await asyncio.wait([setting])
        assert (setting.exception() is None) == is_done
        assert seeded(session.state)["mode"] == ("code" if is_done else None)


@each_version
@async_test()
async def test_options_are_those_that_the_agent_answers(version: Version) -> None:
    async with client(version) as (script, session):
        setting = asyncio.create_task(session.set_config_option(config_id="o", value=True))
        message = await script.read()
        script.write(result(message["id"], configOptions=[OPTION]))
        await setting
        assert seeded(session.state)["options"] == [True]
