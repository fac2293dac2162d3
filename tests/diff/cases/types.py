"""Types of members and definitions."""

from __future__ import annotations

from diff.cases.case import REPLACED, STRINGS, WIDER, Case, member, thing
from diff.small import INTEGER, ON_ERROR, SKIP, STRING, record, ref

LOOSER, TIGHTER = "type Thing.x changed BC r-", "type Thing.x changed BC -w"
NUMBERS = {"type": "number"}


INTEGERS = {"type": "array", "items": INTEGER}


TYPES = {
    "type widened": member(INTEGER, NUMBERS, WIDER),
    "type replaced": member(STRING, INTEGER, REPLACED),
    "type replaced, where what is bad is repaired": member(
        {**STRING, **ON_ERROR}, {**INTEGER, **ON_ERROR}, "type Thing.x changed CB rw"
    ),
    "type replaced, where the new side repairs what is bad": member(
        STRING,
        {**INTEGER, **ON_ERROR},
        "type Thing.x changed BB r-",
        "x-deserialize-default-on-error Thing.x changed CI rw",
    ),
    "type replaced, with a repair that there is not": thing(
        record("x", x={**STRING, **ON_ERROR}), record("x", x={**INTEGER, **ON_ERROR}), REPLACED
    ),
    "one type to a choice": member(STRING, {"type": ["string", "integer"]}, WIDER),
    "items replaced": member(STRINGS, INTEGERS, REPLACED),
    "items replaced, where bad ones are skipped": member(
        {**STRINGS, **SKIP}, {**INTEGERS, **SKIP}, "type Thing.x changed CB rw"
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
    "maximum removed": member({**INTEGER, "maximum": 1}, INTEGER, LOOSER),
    "minimum of a number added": member(NUMBERS, {**NUMBERS, "minimum": 0}, TIGHTER),
    "range moved": member(
        {**INTEGER, "minimum": 0, "maximum": 1},
        {**INTEGER, "minimum": 1, "maximum": 2},
        "type Thing.x changed BC --",
    ),
    "format widened": member(
        {**INTEGER, "format": "uint16"}, {**INTEGER, "format": "uint32"}, LOOSER
    ),
    "least length added": member(STRING, {**STRING, "minLength": 1}, TIGHTER),
    "pattern removed": member({**STRING, "pattern": "^[a-z]"}, STRING, LOOSER),
    "pattern replaced": member(
        {**STRING, "pattern": "^[a-z]"},
        {**STRING, "pattern": "^[A-Z]"},
        "type Thing.x changed BC --",
    ),
    "least count added": member(STRINGS, {**STRINGS, "minItems": 1}, TIGHTER),
    "limits of an alias": thing({**STRING, "minLength": 1}, STRING, "shape Thing changed BC r-"),
    "a scalar to an alias of it": member(
        STRING, ref("Name"), "type Thing.x changed II rw", Name=STRING
    ),
    "an alias to another one of the same scalar": member(
        ref("Name"), ref("Label"), "type Thing.x changed II rw", Name=STRING, Label=STRING
    ),
    "an alias to another one with tighter limits": member(
        ref("Name"), ref("Label"), TIGHTER, Name=STRING, Label={**STRING, "minLength": 1}
    ),
    "a record to another one": member(
        ref("Part"), ref("Other"), REPLACED, Part=record("p", p=STRING), Other=record("o", o=STRING)
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
        ["shape Thing changed BC -w"],
        also=({"p": "both", "q": "arms"},),
    ),
    "at most one arm instead of any, where every integer is a number": Case(
        {"Thing": {"anyOf": [{"type": "integer"}, {"type": "number"}]}},
        {"Thing": {"oneOf": [{"type": "integer"}, {"type": "number"}]}},
        ["shape Thing changed BC -w"],
        root=None,
    ),
    "one of two objects, of which another fits it, too": Case(
        {"Thing": record("x", x=ref("Some")), "Some": record("p", p=STRING), "Other": record()},
        {
            "Thing": record("x", x={"oneOf": [ref("Some"), ref("Other")]}),
            "Some": record("p", p=STRING),
            "Other": record(),
        },
        ["definition ThingX added IC rw", "type Thing.x changed BB --"],
        root=None,
    ),
    "one of two types, of which another has the same values": Case(
        {"Thing": record("x", x=INTEGER)},
        {"Thing": record("x", x={"oneOf": [INTEGER, {"type": "number"}]})},
        ["type Thing.x changed BB --"],
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
        ["definition XThing added IC rw", "shape Thing changed BB --"],
        root=None,
    ),
}
