"""Test cases for variants of unions and for the class for unknown tags."""

from __future__ import annotations

from tests.acpgen.diff.cases.case import PARTS, SOME, Case, named, thing
from tests.acpgen.diff.small import STRING, Schema, record, ref, tagged, union

LAST = {"Last": record("z", z=STRING)}
EXTRA = {"Extra": record("e", "f", e=STRING, f=STRING), "More": record("m", m=STRING)}
ALL = {**PARTS, **LAST, **EXTRA}

THIRD = tagged("last", "Last")
PLAIN = {"allOf": [ref("Last")], "title": "last"}


[*_, OTHERS] = union(*SOME, rest=True)["anyOf"]
OTHERS_WITH_A_NOTE = {**OTHERS, **record("kind", "note", kind=STRING, note=STRING)}


def holding(*names: str) -> Schema:
    """Return a union in which values with other tags must match one of the given definitions."""
    alternatives = [{"title": name.lower(), "allOf": [ref(name)]} for name in names]
    return {"anyOf": [*SOME, {**OTHERS, "oneOf": alternatives}]}


def without_arm(schema: Schema, arm: Schema) -> Schema:
    """Remove a variant from a union. The variant for other tags still excludes the removed tag."""
    return {"anyOf": [each for each in schema["anyOf"] if each != arm]}


