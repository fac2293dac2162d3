"""Sample schemas of every shape, supported and unsupported."""

from __future__ import annotations

from typing import Any, TypeAlias

from tests.acpgen.diff.small import INTEGER, STRING, record, ref, tagged, union

Schema: TypeAlias = dict[str, Any]

A = record("a", a=STRING)
B = record("b", b=STRING)
R = record("x", x=STRING)
CONST = {"type": "string", "const": "a"}


def any_of(*arms: Schema, **more: Any) -> Schema:
    return {"anyOf": list(arms), **more}


def one_of(*arms: Schema) -> Schema:
    return {"oneOf": list(arms)}


def arm(name: str, tag: str, **members: Schema) -> Schema:
    """Return a union variant with a tag and other fields, all of which are required."""
    return record(name, *members, **{name: {"type": "string", "const": tag}}, **members)


WITHOUT_X = {"not": {"type": "object", "required": ["x"]}}
ARMS = (ref("A"), ref("B"))
OTHERS = {**record("t", t=STRING), "not": {"anyOf": [tagged("a", tag="t")]}}
# Unsupported schemas for definition X, each with the path and the message of the problem within X.
UNREAD: dict[str, tuple[Schema, str, str]] = {
    "other tags that leave one out": (
        any_of(
            arm("t", "a", x=STRING), arm("t", "b"), {**record("t", t=STRING), "not": arm("t", "a")}
        ),
        "/anyOf/2/not",
        "`not` can exclude tags only in a variant for other tags; remove `not`",
    ),
    "$ref beside an assertion": (
        {**ref("Name"), "minLength": 2},
        "/minLength",
        "minLength next to another schema is not supported; move it into that schema",
    ),
    "members without a type": (
        {"properties": {"a": STRING}},
        "/properties",
        "properties without a type also allow values that aren't objects; add the type",
    ),
    "no type": (
        {"minLength": 2},
        "/minLength",
        "minLength without a type is not supported; add the type",
    ),
    "allOf beside a bound": (
        {"allOf": [ref("Name")], "minLength": 2},
        "/minLength",
        "minLength next to another schema is not supported; move it into that schema",
    ),
    "anyOf beside a bound": (
        any_of(STRING, {"type": "null"}, type=["string", "null"], minLength=2),
        "/minLength",
        "minLength next to a union is not supported; move it into each variant",
    ),
    "two unions": (
        any_of(STRING, INTEGER, oneOf=[STRING, INTEGER]),
        "/oneOf",
        "oneOf next to anyOf is supported only in objects; move one of them into allOf",
    ),
    "not of a string": (
        {**STRING, "not": CONST},
        "/not",
        "`not` is supported only to exclude tags of other variants or to forbid a"
        " field; rewrite the schema",
    ),
    "not of an object": (
        {**A, "not": B},
        "/not",
        "`not` is supported only to exclude tags of other variants or to forbid a"
        " field; rewrite the schema",
    ),
    "not of a string and an object": (
        {"type": ["string", "object"], **WITHOUT_X},
        "/not",
        "`not` next to several types is not supported; move it into an object schema",
    ),
    "not of a string that excludes a member": (
        {**STRING, **WITHOUT_X},
        "/not",
        "`not` next to a non-object type is not supported; remove `not`",
    ),
    "not beside a union with another type": (
        any_of(ref("A"), STRING, **WITHOUT_X),
        "/not",
        "not next to a union with other types is not supported; move it into the variants",
    ),
    "required beside a union with another type": (
        any_of(ref("A"), STRING, required=["a"]),
        "/required",
        "required next to a union with other types is not supported; move it into the variants",
    ),
    "a schema beside a type": (
        {**STRING, "allOf": [{**STRING, "minLength": 2}]},
        "/allOf/0",
        "a schema next to a non-object type is not supported; move the type into it",
    ),
    "a map merged into an object": (
        {**A, "allOf": [{"type": "object", "additionalProperties": STRING}]},
        "/allOf/0",
        "only an object can be merged into an object; remove the schema",
    ),
    "a type beside a union with another type": (
        any_of(STRING, INTEGER, **STRING),
        "/type",
        "a type next to a union is not supported; move it into each variant",
    ),
    "an object that is also a string": (
        {"allOf": [ref("A"), STRING]},
        "",
        "no object can match this schema; remove the schema",
    ),
    "two unions in the variant for other tags": (
        any_of(tagged("a", "A", "t"), {**OTHERS, **any_of(*ARMS), **one_of(*ARMS)}),
        "/anyOf/1/oneOf",
        "a variant for other tags cannot contain a second union; remove it",
    ),
    "a forbidden member in the variant for other tags": (
        any_of(
            tagged("a", "A", "t"),
            {**OTHERS, "properties": {**OTHERS["properties"], "z": False}},
        ),
        "/anyOf/1/properties/z",
        "a forbidden field is not supported in a variant for other tags; remove it",
    ),
    "a second union in an object with a tag": (
        {**record("t", t=STRING), **any_of(arm("t", "a"), arm("t", "b")), "allOf": [any_of(*ARMS)]},
        "/allOf/0/anyOf",
        "a second union is not supported in an object with a tag field; remove it",
    ),
    "other tags that leave out an unknown tag": (
        {
            **record("t", t=STRING),
            **any_of(
                arm("t", "b"),
                {**record("t", t=STRING), "not": any_of(arm("t", "a"), arm("t", "b"))},
            ),
        },
        "/anyOf",
        "the variant for other tags must exclude exactly the known tags; fix its `not`",
    ),
    "values beside members": (
        {**A, "additionalProperties": STRING},
        "/additionalProperties",
        "additionalProperties next to named fields is not supported; allow any value",
    ),
    "unevaluated values": (
        {**A, "unevaluatedProperties": STRING},
        "/unevaluatedProperties",
        "unevaluatedProperties next to named fields is not supported; allow any value",
    ),
    "a map among objects with tags": (
        any_of(tagged("a", "A", "t"), {"type": "object", "additionalProperties": STRING}),
        "/anyOf/1/additionalProperties",
        "a map is not supported in a union of objects; define its fields",
    ),
    "a tag that the object itself restricts": (
        {
            **record("m", m=STRING, t={**STRING, "minLength": 2}),
            **any_of(tagged("a", tag="t"), tagged("b", tag="t")),
        },
        "/properties/t",
        "the tag field must be a plain string; move constraints into the variants",
    ),
    "required in a map": (
        {"type": "object", "additionalProperties": STRING, "required": ["a"]},
        "/required",
        "required in a map is not supported; add the fields to properties",
    ),
    "bound beside constants": (
        {"type": "string", "enum": ["a", "b"], "minLength": 1},
        "/minLength",
        "minLength next to constants is not supported; remove it",
    ),
    "constant of another type": (
        {**STRING, "const": 1},
        "/const",
        "a constant does not match the type; fix one of them",
    ),
    "const beside enum": (
        {"const": "a", "enum": ["a", "b"]},
        "/enum",
        "enum next to const is not supported; remove one of them",
    ),
    "no items": (
        {"type": "array", "items": False},
        "/items",
        "an array that must be empty is not supported; allow some items",
    ),
    "false as the only arm": (any_of(False), "/anyOf", "no value is allowed; add a variant"),
    "false as a part": (
        {"allOf": [ref("A"), False]},
        "/allOf/1",
        "no value is allowed; remove the schema",
    ),
    "pattern of another dialect": (
        {"type": "string", "pattern": r"^\p{L}+$"},
        "/pattern",
        "is not a valid Python regular expression; rewrite the pattern",
    ),
    "no empty value for null": (
        record(a={**STRING, "x-deserialize-default-on-null": True}),
        "/properties/a",
        "has no empty value to replace null; allow null or a list",
    ),
    "no items to skip": (
        record(a={**STRING, "x-deserialize-skip-invalid-items": True}),
        "/properties/a",
        "has no items to skip; fix the schema",
    ),
    "tag that is a member of the arm": (
        any_of(
            {**record("a", a=CONST), "allOf": [ref("A")]},
            record("a", a={"type": "string", "const": "b"}),
        ),
        "/anyOf/0",
        "the tag 'a' is also a field of the variant; define it once",
    ),
    "members that differ in their repairs": (
        {
            "allOf": [ref("Repaired")],
            "type": "object",
            "properties": {"a": {"type": "array", "items": STRING}},
        },
        "/properties/a",
        "'a' is defined differently at /$defs/X/properties/a; define it once",
    ),
}
# The definitions to which X can refer.
MORE: dict[str, Schema] = {
    "A": A,
    "B": B,
    "R": R,
    "Name": STRING,
    "Rs": {"type": "array", "items": ref("R")},
    "MaybeR": any_of(ref("R"), {"type": "null"}),
    "Either": any_of(ref("A"), ref("B")),
    "Open": union(tagged("a"), tagged("b")),
    "Repaired": record(
        a={"type": "array", "items": STRING, "x-deserialize-skip-invalid-items": True}
    ),
}

