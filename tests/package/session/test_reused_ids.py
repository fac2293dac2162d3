"""New sessions whose id is that of a session that was closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings.runtime import INTERNAL_ERROR, RequestError
from acp_bindings.runtime.jsonrpc.limits import Limits
from package.jsonrpc.wire import cancel as withdrawal
from package.session.agent_work import async_test
from package.session.client_turns import (
    bring_back,
    each_way_back,
    opening,
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
    each_version,
    failure,
    result,
    settle,
)


async def close(script: Script, session: Any) -> None:
    """Close a session."""
    closing = asyncio.create_task(session.close())
    script.write(result(await script.request("session/close", sessionId=session.session_id)))
    await closing


def by_session(version: Version, session: Any) -> Any:
    """Open a session as a session."""
    return version.client.ClientSession.create(session.peer, opening(version, "new")[0])


def by_stub(version: Version, session: Any) -> Any:
    """Open a session by its method."""
    return version.surface.AgentStub(session.peer).session_new(opening(version, "new")[0])


async def begin(
    version: Version, script: Script, session: Any, how: Callable[..., Any] = by_session
) -> tuple[asyncio.Task[Any], Any]:
    """Start opening a session. Return the task and the id of the request."""
    creating = asyncio.create_task(how(version, session))
    return creating, await script.request("session/new", **opening(version, "new")[1])


async def create(version: Version, script: Script, session: Any, *behind: Json) -> Any:
    """Open a session with the usual id; the agent sends more messages after its answer."""
    creating, id_ = await begin(version, script, session)
    script.write(result(id_, sessionId=SESSION), *behind)
    return await creating


@each_version
@pytest.mark.parametrize("how", [by_session, by_stub])
@async_test()
async def test_updates_around_the_response_are_part_of_it(
    version: Version, how: Callable[..., Any]
) -> None:
    async with client(version) as (script, before):
        script.write(chunk("old"))
        await close(script, before)
        script.write(chunk("late"))
        await settle()
        creating, id_ = await begin(version, script, before, how)
        script.write(chunk("a"))
        await settle()
        assert before.client.sessions == {}
        script.write(chunk("b"), result(id_, sessionId=SESSION), chunk("c"))
        await creating
        script.write(chunk("d"))
        await settle()
        [session] = before.client.sessions.values()
        assert session.response == version.surface.NewSessionResponse(session_id=SESSION)
        assert texts(session) == ["abcd"]
        assert texts(before) == ["old"]


@each_version
@pytest.mark.parametrize("outcome", ["other", "failure", "cancelled"])
@async_test()
async def test_updates_of_a_closed_session_are_dropped_if_no_response_names_it(
    version: Version, outcome: str
) -> None:
    async with client(version) as (script, before):
        await close(script, before)
        creating, id_ = await begin(version, script, before)
        script.write(chunk("late"))
        await settle()
        if outcome == "cancelled":
            creating.cancel()
            await settle()
            assert await script.read() == withdrawal(id_)
        other = result(id_, sessionId="other")
        script.write(other if outcome == "other" else failure(id_, INTERNAL_ERROR))
        await asyncio.wait([creating])
        await settle()
        assert list(before.client.sessions) == (["other"] if outcome == "other" else [])
        assert creating.cancelled() or (creating.exception() is None) == (outcome == "other")
        session = await create(version, script, before, chunk("new"))
        await settle()
        assert texts(session) == ["new"]


@each_version
@async_test()
async def test_no_more_closed_sessions_than_strays_are_kept_for_a_response(
    version: Version,
) -> None:
    async with client(version) as (script, before):
        before.peer.limits = Limits(stray_sessions=1)
        other = before.client.session("other")
        await close(script, before)
        await close(script, other)
        creating, id_ = await begin(version, script, before)
        script.write(chunk("a"), chunk("b", session="other"))
        script.write(result(id_, sessionId=SESSION))
        session = await creating
        await settle()
        assert texts(session) == []
        assert before.client.sessions == {SESSION: session}


@each_way_back
@async_test()
async def test_a_session_with_the_id_of_two_closed_ones_stays_when_it_cannot_be_loaded(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, session):
        for _ in range(2):
            await close(script, session)
            session = await create(version, script, session)
        for _ in range(2):
            returning = bring_back(version, kind, session)
            script.write(failure(await read_bring_back(script, version, kind), INTERNAL_ERROR))
            with pytest.raises(RequestError):
                await returning
        assert session.client.sessions == {SESSION: session}
