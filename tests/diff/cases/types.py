"""Types of members and definitions."""

from __future__ import annotations

from diff.cases.case import (
    NARROWER,
    REPLACED,
    STRINGS,
    WIDER,
    B,
    C,
    Case,
    I,
    at,
    at_x,
    member,
    thing,
)
from diff.small import (
    INTEGER,
    ON_ERROR,
    SKIP,
    STRING,
    record,
    ref,
)

LOOSER, TIGHTER = at_x("type", B, C, True, False), at_x("type", B, C, False, True)
NUMBERS = {"type": "number"}


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
    "at most one arm instead of any, where every integer is a number": Case(
        {"Thing": {"anyOf": [{"type": "integer"}, {"type": "number"}]}},
        {"Thing": {"oneOf": [{"type": "integer"}, {"type": "number"}]}},
        [at("shape", B, C, False, True)],
        root=None,
    ),
    "one of two objects, of which another fits it, too": Case(
        {"Thing": record("x", x=ref("Some")), "Some": record("p", p=STRING), "Other": record()},
        {
            "Thing": record("x", x={"oneOf": [ref("Some"), ref("Other")]}),
            "Some": record("p", p=STRING),
            "Other": record(),
        },
        [
            ("definition", "ThingX", "added", I, C, True, True),
            at_x("type", B, B, False, False),
        ],
        root=None,
    ),
    "one of two types, of which another has the same values": Case(
        {"Thing": record("x", x=INTEGER)},
        {"Thing": record("x", x={"oneOf": [INTEGER, {"type": "number"}]})},
        [at_x("type", B, B, False, False)],
        root=None,
    ),
    "an alternative needs more, so that less tells it from another": Case(
        {
            "Thing": {"oneOf": [ref("Some"), ref("Other")]},
            "Some": record("p", p=STRING),
            "Other": record("q", q=STRING),
        },
        {
            "Thing": {"oneOf": [{**ref("Some"), "required": ["x"]}, ref("Other")]},
            "Some": record("p", p=STRING),
            "Other": record("q", q=STRING),
        },
        [
            ("definition", "XThing", "added", I, C, True, True),
            at("shape", B, B, False, False),
        ],
        root=None,
    ),
}
