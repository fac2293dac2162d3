"""Test cases for fields, null, types and constants."""

from __future__ import annotations

from tests.acpgen.diff.cases.case import REPLACED, STRINGS, WIDER, Case, member, named, thing
from tests.acpgen.diff.small import (
    INTEGER,
    MAYBE,
    ON_ERROR,
    ON_NULL,
    SKIP,
    STRING,
    listed,
    record,
    ref,
)

PRESENCE = {
    "member added, optional": member(None, STRING, "field Thing.x added CC rw"),
    "member added, required": thing(
        record("a", a=STRING), record("a", "x", a=STRING, x=STRING), "field Thing.x added BB -w"
    ),
    "member added to an object in place": member(
        record(y=STRING), record(y=STRING, z=STRING), "field ThingX.z added CC rw"
    ),
    "optional to required": thing(
        record(x=STRING), record("x", x=STRING), "presence Thing.x changed BB -w"
    ),
    "optional to required, with a repair of what is bad": thing(
        record(x={"type": "array", "items": STRING, **ON_ERROR}),
        record("x", x={"type": "array", "items": STRING, **ON_ERROR}),
        "presence Thing.x changed BB -w",
    ),
    "member renamed, required": Case(
        {"Thing": record("x", x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record("y", y=ref("Part")), "Part": record(p=STRING)},
        ["field Thing.x renamed BB --"],
    ),
    "member renamed, optional": Case(
        {"Thing": record(x=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(y=ref("Part")), "Part": record(p=STRING)},
        ["field Thing.x renamed CB rw"],
    ),
    "members of one type renamed, so that none can be told": Case(
        {"Thing": record(x=ref("Part"), y=ref("Part")), "Part": record(p=STRING)},
        {"Thing": record(z=ref("Part")), "Part": record(p=STRING)},
        [
            "field Thing.x removed CB rw",
            "field Thing.y removed CB rw",
            "field Thing.z added CC rw",
        ],
    ),
    "member of a plain type renamed, which nothing says": Case(
        {"Thing": record(x=STRING)},
        {"Thing": record(y=STRING)},
        ["field Thing.x removed CB rw", "field Thing.y added CC rw"],
    ),
}


NULL = {
    "not null to null": member(STRING, MAYBE, "nullability Thing.x changed BB r-"),
    "not null to null, where what is bad is repaired": member(
        {**STRING, **ON_ERROR}, {**MAYBE, **ON_ERROR}, "nullability Thing.x changed CB rw"
    ),
    "null to not null, where null is repaired": member(
        {"type": ["array", "null"], "items": STRING},
        {"type": "array", "items": STRING, **ON_NULL},
        "nullability Thing.x changed CB rw",
        "x-deserialize-default-on-null Thing.x changed CI rw",
    ),
    "any JSON to a string or null": member({}, MAYBE, "type Thing.x changed BB -w"),
    "null by an alias": member(MAYBE, ref("Maybe"), "type Thing.x changed II rw", Maybe=MAYBE),
}


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


ENUMS = {
    "value added in place": member(
        listed("a", "b"), listed("a", "b", "c"), "value Thing.x[c] added BB r-"
    ),
    "value added to an open one": member(
        listed("a", other=STRING), listed("a", "b", other=STRING), "value Thing.x[b] added CC rw"
    ),
    # The default mode keeps unknown values, so the removal doesn't break messages. It breaks code,
    # because type checkers report an unknown value as a misspelled constant.
    "value removed from an open one": member(
        listed("a", "b", other=STRING), listed("a", other=STRING), "value Thing.x[b] removed CB rw"
    ),
    "value added to a definition": thing(
        listed("a", "b"), listed("a", "b", "c"), "value Thing[c] added CC rw"
    ),
    "value added to what the policy closes": named(
        "PermissionOptionKind",
        listed("a", "b"),
        listed("a", "b", "c"),
        "value PermissionOptionKind[c] added BB r-",
    ),
    "integer added to a closed one": thing(
        listed(1, 2), listed(1, 2, 3), "value Thing[3] added BB r-"
    ),
    "integer added to an open one": thing(
        listed(1, other=INTEGER), listed(1, 2, other=INTEGER), "value Thing[2] added CC rw"
    ),
    "value renamed in place": member(
        listed("a", "b"),
        listed("a", "c"),
        "value Thing.x[b] removed BB -w",
        "value Thing.x[c] added BB r-",
    ),
    "opened in place": member(
        listed("a"), listed("a", other=STRING), "openness Thing.x changed BB r-"
    ),
    "opened definition": thing(
        listed("a"), listed("a", other=STRING), "openness Thing changed CC rw"
    ),
    "closed what the policy closes": named(
        "PermissionOptionKind",
        listed("a", other=STRING),
        listed("a"),
        "openness PermissionOptionKind changed BB -w",
    ),
    "strings to integers": thing(listed("a"), listed(1), "shape Thing changed BB --"),
    "least length of other values": member(
        listed("a", other=STRING),
        listed("a", other={**STRING, "minLength": 1}),
        "type Thing.x changed BC -w",
    ),
    "a string to a closed enumeration": member(STRING, listed("a"), "type Thing.x changed BB -w"),
    "an open enumeration to a string": member(
        listed("a", other=STRING), STRING, "type Thing.x changed CC rw"
    ),
    "value added to items": member(
        {"type": "array", "items": listed("a")}, {"type": "array", "items": listed("a", "b")}, WIDER
    ),
}
