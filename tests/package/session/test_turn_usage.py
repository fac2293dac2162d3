"""The usage of a turn: the last report in it, or what its ending says."""

from __future__ import annotations

import pytest
from acp_bindings import v2
from acp_bindings.runtime import UNSET
from package.session.agent_work import async_test
from package.session.client_turns import prompted
from package.session.scripted import (
    V1_UNSTABLE,
    V2,
    V2_UNSTABLE,
    Version,
    chunk,
    client,
    each_version,
    settle,
    update,
    used,
)

each_unstable = pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)


@each_version
@async_test()
async def test_usage_is_what_was_last_said_in_the_turn(version: Version) -> None:
    async with client(version) as (script, session):
        script.write(used(1))
        await settle()
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            assert turn.usage is None
            script.write(*version.accepted(id_), *version.stopped(id_))
        assert turn.usage is None
        async with prompted(version, script, session, used(2), chunk("a"), used(3)) as (
            turn,
            id_,
        ):
            script.write(*version.stopped(id_))
        assert turn.usage == version.surface.UsageUpdate(used=3, size=100)


@async_test()
async def test_v2_usage_of_a_turn_keeps_what_its_updates_left_out() -> None:
    async with client(V2) as (script, session):
        cost = {"amount": 1.5, "currency": "EUR"}
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*V2.accepted(id_))
            script.write(update(sessionUpdate="usage_update", used=1, size=9, cost=cost))
            script.write(used(2), *V2.stopped(id_))
        assert turn.usage == v2.UsageUpdate(
            used=2, size=100, cost=v2.Cost(amount=1.5, currency="EUR")
        )


# --- endings that may report it, too ----------------------------------------------------------


@each_unstable
@pytest.mark.parametrize("is_null", [True, False])
@async_test()
async def test_usage_is_what_the_ending_says_if_it_does(version: Version, is_null: bool) -> None:
    usage = {"totalTokens": 9, "inputTokens": 5, "outputTokens": 4}
    async with client(version) as (script, session):
        async with prompted(version, script, session, used(2)) as (turn, id_):
            script.write(*version.stopped(id_, usage=None if is_null else usage))
        if is_null:
            assert turn.usage == version.surface.UsageUpdate(used=2, size=100)
        else:
            assert turn.usage == version.surface.Usage(
                total_tokens=9, input_tokens=5, output_tokens=4
            )


@each_unstable
@async_test()
async def test_an_ending_without_usage_leaves_the_last_report(version: Version) -> None:
    async with client(version) as (script, session):
        async with prompted(version, script, session, used(2), chunk("a"), used(3)) as (
            turn,
            id_,
        ):
            script.write(*version.stopped(id_))
        assert turn.ending is not None
        assert turn.ending.usage is UNSET
        assert turn.usage == version.surface.UsageUpdate(used=3, size=100)


@each_unstable
@async_test()
async def test_without_a_report_in_the_turn_there_is_no_usage(version: Version) -> None:
    async with client(version) as (script, session):
        script.write(used(1))
        await settle()
        async with session.prompt("Hi") as turn:
            id_ = await script.prompt()
            script.write(*version.accepted(id_), chunk("a"), *version.stopped(id_))
        assert session.state.usage is not None
        assert turn.usage is None


@each_unstable
@async_test()
async def test_the_ending_counts_more_than_a_report_behind_it(version: Version) -> None:
    async with client(version) as (script, session):
        usage = {"totalTokens": 9, "inputTokens": 5, "outputTokens": 4}
        async with prompted(version, script, session, used(2)) as (turn, id_):
            script.write(*version.stopped(id_, usage=usage), used(3))
        await settle()
        assert turn.usage is turn.ending.usage
        assert turn.usage.total_tokens == 9
