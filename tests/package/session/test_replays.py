"""A session that comes back while it is open: the object stays, its state begins anew."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.session.changes import Change
from package.jsonrpc.wire import cancel as withdrawal
from package.session.agent_work import async_test
from package.session.client_turns import bring_back, each_way_back, read_bring_back, texts
from package.session.scripted import (
    SESSION,
    V1,
    V2,
    V2_UNSTABLE,
    Version,
    chunk,
    client,
    failure,
    result,
    settle,
    update,
    used,
)


class Told:
    """A subscriber.

    Attributes:
        changes: what it was told: kind, attribute, text or None, and whether it is of a replay.
    """

    def __init__(self) -> None:
        self.changes: list[tuple[str, str, str | None, bool]] = []
        self.updates: list[Any] = []

    def __call__(self, change: Change) -> None:
        text = getattr(change.entry, "text", None)
        self.changes.append((change.kind, change.where, text, change.is_replay))
        self.updates.append(change.update)


@each_way_back
@async_test()
async def test_subscribers_follow_a_session_that_comes_back(version: Version, kind: str) -> None:
    told = Told()
    async with client(version) as (script, session):
        script.write(chunk("old"), used(1))
        await settle()
        state = session.state
        state.subscribe(told)
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        assert told.changes == [
            ("removed", "messages", "old", True),
            ("removed", "usage", None, True),
        ]
        assert state == version.client.SessionState()
        script.write(chunk("re"), result(id_), chunk("new"))
        assert await coming is session
        await settle()
        assert session.state is state
        assert told.changes[2:] == [
            ("added", "messages", "re", True),
            ("changed", "messages", "renew", False),
        ]


@each_way_back
@pytest.mark.parametrize("is_cancelled", [True, False])
@async_test()
async def test_the_state_is_restored_if_a_session_does_not_come_back(
    version: Version, kind: str, is_cancelled: bool
) -> None:
    told = Told()
    async with client(version) as (script, session):
        script.write(chunk("old"), used(1))
        await settle()
        before = session.state.to_updates()
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        script.write(chunk("re"))
        await settle()
        session.state.subscribe(told)
        if is_cancelled:
            coming.cancel()
            with pytest.raises(asyncio.CancelledError):
                await coming
            assert await script.read() == withdrawal(id_)
        else:
            script.write(failure(id_, -32603))
            with pytest.raises(RequestError):
                await coming
        assert session.state.to_updates() == before
        assert told.changes == [
            ("removed", "messages", "re", True),
            ("added", "messages", "old", True),
            ("added", "usage", None, True),
        ]
        if is_cancelled:
            script.write(chunk("play"), result(id_))
        script.write(chunk("!"))
        await settle()
        assert texts(session) == ["old!"]
        assert told.changes[3:] == [("changed", "messages", "old!", False)]


@async_test()
async def test_nothing_changes_for_a_request_that_cannot_be_sent() -> None:
    async with client(V2) as (script, session):
        script.write(chunk("old"))
        await settle()
        with pytest.raises(ValueError, match="expected"):
            await V2.client.ClientSession.resume(session.peer, session_id=SESSION, cwd=5)
        assert texts(session) == ["old"]


def test_a_change_has_the_update_that_made_it() -> None:
    told = Told()
    state, surface = V2.client.SessionState(), V2.surface
    state.subscribe(told)
    usage = surface.UsageUpdate(used=1, size=2)
    notice = surface.Notice(title="n", severity="info")
    for each in (usage, usage, notice):
        state.apply(each)
    assert all(a is b for a, b in zip(told.updates, [usage, usage, notice], strict=True))


def test_a_removal_has_the_update_that_made_it() -> None:
    told = Told()
    state, surface = V2_UNSTABLE.client.SessionState(), V2_UNSTABLE.surface
    state.subscribe(told)
    plan = surface.PlanUpdate(plan=surface.PlanItems(plan_id="p", entries=[]))
    removal = surface.PlanRemoved(plan_id="p")
    state.apply(plan)
    state.apply(removal)
    assert told.updates == [plan, removal]


# --- handlers, which run later ---------------------------------------------------------------


@each_way_back
@async_test()
async def test_handlers_know_which_updates_are_of_a_replay(version: Version, kind: str) -> None:
    found: list[tuple[str, bool]] = []

    go_on = asyncio.Event()

    async def note(params: Any) -> None:
        await go_on.wait()
        found.append((params.update.content.text, session.is_replaying))

    async with client(version, session_update=note) as (script, session):
        script.write(chunk("before"))
        await settle()
        coming = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        script.write(chunk("a"), chunk("b"), result(id_), chunk("after"))
        await settle()
        assert not session.is_replaying
        go_on.set()
        await coming
        await settle()
        assert not session.is_replaying
    assert found == [("before", False), ("a", True), ("b", True), ("after", False)]


@async_test()
async def test_only_the_session_that_comes_back_is_replaying() -> None:
    found: list[tuple[str, list[bool]]] = []

    async def note(params: Any) -> None:
        both = [each.is_replaying for each in (session, other)]
        found.append((params.update.content.text, both))

    async with client(V1, session_update=note) as (script, session):
        other = session.client.session("other")
        coming = bring_back(V1, "load", session)
        id_ = await read_bring_back(script, V1, "load")
        script.write(chunk("a"), chunk("b", session="other"), result(id_))
        await coming
        await settle()
    assert sorted(found) == [("a", [True, False]), ("b", [False, False])]


# --- clients that keep no state --------------------------------------------------------------


@pytest.mark.parametrize("version", [V1, V2], ids=str)
@async_test()
async def test_a_client_may_keep_no_state(version: Version) -> None:
    told = Told()

    async with client(version) as (script, session):
        type(session.client).keep_state = False
        session.state.subscribe(told)
        script.write(chunk("a"), update(sessionUpdate="plan_x"), used(5), chunk("b"))
        await settle()
        assert session.state.usage.used == 5
        assert [each.text for each in session.state.messages] == [""]
        assert len(session.state.timeline) == 1
    assert [each[2] for each in told.changes if each[1] == "messages"] == ["a", "b"]
