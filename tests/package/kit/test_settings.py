"""Tests of the commands, modes and config options that an agent class declares."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.kit.store import SessionStore
from acp_bindings.runtime import RequestError

from tests.package.kit.test_stored import (
    agent_of,
    bring_back,
    create,
    cwd,
    each_draft,
    each_version,
    folder,
    is_new,
    prompt,
    talking,
)

__all__ = ["cwd", "folder"]


def command(surface: Any, name: str) -> Any:
    made = surface.Command if is_new(surface) else surface.AvailableCommand
    return made(name=name, description=name)


def select(surface: Any, id_: str, value: str, *values: str, is_grouped: bool = False) -> Any:
    """Return a config option with the given choices, optionally in a group."""
    options: Any = [surface.SessionConfigSelectOption(value=each, name=each) for each in values]
    if is_grouped:
        name = "group_id" if is_new(surface) else "group"
        options = [surface.SessionConfigSelectGroup(name="G", options=options, **{name: "g"})]
    name = "config_id" if is_new(surface) else "id"
    return surface.SelectSessionConfigOption(
        name=id_, current_value=value, options=options, **{name: id_}
    )


def switch(surface: Any, id_: str, value: bool) -> Any:
    name = "config_id" if is_new(surface) else "id"
    return surface.BooleanSessionConfigOption(name=id_, current_value=value, **{name: id_})


def stating(surface: Any, store: SessionStore, **members: Any) -> Any:
    stated = {
        "available_commands": [command(surface, "run")],
        "config_options": [
            select(surface, "model", "small", "small", "large"),
            switch(surface, "web", False),
        ],
    }
    return agent_of(surface, store, **(stated | members))


async def choose(surface: Any, session: Any, id_: str, value: Any) -> None:
    if isinstance(value, bool):
        params = surface.BooleanSetSessionConfigOptionRequest
    elif is_new(surface):
        params = surface.IdSetSessionConfigOptionRequest
    else:
        params = surface.ValueIdSetSessionConfigOptionRequest
    await session.agent.session_set_config_option(
        params(session_id=session.session_id, config_id=id_, value=value)
    )


def commands(session: Any) -> list[str]:
    return [each.name for each in session.state.available_commands.available_commands]


def values(session: Any) -> list[Any]:
    return [each.current_value for each in session.state.config_options.config_options]


async def resume(peer: Any, surface: Any, session_id: str, cwd: str) -> Any:
    servers = {} if is_new(surface) else {"mcp_servers": []}
    return await surface.ClientSession.resume(peer, session_id=session_id, cwd=cwd, **servers)


async def wait_for_commands(session: Any) -> None:
    """Wait for the update with commands, which can follow the response."""
    while session.state.available_commands is None:
        await asyncio.sleep(0.001)


OPENINGS = pytest.mark.parametrize("reopen", [bring_back, resume], ids=["load", "resume"])


@each_version
async def test_a_new_session_has_the_stated_settings(surface: Any, folder: Path, cwd: str) -> None:
    async with talking(stating(surface, SessionStore(folder)), surface) as peer:
        session = await create(peer, surface, cwd)
        await wait_for_commands(session)
        assert (commands(session), values(session)) == (["run"], ["small", False])


@each_version
@OPENINGS
async def test_a_restored_session_has_what_is_stated_today(
    reopen: Any, surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    async with talking(stating(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await choose(surface, session, "model", "large")
        await choose(surface, session, "web", True)
    later = stating(
        surface,
        store,
        available_commands=[command(surface, "go")],
        config_options=[
            switch(surface, "web", False),
            select(surface, "model", "tiny", "tiny", "large", is_grouped=True),
            select(surface, "new", "a", "a"),
        ],
    )
    async with talking(later, surface) as peer:
        again = await reopen(peer, surface, session.session_id, cwd)
        await wait_for_commands(again)
        assert (commands(again), values(again)) == (["go"], [True, "large", "a"])


@each_version
@pytest.mark.parametrize("changed", ["value", "type"])
async def test_a_choice_that_is_no_longer_offered_is_replaced(
    changed: str, surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    async with talking(stating(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await choose(surface, session, "model", "large")
    option = select(surface, "model", "tiny", "tiny")
    if changed == "type":
        option = switch(surface, "model", False)
    async with talking(stating(surface, store, config_options=[option]), surface) as peer:
        again = await resume(peer, surface, session.session_id, cwd)
        assert values(again) == [option.current_value]


@each_version
async def test_settings_that_are_not_stated_come_back_as_saved(
    surface: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    async with talking(stating(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await choose(surface, session, "model", "large")
    async with talking(agent_of(surface, store), surface) as peer:
        again = await bring_back(peer, surface, session.session_id, cwd)
        assert values(again) == ["large", False]


@each_version
@pytest.mark.parametrize(
    ("id_", "value"),
    [("model", "huge"), ("model", True), ("web", "small"), ("unknown", "small")],
)
async def test_unknown_options_and_values_are_refused(
    id_: str, value: Any, surface: Any, folder: Path, cwd: str
) -> None:
    async with talking(stating(surface, SessionStore(folder)), surface) as peer:
        session = await create(peer, surface, cwd)
        with pytest.raises(RequestError, match=r"unknown option or value \("):
            await choose(surface, session, id_, value)
        assert values(session) == ["small", False]


@each_version
async def test_reopening_with_settings_saves_nothing(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    async with talking(stating(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await choose(surface, session, "model", "large")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for _ in range(2):
        async with talking(stating(surface, store), surface) as peer:
            await bring_back(peer, surface, session.session_id, cwd)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@each_version
async def test_a_value_is_read_by_its_id(surface: Any, folder: Path, cwd: str) -> None:
    seen: list[Any] = []

    async def turn(self: Any, session: Any, params: Any) -> None:
        seen.append([session.option(each) for each in ("model", "web", "unknown")])

    async with talking(stating(surface, SessionStore(folder), turn=turn), surface) as peer:
        session = await create(peer, surface, cwd)
        await prompt(session, "one")
        await choose(surface, session, "web", True)
        await prompt(session, "two")
    assert seen == [["small", False, None], ["small", True, None]]


@each_version
async def test_an_object_can_state_its_own_settings(surface: Any, folder: Path, cwd: str) -> None:
    def connected(self: Any, peer: Any) -> Any:
        self.config_options = [select(surface, "model", "found", "found")]
        return super(type(self), self).connected(peer)

    agent = stating(surface, SessionStore(folder), connected=connected)
    async with talking(agent, surface) as peer:
        assert values(await create(peer, surface, cwd)) == ["found"]


@each_version
def test_settings_that_are_not_a_list_are_refused(surface: Any, folder: Path) -> None:
    option = select(surface, "model", "small", "small")
    agent = stating(surface, SessionStore(folder), config_options=(option))
    found = "Coder.config_options: expected a list, found SelectSessionConfigOption"
    with pytest.raises(TypeError, match=found):
        agent().open()


@each_draft
async def test_a_fork_has_what_is_stated_today(surface: Any, folder: Path, cwd: str) -> None:
    store = SessionStore(folder)
    async with talking(stating(surface, store), surface) as peer:
        session = await create(peer, surface, cwd)
        await choose(surface, session, "model", "large")
    later = stating(surface, store, config_options=[select(surface, "model", "a", "a", "large")])
    async with talking(later, surface) as peer:
        fork = await peer.request(
            surface.AGENT_METHODS["session/fork"],
            surface.ForkSessionRequest(session_id=session.session_id, cwd=cwd, mcp_servers=[]),
        )
    assert [each.current_value for each in fork.config_options] == ["large"]


# --- modes of protocol 1 ----------------------------------------------------------------------


def modes(current: str, *ids: str) -> v1.SessionModeState:
    available = [v1.SessionMode(id=each, name=each) for each in ids]
    return v1.SessionModeState(current_mode_id=current, available_modes=available)


@OPENINGS
@pytest.mark.parametrize(("today", "current"), [(["a", "b"], "b"), (["a", "c"], "a")])
async def test_modes_are_stated_and_chosen(
    today: list[str], current: str, reopen: Any, folder: Path, cwd: str
) -> None:
    store = SessionStore(folder)
    agent = agent_of(v1, store, modes=modes("a", "a", "b"))
    async with talking(agent, v1) as peer:
        opened = await v1.AgentStub(peer).session_new(v1.NewSessionRequest(cwd=cwd, mcp_servers=[]))
        assert opened.modes == modes("a", "a", "b")
        params = v1.SetSessionModeRequest(session_id=opened.session_id, mode_id="b")
        await v1.AgentStub(peer).session_set_mode(params)
        params.mode_id = "wild"
        with pytest.raises(RequestError, match=r"unknown mode \("):
            await v1.AgentStub(peer).session_set_mode(params)
    agent = agent_of(v1, store, modes=modes("a", *today))
    async with talking(agent, v1) as peer:
        again = await reopen(peer, v1, opened.session_id, cwd)
        assert again.state.current_mode.current_mode_id == current


# --- through the bridge -----------------------------------------------------------------------


async def test_a_client_of_protocol_1_gets_the_stated_settings(folder: Path, cwd: str) -> None:
    agent = stating(v2, SessionStore(folder))
    async with talking(agent, v1, bridge=True) as peer:
        session = await create(peer, v1, cwd)
        await wait_for_commands(session)
        assert commands(session) == ["run"]
        await choose(v1, session, "model", "large")
    async with talking(agent, v1, bridge=True) as peer:
        again = await bring_back(peer, v1, session.session_id, cwd)
        await wait_for_commands(again)
        assert commands(again) == ["run"]
        assert values(again)[0] == "large"
