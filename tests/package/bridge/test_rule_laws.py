"""Laws of the rules: what they make is strictly valid, and what they leave alone is equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from acp_bindings.bridge import tables
from acp_bindings.runtime.bridge.rules import LOST, Conversion, Table
from acpgen.analysis.surface import understand
from acpgen.common import paths
from acpgen.diff.correspondence.bridging import build_bridge
from acpgen.inputs.overlay.reading import load_overlay
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from package.laws.instances import ENTROPY, Choices, generate
from package.laws.library import encode, same
from package.laws.schemas import SURFACES, oracle

DIRECTIONS = {
    "to_newer": ("v1", "v2", tables.TO_NEWER, tables.TO_OLDER),
    "to_older": ("v2", "v1", tables.TO_OLDER, tables.TO_NEWER),
}
# Definitions for which going back is another thing than coming.
ONE_WAY = {
    "Diff": "a patch has no texts, and texts no numbers of lines",
    "ToolCallContent": "it holds diffs",
    "ToolCallUpdate": "it holds diffs",
    "ToolCall": "it holds diffs",
}


@pytest.fixture(scope="module")
def counterparts() -> dict[str, Mapping[str, str]]:
    """By direction, the definitions that were compared, with their counterparts."""
    surfaces, _ = understand(None, ["v1", "v2"])
    bridge = build_bridge(surfaces, load_overlay(paths.SCHEMA / "overlay").bridge)
    assert bridge is not None
    return {direction: getattr(bridge, direction).counterparts for direction in DIRECTIONS}


def convert(table: Table, name: str, value: Any) -> tuple[Any, list[str]]:
    losses: list[str] = []
    conversion = Conversion(table, lambda path, reason: losses.append(reason))
    return conversion.convert(name, value), losses


@pytest.mark.parametrize("direction", DIRECTIONS)
@given(data=st.binary(min_size=ENTROPY, max_size=ENTROPY))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_converted_is_valid(
    direction: str, data: bytes, counterparts: dict[str, Mapping[str, str]]
) -> None:
    source, target, table, back = DIRECTIONS[direction]
    sent, expected = SURFACES[source], SURFACES[target]
    names = [name for name in counterparts[direction] if name in sent.names]
    assert len(names) > 80
    for name in names:
        other = counterparts[direction][name]
        if other not in expected.names:
            continue
        value = generate(sent, name, Choices(data)).value
        value = encode(sent, name, sent.module.decode(sent.module.TYPES[name], value))
        converted, losses = convert(table, name, value)
        if converted is LOST:
            assert losses, f"{name}: {value!r} is lost without a word"
            continue
        is_valid = oracle(expected).is_valid(other, converted)
        assert is_valid, f"{name}: {value!r} became {converted!r}, which is no {other}"
        if losses or name in ONE_WAY:
            continue
        # There and back is the identity on what both versions can say.
        again, losses = convert(back, other, converted)
        if again is LOST:
            assert losses, f"{name}: {converted!r} is lost on the way back"
            continue
        there, _ = convert(table, name, again)
        assert same(there, converted), f"{name}: {value!r}, {converted!r}, then {there!r}"
