"""Tests of sample values, with and without an entry in `samples.toml`."""

from __future__ import annotations

from typing import Any

import pytest
from acpdocs.facts.sample_values import NoSampleError, Samples

from tests.acpgen.diff.small import INTEGER, STRING, Schema, read, record, ref, union

# No sample is derived for a string with this pattern.
ODD = {"type": "string", "pattern": "^7{3}$"}


def sample(shape: Schema, name: str = "odd_one", **definitions: Schema) -> Any:
    """Return the sample of a field with this shape, and check its Python expression."""
    samples = Samples(read({"Holder": record(name, **{name: shape}), **definitions}))
    found = samples.of_definition("Holder")
    made: Any = eval(found.python, {"Holder": dict, "Other": dict})
    assert made == found.value
    return found.value[name]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({"type": "boolean"}, True),
        (STRING, "odd-one"),
        ({"type": "string", "minLength": 7}, "odd-one"),
        ({"type": "string", "minLength": 8}, "aaaaaaaa"),
        ({"type": "string", "pattern": "^[a-z]*$"}, "oddone"),
        ({"type": "string", "pattern": "^[0-9]$"}, "1"),
        ({"type": "string", "pattern": "^a$"}, "a"),
        ({"type": "string", "pattern": "^[A-Z]$"}, "A"),
        ({"type": "string", "pattern": "^[a-z]-[0-9]$"}, "a-1"),
        ({"type": "string", "pattern": "^$"}, ""),
        (INTEGER, 1),
        ({"type": "integer", "minimum": 1, "maximum": 1}, 1),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "maximum": 0}, 0),
        ({"type": "number"}, 0.5),
        ({"type": "number", "minimum": 2.5}, 2.5),
        ({"type": "number", "maximum": 0.25}, 0.25),
        ({"type": "array", "items": STRING}, ["odd-one"]),
        ({"type": "array", "items": STRING, "minItems": 2}, ["odd-one", "odd-one"]),
        ({"type": "array", "items": ODD}, []),
        ({"type": "object", "additionalProperties": INTEGER}, {"key": 1}),
        ({"type": "object", "additionalProperties": ODD}, {}),
        ({"type": ["string", "null"]}, "odd-one"),
        ({**ODD, "type": ["string", "null"]}, None),
        ({"anyOf": [ODD, INTEGER]}, 1),
        ({}, "odd-one"),
    ],
    ids=repr,
)
def test_a_value_is_derived_from_the_shape(shape: Schema, expected: Any) -> None:
    found = sample(shape)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "shape", "expected"),
    [
        ("currency", STRING, "USD"),
        ("currency", {"type": "string", "minLength": 3}, "USD"),
        ("currency", {"type": "string", "minLength": 4}, "currency"),
        ("currency", {"type": "string", "pattern": "^c"}, "currency"),
        ("currency", INTEGER, 1),
        ("code", INTEGER, -32603),
        ("code", {"type": "integer", "minimum": 0}, 1),
        ("code", {"type": "number"}, -32603),
        ("code", STRING, "code"),
        ("amount", {"type": "number"}, 0.42),
        ("amount", {"type": "number", "minimum": 0.75}, 0.75),
        ("amount", INTEGER, 1),
        ("amount", {}, 0.42),
    ],
)
def test_a_value_of_the_table_is_used_if_it_fits(name: str, shape: Schema, expected: Any) -> None:
    assert sample(shape, name) == expected


@pytest.mark.parametrize(
    "shape",
    [
        ODD,
        {"type": "array", "items": ODD, "minItems": 1},
        {"anyOf": [ODD, {"type": "array", "items": ODD, "minItems": 1}]},
        ref("Holder"),
    ],
    ids=repr,
)
def test_some_shapes_have_no_sample(shape: Schema) -> None:
    with pytest.raises(NoSampleError):
        sample(shape)


def test_a_value_that_may_contain_itself_ends() -> None:
    other = record("odd_one", odd_one={"anyOf": [ref("Other"), {"type": "null"}]})
    assert sample(ref("Other"), Other=other) == {"odd_one": None}


def test_a_union_has_the_first_variant_with_a_sample() -> None:
    arms = union(
        record("kind", "x", kind={"type": "string", "const": "a"}, x=ODD),
        record("kind", "x", kind={"type": "string", "const": "b"}, x=INTEGER),
    )
    samples = Samples(read({"Either": arms}))
    assert samples.of_definition("Either").value == {"kind": "b", "x": 1}


def test_only_two_optional_scalars_are_shown() -> None:
    members = {"list": {"type": "array", "items": STRING}, "a": STRING, "b": INTEGER, "c": STRING}
    samples = Samples(read({"Holder": record(**members)}))
    assert samples.of_definition("Holder").value == {}
    assert samples.of_definition("Holder", extra=True).value == {"a": "a", "b": 1}