UNIONS = {
    "arm added to an open union": thing(
        union(*SOME, rest=True),
        union(*SOME, THIRD, rest=True),
        "variant Thing[last] added CC rw",
        **ALL,
    ),
    "arm added to a union that the default mode keeps open": thing(
        union(*SOME), union(*SOME, THIRD), "variant Thing[last] added CC rw", **ALL
    ),
    "arm added to a union that the policy closes": named(
        "RequestPermissionOutcome",
        union(*SOME),
        union(*SOME, THIRD),
        "variant RequestPermissionOutcome[last] added BB r-",
        **ALL,
    ),
    "arm added with its definition": Case(
        {"Thing": union(*SOME), **PARTS},
        {"Thing": union(*SOME, THIRD), **PARTS, **LAST},
        ["definition Last added IC rw", "variant Thing[last] added CC rw"],
    ),
    "arm leads to another definition": thing(
        union(*SOME, rest=True),
        union(tagged("part", "Part"), tagged("other", "Last"), rest=True),
        "variant Thing[other] changed BB --",
        **ALL,
    ),
    "arm leads to another definition that takes the same": thing(
        union(*SOME, rest=True),
        union(tagged("part", "Part"), tagged("other", "Twin"), rest=True),
        "variant Thing[other] changed CB rw",
        **PARTS,
        Twin=PARTS["Other"],
    ),
    "arm renamed": thing(
        union(*SOME, rest=True),
        union(tagged("part", "Part"), tagged("another", "Other"), rest=True),
        "variant Thing[another] added CC rw",
        "variant Thing[other] removed CB rw",
        **PARTS,
    ),
    "tag renamed": thing(
        union(*SOME),
        union(tagged("part", "Part", "type"), tagged("other", "Other", "type")),
        "tag Thing changed BB --",
        **PARTS,
    ),
    "union opened": named(
        "RequestPermissionOutcome",
        union(*SOME),
        union(*SOME, rest=True),
        "openness RequestPermissionOutcome changed BB r-",
        **PARTS,
    ),
    "exactly one arm instead of any": Case(
        {"Thing": {"anyOf": [tagged("part", "Part"), ref("Other")]}, **PARTS},
        {"Thing": {"oneOf": [tagged("part", "Part"), ref("Other")]}, **PARTS},
        ["exclusivity Thing changed BB -w"],
        also=({"kind": "part", "p": "", "o": ""},),
    ),
    "union opened that the default mode kept open": thing(
        union(*SOME), union(*SOME, rest=True), "openness Thing changed CC rw", **PARTS
    ),
    "member of the arm for other tags removed": thing(
        {"anyOf": [*SOME, OTHERS_WITH_A_NOTE]},
        union(*SOME, rest=True),
        "field UnknownThing.note removed BI r-",
        **PARTS,
    ),
    "arm removed whose tag stays ruled out": thing(
        union(*SOME, THIRD, rest=True),
        without_arm(union(*SOME, THIRD, rest=True), THIRD),
        "variant Thing[last] removed CB rw",
        "tags ruled out Thing changed CC rw",
        **ALL,
    ),
    "arm removed whose tag stays ruled out, of a union that policy closes": named(
        "RequestPermissionOutcome",
        union(*SOME, THIRD, rest=True),
        without_arm(union(*SOME, THIRD, rest=True), THIRD),
        "variant RequestPermissionOutcome[last] removed BB -w",
        "tags ruled out RequestPermissionOutcome changed BC -w",
        **ALL,
    ),
    "shared definition of several arms replaced": thing(
        union(tagged("first", "Part"), tagged("second", "Part")),
        union(tagged("first", "Other"), tagged("second", "Other")),
        *(
            f"field {name}.{member}"
            for name in ("First", "Second")
            for member in ("x removed BB r-", "y added BB -w", "z added BB -w")
        ),
        Part=record("x", x=STRING),
        Other=record("y", "z", y=STRING, z=STRING),
    ),
    "arm that must not have its own tag": Case(
        {"Thing": union(*SOME), **PARTS},
        {"Thing": union(SOME[0], {**SOME[1], "not": {"required": ["kind"]}}), **PARTS},
        ["definition OtherThing added IC rw", "variant Thing[other] changed BB -w"],
        root=None,
    ),
    "alternatives of the arm for other tags added": thing(
        union(*SOME, rest=True),
        holding("Last", "Extra"),
        "alternatives UnknownThing added BI -w",
        **ALL,
    ),
    "one more alternative of the arm for other tags": thing(
        holding("Last", "Extra"),
        holding("Last", "Extra", "More"),
        "alternatives UnknownThing changed BI r-",
        **ALL,
    ),
    "other alternatives of the arm for other tags": thing(
        holding("Last", "Extra"),
        holding("Last", "More"),
        "alternatives UnknownThing changed BI --",
        **ALL,
    ),
    "alternative of the arm for other tags renamed": Case(
        {"Thing": holding("Last", "Extra"), **ALL},
        {
            "Thing": holding("Last", "Bonus"),
            **PARTS,
            **LAST,
            "More": EXTRA["More"],
            "Bonus": EXTRA["Extra"],
        },
        ["definition Extra renamed IB rw"],
    ),
    "alternatives of the arm for other tags stay": thing(
        holding("Last", "Extra"), holding("Last", "Extra"), **ALL
    ),
    # Messages with these tags are invalid in the old schema.
    "arm for other tags added, with a member and alternatives": thing(
        union(*SOME),
        {
            "anyOf": [
                *SOME,
                {**OTHERS_WITH_A_NOTE, "oneOf": [{"title": "last", "allOf": [ref("Last")]}]},
            ]
        },
        "openness Thing changed CC rw",
        **ALL,
    ),
    "default arm added beside one for other tags": thing(
        union(*SOME, rest=True),
        union(*SOME, PLAIN, rest=True),
        "default variant Thing changed BB r-",
        **ALL,
    ),
    # Values that were valid in the old schema still decode, but the class for other tags is
    # removed.
    "default arm added": thing(
        union(*SOME),
        union(*SOME, PLAIN),
        "openness Thing changed CB rw",
        "default variant Thing changed BB r-",
        **ALL,
    ),
    "default arm leads to another definition": thing(
        union(*SOME, PLAIN),
        union(*SOME, {"allOf": [ref("Extra")], "title": "last"}),
        "default variant Thing changed BB --",
        **PARTS,
        **LAST,
        Extra=record("e", e=STRING),
    ),
    "record to a union": thing(
        record("a", a=STRING), union(*SOME), "kind Thing changed BB --", **PARTS
    ),
    "record to a union that it is the default of": Case(
        {"Thing": record("z", z=STRING), **PARTS},
        {"Thing": union(*SOME, PLAIN), **PARTS, **LAST},
        ["definition Last added IC rw", "kind Thing changed BB r-"],
    ),
    "record to any JSON": thing(record("z", z=STRING), {}, "kind Thing changed BB r-"),
    "scalar to a record": thing(STRING, record("z", z=STRING), "kind Thing changed BB --"),
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
            "definition BThing added IC rw",
            "value Thing.kind[b] added CC rw",
            "variant Thing[b] added BC -w",
        ],
        also=({"kind": "b", "m": ""},),
    ),
    "tag of a record renamed": thing(
        {**record("kind", "sort", kind=STRING, sort=STRING), **union(tagged("a"), rest=True)},
        {
            **record("kind", "sort", kind=STRING, sort=STRING),
            **union(tagged("a", tag="sort"), rest=True, tag="sort"),
        },
        "tag Thing changed CB rw",
        "type Thing.kind changed CC rw",
        "type Thing.sort changed CB rw",
    ),
}
