"""Tests of names for which the overlay has no entry."""

from __future__ import annotations

from acpgen.ir.model import Record

from tests.acpgen.diff.small import STRING, build, envelopes, method, record, tagged, union


def test_names_of_definitions_are_numbered_if_taken_or_invalid() -> None:
    clashing = ("ToolCall", "Tool_call", "tool_call", "Record", "_", "__", "BigU")
    definitions = {**dict.fromkeys(clashing, STRING), "U": union(tagged("big"))}
    made = build({**definitions, "Ask": method("ask")}).definitions
    assert {name: each.definition for name, each in made.items()} == {
        "Ask": "Ask",
        "BigU": "BigU",
        "BigU2": None,
        "Record2": "Record",
        "ToolCall": "ToolCall",
        "ToolCall2": "Tool_call",
        "ToolCall3": "tool_call",
        "Type2": "_",
        "Type3": "__",
        "U": "U",
    }


def test_names_of_fields_are_numbered_if_taken_or_invalid() -> None:
    members = dict.fromkeys(("1", "2", "foo_bar", "fooBar"), STRING)
    made = build({"A": record(**members)}).definitions["A"]
    assert isinstance(made, Record)
    assert {member.wire: member.name for member in made.members} == {
        "1": "member_2",
        "2": "member_3",
        "foo_bar": "foo_bar",
        "fooBar": "foo_bar2",
    }


def test_names_of_methods_are_numbered_if_taken_or_invalid() -> None:
    wires = {"A": "1/2", "B": "3/4", "C": "a-b", "D": "a/b"}
    params = {name: method(wire) for name, wire in wires.items()}
    made = build({**params, **envelopes(notifications=tuple(params))}).methods
    assert {each.wire: each.name for each in made} == {
        "1/2": "method_2",
        "3/4": "method_3",
        "a-b": "a_b",
        "a/b": "a_b2",
    }
