"""Loading or resuming a session that is cancelled: what the agent still sends for it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime import REQUEST_CANCELLED, ConnectionClosed
from acp_bindings.runtime.jsonrpc.limits import Limits
from package.jsonrpc.wire import cancel as withdrawal
from package.session.client_turns import (
    bring_back,
    each_way_back,
    read_bring_back,
    texts,
)
from package.session.scripted import (
    SESSION,
    V2,
    Script,
    Version,
    chunk,
    client,
    failure,
    result,
    run,
    settle,
    state,
)


async def abandon(version: Version, kind: str, script: Script, before: Any) -> Any:
    """Begin to bring a session back, and cancel that. Return the id of the request."""
    coming = bring_back(version, kind, before)
    id_ = await read_bring_back(script, version, kind)
    script.write(chunk("re"))
    await settle()
    coming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await coming
    assert await script.read() == withdrawal(id_)
    assert before.client.sessions == {SESSION: before}
    return id_


@each_way_back
@pytest.mark.parametrize("is_answered", [True, False])
async def test_the_rest_of_the_replay_is_not_added_to_the_earlier_session(
    version: Version, kind: str, is_answered: bool
) -> None:
    async with client(version) as (script, before):
        script.write(chunk("replay"))
        id_ = await abandon(version, kind, script, before)
        script.write(chunk("play"))
        await settle()
        answer = result(id_) if is_answered else failure(id_, REQUEST_CANCELLED)
        script.write(chunk("!"), answer, chunk(", new"))
        await settle()
        assert texts(before) == ["replay, new"]
        assert before.client.sessions == {SESSION: before}


@each_way_back
async def test_a_session_that_was_unknown_before_stays_unknown(version: Version, kind: str) -> None:
    async with client(version) as (script, other):
        coming = bring_back(version, kind, other, "x")
        id_ = await read_bring_back(script, version, kind, "x")
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


@each_way_back
@logs("ignored a message: a response to no pending request, id 2")
async def test_when_the_answer_is_given_up_the_earlier_session_is_back(
    version: Version, kind: str
) -> None:
    async with client(version) as (script, before):
        before.peer._connection._calls._limits = Limits(cancelled_calls=1)
        id_ = await abandon(version, kind, script, before)
        coming = bring_back(version, kind, before, "other")
        other = await read_bring_back(script, version, kind, "other")
        coming.cancel()
        assert await script.read() == withdrawal(other)
        script.write(chunk("a"), result(id_))
        await settle()
        assert texts(before) == ["a"]


@each_way_back
async def test_closing_the_earlier_session_meanwhile_closes_it(version: Version, kind: str) -> None:
    async with client(version) as (script, before):
        id_ = await abandon(version, kind, script, before)
        closing = asyncio.create_task(before.close())
        script.write(result(await script.request("session/close", sessionId=SESSION)))
        await closing
        script.write(chunk("a"), result(id_), chunk("b"))
        await settle()
        assert before.client.sessions == {}


# --- turns that begin meanwhile --------------------------------------------------------------


async def test_a_turn_that_begins_meanwhile_ends() -> None:
    async with client(V2) as (script, before):
        coming = bring_back(V2, "resume", before)
        resumed = await read_bring_back(script, V2, "resume")
        async with before.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(result(resumed))
            await coming
            script.write(*V2.accepted(id_), state("idle", stopReason="refusal"))
        assert turn.stop_reason == "refusal"


async def test_a_turn_that_begins_meanwhile_ends_with_the_connection() -> None:
    async with client(V2) as (script, before):
        coming = bring_back(V2, "resume", before)
        resumed = await read_bring_back(script, V2, "resume")
        turn = before.prompt("Hi")
        await turn.__aenter__()
        script.write(result(resumed), *V2.accepted(await script.prompt()))
        await coming
        await script.close()
        with pytest.raises(ConnectionClosed):
            await turn.wait()


async def test_a_turn_that_begins_after_an_abandoned_load_gets_its_updates() -> None:
    async with client(V2) as (script, session):
        load = await abandon(V2, "resume", script, session)
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*V2.accepted(id_), chunk("play"), *V2.stopped(id_))
            await settle()
            assert turn.is_over
            script.write(result(load))
        assert texts(session) == []
