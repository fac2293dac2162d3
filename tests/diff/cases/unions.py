"""Arms of unions, and the class for other tags."""

from __future__ import annotations

from diff.cases.case import PARTS, SOME, B, C, Case, I, Row, at, named, thing
from diff.small import (
    STRING,
    Schema,
    record,
    ref,
    tagged,
    union,
)

LAST = {"Last": record("z", z=STRING)}
SCOPES = {
    "Last": record("z", z=STRING),
    "Extra": record("e", "f", e=STRING, f=STRING),
    "More": record("m", m=STRING),
}


THIRD = tagged("last", "Last")
PLAIN = {"allOf": [ref("Last")], "title": "last"}


[*_, OTHERS] = union(*SOME, rest=True)["anyOf"]
OTHERS_WITH_A_NOTE = {
    **OTHERS,
    **record("kind", "note", kind=STRING, note=STRING),
}


def holding(*names: str) -> Schema:
    """A union whose arm for other tags is one of these definitions."""
    alternatives = [{"title": name.lower(), "allOf": [ref(name)]} for name in names]
    return {"anyOf": [*SOME, {**OTHERS, "oneOf": alternatives}]}


def alternatives(action: str, wire: str, reads: bool, writes: bool) -> Row:
    """The row of a change to the alternatives of an object with another tag."""
    return ("alternatives", "UnknownThing", action, wire, I, reads, writes)


def without_arm(schema: Schema, arm: Schema) -> Schema:
    """A union without an arm, whose tag the arm for other tags still rules out."""
    return {"anyOf": [each for each in schema["anyOf"] if each != arm]}


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
    "arm removed whose tag stays ruled out": thing(
        union(*SOME, THIRD, rest=True),
        without_arm(union(*SOME, THIRD, rest=True), THIRD),
        ("arm", "Thing[last]", "removed", C, B, True, True),
        ("tags ruled out", "Thing", "changed", C, C, True, True),
        **PARTS,
        **LAST,
    ),
    "arm removed whose tag stays ruled out, of a union that policy closes": named(
        "RequestPermissionOutcome",
        union(*SOME, THIRD, rest=True),
        without_arm(union(*SOME, THIRD, rest=True), THIRD),
        ("arm", "RequestPermissionOutcome[last]", "removed", B, B, False, True),
        ("tags ruled out", "RequestPermissionOutcome", "changed", B, C, False, True),
        **PARTS,
        **LAST,
    ),
    "arm that must not have its own tag": Case(
        {"Thing": union(*SOME), **PARTS},
        {"Thing": union(SOME[0], {**SOME[1], "not": {"required": ["kind"]}}), **PARTS},
        [
            ("definition", "OtherThing", "added", I, C, True, True),
            ("arm", "Thing[other]", "changed", B, B, False, True),
        ],
        root=None,
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
    # No valid message of the old schema has such a tag.
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
    # Values that the old schema itself allowed still decode; the class for other tags is gone.
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
