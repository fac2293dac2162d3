"""Tests that converted values are strictly valid and that round trips restore the values.

Values are drawn from one version's schema and validated against the other version's schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from acp_bindings.bridge import tables
from acp_bindings.runtime.bridge.rules import (
    LOST,
    Conversion,
    Entries,
    Items,
    Members,
    Range,
    Table,
    Values,
)
from acp_bindings.runtime.values.errors import DecodeError, pointer
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.diff.bridge_rules.build import build_bridge
from acpgen.inputs.overlay.reading import load_overlay
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.package.laws.instances import ENTROPY, Choices, generate
from tests.package.laws.library import encode, same
from tests.package.laws.schemas import SURFACES, Json, Surface, oracle

DIRECTIONS: Mapping[str, tuple[str, str, Table]] = {
    "to_newer": ("v1", "v2", tables.TO_NEWER),
    "to_older": ("v2", "v1", tables.TO_OLDER),
}
BACK = {"to_newer": "to_older", "to_older": "to_newer"}
# Definitions whose values can change in a round trip without a reported loss, and the reasons.
ONE_WAY: Mapping[str, str] = {
    "CreateElicitationRequest": "it contains a schema",
    "ElicitationSchema": "its constant `type` can be omitted only in the older version",
}
draws = given(data=st.binary(min_size=ENTROPY, max_size=ENTROPY))
often = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def counterparts() -> dict[str, Mapping[str, str]]:
    """The counterpart of each definition, by direction and name."""
    surfaces, _ = understand(None, ["v1", "v2"])
    bridge = build_bridge(surfaces, load_overlay(paths.SCHEMA / "overlay").bridge)
    assert bridge is not None
    return {
        "to_newer": bridge.to_newer.counterparts,
        "to_older": bridge.to_older.counterparts,
    }


def pairs(direction: str, counterparts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the names of corresponding definitions in the two schemas."""
    source, target, _ = DIRECTIONS[direction]
    for name, other in counterparts.items():
        if name in SURFACES[source].names and other in SURFACES[target].names:
            yield name, other


def drawn(surface: Surface, name: str, data: bytes) -> Json:
    """Return a random value, decoded and encoded again, as a bridge receives it."""
    value = generate(surface, name, Choices(data)).value
    return encode(surface, name, surface.module.decode(surface.module.TYPES[name], value))


def convert(direction: str, name: str, value: Json) -> tuple[Json, list[str]]:
    losses: list[str] = []
    conversion = Conversion(DIRECTIONS[direction][2], lambda path, reason: losses.append(reason))
    return conversion.convert(name, value), losses


RANGE = Range(minimum=0, maximum=1)
STRICT = Members(required=frozenset({"a"}), not_null=frozenset({"a", "b"}), fields={"a": "Letter"})
OTHER = Members(
    renamed={"old": "new"},
    lost={"gone": "there is no place for it"},
    foreign=frozenset({"title"}),
    implied=frozenset({"type"}),
    added={"title": "t"},
)
FOREIGN = "the other protocol version defines a field with this name"
LETTERS: Table = {"Letter": Values(frozenset("xy"), replaced={"z": "x"})}


