"""State, turns and their usage follow the messages as they arrive; handlers run after that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime import LimitExceeded
from acp_bindings.runtime.jsonrpc import Limits
from package.session.client_turns import (
    bring_back,
    each_way_back,
    prompted,
    read_bring_back,
    texts,
)
from package.session.scripted import (
    SESSION,
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Json,
    Version,
    chunk,
    client,
    each_surface,
    each_version,
    result,
    settle,
    stray,
    update,
    used,
)


async def words_of(turn: Any) -> list[str]:
    """The texts that the updates of a turn say."""
    return [u.content.text for u in [u async for u in turn] if hasattr(u, "content")]


@each_version
async def test_no_update_is_lost_while_a_handler_calls_the_agent(version: Version) -> None:
    """The updates behind it belong to the turn, too: the state has them when the turn ends."""
    handled: list[str] = []

    async def ask_back(params: Any) -> None:
        said = getattr(params.update, "content", None)
        if said and said.text == "1":
            await version.surface.AgentStub(session.peer).ext_request("_ask", None)
        handled.extend([said.text] if said else [])

    async with client(version, session_update=ask_back) as (script, session):
        async with prompted(version, script, session, chunk("1"), chunk("2")) as (turn, id_):
            asked = await script.read()
            assert asked["method"] == "_ask"
            script.write(chunk("3"), *version.stopped(id_))
            await settle()
            assert turn.is_over
            assert texts(session) == ["123"]
            script.write(result(asked["id"]))
        assert await words_of(turn) == ["1", "2", "3"]
        await settle()
        assert handled == ["1", "2", "3"]


@each_way_back
async def test_no_update_of_a_loaded_session_is_lost_while_a_handler_calls_the_agent(
    version: Version, kind: str
) -> None:
    async def ask_back(params: Any) -> None:
        if params.update.content.text == "1":
            await version.surface.AgentStub(session.peer).ext_request("_ask", None)

    async with client(version, session_update=ask_back) as (script, session):
        opening = bring_back(version, kind, session, "again")
        id_ = await read_bring_back(script, version, kind, "again")
        script.write(chunk("1", session="again"), chunk("2", session="again"), result(id_))
        script.write(result((await script.read())["id"]))
        assert texts(await opening) == ["12"]


@each_version
@pytest.mark.logs(stray("other"))
async def test_a_slow_handler_of_another_session_delays_no_turn_nor_adds_to_it(
    version: Version,
) -> None:
    go_on = asyncio.Event()

    async def slow(params: Any) -> None:
        if params.session_id != SESSION:
            await go_on.wait()

    async with client(version, session_update=slow) as (script, session):
        elsewhere = chunk("other", session="other")
        async with prompted(version, script, session, elsewhere) as (turn, id_):
            script.write(chunk("in"), *version.stopped(id_), chunk("out"))
        assert turn.stop_reason == "end_turn"
        go_on.set()
        assert await words_of(turn) == ["in"]


@each_version
async def test_the_end_of_a_turn_waits_for_the_handlers_of_its_updates(version: Version) -> None:
    handled: list[str] = []

    async def slow(params: Any) -> None:
        await settle()
        handled.append(getattr(getattr(params.update, "content", None), "text", "state"))

    async with client(version, session_update=slow) as (script, session):
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            script.write(chunk("b"), *version.stopped(id_))
            await asyncio.sleep(0.001)
            assert turn.is_over
        assert [each for each in handled if each != "state"] == ["a", "b"]


# --- escapes ---------------------------------------------------------------------------------


@each_version
async def test_a_wait_for_a_turn_can_be_limited(version: Version) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session) as (turn, id_):
            with pytest.raises(TimeoutError, match=r"within 0\.01 seconds"):
                await turn.wait(timeout=0.01)
            assert not turn.is_over
            before = turn.quiet_for
            assert before > 0
            script.write(chunk("a"))
            await settle()
            assert turn.quiet_for < before
            script.write(*version.stopped(id_))
            await turn.wait(timeout=60)
        assert turn.stop_reason == "end_turn"


async def test_a_turn_that_was_not_entered_is_neither_waited_for_nor_ended() -> None:
    async with client(V2) as (_, session):
        turn = session.prompt("Hi")
        for ending in (turn.wait(), turn.stop()):
            with pytest.raises(RuntimeError, match="enter the turn"):
                await ending
        turn.abandon()
        assert not turn.is_over


@each_version
async def test_an_abandoned_turn_is_over_at_once(version: Version) -> None:
    async with client(version) as (script, session):
        turn = session.prompt("Hi")
        async with turn:
            id_ = await script.prompt()
            turn.abandon()
            assert turn.is_over
        assert turn.is_cancelled
        assert turn.stop_reason is None
        assert turn.ending is None
        assert session.turns == []
        read = [await script.read() for _ in range(2)]
        assert [each["method"] for each in read] == ["session/cancel", "$/cancel_request"]
        script.write(*version.accepted(id_), *version.stopped(id_, "cancelled"))
        await settle()
        assert turn.stop_reason is None


async def test_updates_that_nobody_reads_have_a_limit() -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(backlog=3)
        async with prompted(V2, script, session) as (turn, id_):
            script.write(*(chunk(str(number)) for number in range(5)), *V2.stopped(id_))
            await settle()
            with pytest.raises(LimitExceeded, match="updates were dropped"):
                await anext(turn)
            assert await words_of(turn) == ["3", "4"]
        assert texts(session) == ["01234"]


@pytest.mark.logs(stray("stray 0"))
async def test_sessions_that_only_stray_updates_name_have_a_limit() -> None:
    async with client(V2) as (script, session):
        session.peer.limits = Limits(stray_sessions=2)
        script.write(*(chunk("x", session=f"stray {number}") for number in range(5)))
        await settle()
        assert list(session.client.sessions) == [SESSION, "stray 3", "stray 4"]
        kept = session.client.session("stray 3")
        script.write(*(chunk("x", session=f"late {number}") for number in range(5)))
        await settle()
        assert session.client.sessions["stray 3"] is kept


# --- usage -----------------------------------------------------------------------------------


@each_surface
async def test_usage_is_what_was_last_said_in_the_turn(version: Version) -> None:
    async with client(version) as (script, session):
        script.write(used(1))
        await settle()
        async with prompted(version, script, session, chunk("a")) as (turn, id_):
            assert turn.usage is None
            script.write(*version.stopped(id_))
        assert turn.usage is None
        async with prompted(version, script, session, used(2), chunk("a"), used(3)) as (turn, id_):
            script.write(*version.stopped(id_))
        last = version.surface.UsageUpdate(used=3, size=100)
        assert turn.usage == last
        script.write(used(4))
        await settle()
        assert (turn.usage, session.state.usage.used) == (last, 4)


async def test_v2_usage_of_a_turn_keeps_what_its_updates_left_out() -> None:
    cost = {"amount": 1.5, "currency": "EUR"}
    first = update(sessionUpdate="usage_update", used=1, size=9, cost=cost)
    async with client(V2) as (script, session):
        async with prompted(V2, script, session, first) as (turn, id_):
            script.write(used(2), *V2.stopped(id_))
        expected = v2.Cost(amount=1.5, currency="EUR")
        assert turn.usage == v2.UsageUpdate(used=2, size=100, cost=expected)


@pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)
@pytest.mark.parametrize("usage", [None, {"totalTokens": 9, "inputTokens": 5, "outputTokens": 4}])
async def test_usage_is_what_the_ending_says_if_it_does_whatever_comes_behind(
    version: Version, usage: Json
) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session, used(2)) as (turn, id_):
            script.write(*version.stopped(id_, usage=usage), *([used(3)] if usage else []))
        await settle()
        expected = version.surface.UsageUpdate(used=2, size=100)
        if usage is not None:
            expected = version.surface.Usage(total_tokens=9, input_tokens=5, output_tokens=4)
        assert turn.usage == expected