# Supported schemas for definition X, each with values to check, both valid and invalid.
READ: dict[str, tuple[Schema, list[Any]]] = {
    "null": ({"type": "null"}, [None, 0, {}]),
    "null in a list of types": (record("a", a={"type": ["null"]}), [{"a": None}, {"a": 0}, {}]),
    "a tag, or one of two objects": (
        any_of(arm("t", "a"), ref("A"), ref("B")),
        [{"t": "a"}, {"a": "1"}, {"b": "1"}, {"a": 1}, {"t": "b"}, {}],
    ),
    "an enum, or any other string": (
        any_of({"type": "string", "enum": ["user", "assistant"]}, STRING),
        ["user", "critic", "", 12.5, None],
    ),
    "two enums": (any_of({"enum": ["a", "b"]}, {"enum": ["b", "c"]}), ["a", "b", "c", "d", 1]),
    "one of two enums that share a value": (
        one_of({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
        ["a", "b", "c", "d", 1],
    ),
    "a constant, or one of the other strings": (
        one_of(CONST, {"type": "string", "pattern": "^a"}),
        ["a", "ab", "b", 1],
    ),
    "null in several arms of one": (
        one_of({"type": ["string", "null"]}, {"type": ["integer", "null"]}, {"type": "boolean"}),
        ["a", 1, True, None, 1.5],
    ),
    "strings by their bounds": (
        any_of({"type": "string", "minLength": 3}, {"type": "string", "pattern": "^_"}),
        ["abc", "_", "a", "", 1],
    ),
    "one of two ranges": (
        one_of({"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 7}),
        [4, 5, 6, 8, "a"],
    ),
    "objects with the same members": (
        any_of(record("x", x=STRING), record("x", x=INTEGER)),
        [{"x": "1"}, {"x": 1}, {"x": 1, "y": 2}, {"x": None}, {}],
    ),
    "one of two objects with the same members": (
        one_of(record("x", x=STRING), record("x", x=STRING, y=INTEGER)),
        [{"x": "1"}, {"x": "1", "y": "2"}, {"x": 1}, {}],
    ),
    "a tag that two arms share": (
        any_of(arm("t", "a", u=STRING), arm("t", "a", u=INTEGER), arm("t", "b")),
        [{"t": "a", "u": "1"}, {"t": "a", "u": 1}, {"t": "b"}, {"t": "a", "u": None}, {"t": "c"}],
    ),
    "tags of different names": (
        any_of(arm("t", "a"), arm("u", "a")),
        [{"t": "a"}, {"u": "a"}, {"t": "b"}, {"u": "a", "t": "b"}, {}],
    ),
    "two members that could be the tag": (
        any_of({**arm("t", "a"), "allOf": [arm("u", "x")]}, record("t", "u", t=CONST, u=CONST)),
        [{"t": "a", "u": "x"}, {"t": "a", "u": "a"}, {"t": "a", "u": "b"}, {"t": "a"}],
    ),
    "lists of different items": (
        any_of({"type": "array", "items": STRING}, {"type": "array", "items": INTEGER}),
        [["a"], [1], [], [True], ["a", 1]],
    ),
    "constants that a pattern leaves out": (
        any_of(CONST, {"type": "string", "pattern": "^_"}),
        ["a", "_b", "b", "", 1, None],
    ),
    "constants that are too short": (
        any_of(CONST, {"type": "string", "minLength": 2}),
        ["a", "ab", "b", ""],
    ),
    "constants below the rest": (
        any_of({"type": "integer", "const": -1}, {"type": "integer", "minimum": 5}),
        [-1, -1.0, 5, 4, 0, True, "5"],
    ),
    "constants in a list": (
        {"type": "array", "items": any_of(CONST, {"type": "string", "pattern": "^_"})},
        [["a", "_"], ["b"], []],
    ),
    "an enum of one value as a tag": (
        any_of(
            {**record("t", t={"type": "string", "enum": ["a"]}), "allOf": [ref("A")]},
            {**record("t", t={"type": "string", "enum": ["b"]}), "allOf": [ref("B")]},
        ),
        [{"t": "a", "a": ""}, {"t": "b", "b": ""}, {"t": "a", "b": ""}, {"a": ""}],
    ),
    "objects by another name": (
        any_of(STRING, ref("Rs")),
        ["s", [{"x": "1"}], [], [{}], {"x": "1"}],
    ),
    "an alternative within": (
        any_of(STRING, {"type": "array", "items": ref("Either")}),
        ["s", [{"a": "1"}, {"b": "2", "c": 3}], [{}], 1],
    ),
    "a map of objects": (
        any_of(STRING, {"type": "object", "additionalProperties": ref("R")}),
        ["s", {"k": {"x": "1", "y": 2}}, {}, {"k": {}}, {"k": "s"}],
    ),
    "nullable items": (
        any_of(STRING, {"type": "array", "items": ref("MaybeR")}),
        ["s", [{"x": "1"}, None], [None], [{}]],
    ),
    "objects or integers in a list": (
        any_of(STRING, {"type": "array", "items": any_of(ref("R"), INTEGER)}),
        ["s", [{"x": "1"}, 1, 1.5], [{"x": "1"}, 1], [True]],
    ),
    "lists of lists": (
        any_of(STRING, {"type": "array", "items": ref("Rs")}),
        ["s", [[{"x": "1"}]], [[]], [[{}]], [{"x": "1"}]],
    ),
    "members of the object only": (
        {"type": ["string", "object"], "required": ["name"], "properties": {"name": STRING}},
        ["xyz", "my name", {"name": "n"}, {}, 1],
    ),
    "items of the list only": (
        {"type": ["string", "array"], "items": ref("R")},
        ["xyz", "x", [{"x": "1"}], [{}], {}],
    ),
    "an object or an open union in a member": (
        record("m", m=any_of(ref("R"), ref("Open"))),
        [{"m": {"x": "1"}}, {"m": {"kind": "a"}}, {"m": {"kind": "c"}}, {"m": 1}, {}],
    ),
    "$ref beside members": (
        {**ref("A"), "properties": {"b": STRING}},
        [{"a": "1"}, {"a": "1", "b": "2"}, {"b": "2"}, {"a": "1", "b": 2}],
    ),
    "anything as the last arm": (
        record("m", m=any_of(ref("A"), INTEGER, True)),
        [{"m": {"a": "1"}}, {"m": 1}, {"m": {"a": 1}}, {"m": None}, {}],
    ),
    "a forbidden member": (
        {"type": "object", "properties": {"a": False, "b": STRING}},
        [{}, {"b": "1"}, {"c": 1}, {"a": 1}, {"a": None, "b": "1"}],
    ),
    "a member that must be absent": (
        {**A, "not": {"type": "object", "required": ["type"]}},
        [{"a": "1"}, {"a": "1", "b": 2}, {"a": "1", "type": "t"}, {}],
    ),
    "one of two that exclude each other": (
        {
            "oneOf": [
                {**record("a", a=STRING), "not": {"required": ["b"]}},
                {**record("b", b=STRING), "not": {"required": ["a"]}},
            ]
        },
        [{"a": ""}, {"b": "", "c": 1}, {"a": "", "b": ""}, {}],
    ),
    "exactly one of two": (
        {"oneOf": [ref("A"), ref("B")]},
        [{"a": ""}, {"b": ""}, {"a": "", "b": ""}, {"a": "", "b": 1}, {}],
    ),
    "a tag that is ruled out and that no arm has": (
        any_of(
            tagged("a", "A", "t"),
            {
                **record("t", t=STRING),
                "not": {"anyOf": [tagged("a", tag="t"), tagged("gone", tag="t")]},
            },
        ),
        [{"t": "a", "a": ""}, {"t": "b"}, {"t": "gone"}, {"t": "gone", "a": ""}, {}],
    ),
    "exactly one of other tags and none": (
        {
            "oneOf": [
                tagged("a", "A", "t"),
                ref("B"),
                {**record("t", t=STRING), "not": tagged("a", tag="t")},
            ]
        },
        [{"t": "a", "a": ""}, {"b": ""}, {"t": "x"}, {"t": "x", "b": ""}, {}],
    ),
    "other tags, repaired or taken by an arm without a tag": (
        any_of(
            tagged("a", "A", "t"),
            {"type": "object", "properties": {"q": INTEGER}},
            {
                **record("t", t=STRING, q={**STRING, "x-deserialize-default-on-error": True}),
                "not": tagged("a", tag="t"),
            },
        ),
        [{"t": "a", "a": ""}, {"t": "x", "q": 1}, {"t": "x", "q": "s"}, {"t": "x", "q": []}, {}],
    ),
    "a tag of no arm beside one without": (
        any_of(
            tagged("a", "A", "t"),
            {**B, "not": {"required": ["t"]}},
            {**record("t", t=STRING), "not": tagged("a", tag="t")},
        ),
        [{"t": "a", "a": ""}, {"b": ""}, {"t": "x", "b": ""}, {"t": "x"}, {}, {"t": 1, "b": ""}],
    ),
    "a tagged union beside another": (
        {
            **record("m", m=STRING),
            "anyOf": [ref("A"), ref("B")],
            "oneOf": [
                tagged("a", tag="t"),
                {**record("t", "x", t={"type": "string", "const": "b"}, x=STRING)},
            ],
        },
        [
            {"m": "", "t": "a", "a": ""},
            {"m": "", "t": "b", "x": "", "b": ""},
            {"m": "", "t": "b", "b": ""},
            {"m": "", "t": "a"},
            {"t": "a", "a": ""},
        ],
    ),
    "a tag that is null in the arms only": (
        {
            **record("t", t=STRING),
            **any_of(
                tagged("a", tag="t"), {"type": "object", "properties": {"t": {"type": "null"}}}
            ),
        },
        [{"t": "a"}, {"t": None}, {}, {"t": "b"}],
    ),
    "constants and null": ({"enum": ["a", "b", None]}, ["a", None, "c", 1]),
    "only null": ({"const": None}, [None, 1, "", {}]),
    "allOf around a string": ({"allOf": [{**STRING, "minLength": 2}]}, ["ab", "a", 1]),
    "a nullable object": (
        {"type": ["object", "null"], "properties": {"x": STRING}, "required": ["x"]},
        [None, {"x": "1"}, {}, "s"],
    ),
    "a nullable union": (
        any_of(tagged("a", "A", "t"), tagged("b", "B", "t"), {"type": "null"}),
        [None, {"t": "a", "a": "1"}, {"t": "b", "b": "1"}, {"t": "a"}, "s"],
    ),
    "a nullable map": (
        {"type": ["object", "null"], "additionalProperties": ref("R")},
        [None, {}, {"k": {"x": "1"}}, {"k": {}}, []],
    ),
}
