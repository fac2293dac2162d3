"""Sessions that were closed, and those that come back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import INTERNAL_ERROR, REQUEST_CANCELLED, RESOURCE_NOT_FOUND, RequestError
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    ALLOWED,
    BACK,
    REFUSED,
    bring_back,
    each_way_back,
    forever,
    read_bring_back,
    texts,
)
from package.session.scripted import (
    SESSION,
    Json,
    Script,
    Version,
    chunk,
    client,
    each_surface,
    each_version,
    failure,
    result,
    run,
    settle,
    stray,
)

# --- what comes for a session that was closed ------------------------------------------------


async def close(script: Script, session: Any, *behind: Json) -> None:
    """Close a session; the agent sends more messages after its answer."""
    closing = asyncio.create_task(session.close())
    id_ = await script.request("session/close", sessionId=session.session_id)
    script.write(result(id_), *behind)
    await closing
    await settle()


@each_surface
async def test_late_updates_make_no_session(version: Version) -> None:
    found: list[Any] = []

    async def take(params: Any) -> None:
        found.append(params.update.content.text)

    async with client(version, session_update=take) as (script, session):
        await close(script, session, chunk("late"))
        script.write(chunk("later"))
        await settle()
        assert session.client.sessions == {}
        assert texts(session) == []
        assert found == ["late", "later"]  # the handler may still want to know


@each_version
@logs(stray("new"))
async def test_many_sessions_that_are_closed_leave_nothing(version: Version) -> None:
    async with client(version) as (script, session):
        sessions = session.client
        await close(script, session)
        for number in range(50):
            id_ = f"s{number}"
            await close(script, sessions.session(id_), chunk("late", session=id_))
        for number in range(50):
            script.write(chunk("later", session=f"s{number}"))
        await settle()
        assert sessions.sessions == {}
        script.write(chunk("a", session="new"))
        await settle()
        assert list(sessions.sessions) == ["new"]


@each_version
async def test_a_question_about_a_session_that_was_closed_is_answered_and_leaves_nothing(
    version: Version,
) -> None:
    async def permission(params: Any) -> Any:
        surface = version.surface
        return surface.decode(surface.RequestPermissionResponse, ALLOWED)

    async with client(version, session_request_permission=permission) as (script, session):
        await close(script, session)
        script.write(version.permission("a"))
        assert await script.read() == result("a", **ALLOWED)
        assert session.client.sessions == {}


@each_version
async def test_a_question_about_a_session_that_was_closed_can_be_withdrawn(
    version: Version,
) -> None:
    async def permission(params: Any) -> Any:
        await forever()

    async with client(version, session_request_permission=permission) as (script, session):
        await close(script, session)
        script.write(version.permission("a"))
        await settle()
        script.write(withdrawal("a"))
        assert await script.read() == result("a", **REFUSED)
        assert session.client.sessions == {}


@each_way_back
@pytest.mark.parametrize("times", [1, 2])
async def test_a_session_that_was_closed_may_come_back(
    version: Version, kind: str, times: int
) -> None:
    async with client(version) as (script, before):
        session = before
        for _ in range(times):
            await close(script, session, chunk("late"))
            returning = bring_back(version, kind, before)
            id_ = await read_bring_back(script, version, kind)
            script.write(chunk("re"), result(id_), chunk("play"))
            session = await returning
            await settle()
            assert session.client.sessions == {SESSION: session}
            assert texts(session) == ["replay"]
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*version.accepted(id_), *version.stopped(id_))
        assert turn.stop_reason == "end_turn"


@each_way_back
async def test_a_session_that_was_closed_and_does_not_come_back_stays_closed(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, session):
        await close(script, session)
        returning = bring_back(version, kind, session)
        id_ = await read_bring_back(script, version, kind)
        script.write(chunk("re"), failure(id_, RESOURCE_NOT_FOUND), chunk("late"))
        with pytest.raises(RequestError):
            await returning
        await settle()
        assert session.client.sessions == {}


# --- a session that comes back twice, or is closed meanwhile ---------------------------------


TWICE = [
    (version, kind, second) for version, kind in BACK for other, second in BACK if other is version
]


@pytest.mark.parametrize(("version", "kind", "second"), TWICE, ids=str)
@pytest.mark.parametrize("outcome", ["result", "failure", "cancelled"])
async def test_a_session_does_not_come_back_twice_at_once(
    version: Version, kind: str, second: str, outcome: str
) -> None:
    async with client(version) as (script, before):
        first = bring_back(version, kind, before)
        id_ = await read_bring_back(script, version, kind)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="wait for its end"):
                await bring_back(version, second, before)
        script.write(chunk("a"))
        await settle()
        if outcome == "result":
            script.write(result(id_), chunk("b"))
            session = await first
            await settle()
            assert session is before
            assert texts(session) == ["ab"]
        elif outcome == "failure":
            script.write(failure(id_, INTERNAL_ERROR), chunk("b"))
            with pytest.raises(RequestError, match="no"):
                await first
            session = before
            await settle()
            assert texts(before) == ["b"]
        else:
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert await script.read() == withdrawal(id_)
            script.write(failure(id_, REQUEST_CANCELLED))
            session = before
        assert session.client.sessions == {SESSION: session}
        third = bring_back(version, second, before)  # now it may
        script.write(result(await read_bring_back(script, version, second)))
        assert (await third).client.sessions == {SESSION: third.result()}


@each_way_back
async def test_other_sessions_come_back_at_the_same_time(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        returning = []
        for name in ("a", "b"):
            task = bring_back(version, kind, before, name)
            returning.append((task, await read_bring_back(script, version, kind, name)))
        for _, id_ in reversed(returning):
            script.write(result(id_))
        sessions = [await task for task, _ in returning]
        assert before.client.sessions == {SESSION: before, "a": sessions[0], "b": sessions[1]}


@each_way_back
async def test_closing_meanwhile_does_not_hide_why_a_session_does_not_come_back(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        returning = bring_back(version, kind, before)
        id_ = await read_bring_back(script, version, kind)
        await close(script, before)
        script.write(failure(id_, RESOURCE_NOT_FOUND, "gone"))
        with pytest.raises(RequestError, match="gone"):
            await returning
        assert before.client.sessions == {}  # the earlier one was closed


@each_way_back
async def test_a_session_that_comes_back_behind_its_closing_is_up_to_date(
    version: Version, kind: str
) -> None:
    """The agent takes up the session again when it has closed it."""

    async with client(version) as (script, before):
        closing = asyncio.create_task(before.close())
        closed = await script.request("session/close", sessionId=SESSION)
        returning = bring_back(version, kind, before)
        id_ = await read_bring_back(script, version, kind)
        script.write(result(closed))
        await closing
        script.write(chunk("re"), result(id_))
        session = await returning
        script.write(chunk("play"))
        await settle()
        assert session.client.sessions == {SESSION: session}
        assert texts(session) == ["replay"]


@each_way_back
async def test_a_session_that_is_closed_behind_its_return_is_forgotten(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        returning = bring_back(version, kind, before)
        id_ = await read_bring_back(script, version, kind)
        closing = asyncio.create_task(before.client.session(SESSION).close())
        closed = await script.request("session/close", sessionId=SESSION)
        script.write(result(id_), result(closed), chunk("late"))
        await returning
        await closing
        await settle()
        assert before.client.sessions == {}
