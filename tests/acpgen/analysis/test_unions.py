"""Tests of unions with variants that share a definition, and of records that declare the tag."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.surface import build
from acpgen.common.paths import TEMPLATES
from acpgen.common.problems import InputError
from acpgen.emit.package import render_surface
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Alias, Enumeration, Nullable, Record, Reference, String, TaggedUnion
from acpgen.schema.document import load_document

from tests.acpgen.diff.small import STRING, read, ref, save, tagged, union
from tests.acpgen.diff.small import record as record_of


def test_each_of_several_tags_of_a_definition_has_a_class() -> None:
    shared = union(tagged("first", "Part"), tagged("second", "Part"), tagged("third", "Other"))
    parts = {"Part": record_of("x", x=STRING), "Other": record_of("y", y=STRING)}
    definitions = read({"X": shared, **parts}).definitions
    united = definitions["X"]
    assert isinstance(united, TaggedUnion)
    targets = {each.tag: each.target for each in united.arms}
    assert targets == {"first": "First", "second": "Second", "third": "Other"}
    for name in ("First", "Second"):
        record = definitions[name]
        assert isinstance(record, Record)
        assert record.base == "Part"


def test_several_tags_of_a_union_are_refused() -> None:
    inner = union(tagged("a"), tagged("b"), tag="type")
    with pytest.raises(InputError) as caught:
        read({"X": union(tagged("first", "In"), tagged("second", "In")), "In": inner}, strict=True)
    assert {problem.message for problem in caught.value.problems} == {
        "several tags select the same union; define a union for each tag"
    }


def arm(value: str, **members: Any) -> dict[str, Any]:
    tag = {"type": "string", "const": value}
    properties = {"reason": tag, **members}
    return {"type": "object", "properties": properties, "required": ["reason"]}


def record(last: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the tag `reason` and three variants. `last` is the third variant."""
    properties = {"reason": {"type": ["string", "null"]}}
    arms = [arm("done"), arm("failed", error=STRING), {"title": "none", **last}]
    return {"type": "object", "properties": properties, "anyOf": arms}


NULL = {"type": "null"}


def test_an_arm_whose_tag_is_null_makes_the_tag_optional() -> None:
    last = {"type": "object", "properties": {"reason": NULL}}
    definition = read({"X": record(last)}).definitions["X"]
    assert isinstance(definition, Record)
    [tag] = definition.members
    assert isinstance(tag.shape, Nullable)
    assert not tag.required
    assert [(each.tag, each.target) for each in definition.subtypes] == [("failed", "FailedX")]


def test_the_tag_of_a_subtype_may_be_empty(tmp_path: Path) -> None:
    arms = [arm("", error=STRING), arm("done")]
    schema = {"type": "object", "properties": {"reason": STRING}, "anyOf": arms}
    path = tmp_path / "schema.json"
    ping = {"type": "object", "x-method": "ping"}
    path.write_text(json.dumps({"$defs": {"Ping": ping, "X": schema}}), encoding="utf-8")
    overlay = Overlay(names={"X/": "FailedX"})
    surface = build(load_document(path), overlay, "v1").surface
    source = render_surface(surface, TEMPLATES, types_only=True)["v1/types.py"]
    subtype = source.partition("class FailedX(X):")[2]
    assert re.search(r'    reason: .* = ""$', subtype, re.M)


@pytest.mark.parametrize(
    "last",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"other": NULL}},
        {"type": "object", "properties": {"reason": NULL}, "required": ["reason"]},
    ],
    ids=["anything", "any object", "no members", "another member", "required"],
)
def test_an_arm_that_does_not_say_so_is_refused(last: dict[str, Any]) -> None:
    schema = {"X": record(last)}
    with pytest.raises(InputError) as caught:
        read(schema, strict=True)
    [problem] = caught.value.problems
    assert (problem.pointer, problem.code) == ("/$defs/X/anyOf/2", "unsupported")
    assert problem.message == "the variant has no value for the tag 'reason'; add one"


@pytest.mark.parametrize(
    ("rest", "closed", "other", "lenient"),
    [
        (False, (), None, True),
        (False, ("X",), None, False),
        (True, (), String(), False),
    ],
)
def test_the_tag_of_subtypes_can_be_unknown(
    rest: bool, closed: tuple[str, ...], other: String | None, lenient: bool, tmp_path: Path
) -> None:
    """Unknown tags are valid if the schema allows them or the policy doesn't close the union."""
    arms = [arm("done"), arm("failed", error=STRING)]
    schema = {"properties": {"reason": STRING}, **union(*arms, rest=rest, tag="reason")}
    path = save(tmp_path / "schema.json", {"X": {"type": "object", **schema}})
    definitions = build(load_document(path), Overlay(closed=closed), "v2").surface.definitions
    found = definitions["X"]
    assert isinstance(found, Record)
    assert [member.required for member in found.members] == [True]
    alias = definitions["Reason"]
    assert isinstance(alias, Alias)
    assert isinstance(alias.shape, Enumeration)
    assert alias.shape.values == ("done", "failed")
    assert (alias.shape.other, alias.shape.lenient) == (other, lenient)


def stating_again(shared: dict[str, Any], again: dict[str, Any], *required: str) -> dict[str, Any]:
    """Return a record with the field `note`, which one variant declares again."""
    special = arm("failed", error=STRING, note=again)
    special["required"] += required
    properties = {"reason": STRING, "note": shared}
    return {"type": "object", "properties": properties, "anyOf": [arm("done"), special]}


@pytest.mark.parametrize("required", [[], ["note"]])
def test_a_subtype_has_each_member_once(required: list[str]) -> None:
    definitions = read({"X": stating_again(STRING, STRING, *required)}).definitions
    subtype = definitions["FailedX"]
    assert isinstance(subtype, Record)
    assert sorted(member.wire for member in subtype.members) == ["error", "note", "reason"]
    [note] = [member for member in subtype.members if member.wire == "note"]
    assert note.required == bool(required)


def test_a_member_that_a_subtype_states_otherwise_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read({"X": stating_again(STRING, {"type": "integer"})}, strict=True)
    [problem] = caught.value.problems
    assert (problem.code, problem.pointer) == ("unsupported", "/$defs/X/anyOf/1/properties/note")
    assert problem.message == (
        "'note' is defined differently at /$defs/X/properties/note; define it once"
    )


PARTS = {"Part": record_of("x", x=STRING), "Other": record_of("y", y=STRING)}


def test_a_union_of_one_variant_is_that_variant() -> None:
    schema = {"type": "object", "properties": {"z": STRING}, "anyOf": [ref("Part")]}
    alias = read({"X": schema, **PARTS}).definitions["X"]
    assert isinstance(alias, Alias)
    assert isinstance(alias.shape, Reference)


def test_objects_with_unknown_tags_must_match_a_second_union() -> None:
    parts = {**record_of(z=STRING), "oneOf": [ref("Part"), ref("Other")]}
    schema = {**parts, **union(tagged("a"), rest=True)}
    surface = read({"X": schema, **PARTS})
    assert not surface.unread
    united = surface.definitions["X"]
    assert isinstance(united, TaggedUnion)
    assert united.unknown is not None
    assert united.unknown.choice is not None
    shapes = [each.shape for each in united.unknown.choice.arms]
    assert shapes == [Reference("Part"), Reference("Other")]
