"""Conformance checks of mutated output, which must never cause an internal error or a hang."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from acpgen.inputs.overlay.requirements import RequiredOf
from acpwire.conform import judging
from acpwire.conform.judging import NotSpoken
from acpwire.conform.player import Probe
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.surfaces import VERSIONS

from tests.acpwire.conform.here import SIDES, Change, report_on

VALUES: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "ü", "\ud800", [], [[]], {}, {"a": 1}, [{}]]
LINES = [b"", b"\xff", b"[]", b"[1, {}]", b"null", b'{"id": 1', b"[" * 5_000, b'"' + b"x" * 9_000]


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a copy of a JSON value with one nested value replaced or removed."""
    if type(value) in (dict, list) and value and chance.random() < 0.85:
        items = dict(value) if type(value) is dict else dict(enumerate(value))
        key = chance.choice(list(items))
        if chance.random() < 0.15:
            del items[key]
        else:
            items[key] = mutated(items[key], chance)
        return items if type(value) is dict else list(items.values())
    return chance.choice(VALUES)


def mutating(chance: random.Random) -> Callable[[], Change]:
    """Return a factory for functions that randomly drop, repeat or alter messages."""

    def change(data: bytes) -> list[bytes]:
        if chance.random() > 0.25:
            return [data]
        if chance.random() < 0.2:
            return chance.choice([[], [data, data], [chance.choice(LINES), data]])
        return [json.dumps(mutated(json.loads(data), chance)).encode()]

    return lambda: change


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("side", SIDES)
def test_random_changes_lead_to_verdicts(
    side: RequiredOf, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "AT_ONCE", 50)
    judged = 0
    for seed in range(5):
        chance = random.Random(f"{side} {version} {seed}")
        try:
            report = report_on(side, version, mutating(chance))
        except NotSpoken:  # the mutations suggested another protocol version
            continue
        assert report.errors == {}, seed
        assert {"failed", "not reached"} & {each.status for each in report.verdicts}
        judged += 1
    assert judged > 1


def test_agent_that_repeats_the_version_and_answers_in_another_one() -> None:
    def change(data: bytes) -> list[bytes]:
        return [data.replace(b'"configId"', b'"id"')]

    report = report_on("agent", 2, lambda: change)
    assert report.errors == {}
    assert {"set-option", "valid-results"} & {
        each.requirement.id for each in report.verdicts if each.status == "failed"
    }


def test_options_with_odd_ids_lead_to_verdicts() -> None:
    report = report_on("agent", 2, lambda: lambda data: [data.replace(b'"x"', b'["x"]')])
    assert report.errors == {}


def test_error_of_a_probe_is_reported_and_ends_nothing_else() -> None:
    async def play(player: Any) -> None:
        await player.initialize()
        raise LookupError("a mistake of the judge")

    broken = Probe("broken", ("meta",), play)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlayedClient, "probes", [*PlayedClient.probes, broken])
        report = report_on("agent", 1)
    assert list(report.errors) == ["broken"]
    assert "LookupError('a mistake of the judge')" in report.errors["broken"]
    assert not report.conforms
    assert {each.requirement.id for each in report.verdicts if each.status == "failed"} == set()


def test_some_failures_of_a_requirement_are_kept() -> None:
    report = report_on("agent", 1, lambda: lambda data: [b"starting", data])
    [verdict] = [each for each in report.verdicts if each.requirement.id == "json-lines"]
    assert [failure.came for failure in verdict.failures] == ["starting"] * 3