@pytest.mark.parametrize(
    ("rule", "value", "converted", "losses"),
    [
        (RANGE, 0, 0, []),
        (RANGE, 1, 1, []),
        (RANGE, -0.5, LOST, [": -0.5 is out of range in the other protocol version; omitting it"]),
        (RANGE, 1.5, LOST, [": 1.5 is out of range in the other protocol version; omitting it"]),
        (Range(maximum=1), -9, -9, []),
        (Range(minimum=0), 9, 9, []),
        (Items(least=1), [1], [1], []),
        (Items(least=1), [], LOST, [": the other protocol version requires at least 1 items"]),
        (
            Items("Letter"),
            ["x", "q", "z"],
            ["x", "x"],
            [
                "/1: the other protocol version does not define 'q'; omitting it",
                "/2: the other protocol version does not define 'z'; replacing it with 'x'",
            ],
        ),
        (
            Entries("Letter"),
            {"a": "x", "b": "q"},
            {"a": "x"},
            ["/b: the other protocol version does not define 'q'; omitting it"],
        ),
        (OTHER, {"old": 1, "type": "a", "b": 2}, {"title": "t", "new": 1, "b": 2}, []),
        (OTHER, {"gone": None, "title": "t"}, {"title": "t"}, []),
        (
            OTHER,
            {"gone": 1, "title": "u"},
            {"title": "t"},
            ["/gone: there is no place for it", f"/title: {FOREIGN}"],
        ),
        (STRICT, {"a": "y", "b": 1, "c": None}, {"a": "y", "b": 1, "c": None}, []),
        (STRICT, {"a": "y", "b": None}, {"a": "y"}, []),
        (
            STRICT,
            {"a": None},
            LOST,
            [
                "/a: the other protocol version does not allow null",
                ": the other protocol version requires 'a'",
            ],
        ),
        (
            STRICT,
            {"a": "q"},
            LOST,
            [
                "/a: the other protocol version does not define 'q'; omitting it",
                ": the other protocol version requires 'a'",
            ],
        ),
    ],
)
def test_a_rule_converts_or_omits_a_value(
    rule: Any, value: Json, converted: Json, losses: list[str]
) -> None:
    found: list[str] = []
    to = Conversion(LETTERS, lambda path, reason: found.append(f"{pointer(path)}: {reason}"))
    assert rule.convert(value, (), to) == converted
    assert found == losses


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_is_converted_is_valid(
    direction: str, counterparts: dict[str, Mapping[str, str]]
) -> None:
    source, target, _ = DIRECTIONS[direction]
    outcomes: Counter[str] = Counter()

    @draws
    @often
    def check(data: bytes) -> None:
        for name, other in pairs(direction, counterparts[direction]):
            value = drawn(SURFACES[source], name, data)
            converted, losses = convert(direction, name, value)
            if converted is LOST:
                assert losses, f"{name}: {value!r} is lost without a word"
                outcomes["lost"] += 1
                continue
            is_valid = oracle(SURFACES[target]).is_valid(other, converted)
            assert is_valid, f"{name}: {value!r} became {converted!r}, which is no {other}"
            outcomes["in part" if losses else "whole"] += 1

    check()
    assert outcomes["whole"] > 1_000
    assert outcomes["in part"] > 10
    assert outcomes["lost"] > 10


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_members_of_the_other_version_have_no_meaning_here(
    direction: str, counterparts: dict[str, Mapping[str, str]]
) -> None:
    source, target, _ = DIRECTIONS[direction]
    sent, expected = SURFACES[source], SURFACES[target]
    count = 0
    for name, other in pairs(direction, counterparts[direction]):
        value = drawn(sent, name, b"")
        for member in members(expected, other) - members(sent, name) - {"_meta"}:
            if not isinstance(value, dict):
                continue
            mistaken = {**value, member: 5}
            try:
                sent.module.decode(sent.module.TYPES[name], mistaken, strict=True)
            except DecodeError:
                continue  # the field is also a tag in this schema
            converted, losses = convert(direction, name, mistaken)
            assert losses, f"{name}: nobody is told of the member {member!r}"
            assert converted is LOST or oracle(expected).is_valid(other, converted)
            count += 1
    assert count > 2


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_there_and_back_is_the_identity(
    direction: str, counterparts: dict[str, Mapping[str, str]]
) -> None:
    source, _, _ = DIRECTIONS[direction]
    back = BACK[direction]
    changed: dict[str, str] = {}
    compared: Counter[str] = Counter()

    @draws
    @often
    def check(data: bytes) -> None:
        for name, other in pairs(direction, counterparts[direction]):
            if counterparts[back].get(other) is None:
                continue  # only handwritten code converts it back
            value = drawn(SURFACES[source], name, data)
            converted, losses = convert(direction, name, value)
            if converted is LOST or losses:
                continue
            again, losses = convert(back, other, converted)
            compared[name] += 1
            if not losses and not same(said(again), said(value)):
                changed.setdefault(name, f"{name}: {value!r}, {converted!r}, {again!r}")

    check()
    assert compared.total() > 1_000
    changed = {name: example for name, example in changed.items() if name not in ONE_WAY}
    assert not changed, "\n".join(changed.values())


def said(value: Json) -> Json:
    """Return a value without fields that contain null, an empty list or an empty object.

    The versions differ in which empty fields they require or allow.
    """
    if isinstance(value, dict):
        inner = {name: said(member) for name, member in value.items()}
        return {name: member for name, member in inner.items() if member not in (None, [], {})}
    return [said(item) for item in value] if isinstance(value, list) else value


def members(surface: Surface, name: str) -> set[str]:
    """Return the names in a definition's own `properties`."""
    schema: dict[str, Any] = surface.definitions[name]
    return set(schema.get("properties", {}))
