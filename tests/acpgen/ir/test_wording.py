"""Tests of the descriptions of shapes, definitions and fallbacks."""

from __future__ import annotations

from typing import Any

import pytest
from acpgen.ir.model import (
    AnyJson,
    Array,
    Boolean,
    Definition,
    Dictionary,
    Enumeration,
    Fallback,
    Integer,
    Method,
    Null,
    Nullable,
    Number,
    Origin,
    Reference,
    Shape,
    String,
)
from acpgen.ir.surface import Surface
from acpgen.ir.wording import (
    describe,
    describe_expected,
    describe_fallback,
    describe_formats,
    describe_member,
    describe_values,
    title,
)

from tests.acpgen.ir.definitions import NAME, alias, choice, member, named, record, union

COLORS = Enumeration(("red", "blue"), String(), None, lenient=False)
OPEN = Enumeration(("red",), String(), String(), lenient=False)
CHOICE = choice((String(), ()), (Integer(), ()), (String(), ()))
EITHER = choice((String(), ()), (Null(), ()), exclusive=True)


@pytest.mark.parametrize(
    ("thing", "with_limits", "without"),
    [
        (record("Part"), "object", "object"),
        (union("Shape", "Round"), "union by kind", "union by kind"),
        (alias("Name", String(2)), "string 2..", "string"),
        (AnyJson(), "any JSON", "any JSON"),
        (Null(), "null", "null"),
        (Boolean(), "boolean", "boolean"),
        (String(), "string", "string"),
        (String(1, "^a"), "string 1.. like ^a", "string"),
        (Integer(0), "integer 0..", "integer"),
        (Integer(None, 9), "integer ..9", "integer"),
        (Number(0.5, 2), "number 0.5..2", "number"),
        (COLORS, "string (red, blue)", "string (red, blue)"),
        (OPEN, "string (red, others)", "string (red, others)"),
        (Array(Boolean(), 1), "list of boolean 1..", "list of boolean"),
        (Dictionary(String(1)), "map of string 1..", "map of string"),
        (Reference("Name"), "Name", "Name"),
        (Reference("Old"), "New", "New"),
        (Nullable(Reference("Old")), "New or null", "New or null"),
        (CHOICE, "string or integer", "string or integer"),
        (EITHER, "exactly one of string or null", "string or null"),
    ],
)
def test_shapes_are_described_for_comparisons(
    thing: Shape | Definition, with_limits: str, without: str
) -> None:
    names = {"Old": "New"}
    assert describe(thing, names=names) == with_limits
    assert describe(thing, names=names, limits=False) == without


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (AnyJson(), "any JSON"),
        (Number(1), "number"),
        (Array(String()), "array"),
        (Dictionary(String()), "object"),
        (COLORS, "one of red, blue"),
        (Enumeration(("red",), String(), None, lenient=True), "red"),
        (OPEN, "string"),
        (Nullable(Integer()), "integer or null"),
        (CHOICE, "string or integer"),
        (EITHER, "exactly one of: string or null"),
        (Reference("Name"), "string"),
        (Reference("Part"), "object"),
        (
            choice((Reference("Part"), ("a", "b")), (Array(Reference("Part")), ("c",))),
            "object with a and b or array of objects with c",
        ),
    ],
)
def test_expected_values_are_described_for_errors(shape: Shape, expected: str) -> None:
    assert describe_expected(shape, named(NAME, record("Part"))) == expected


def surface(**more: Any) -> Surface:
    return Surface("v1", 1, "stable", Origin("", "", ""), {}, (), **more)


def test_summaries_describe_only_what_the_schema_does_not() -> None:
    summaries = {("Color", "red"): "Like blood.", ("Color", "blue"): "Like the sky."}
    made = surface(value_summaries=summaries)
    values = ("red", "blue", "green")
    assert describe_values(made, "Color", Enumeration(values, String(), None, lenient=False)) == [
        *("Like blood.", "Like the sky.", "")
    ]
    described = Enumeration(values, String(), None, False, ("Warm.", None, None))
    assert describe_values(made, "Color", described) == ["Warm.", "Like the sky.", ""]


def test_descriptions_of_fields_mention_formats() -> None:
    made = surface(member_summaries={("Part", "at"): "The time."})
    field = member("at", String(format="date-time"))
    text = "The format date-time is not checked."
    assert describe_member(made, "Part", field) == f"The time. {text}"
    assert describe_member(made, "Other", field) == text
    assert describe_member(made, "Other", member("at", String())) == ""


def test_each_format_is_mentioned_once() -> None:
    shapes = [String(format="uri"), Number(format="decimal"), Integer(format="odd"), String()]
    shape = choice(*((each, ()) for each in [*shapes, String(format="uri")]))
    assert describe_formats(Array(shape)) == "The format uri or decimal or odd is not checked."


def test_fallbacks_are_described() -> None:
    assert describe_fallback(Fallback(absent=True)) == "absent"
    assert describe_fallback(Fallback(absent=False)) == "null"
    assert describe_fallback(Fallback(absent=False, value=["a"])) == '["a"]'


def test_methods_are_titled_by_their_wire_name() -> None:
    assert title(Method("a/b", "a_b", "agent", "request", "A", "R")) == "a/b"
    assert title(Method(None, "ext", "agent", "request", "A", "R")) == "extension request"
