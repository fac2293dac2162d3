"""Tests of how the definitions and methods of two surfaces are matched."""

from __future__ import annotations

import pytest
from acpgen.diff.matching import match

from tests.acpgen.diff.small import INTEGER, STRING, Schema, envelopes, method, read, record, ref


def matched(old: dict[str, Schema], new: dict[str, Schema]) -> dict[str, str]:
    """Return the old and the new name of each matched definition whose name changed."""
    found = match(read(old), read(new)).definitions
    return {before: after for before, after in found.items() if before != after}


def test_position_takes_precedence_over_structure() -> None:
    def versions(params: str, inner: str) -> dict[str, Schema]:
        schema = method("m", x=ref(inner), y=STRING)
        return {params: schema, **envelopes(notifications=(params,))}

    telling = record(a=STRING, b=STRING, c=STRING)
    old = {**versions("Params", "Inner"), "Inner": telling}
    changed = record(a=STRING, b=STRING, c=INTEGER)
    new = {**versions("Renamed", "Moved"), "Moved": changed, "Same": telling}
    assert matched(old, new) == {"Params": "Renamed", "Inner": "Moved"}


def test_params_and_result_of_a_renamed_method_match() -> None:
    def versions(wire: str, params: str, result: str, kind: Schema) -> dict[str, Schema]:
        return {
            params: method(wire, a=STRING, b=STRING),
            result: {**record(c=STRING, d=kind), "x-method": wire, "x-side": "agent"},
            **envelopes({params: result}),
        }

    old = versions("m", "Params", "Result", STRING)
    new = versions("n", "NewParams", "NewResult", INTEGER)
    assert matched(old, new) == {"Params": "NewParams", "Result": "NewResult"}
    found = match(read(old), read(new)).methods
    assert [(before[1], after[1]) for before, after in found.items()] == [("m", "n")]


@pytest.mark.parametrize(
    ("fields", "is_match"),
    [({"sessionId": STRING, "_meta": {}}, False), ({"sessionId": STRING, "a": STRING}, True)],
)
def test_common_fields_alone_do_not_match_methods(fields: Schema, is_match: bool) -> None:
    def versions(wire: str, params: str) -> dict[str, Schema]:
        return {params: method(wire, **fields), **envelopes(notifications=(params,))}

    found = match(read(versions("m", "Params")), read(versions("n", "Others"))).methods
    assert bool(found) == is_match


def test_a_method_that_remains_is_not_renamed() -> None:
    def versions(*wires: str) -> dict[str, Schema]:
        params = {f"Params{wire}": method(wire, a=STRING, b=STRING) for wire in wires}
        return {**params, **envelopes(notifications=tuple(params))}

    found = match(read(versions("m", "r")), read(versions("m", "n"))).methods
    assert {before[1]: after[1] for before, after in found.items()} == {"m": "m", "r": "n"}


def test_definitions_inside_a_match_by_structure_match_by_position() -> None:
    telling = {"a": STRING, "b": STRING}
    old = {"Outer": record(**telling, x=ref("Inner")), "Inner": record(c=STRING, d=STRING)}
    new = {"Moved": record(**telling, x=ref("Other")), "Other": record(c=STRING, d=INTEGER)}
    assert matched(old, new) == {"Outer": "Moved", "Inner": "Other"}
