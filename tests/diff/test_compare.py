"""One change of a small schema at a time: what it is called and whom it breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, permutations
from typing import Any

import pytest
from acpgen.diff.changes import Change, worst
from acpgen.diff.compare.definitions import compare
from acpgen.diff.report import report
from acpgen.ir.model import Capability, CapabilityRequirement
from acpgen.ir.surface import Surface
from diff.small import (
    INTEGER,
    MAYBE,
    ON_ERROR,
    ON_NULL,
    SKIP,
    STRING,
    Packages,
    Schema,
    build,
    changes,
    envelopes,
    instances,
    listed,
    method,
    read,
    record,
    ref,
    refused,
    tagged,
    union,
)

B, C, I = "breaking", "compatible", "internal"  # noqa: E741

# Subject, name, action, wire, python, reads, writes.
Row = tuple[str, str, str, str, str, bool, bool]


@dataclass(frozen=True)
class Case:
    """Two schemas and the rows of their report.

    Attributes:
        root: what the definition is called of which instances are decoded; None for no instances,
            since it is not about types.
        also: instances of the old one that no chance would find.
        back: the same of the new one.
    """

    old: dict[str, Schema]
    new: dict[str, Schema]
    rows: list[Row]
    root: tuple[str, str] | None = ("Thing", "Thing")
    also: tuple[Any, ...] = ()
    back: tuple[Any, ...] = ()


def member(old: Schema | None, new: Schema | None, *rows: Row, **others: Schema) -> Case:
    """Of an optional member `x`, which may be there or not; `others` are definitions."""
    was = record("a", a=STRING, **({} if old is None else {"x": old}))
    is_now = record("a", a=STRING, **({} if new is None else {"x": new}))
    return Case({"Thing": was, **others}, {"Thing": is_now, **others}, list(rows))


def thing(old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    """Of one definition, `Thing`."""
    return Case({"Thing": old, **others}, {"Thing": new, **others}, list(rows))


def named(name: str, old: Schema, new: Schema, *rows: Row, **others: Schema) -> Case:
    """Of one definition, that the policy has something to say about."""
    return Case({name: old, **others}, {name: new, **others}, list(rows), (name, name))


def at_x(subject: str, wire: str, python: str, reads: bool, writes: bool) -> Row:
    """A row about the member `x` that has changed."""
    return (subject, "Thing.x", "changed", wire, python, reads, writes)


def at(subject: str, wire: str, python: str, reads: bool, writes: bool) -> Row:
    """A row about the definition `Thing` that has changed."""
    return (subject, "Thing", "changed", wire, python, reads, writes)


PRESENCE = {
    "member added, optional": member(
        None, STRING, ("member", "Thing.x", "added", C, C, True, True)
    ),
    "member added, required": thing(
        record("a", a=STRING),
        record("a", "x", a=STRING, x=STRING),
        ("member", "Thing.x", "added", B, B, False, True),
    ),
    "member removed, optional": member(
        STRING, None, ("member", "Thing.x", "removed", C, B, True, True)
    ),
    "member removed, required": thing(
        record("a", "x", a=STRING, x=STRING),
        record("a", a=STRING),
        ("member", "Thing.x", "removed", B, B, True, False),
    ),
    "member added to an object in place": member(
        record(y=STRING),
        record(y=STRING, z=STRING),
        ("member", "ThingX.z", "added", C, C, True, True),
    ),
    "optional to required": thing(
        record(x=STRING), record("x", x=STRING), at_x("presence", B, B, False, True)
    ),
    "required to optional": thing(
        record("x", x=STRING), record(x=STRING), at_x("presence", B, B, True, False)
    ),
    "optional to required, with a repair of what is bad": thing(
        record(x={"type": "array", "items": STRING, **ON_ERROR}),
        record("x", x={"type": "array", "items": STRING, **ON_ERROR}),
        at_x("presence", B, B, False, True),
    ),
    "member renamed, required": Case(
        {"Thing": record("x", x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record("y", y=ref("Part")), "Part": record(p=STRING)},
        [("member", "Thing.x", "renamed", B, B, False, False)],
    ),
    "member renamed, optional": Case(
        {"Thing": record(x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(y=ref("Part")), "Part": record(p=STRING)},
        [("member", "Thing.x", "renamed", C, B, True, True)],
    ),
    "members of one type renamed, so that none can be told": Case(
        {"Thing": record(x=ref("Part"), y=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(z=ref("Part")), "Part": record(p=STRING)},
        [
            ("member", "Thing.x", "removed", C, B, True, True),
            ("member", "Thing.y", "removed", C, B, True, True),
            ("member", "Thing.z", "added", C, C, True, True),
        ],
    ),
    "member of a plain type renamed, which nothing says": Case(
        {"Thing": record(x=STRING)},
        {"Thing": record(y=STRING)},
        [
            ("member", "Thing.x", "removed", C, B, True, True),
            ("member", "Thing.y", "added", C, C, True, True),
        ],
    ),
}

NULL = {
    "not null to null": member(STRING, MAYBE, at_x("nullability", B, B, True, False)),
    "null to not null": member(MAYBE, STRING, at_x("nullability", B, B, False, True)),
    "not null to null, where what is bad is repaired": member(
        {**STRING, **ON_ERROR}, {**MAYBE, **ON_ERROR}, at_x("nullability", C, B, True, True)
    ),
    "null to not null, where what is bad is repaired": member(
        {**MAYBE, **ON_ERROR}, {**STRING, **ON_ERROR}, at_x("nullability", C, B, True, True)
    ),
    "null to not null, where null is repaired": member(
        {"type": ["array", "null"], "items": STRING},
        {"type": "array", "items": STRING, **ON_NULL},
        at_x("nullability", C, B, True, True),
        ("x-deserialize-default-on-null", "Thing.x", "changed", C, I, True, True),
    ),
    "any JSON to a string or null": member({}, MAYBE, at_x("type", B, B, False, True)),
    "a string or null to any JSON": member(MAYBE, {}, at_x("type", B, B, True, False)),
    "null by an alias": member(MAYBE, ref("Maybe"), at_x("type", I, I, True, True), Maybe=MAYBE),
}

REPLACED = at_x("type", B, B, False, False)
WIDER, NARROWER = at_x("type", B, B, True, False), at_x("type", B, B, False, True)
LOOSER, TIGHTER = at_x("type", B, C, True, False), at_x("type", B, C, False, True)
NUMBERS = {"type": "number"}
STRINGS = {"type": "array", "items": STRING}
INTEGERS = {"type": "array", "items": INTEGER}

TYPES = {
    "type widened": member(INTEGER, NUMBERS, WIDER),
    "type narrowed": member(NUMBERS, INTEGER, NARROWER),
    "type replaced": member(STRING, INTEGER, REPLACED),
    "type replaced, where what is bad is repaired": member(
        {**STRING, **ON_ERROR}, {**INTEGER, **ON_ERROR}, at_x("type", C, B, True, True)
    ),
    "type replaced, where the new side repairs what is bad": member(
        STRING,
        {**INTEGER, **ON_ERROR},
        at_x("type", B, B, True, False),
        ("x-deserialize-default-on-error", "Thing.x", "changed", C, I, True, True),
    ),
    "type replaced, with a repair that there is not": thing(
        record("x", x={**STRING, **ON_ERROR}), record("x", x={**INTEGER, **ON_ERROR}), REPLACED
    ),
    "one type to a choice": member(STRING, {"type": ["string", "integer"]}, WIDER),
    "a choice to one type": member({"type": ["string", "integer"]}, STRING, NARROWER),
    "items replaced": member(STRINGS, INTEGERS, REPLACED),
    "items replaced, where bad ones are skipped": member(
        {**STRINGS, **SKIP}, {**INTEGERS, **SKIP}, at_x("type", C, B, True, True)
    ),
    "values of a map replaced": member(
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "additionalProperties": INTEGER},
        REPLACED,
    ),
    "a map to any object": member(
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "additionalProperties": True},
        WIDER,
    ),
    "one to a list": member(STRING, STRINGS, REPLACED),
    "minimum raised": member({**INTEGER, "minimum": 0}, {**INTEGER, "minimum": 1}, TIGHTER),
    "minimum lowered": member({**INTEGER, "minimum": 1}, {**INTEGER, "minimum": 0}, LOOSER),
    "maximum removed": member({**INTEGER, "maximum": 1}, INTEGER, LOOSER),
    "minimum of a number added": member(NUMBERS, {**NUMBERS, "minimum": 0}, TIGHTER),
    "range moved": member(
        {**INTEGER, "minimum": 0, "maximum": 1},
        {**INTEGER, "minimum": 1, "maximum": 2},
        at_x("type", B, C, False, False),
    ),
    "format widened": member(
        {**INTEGER, "format": "uint16"}, {**INTEGER, "format": "uint32"}, LOOSER
    ),
    "least length added": member(STRING, {**STRING, "minLength": 1}, TIGHTER),
    "pattern removed": member({**STRING, "pattern": "^[a-z]"}, STRING, LOOSER),
    "pattern replaced": member(
        {**STRING, "pattern": "^[a-z]"},
        {**STRING, "pattern": "^[A-Z]"},
        at_x("type", B, C, False, False),
    ),
    "least count added": member(STRINGS, {**STRINGS, "minItems": 1}, TIGHTER),
    "limits of an alias": thing({**STRING, "minLength": 1}, STRING, at("shape", B, C, True, False)),
    "a scalar to an alias of it": member(
        STRING, ref("Name"), at_x("type", I, I, True, True), Name=STRING
    ),
    "an alias to another one of the same scalar": member(
        ref("Name"), ref("Label"), at_x("type", I, I, True, True), Name=STRING, Label=STRING
    ),
    "an alias to another one with tighter limits": member(
        ref("Name"), ref("Label"), TIGHTER, Name=STRING, Label={**STRING, "minLength": 1}
    ),
    "a record to another one": member(
        ref("Part"),
        ref("Other"),
        REPLACED,
        Part=record("p", p=STRING),
        Other=record("o", o=STRING),
    ),
    "at most one arm instead of any": Case(
        {
            "Thing": {"anyOf": [ref("Some"), ref("Other")]},
            "Some": record("p", p=STRING),
            "Other": record("q", q=STRING),
        },
        {
            "Thing": {"oneOf": [ref("Some"), ref("Other")]},
            "Some": record("p", p=STRING),
            "Other": record("q", q=STRING),
        },
        [at("shape", B, C, False, True)],
        also=({"p": "both", "q": "arms"},),
    ),
}

ENUMS = {
    "value added in place": member(
        listed("a", "b"),
        listed("a", "b", "c"),
        ("value", "Thing.x[c]", "added", B, B, True, False),
    ),
    "value removed in place": member(
        listed("a", "b"), listed("a"), ("value", "Thing.x[b]", "removed", B, B, False, True)
    ),
    "value added to an open one": member(
        listed("a", other=STRING),
        listed("a", "b", other=STRING),
        ("value", "Thing.x[b]", "added", C, C, True, True),
    ),
    "value removed from an open one": member(
        listed("a", "b", other=STRING),
        listed("a", other=STRING),
        ("value", "Thing.x[b]", "removed", C, C, True, True),
    ),
    # In default mode, a value that is not listed is kept, as the variants of a union are.
    "value added to a definition": thing(
        listed("a", "b"),
        listed("a", "b", "c"),
        ("value", "Thing[c]", "added", C, C, True, True),
    ),
    "value removed from a definition": thing(
        listed("a", "b"), listed("a"), ("value", "Thing[b]", "removed", C, C, True, True)
    ),
    "value added to what the policy closes": named(
        "PermissionOptionKind",
        listed("a", "b"),
        listed("a", "b", "c"),
        ("value", "PermissionOptionKind[c]", "added", B, B, True, False),
    ),
    "value removed from what the policy closes": named(
        "PermissionOptionKind",
        listed("a", "b"),
        listed("a"),
        ("value", "PermissionOptionKind[b]", "removed", B, B, False, True),
    ),
    "integer added to a closed one": thing(
        listed(1, 2), listed(1, 2, 3), ("value", "Thing[3]", "added", B, B, True, False)
    ),
    "integer added to an open one": thing(
        listed(1, other=INTEGER),
        listed(1, 2, other=INTEGER),
        ("value", "Thing[2]", "added", C, C, True, True),
    ),
    "value renamed in place": member(
        listed("a", "b"),
        listed("a", "c"),
        ("value", "Thing.x[b]", "removed", B, B, False, True),
        ("value", "Thing.x[c]", "added", B, B, True, False),
    ),
    "opened in place": member(
        listed("a"), listed("a", other=STRING), at_x("openness", B, B, True, False)
    ),
    "closed in place": member(
        listed("a", other=STRING), listed("a"), at_x("openness", B, B, False, True)
    ),
    "opened definition": thing(
        listed("a"), listed("a", other=STRING), at("openness", C, C, True, True)
    ),
    "closed definition": thing(
        listed("a", other=STRING), listed("a"), at("openness", C, C, True, True)
    ),
    "closed what the policy closes": named(
        "PermissionOptionKind",
        listed("a", other=STRING),
        listed("a"),
        ("openness", "PermissionOptionKind", "changed", B, B, False, True),
    ),
    "strings to integers": thing(listed("a"), listed(1), at("shape", B, B, False, False)),
    "least length of other values": member(
        listed("a", other=STRING),
        listed("a", other={**STRING, "minLength": 1}),
        at_x("type", B, C, False, True),
    ),
    "a string to a closed enumeration": member(
        STRING, listed("a"), at_x("type", B, B, False, True)
    ),
    "an open enumeration to a string": member(
        listed("a", other=STRING), STRING, at_x("type", C, C, True, True)
    ),
    "value added to items": member(
        {"type": "array", "items": listed("a")},
        {"type": "array", "items": listed("a", "b")},
        WIDER,
    ),
}

PARTS = {"Part": record("p", p=STRING), "Other": record("o", o=STRING)}
LAST = {"Last": record("z", z=STRING)}
SCOPES = {
    "Last": record("z", z=STRING),
    "Extra": record("e", "f", e=STRING, f=STRING),
    "More": record("m", m=STRING),
}
SOME = (tagged("part", "Part"), tagged("other", "Other"))
THIRD = tagged("last", "Last")
PLAIN = {"allOf": [ref("Last")], "title": "last"}

[*_, OTHERS] = union(*SOME, rest=True)["anyOf"]
OTHERS_WITH_A_NOTE = {
    **OTHERS,
    **record("kind", "note", kind=STRING, note=STRING),
}


def holding(*names: str) -> Schema:
    """A union whose arm for other tags holds one of these definitions."""
    alternatives = [{"title": name.lower(), "allOf": [ref(name)]} for name in names]
    return {"anyOf": [*SOME, {**OTHERS, "oneOf": alternatives}]}


def alternatives(action: str, wire: str, reads: bool, writes: bool) -> Row:
    """A row about what an object with another tag holds one of."""
    return ("alternatives", "UnknownThing", action, wire, I, reads, writes)


UNIONS = {
    "arm added to an open union": thing(
        union(*SOME, rest=True),
        union(*SOME, THIRD, rest=True),
        ("arm", "Thing[last]", "added", C, C, True, True),
        **PARTS,
        **LAST,
    ),
    "arm removed from an open union": thing(
        union(*SOME, THIRD, rest=True),
        union(*SOME, rest=True),
        ("arm", "Thing[last]", "removed", C, B, True, True),
        **PARTS,
        **LAST,
    ),
    "arm added to a union that the default mode keeps open": thing(
        union(*SOME),
        union(*SOME, THIRD),
        ("arm", "Thing[last]", "added", C, C, True, True),
        **PARTS,
        **LAST,
    ),
    "arm added to a union that the policy closes": named(
        "RequestPermissionOutcome",
        union(*SOME),
        union(*SOME, THIRD),
        ("arm", "RequestPermissionOutcome[last]", "added", B, B, True, False),
        **PARTS,
        **LAST,
    ),
    "arm removed from a union that the policy closes": named(
        "RequestPermissionOutcome",
        union(*SOME, THIRD),
        union(*SOME),
        ("arm", "RequestPermissionOutcome[last]", "removed", B, B, False, True),
        **PARTS,
        **LAST,
    ),
    "arm added with its definition": Case(
        {"Thing": union(*SOME), **PARTS},
        {"Thing": union(*SOME, THIRD), **PARTS, **LAST},
        [
            ("definition", "Last", "added", I, C, True, True),
            ("arm", "Thing[last]", "added", C, C, True, True),
        ],
    ),
    "arm leads to another definition": thing(
        union(*SOME, rest=True),
        union(tagged("part", "Part"), tagged("other", "Last"), rest=True),
        ("arm", "Thing[other]", "changed", B, B, False, False),
        **PARTS,
        **LAST,
    ),
    "arm leads to another definition that takes the same": thing(
        union(*SOME, rest=True),
        union(tagged("part", "Part"), tagged("other", "Twin"), rest=True),
        ("arm", "Thing[other]", "changed", C, B, True, True),
        **PARTS,
        Twin=PARTS["Other"],
    ),
    "arm renamed": thing(
        union(*SOME, rest=True),
        union(tagged("part", "Part"), tagged("another", "Other"), rest=True),
        ("arm", "Thing[another]", "added", C, C, True, True),
        ("arm", "Thing[other]", "removed", C, B, True, True),
        **PARTS,
    ),
    "tag renamed": thing(
        union(*SOME),
        union(tagged("part", "Part", "type"), tagged("other", "Other", "type")),
        at("tag", B, B, False, False),
        **PARTS,
    ),
    "union opened": named(
        "RequestPermissionOutcome",
        union(*SOME),
        union(*SOME, rest=True),
        ("openness", "RequestPermissionOutcome", "changed", B, B, True, False),
        **PARTS,
    ),
    "union opened that the default mode kept open": thing(
        union(*SOME), union(*SOME, rest=True), at("openness", C, C, True, True), **PARTS
    ),
    "member of the arm for other tags removed": thing(
        {"anyOf": [*SOME, OTHERS_WITH_A_NOTE]},
        union(*SOME, rest=True),
        ("member", "UnknownThing.note", "removed", B, I, True, False),
        **PARTS,
    ),
    "member of the arm for other tags added": thing(
        union(*SOME, rest=True),
        {"anyOf": [*SOME, OTHERS_WITH_A_NOTE]},
        ("member", "UnknownThing.note", "added", B, I, False, True),
        **PARTS,
    ),
    "alternatives of the arm for other tags added": thing(
        union(*SOME, rest=True),
        holding("Last", "Extra"),
        alternatives("added", B, False, True),
        **PARTS,
        **SCOPES,
    ),
    "alternatives of the arm for other tags removed": thing(
        holding("Last", "Extra"),
        union(*SOME, rest=True),
        alternatives("removed", B, True, False),
        **PARTS,
        **SCOPES,
    ),
    "one more alternative of the arm for other tags": thing(
        holding("Last", "Extra"),
        holding("Last", "Extra", "More"),
        alternatives("changed", B, True, False),
        **PARTS,
        **SCOPES,
    ),
    "one alternative less of the arm for other tags": thing(
        holding("Last", "Extra", "More"),
        holding("Last", "Extra"),
        alternatives("changed", B, False, True),
        **PARTS,
        **SCOPES,
    ),
    "other alternatives of the arm for other tags": thing(
        holding("Last", "Extra"),
        holding("Last", "More"),
        alternatives("changed", B, False, False),
        **PARTS,
        **SCOPES,
    ),
    "alternative of the arm for other tags renamed": Case(
        {"Thing": holding("Last", "Extra"), **PARTS, **SCOPES},
        {
            "Thing": holding("Last", "Bonus"),
            **PARTS,
            "Last": SCOPES["Last"],
            "More": SCOPES["More"],
            "Bonus": SCOPES["Extra"],
        },
        [("definition", "Extra", "renamed", I, B, True, True)],
    ),
    "alternatives of the arm for other tags stay": thing(
        holding("Last", "Extra"), holding("Last", "Extra"), **PARTS, **SCOPES
    ),
    # No valid message of before has such a tag.
    "arm for other tags added, with a member and alternatives": thing(
        union(*SOME),
        {
            "anyOf": [
                *SOME,
                {**OTHERS_WITH_A_NOTE, "oneOf": [{"title": "last", "allOf": [ref("Last")]}]},
            ]
        },
        at("openness", C, C, True, True),
        **PARTS,
        **SCOPES,
    ),
    "union closed": named(
        "RequestPermissionOutcome",
        union(*SOME, rest=True),
        union(*SOME),
        ("openness", "RequestPermissionOutcome", "changed", B, B, False, True),
        **PARTS,
    ),
    "default arm added beside one for other tags": thing(
        union(*SOME, rest=True),
        union(*SOME, PLAIN, rest=True),
        at("default arm", B, B, True, False),
        **PARTS,
        **LAST,
    ),
    "default arm removed beside one for other tags": thing(
        union(*SOME, PLAIN, rest=True),
        union(*SOME, rest=True),
        at("default arm", B, B, False, True),
        **PARTS,
        **LAST,
    ),
    # What the schema itself let through before still decodes; the class for the rest is gone.
    "default arm added": thing(
        union(*SOME),
        union(*SOME, PLAIN),
        at("openness", C, B, True, True),
        at("default arm", B, B, True, False),
        **PARTS,
        **LAST,
    ),
    "default arm leads to another definition": thing(
        union(*SOME, PLAIN),
        union(*SOME, {"allOf": [ref("Extra")], "title": "last"}),
        at("default arm", B, B, False, False),
        **PARTS,
        **LAST,
        Extra=record("e", e=STRING),
    ),
    "record to a union": thing(
        record("a", a=STRING), union(*SOME), at("kind", B, B, False, False), **PARTS
    ),
    "union to a record": thing(
        union(*SOME), record("a", a=STRING), at("kind", B, B, False, False), **PARTS
    ),
    "record to a union that it is the default of": Case(
        {"Thing": record("z", z=STRING), **PARTS},
        {"Thing": union(*SOME, PLAIN), **PARTS, **LAST},
        [
            ("definition", "Last", "added", I, C, True, True),
            at("kind", B, B, True, False),
        ],
    ),
    "record to any JSON": thing(record("z", z=STRING), {}, at("kind", B, B, True, False)),
    "any JSON to a record": thing({}, record("z", z=STRING), at("kind", B, B, False, True)),
    "scalar to a record": thing(STRING, record("z", z=STRING), at("kind", B, B, False, False)),
    "arm of a record with a tag of its own added": Case(
        {"Thing": {**record("kind", kind=STRING, m=STRING), **union(tagged("a"), rest=True)}},
        {
            "Thing": {
                **record("kind", kind=STRING, m=STRING),
                **union(
                    tagged("a"),
                    record("kind", "e", kind={"type": "string", "const": "b"}, e=STRING),
                    rest=True,
                ),
            }
        },
        [
            ("definition", "BThing", "added", I, C, True, True),
            ("value", "Thing.kind[b]", "added", C, C, True, True),
            ("arm", "Thing[b]", "added", B, C, False, True),
        ],
        also=({"kind": "b", "m": ""},),
    ),
    "tag of a record renamed": thing(
        {**record("kind", "sort", kind=STRING, sort=STRING), **union(tagged("a"), rest=True)},
        {
            **record("kind", "sort", kind=STRING, sort=STRING),
            **union(tagged("a", tag="sort"), rest=True, tag="sort"),
        },
        at("tag", C, B, True, True),
        ("type", "Thing.kind", "changed", C, C, True, True),
        ("type", "Thing.sort", "changed", C, B, True, True),
    ),
}

DEFINITIONS = {
    "nothing": thing(record(a=STRING), record(a=STRING)),
    "words only": thing(
        {**record(a=STRING), "description": "one"}, {**record(a=STRING), "description": "other"}
    ),
    "order of members": thing(record(a=STRING, b=STRING), record(b=STRING, a=STRING)),
    "order of definitions": Case(
        {"Thing": record(a=STRING), "Part": STRING}, {"Part": STRING, "Thing": record(a=STRING)}, []
    ),
    "added": Case(
        {"Thing": STRING},
        {"Thing": STRING, "Part": record(p=STRING)},
        [("definition", "Part", "added", I, C, True, True)],
    ),
    "removed": Case(
        {"Thing": STRING, "Part": record(p=STRING)},
        {"Thing": STRING},
        [("definition", "Part", "removed", I, B, True, True)],
    ),
    "renamed, by the member that holds it": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("p", p=STRING)},
        [("definition", "Part", "renamed", I, B, True, True)],
    ),
    "renamed, by the items of the member that holds them": Case(
        {
            "Thing": record(x={"type": "array", "items": ref("Part")}),
            "Part": record("p", p=STRING),
        },
        {
            "Thing": record(x={"type": ["array", "null"], "items": ref("Piece")}),
            "Piece": record("p", p=STRING),
        },
        [
            ("definition", "Part", "renamed", I, B, True, True),
            at_x("nullability", B, B, True, False),
        ],
    ),
    "renamed, by the arm that leads to it": Case(
        {"Thing": union(*SOME), **PARTS},
        {
            "Thing": union(tagged("part", "Piece"), tagged("other", "Other")),
            "Piece": PARTS["Part"],
            "Other": PARTS["Other"],
        },
        [("definition", "Part", "renamed", I, B, True, True)],
    ),
    "renamed, by its structure": Case(
        {"Thing": record("a", "b", a=STRING, b=STRING)},
        {"Other": record("a", "b", a=STRING, b=STRING)},
        [("definition", "Thing", "renamed", I, B, True, True)],
        ("Thing", "Other"),
    ),
    "renamed and changed": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": record(x=ref("Piece")),
            "Piece": record("p", "q", "r", p=STRING, q=STRING, r=STRING),
        },
        [
            ("definition", "Part", "renamed", I, B, True, True),
            ("member", "Piece.r", "added", B, B, False, True),
        ],
    ),
    "not renamed, for it is another thing": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("q", q=STRING)},
        [
            ("definition", "Part", "removed", I, B, True, True),
            ("definition", "Piece", "added", I, C, True, True),
            REPLACED,
        ],
    ),
    "not renamed, for there are two like it": Case(
        {"Thing": STRING, "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": STRING,
            "Piece": record("p", "q", p=STRING, q=STRING),
            "Bit": record("p", "q", p=STRING, q=STRING),
        },
        [
            ("definition", "Bit", "added", I, C, True, True),
            ("definition", "Part", "removed", I, B, True, True),
            ("definition", "Piece", "added", I, C, True, True),
        ],
    ),
}


def keyword(name: str) -> Row:
    """A row about a vendor keyword: no valid message and no code can tell."""
    return (f"x-deserialize-{name}", "Thing.x", "changed", C, I, True, True)


KEYWORDS = {
    "default on error added": member(STRING, {**STRING, **ON_ERROR}, keyword("default-on-error")),
    "default on error removed": member({**STRING, **ON_ERROR}, STRING, keyword("default-on-error")),
    "default on error is another one": member(
        {**STRING, **ON_ERROR, "default": "one"},
        {**STRING, **ON_ERROR, "default": "two"},
        keyword("default-on-error"),
    ),
    "default on null added": member(STRINGS, {**STRINGS, **ON_NULL}, keyword("default-on-null")),
    "default on null removed": member({**STRINGS, **ON_NULL}, STRINGS, keyword("default-on-null")),
    "skip invalid items added": member(STRINGS, {**STRINGS, **SKIP}, keyword("skip-invalid-items")),
    "skip invalid items removed": member(
        {**STRINGS, **SKIP}, STRINGS, keyword("skip-invalid-items")
    ),
}

ASK, ANSWER = method("a/ask", p=STRING, q=STRING), method("a/ask", r=STRING, s=STRING)
ASKED = {"AskRequest": ASK, "AskResponse": ANSWER, **envelopes({"AskRequest": "AskResponse"})}
TELL = {"Tell": method("a/tell", t=STRING)}


def told(notifications: tuple[str, ...], **definitions: Schema) -> dict[str, Schema]:
    """A request, and notifications."""
    names = envelopes({"AskRequest": "AskResponse"}, notifications)
    return {"AskRequest": ASK, "AskResponse": ANSWER, **definitions, **names}


METHODS = {
    "method added": Case(
        ASKED,
        told(("Tell",), **TELL),
        [
            ("method", "a/tell", "added", C, C, True, True),
            ("definition", "Tell", "added", I, C, True, True),
        ],
        None,
    ),
    "method removed": Case(
        told(("Tell",), **TELL),
        ASKED,
        [
            ("method", "a/tell", "removed", B, B, False, True),
            ("definition", "Tell", "removed", I, B, True, True),
        ],
        None,
    ),
    "method renamed, its definitions stay": Case(
        told(("Tell",), **TELL),
        told(("Tell",), Tell=method("a/say", t=STRING)),
        [("method", "a/tell", "renamed", B, B, False, False)],
        None,
    ),
    "method renamed with its definitions": Case(
        ASKED,
        {
            "QueryRequest": {**ASK, "x-method": "a/query"},
            "QueryResponse": {**ANSWER, "x-method": "a/query"},
            **envelopes({"QueryRequest": "QueryResponse"}),
        },
        [
            ("method", "a/ask", "renamed", B, B, False, False),
            ("definition", "AskRequest", "renamed", I, B, True, True),
            ("definition", "AskResponse", "renamed", I, B, True, True),
        ],
        None,
    ),
    "definition renamed, by its method": Case(
        told(("Tell",), **TELL),
        told(("Message",), Message=TELL["Tell"]),
        [("definition", "Tell", "renamed", I, B, True, True)],
        None,
    ),
    "methods gone, one of which may have been renamed": Case(
        told(("Tell", "Say"), **TELL, Say=method("a/say", t=STRING)),
        told(("Shout",), Shout=method("a/shout", t=STRING)),
        [
            ("method", "a/say", "removed", B, B, False, True),
            ("method", "a/shout", "added", C, C, True, True),
            ("method", "a/tell", "removed", B, B, False, True),
            ("definition", "Say", "removed", I, B, True, True),
            ("definition", "Shout", "added", I, C, True, True),
            ("definition", "Tell", "removed", I, B, True, True),
        ],
        None,
    ),
    "params replaced": Case(
        told(("Tell",), **TELL, Message=record(m=STRING, n=STRING)),
        told(("Message",), Tell=record(t=STRING), Message=method("a/tell", m=STRING, n=STRING)),
        [("params", "a/tell", "changed", C, B, True, True)],
        None,
    ),
    "result replaced": Case(
        {**ASKED, "Other": record(o=STRING)},
        {
            "AskRequest": ASK,
            "AskResponse": record(r=STRING, s=STRING),
            "Other": method("a/ask", o=STRING),
            **envelopes({"AskRequest": "Other"}),
        },
        [("result", "a/ask", "changed", C, B, True, True)],
        None,
    ),
    "request to a notification": Case(
        told(("Tell",), **TELL),
        {**TELL, "AskRequest": ASK, "AskResponse": ANSWER, **envelopes({}, ("Tell", "AskRequest"))},
        [
            ("method", "a/ask", "removed", B, B, False, True),
            ("method", "a/ask", "added", C, C, True, True),
        ],
        None,
    ),
    "notification to a request": Case(
        {**TELL, "AskRequest": ASK, "AskResponse": ANSWER, **envelopes({}, ("Tell", "AskRequest"))},
        told(("Tell",), **TELL),
        [
            ("method", "a/ask", "removed", B, B, False, True),
            ("method", "a/ask", "added", C, C, True, True),
        ],
        None,
    ),
    "handled by the other side": Case(
        told(("Tell",), **TELL),
        {
            **ASKED,
            "Tell": {**TELL["Tell"], "x-side": "client"},
            "AgentNotification": envelopes({}, ("Tell",))["ClientNotification"],
        },
        [
            ("method", "a/tell", "removed", B, B, False, True),
            ("method", "a/tell", "added", C, C, True, True),
        ],
        None,
    ),
}

LONG = {"type": "string", "minLength": 2}
PART, OTHER = record("p", p=STRING), record("o", o=STRING)
LAST = {"title": "last", "allOf": [ref("Last")]}


def noted(*tags: str) -> Schema:
    """The arm for all other tags, which has a member that it needs."""
    cases = [record("kind", kind={"type": "string", "const": tag}) for tag in tags]
    return {**record("kind", "note", kind=STRING, note=STRING), "not": {"anyOf": cases}}


def based(*arms: Schema, **members: Schema) -> Schema:
    """A record with a tag, which arms extend."""
    return {**record("kind", kind=STRING, **members), **union(*arms)}


def extended(*required: str, **members: Schema) -> Schema:
    """The arm `b` of such a record."""
    return record("kind", *required, kind={"type": "string", "const": "b"}, **members)


# What a tag that is not listed, or a value of another kind, becomes.
OBJECTS = {
    "arm removed, where other tags need more": Case(
        {
            "Thing": {"anyOf": [tagged("p", "Part"), tagged("o", "Other"), noted("p", "o")]},
            **(parts := {"Part": PART, "Other": OTHER}),
        },
        {"Thing": {"anyOf": [tagged("p", "Part"), noted("p")]}, **parts},
        [("arm", "Thing[o]", "removed", B, B, False, True)],
        also=({"kind": "o", "o": ""},),
    ),
    "arm added, where other tags need more": Case(
        {"Thing": {"anyOf": [tagged("p", "Part"), noted("p")]}, **parts},
        {
            "Thing": {"anyOf": [tagged("p", "Part"), tagged("o", "Other"), noted("p", "o")]},
            **parts,
        },
        [("arm", "Thing[o]", "added", B, B, True, False)],
        back=({"kind": "o", "o": ""},),
    ),
    "arm removed that the arm without a tag takes": Case(
        {"Thing": union(tagged("p", "Part"), tagged("o", "Last"), LAST), **parts, "Last": OTHER},
        {"Thing": union(tagged("p", "Part"), LAST), **parts, "Last": OTHER},
        [("arm", "Thing[o]", "removed", C, B, True, True)],
        also=({"kind": "o", "o": ""},),
    ),
    "arm added that the arm without a tag takes": Case(
        {"Thing": union(tagged("p", "Part"), LAST), **parts, "Last": OTHER},
        {"Thing": union(tagged("p", "Part"), tagged("o", "Last"), LAST), **parts, "Last": OTHER},
        [("arm", "Thing[o]", "added", C, C, True, True)],
        back=({"kind": "o", "o": ""},),
    ),
    "an arm without a tag instead of one for all others": Case(
        {"Thing": union(tagged("p", "Part"), rest=True), **parts, "Last": OTHER},
        {"Thing": union(tagged("p", "Part"), LAST), **parts, "Last": OTHER},
        [
            at("openness", B, B, False, True),
            at("default arm", B, B, True, False),
        ],
        also=({"kind": "else"},),
        back=({"o": ""},),
    ),
    "record to a union of what it was": Case(
        {"Thing": record("kind", kind=STRING)},
        {"Thing": union(tagged("p", "Part"), rest=True), "Part": PART},
        [
            ("definition", "Part", "added", I, C, True, True),
            at("kind", B, B, False, True),
        ],
        also=({"kind": "p"},),
    ),
    "union to a record that takes all of it": Case(
        {"Thing": union(tagged("p", "Part"), tagged("o", "Other"), rest=True), **parts},
        {"Thing": record("kind", kind=STRING, p=STRING), **parts},
        [at("kind", B, B, True, False)],
        back=({"kind": "p"},),
    ),
    "one of three instead of one of two, where the third is named by a member of the first": Case(
        {
            "Thing": {"oneOf": [ref("Part"), ref("Other")]},
            **(arms := {"Part": record("p", p=STRING, z=STRING), "Other": OTHER}),
            "Last": record("z", z=STRING),
        },
        {
            "Thing": {"oneOf": [ref("Part"), ref("Other"), ref("Last")]},
            **arms,
            "Last": record("z", z=STRING),
        },
        [at("shape", B, B, False, False)],
        None,  # what is drawn for it would be several of them
    ),
    "record to a map": Case(
        {"Thing": record(x=ref("Part")), "Part": PART},
        {"Thing": record(x={"type": "object"}), "Part": PART},
        [at_x("type", B, B, True, False)],
    ),
    "one union instead of another that is just like it": Case(
        {
            "Thing": record(x=ref("One")),
            **(twins := {n: union(tagged("p", "Part"), rest=True) for n in ("One", "Two")}),
            "Part": PART,
        },
        {"Thing": record(x=ref("Two")), **twins, "Part": PART},
        [at_x("type", C, B, True, True)],
    ),
    "value of a record that becomes an arm of its own": Case(
        {"Thing": based(tagged("a"), tagged("b"))},
        {"Thing": based(tagged("a"), extended("e", e=STRING))},
        [
            ("definition", "BThing", "added", I, C, True, True),
            ("arm", "Thing[b]", "added", B, C, False, True),
        ],
        also=({"kind": "b"},),
    ),
    "arm of a record that becomes a plain value": Case(
        {"Thing": based(tagged("a"), extended("e", e=STRING))},
        {"Thing": based(tagged("a"), tagged("b"))},
        [
            ("definition", "BThing", "removed", I, B, True, True),
            ("arm", "Thing[b]", "removed", B, B, True, False),
        ],
        back=({"kind": "b"},),
    ),
    "tag of a record replaced, where an arm needs more": Case(
        {"Thing": based(tagged("a"), extended("e", e=STRING), sort=STRING)},
        {
            "Thing": {
                **record("kind", "sort", kind=STRING, sort=STRING),
                **union(
                    tagged("a", tag="sort"),
                    record("sort", "e", sort={"type": "string", "const": "b"}, e=STRING),
                    tag="sort",
                ),
            }
        },
        [
            at("tag", B, B, False, False),
            ("presence", "Thing.sort", "changed", B, B, False, True),
            ("type", "Thing.kind", "changed", C, C, True, True),
            ("type", "Thing.sort", "changed", C, B, True, True),
        ],
        also=({"kind": "a", "sort": "b"},),
        back=({"kind": "b", "sort": "a"},),
    ),
    "member moved from an arm to its record": Case(
        {"Thing": based(tagged("a"), extended(e=STRING, f=STRING))},
        {"Thing": based(tagged("a"), extended(f=STRING), e=STRING)},
        [("member", "Thing.e", "added", C, C, True, True)],
    ),
    "member added to a record and its arms": Case(
        {"Thing": based(tagged("a"), extended("e", e=STRING))},
        {"Thing": based(tagged("a"), extended("e", e=STRING), f=STRING)},
        [("member", "Thing.f", "added", C, C, True, True)],
    ),
    "member renamed that may be null now": Case(
        {"Thing": record(x=ref("Part")), "Part": PART},
        {"Thing": record(y={"anyOf": [ref("Part"), {"type": "null"}]}), "Part": PART},
        [
            ("member", "Thing.x", "renamed", C, B, True, True),
            ("nullability", "Thing.y", "changed", C, B, True, True),
        ],
    ),
    "a definition gone and another one come that only looks like it": Case(
        {"Thing": record(x=ref("Part")), "Part": record("n", "v", n=STRING, v=STRING)},
        {"Thing": record(y=ref("Piece")), "Piece": record("n", "v", n=STRING, v=INTEGER)},
        [
            ("definition", "Part", "removed", I, B, True, True),
            ("definition", "Piece", "added", I, C, True, True),
            ("member", "Thing.x", "removed", C, B, True, True),
            ("member", "Thing.y", "added", C, C, True, True),
        ],
    ),
    "list instead of a string, where items are skipped": member(
        STRING,
        {"type": "array", "items": STRING, **SKIP},
        REPLACED,
        ("x-deserialize-skip-invalid-items", "Thing.x", "changed", C, I, True, True),
    ),
    "entries of a map replaced, where they are skipped": member(
        {"type": "object", "additionalProperties": STRING, **SKIP},
        {"type": "object", "additionalProperties": INTEGER, **SKIP},
        at_x("type", C, B, True, True),
    ),
    "constant removed that other values do not take": Case(
        {"Thing": listed("a", "b", other=LONG)},
        {"Thing": listed("a", other=LONG)},
        [("value", "Thing[b]", "removed", B, B, False, True)],
        also=("b",),
    ),
    "constant added that other values do not take": Case(
        {"Thing": listed("a", other=LONG)},
        {"Thing": listed("a", "b", other=LONG)},
        [("value", "Thing[b]", "added", B, B, True, False)],
        back=("b",),
    ),
    "constant removed, where what is bad is repaired": member(
        {**listed("a", "b"), **ON_ERROR},
        {**listed("a"), **ON_ERROR},
        ("value", "Thing.x[b]", "removed", C, B, True, True),
    ),
    "constants to strings that all of them are": member(
        listed("a", "b"), {**STRING, "minLength": 1}, at_x("type", B, B, True, False)
    ),
    "items that are strings by another name": member(
        {"type": "array", "items": ref("Id")},
        {"type": "array", "items": STRING},
        at_x("type", I, I, True, True),
        Id=STRING,
    ),
    "constants of another kind, which had a name": Case(
        {"Thing": record(x=ref("Way")), "Way": listed("a", "b")},
        {"Thing": record(x=listed(1, 2)), "Way": listed("a", "b")},
        [REPLACED],
    ),
    "constants in place, with one more": Case(
        {"Thing": record(x=ref("Way")), "Way": listed("a", other=STRING)},
        {"Thing": record(x=listed("a", "b", other=STRING)), "Way": listed("a", other=STRING)},
        [at_x("type", I, I, True, True), ("value", "Thing.x[b]", "added", C, C, True, True)],
    ),
}

CASES: dict[str, Case] = {
    f"{group}: {name}": case
    for group, cases in (
        ("presence", PRESENCE),
        ("null", NULL),
        ("type", TYPES),
        ("enumeration", ENUMS),
        ("union", UNIONS),
        ("definition", DEFINITIONS),
        ("keyword", KEYWORDS),
        ("method", METHODS),
        ("object", OBJECTS),
    )
    for name, case in cases.items()
}
DECODED = [name for name, case in CASES.items() if case.root]


def row(change: Change) -> Row:
    """A change as the table states it."""
    return (
        change.subject,
        change.name,
        change.action,
        change.wire,
        change.python,
        change.reads,
        change.writes,
    )


@pytest.mark.parametrize("name", CASES)
def test_change(name: str) -> None:
    case = CASES[name]
    assert sorted(map(row, changes(case.old, case.new))) == sorted(case.rows)


@pytest.mark.parametrize("name", CASES)
def test_labels_follow_from_what_decodes(name: str) -> None:
    """A change on the wire is breaking if, and only if, one of the two directions fails."""
    for change in changes(CASES[name].old, CASES[name].new):
        assert (change.wire == B) == (not (change.reads and change.writes))
        assert (change.before is None) == (change.action == "added")
        assert (change.after is None) == (change.action == "removed")


@pytest.mark.parametrize("name", CASES)
def test_pointers_lead_to_what_has_changed(name: str) -> None:
    """Into the old schema if the thing is gone, else into the new one."""
    case = CASES[name]
    for change in changes(case.old, case.new):
        found: Any = {"$defs": case.old if change.action == "removed" else case.new}
        for part in change.pointer.split("/")[1:]:
            found = found[int(part) if isinstance(found, list) else part]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    folder = tmp_path_factory.mktemp("packages")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield Packages(folder)


@pytest.mark.parametrize("name", DECODED)
def test_reads_and_writes_are_what_happens(name: str, packages: Packages) -> None:
    """Valid instances of the one schema decode with the package of the other, or do not."""
    case = CASES[name]
    assert case.root
    before, after = case.root
    old, new = packages.module(case.old), packages.module(case.new)
    found = changes(case.old, case.new)
    unread = refused(new, after, chain(case.also, instances(before, case.old)))
    unwritten = refused(old, before, chain(case.back, instances(after, case.new)))
    assert (unread[:3] == [], unwritten[:3] == []) == (
        all(change.reads for change in found),
        all(change.writes for change in found),
    ), (unread[:3], unwritten[:3])


# --- what is not in the schema, or is about all of it ----------------------------------------


def needing(surface: Surface, capability: str | None, need: str | None = None) -> Surface:
    """A surface whose only method needs something to be advertised."""
    [one] = surface.methods
    needs = (CapabilityRequirement("p", None, Capability(need, ("p",))),) if need else ()
    stated = Capability(capability, ("c",)) if capability else None
    return replace(surface, methods=(replace(one, capability=stated, needs=needs),))


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ((None,), (None,), []),
        (("/a",), ("/a",), []),
        ((None,), ("/a",), [("a/ask", "added", True, False, B)]),
        (("/a",), (None,), [("a/ask", "removed", True, True, C)]),
        (("/a",), ("/b",), [("a/ask", "changed", True, False, B)]),
        ((None,), (None, "/a"), [("a/ask.p", "added", True, False, B)]),
        ((None, "/a"), (None,), [("a/ask.p", "removed", True, True, C)]),
        (("/a", "/a"), ("/a", "/b"), [("a/ask.p", "changed", True, False, B)]),
    ],
)
def test_capability(
    before: tuple[str | None, ...],
    after: tuple[str | None, ...],
    rows: list[tuple[str, str, bool, bool, str]],
) -> None:
    """To demand more than before breaks who has not advertised it; to demand less breaks nobody."""
    surface = read(ASKED)
    found = compare(needing(surface, *before), needing(surface, *after))
    assert [change.subject for change in found] == ["capability" for _ in rows]
    assert [
        (change.name, change.action, change.reads, change.writes, change.wire) for change in found
    ] == rows
    assert [change.python for change in found] == [row[-1] for row in rows]


def test_a_capability_for_what_is_new_breaks_nobody() -> None:
    """Nobody can be sending a member that was not there."""
    surface = read(ASKED)
    less = {**ASKED, "AskRequest": method("a/ask", q=STRING)}
    found = compare(read(less), needing(surface, None, "/a"))
    assert {(change.subject, change.wire, change.python) for change in found} == {
        ("capability", C, C),
        ("member", C, C),
    }


def test_surface_added_and_removed() -> None:
    one = read(ASKED)
    other = replace(one, name="v1", version=1)
    third = replace(one, name="v2_unstable", stability="unstable")
    found = report(("a", "b"), {"v2": one, "v1": other}, {"v2": one, "v2_unstable": third})
    assert [(change.surface, *row(change)) for change in found.changes] == [
        ("v1", "surface", "v1", "removed", B, B, False, False),
        ("v2_unstable", "surface", "v2_unstable", "added", C, C, True, True),
    ]
    assert found.changes[0].before == "protocol 1, stable"
    assert found.changes[1].after == "protocol 2, unstable"
    assert found.is_breaking
    assert found.counts() == {
        "breaking": {"wire": 1, "python": 1},
        "compatible": {"wire": 1, "python": 1},
        "internal": {"wire": 0, "python": 0},
    }


def test_surfaces_of_two_names_are_compared_if_each_is_the_only_one() -> None:
    one = read(ASKED)
    other = replace(read(told(("Tell",), **TELL)), name="v1", version=1)
    found = report(("a", "b"), {"v2": one}, {"v1": other}).changes
    assert {change.surface for change in found} == {"v2 → v1"}
    assert [change.name for change in found] == ["a/tell", "Tell"]


def test_worst_of_several() -> None:
    case = CASES["presence: member added, optional"]
    [one] = changes(case.old, case.new)
    assert worst([]) is None
    for labels in permutations((B, C, I), 2):
        wire, python = labels
        change: Any = replace(one, wire=wire, python=python)  # type: ignore[arg-type]
        assert worst([change]) == next(each for each in (B, C, I) if each in labels)


def test_order_does_not_depend_on_the_order_of_the_file() -> None:
    """Methods come first, then definitions, both by name."""
    old = {"Thing": STRING}
    new = {**told(("Tell",), **TELL), **{f"Part{n}": record(p=STRING) for n in "CABD"}}
    found = changes(old, new)
    again = changes(old, dict(reversed(new.items())))
    assert found == again
    assert [change.name for change in found] == [
        "a/ask",
        "a/tell",
        "AskRequest",
        "AskResponse",
        "PartA",
        "PartB",
        "PartC",
        "PartD",
        "Request",
        "Tell",
        "Thing",
    ]


def test_a_surface_is_the_same_as_itself() -> None:
    for case in CASES.values():
        assert compare(read(case.new), build(case.new)) == []
