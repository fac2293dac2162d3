"""Sessions that were closed, those that come back, and those whose coming back is abandoned."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.jsonrpc.limits import Limits
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    ALLOWED,
    BACK,
    REFUSED,
    Asked,
    bring_back,
    close,
    coming_back,
    each_way_back,
    prompted,
    read_bring_back,
    selecting,
    texts,
    working,
)
from package.session.scripted import (
    SESSION,
    V2,
    Script,
    Version,
    chunk,
    client,
    each_surface,
    each_version,
    failure,
    logs,
    result,
    settle,
    state,
    stray,
)


@each_way_back
@pytest.mark.parametrize("closings", [0, 1, 2])
async def test_the_state_of_a_session_that_comes_back_begins_anew(
    version: Version, kind: str, closings: int
) -> None:
    async with client(version) as (script, before):
        script.write(chunk("old"))
        await settle()
        session = before
        for _ in range(max(closings, 1)):
            if closings:
                await close(script, session, chunk("late"))
            coming, id_ = await coming_back(script, version, kind, before)
            script.write(chunk("re", role="user_message"), chunk("play"), result(id_))
            session = await coming
            assert session.client.sessions == {SESSION: session}
            name = {"load": "LoadSessionResponse", "resume": "ResumeSessionResponse"}[kind]
            assert session.response == getattr(version.surface, name)()
            assert [each.text for each in session.state.messages] == ["re", "play"]
        assert (session is before) == (not closings)
        script.write(chunk("!"))
        await settle()
        assert texts(session) == ["play!"]
        async with prompted(version, script, session) as (turn, id_):
            script.write(*version.stopped(id_))
        assert turn.stop_reason == "end_turn"


@each_way_back
@pytest.mark.parametrize("what", ["open", "closed", "unknown"])
async def test_a_session_that_does_not_come_back_stays_as_it_was(
    version: Version, kind: str, what: str
) -> None:
    session_id = "other" if what == "unknown" else SESSION
    async with client(version) as (script, before):
        if what == "closed":
            await close(script, before)
        coming, id_ = await coming_back(script, version, kind, before, session_id)
        script.write(chunk("re", session=session_id), failure(id_, RESOURCE_NOT_FOUND))
        script.write(chunk("a"))
        with pytest.raises(RequestError) as caught:
            await coming
        assert caught.value.code == RESOURCE_NOT_FOUND
        await settle()
        assert before.client.sessions == ({} if what == "closed" else {SESSION: before})
        assert texts(before) == ([] if what == "closed" else ["a"])


@each_version
async def test_a_session_cannot_come_back_during_a_turn(version: Version) -> None:
    async with working(version) as (script, session, _, id_):
        with pytest.raises(RuntimeError, match="wait for its end"):
            await bring_back(version, "resume", session)
        assert session.client.sessions == {SESSION: session}
        script.write(*version.stopped(id_))


# --- what comes for a session that was closed ------------------------------------------------


@logs(stray("new"))
@each_surface
async def test_late_updates_make_no_session(version: Version) -> None:
    found: list[Any] = []

    async def take(params: Any) -> None:
        found.append(params.update.content.text)

    async with client(version, session_update=take) as (script, session):
        sessions = session.client
        await close(script, session, chunk("late"))
        await close(script, sessions.session("s2"), chunk("late 2", session="s2"))
        script.write(chunk("later"), chunk("later 2", session="s2"))
        await settle()
        assert sessions.sessions == {}
        assert texts(session) == []
        # The handler may still want to know.
        assert found == ["late", "late 2", "later", "later 2"]
        script.write(chunk("a", session="new"))
        await settle()
        assert list(sessions.sessions) == ["new"]


@each_version
@pytest.mark.parametrize("is_withdrawn", [True, False])
async def test_a_question_about_a_session_that_was_closed_is_answered_and_leaves_nothing(
    version: Version, is_withdrawn: bool
) -> None:
    user: Any = Asked() if is_withdrawn else selecting(version)
    async with client(version, user=user) as (script, session):
        await close(script, session)
        script.write(version.permission("a"))
        if is_withdrawn:
            await settle()
            script.write(withdrawal("a"))
        assert await script.read() == result("a", **(REFUSED if is_withdrawn else ALLOWED))
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
    async with client(version) as (script, session):
        first, id_ = await coming_back(script, version, kind, session)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="wait for its end"):
                await bring_back(version, second, session)
        script.write(chunk("a"))
        await settle()
        if outcome == "result":
            script.write(result(id_), chunk("b"))
            assert await first is session
            await settle()
            assert texts(session) == ["ab"]
        elif outcome == "failure":
            script.write(failure(id_, INTERNAL_ERROR), chunk("b"))
            with pytest.raises(RequestError, match="no"):
                await first
            await settle()
            assert texts(session) == ["b"]
        else:
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert await script.read() == withdrawal(id_)
            script.write(failure(id_, REQUEST_CANCELLED))
        assert session.client.sessions == {SESSION: session}
        third, id_ = await coming_back(script, version, second, session)  # now it may
        script.write(result(id_))
        assert await third is session.client.sessions[SESSION]


@each_way_back
async def test_closing_meanwhile_does_not_hide_why_a_session_does_not_come_back(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        returning, id_ = await coming_back(script, version, kind, before)
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
        returning, id_ = await coming_back(script, version, kind, before)
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
        returning, id_ = await coming_back(script, version, kind, before)
        closing = asyncio.create_task(before.client.session(SESSION).close())
        closed = await script.request("session/close", sessionId=SESSION)
        script.write(result(id_), result(closed), chunk("late"))
        await returning
        await closing
        await settle()
        assert before.client.sessions == {}


# --- loading or resuming that is cancelled ---------------------------------------------------


async def abandon(version: Version, kind: str, script: Script, before: Any) -> Any:
    """Begin to bring a session back, and cancel that. Return the id of the request."""
    coming, id_ = await coming_back(script, version, kind, before)
    script.write(chunk("re"))
    await settle()
    coming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await coming
    assert await script.read() == withdrawal(id_)
    assert before.client.sessions == {SESSION: before}
    return id_


@each_way_back
async def test_a_session_that_was_unknown_before_stays_unknown(version: Version, kind: str) -> None:
    async with client(version) as (script, other):
        coming, id_ = await coming_back(script, version, kind, other, "x")
        coming.cancel()
        await settle()
        assert await script.read() == withdrawal(id_)
        script.write(chunk("a", session="x"), result(id_), chunk("b", session="x"))
        await settle()
        assert other.client.sessions == {SESSION: other}


@each_way_back
async def test_loading_again_waits_for_the_answer(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        id_ = await abandon(version, kind, script, before)
        coming = bring_back(version, kind, before)
        await settle()
        script.write(chunk("play"), failure(id_, REQUEST_CANCELLED))
        id_ = await read_bring_back(script, version, kind)  # and not before the answer
        script.write(chunk("again"), result(id_))
        session = await coming
        assert session is before
        assert texts(session) == ["again"]
        assert before.client.sessions == {SESSION: session}


@each_way_back
async def test_the_end_of_the_connection_ends_that_wait(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        await abandon(version, kind, script, before)
        coming = bring_back(version, kind, before)
        await settle()
        await script.close()
        with pytest.raises(ConnectionClosed):
            await coming
        assert before.client.sessions == {SESSION: before}


@logs("ignored a message: a response to no pending request, id 2")
@each_way_back
async def test_when_the_answer_is_given_up_the_earlier_session_is_back(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        before.peer._connection._calls._limits = Limits(cancelled_calls=1)
        id_ = await abandon(version, kind, script, before)
        coming, other = await coming_back(script, version, kind, before, "other")
        coming.cancel()
        assert await script.read() == withdrawal(other)
        script.write(chunk("a"), result(id_))
        await settle()
        assert texts(before) == ["a"]


@each_way_back
async def test_closing_the_earlier_session_meanwhile_closes_it(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        id_ = await abandon(version, kind, script, before)
        await close(script, before)
        script.write(chunk("a"), result(id_), chunk("b"))
        await settle()
        assert before.client.sessions == {}


# --- turns that begin meanwhile --------------------------------------------------------------


@pytest.mark.parametrize("is_connected", [True, False])
async def test_a_turn_that_begins_meanwhile_ends(is_connected: bool) -> None:
    async with client(V2) as (script, before):
        coming, resumed = await coming_back(script, V2, "resume", before)
        turn = await before.prompt("Hi").__aenter__()
        script.write(result(resumed), *V2.accepted(await script.prompt()))
        await coming
        if is_connected:
            script.write(state("idle", stopReason="refusal"))
            await turn.wait()
            assert turn.stop_reason == "refusal"
        else:
            await script.close()
            with pytest.raises(ConnectionClosed):
                await turn.wait()


async def test_a_turn_that_begins_after_an_abandoned_load_gets_its_updates() -> None:
    async with client(V2) as (script, session):
        load = await abandon(V2, "resume", script, session)
        async with prompted(V2, script, session, chunk("play")) as (turn, id_):
            script.write(*V2.stopped(id_))
            await settle()
            assert turn.is_over
            script.write(result(load))
        assert texts(session) == []
