"""Test cases for values with unknown tags and for values of other JSON types."""

from __future__ import annotations

from tests.acpgen.diff.cases.case import REPLACED, Case, member
from tests.acpgen.diff.small import (
    INTEGER,
    ON_ERROR,
    SKIP,
    STRING,
    Schema,
    listed,
    record,
    ref,
    tagged,
    union,
)

LONG = {"type": "string", "minLength": 2}
PART, OTHER = record("p", p=STRING), record("o", o=STRING)
LAST = {"title": "last", "allOf": [ref("Last")]}
PARTS = {"Part": PART, "Other": OTHER}
TWINS = {name: union(tagged("p", "Part"), rest=True) for name in ("One", "Two")}
ARMS = {"Part": record("p", p=STRING, z=STRING), "Other": OTHER, "Last": record("z", z=STRING)}


def noted(*tags: str) -> Schema:
    """Return a variant with a required field `note` for all tags except the given tags."""
    cases = [record("kind", kind={"type": "string", "const": tag}) for tag in tags]
    return {**record("kind", "note", kind=STRING, note=STRING), "not": {"anyOf": cases}}


def based(*arms: Schema, **members: Schema) -> Schema:
    """Return a record that declares the tag `kind` and has these variants."""
    return {**record("kind", kind=STRING, **members), **union(*arms)}


def extended(*required: str, **members: Schema) -> Schema:
    return record("kind", *required, kind={"type": "string", "const": "b"}, **members)


OBJECTS = {
    "arm removed, where other tags need more": Case(
        {"Thing": {"anyOf": [tagged("p", "Part"), tagged("o", "Other"), noted("p", "o")]}, **PARTS},
        {"Thing": {"anyOf": [tagged("p", "Part"), noted("p")]}, **PARTS},
        ["variant Thing[o] removed BB -w"],
        also=({"kind": "o", "o": ""},),
    ),
    "arm removed that the arm without a tag takes": Case(
        {"Thing": union(tagged("p", "Part"), tagged("o", "Last"), LAST), **PARTS, "Last": OTHER},
        {"Thing": union(tagged("p", "Part"), LAST), **PARTS, "Last": OTHER},
        ["variant Thing[o] removed CB rw"],
        also=({"kind": "o", "o": ""},),
    ),
    "an arm without a tag instead of one for all others": Case(
        {"Thing": union(tagged("p", "Part"), rest=True), **PARTS, "Last": OTHER},
        {"Thing": union(tagged("p", "Part"), LAST), **PARTS, "Last": OTHER},
        ["openness Thing changed BB -w", "default variant Thing changed BB r-"],
        also=({"kind": "else"},),
        back=({"o": ""},),
    ),
    "record to a union of what it was": Case(
        {"Thing": record("kind", kind=STRING)},
        {"Thing": union(tagged("p", "Part"), rest=True), "Part": PART},
        ["definition Part added IC rw", "kind Thing changed BB -w"],
        also=({"kind": "p"},),
    ),
    "union to a record that takes all of it": Case(
        {"Thing": union(tagged("p", "Part"), tagged("o", "Other"), rest=True), **PARTS},
        {"Thing": record("kind", kind=STRING, p=STRING), **PARTS},
        ["kind Thing changed BB r-"],
        back=({"kind": "p"},),
    ),
    "one of three instead of one of two, where the third is named by a member of the first": Case(
        {"Thing": {"oneOf": [ref("Part"), ref("Other")]}, **ARMS},
        {"Thing": {"oneOf": [ref("Part"), ref("Other"), ref("Last")]}, **ARMS},
        ["shape Thing changed BB --"],
        None,  # each generated instance would match several variants
    ),
    "record to a map": Case(
        {"Thing": record(x=ref("Part")), "Part": PART},
        {"Thing": record(x={"type": "object"}), "Part": PART},
        ["type Thing.x changed BB r-"],
    ),
    "one union instead of another that is just like it": Case(
        {"Thing": record(x=ref("One")), **TWINS, "Part": PART},
        {"Thing": record(x=ref("Two")), **TWINS, "Part": PART},
        ["type Thing.x changed CB rw"],
    ),
    "value of a record that becomes an arm of its own": Case(
        {"Thing": based(tagged("a"), tagged("b"))},
        {"Thing": based(tagged("a"), extended("e", e=STRING))},
        ["definition BThing added IC rw", "variant Thing[b] added BC -w"],
        also=({"kind": "b"},),
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
            "tag Thing changed BB --",
            "presence Thing.sort changed BB -w",
            "type Thing.kind changed CC rw",
            "type Thing.sort changed CB rw",
        ],
        also=({"kind": "a", "sort": "b"},),
        back=({"kind": "b", "sort": "a"},),
    ),
    "member moved from an arm to its record": Case(
        {"Thing": based(tagged("a"), extended(e=STRING, f=STRING))},
        {"Thing": based(tagged("a"), extended(f=STRING), e=STRING)},
        ["field Thing.e added CC rw"],
    ),
    "member added to a record and its arms": Case(
        {"Thing": based(tagged("a"), extended("e", e=STRING))},
        {"Thing": based(tagged("a"), extended("e", e=STRING), f=STRING)},
        ["field Thing.f added CC rw"],
    ),
    "member renamed that may be null now": Case(
        {"Thing": record(x=ref("Part")), "Part": PART},
        {"Thing": record(y={"anyOf": [ref("Part"), {"type": "null"}]}), "Part": PART},
        ["field Thing.x renamed CB rw", "nullability Thing.y changed CB rw"],
    ),
    "a definition gone and another one come that only looks like it": Case(
        {"Thing": record(x=ref("Part")), "Part": record("n", "v", n=STRING, v=STRING)},
        {"Thing": record(y=ref("Piece")), "Piece": record("n", "v", n=STRING, v=INTEGER)},
        [
            "definition Part removed IB rw",
            "definition Piece added IC rw",
            "field Thing.x removed CB rw",
            "field Thing.y added CC rw",
        ],
    ),
    "list instead of a string, where items are skipped": member(
        STRING,
        {"type": "array", "items": STRING, **SKIP},
        REPLACED,
        "x-deserialize-skip-invalid-items Thing.x changed CI rw",
    ),
    "entries of a map replaced, where they are skipped": member(
        {"type": "object", "additionalProperties": STRING, **SKIP},
        {"type": "object", "additionalProperties": INTEGER, **SKIP},
        "type Thing.x changed CB rw",
    ),
    "constant removed that other values do not take": Case(
        {"Thing": listed("a", "b", other=LONG)},
        {"Thing": listed("a", other=LONG)},
        ["value Thing[b] removed BB -w"],
        also=("b",),
    ),
    "constant removed, where what is bad is repaired": member(
        {**listed("a", "b"), **ON_ERROR},
        {**listed("a"), **ON_ERROR},
        "value Thing.x[b] removed CB rw",
    ),
    "constants to strings that all of them are": member(
        listed("a", "b"), {**STRING, "minLength": 1}, "type Thing.x changed BB r-"
    ),
    "items that are strings by another name": member(
        {"type": "array", "items": ref("Id")},
        {"type": "array", "items": STRING},
        "type Thing.x changed II rw",
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
        ["type Thing.x changed II rw", "value Thing.x[b] added CC rw"],
    ),
}
