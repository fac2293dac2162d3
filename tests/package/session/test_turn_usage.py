"""The usage of a turn where the schema lets the ending report it, too."""

from __future__ import annotations

import pytest
from acp_bindings.runtime import UNSET
from package.session.scripted import (
    V1_UNSTABLE,
    V2_UNSTABLE,
    Version,
    chunk,
    client,
    run,
    settle,
    used,
)

each_unstable = pytest.mark.parametrize("version", [V1_UNSTABLE, V2_UNSTABLE], ids=str)


@each_unstable
def test_an_ending_without_usage_leaves_the_last_report(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), used(2), chunk("a"), used(3))
                script.write(*version.stopped(id_))
            assert turn.ending is not None
            assert turn.ending.usage is UNSET
            assert turn.usage == version.surface.UsageUpdate(used=3, size=100)

    run(main())


@each_unstable
def test_without_a_report_in_the_turn_there_is_no_usage(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            script.write(used(1))
            await settle()
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), chunk("a"), *version.stopped(id_))
            assert session.state.usage is not None
            assert turn.usage is None

    run(main())


@each_unstable
def test_the_ending_counts_more_than_a_report_behind_it(version: Version) -> None:
    async def main() -> None:
        async with client(version) as (script, session):
            usage = {"totalTokens": 9, "inputTokens": 5, "outputTokens": 4}
            async with session.prompt("Hi") as turn:
                id_ = await script.prompt()
                script.write(*version.accepted(id_), used(2))
                script.write(*version.stopped(id_, usage=usage), used(3))
            await settle()
            assert turn.usage is turn.ending.usage
            assert turn.usage.total_tokens == 9

    run(main())
