"""Tests of the search for unsupported parts of schemas."""

from __future__ import annotations

from typing import Any

import pytest
from acpgen.schema.nodes import Definitions, Node
from acpgen.schema.unread import find_unread

from tests.acpgen.diff.small import STRING, Schema, record, ref
from tests.acpgen.schema.small_nodes import arm, other

REF = ref("A")
TAGGED = arm(t="a")
OBJECT: Schema = {**record("a", a=STRING), "additionalProperties": True}
OTHER = other({"anyOf": [TAGGED]})
REPAIR: Schema = {**STRING, "x-deserialize-default-on-error": True}


# JSON Schema keywords that don't restrict values.
ANNOTATIONS: Schema = {
    **dict.fromkeys(("$anchor", "$comment", "$id", "$schema", "description", "title"), "a"),
    **dict.fromkeys(("contentEncoding", "contentMediaType", "default", "example", "format"), "a"),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), True),
    "contentSchema": STRING,
    "discriminator": {"propertyName": "a"},
    "examples": ["a"],
}
# JSON Schema keywords that restrict values, each with a sample value.
UNREAD: list[tuple[str, Any]] = [
    ("maxLength", 3),
    ("if", {}),
    ("then", STRING),
    ("else", STRING),
    ("contains", {}),
    ("uniqueItems", True),
    ("multipleOf", 5),
    ("prefixItems", [STRING]),
    ("propertyNames", STRING),
    ("dependentRequired", {"a": ["b"]}),
    ("patternProperties", {"^a": STRING}),
    ("$dynamicRef", "#/$defs/A"),
    ("dependencies", {"a": ["b"]}),
    ("dependentSchemas", {"a": STRING}),
    ("exclusiveMaximum", 3),
    ("exclusiveMinimum", 1),
    ("maxContains", 3),
    ("maxItems", 3),
    ("maxProperties", 3),
    ("minContains", 1),
    ("minProperties", 1),
    ("unevaluatedItems", STRING),
]


def found(schema: Schema, at: str = "/at") -> list[tuple[str, str, str]]:
    return list(find_unread(Node(schema, at, Definitions({"A": STRING}))))


@pytest.mark.parametrize(
    "schema",
    [
        {**REF, "description": "d", "x-docs-ignore": True},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {"a": True}, "unevaluatedProperties": True},
        {"type": "string", "enum": ["a"], "format": "uri"},
        {**STRING, "minLength": 1, "pattern": "^a", "$defs": {"B": STRING}},
        {"type": "integer", "minimum": 1, "maximum": 2},
        {"type": "array", "items": STRING, "minItems": 1},
        {**STRING, **ANNOTATIONS, "x-method": "a", "x-side": "agent"},
        {**REF, **ANNOTATIONS},
        {**ANNOTATIONS, "anyOf": [REF]},
        {**STRING, "anyOf": [REF, {"const": "a"}]},
        {"type": ["object", "string"], "oneOf": [REF, TAGGED]},
        {**REF, **OBJECT, "not": {"required": ["b"]}},
        {**OBJECT, "allOf": [REF], "unevaluatedProperties": True},
        {**OBJECT, "anyOf": [REF], "not": {"required": ["b"]}},
        {**TAGGED, "anyOf": [REF, True], "oneOf": [REF, False]},
        {"type": "object", "properties": {"a/b": False}},
        {**TAGGED, "not": {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}},
    ],
)
def test_what_is_supported(schema: Schema) -> None:
    assert found(schema) == []


CLOSED = "a closed object is not supported; allow any value"
CONSTANTS = "constants must be strings or integers, or null; describe other values by type"
NOT = (
    "`not` is supported only to exclude tags of other variants or to forbid a field; rewrite the"
    " schema"
)


@pytest.mark.parametrize(
    ("schema", "at", "message"),
    [
        ({**TAGGED, "additionalProperties": False}, "/additionalProperties", CLOSED),
        ({**TAGGED, "unevaluatedProperties": False}, "/unevaluatedProperties", CLOSED),
        (
            {"type": ["string", "null"], "enum": ["a", 1]},
            "/enum",
            "a constant does not match the type; fix one of them",
        ),
        ({"enum": ["a", 1]}, "/enum", CONSTANTS),
        ({"const": {"a": 1}}, "/const", CONSTANTS),
        ({**OTHER, "not": {"anyOf": [REF]}}, "/not", NOT),
        ({**TAGGED, "not": {"required": ["a", "b"]}}, "/not", NOT),
        ({"minimum": 1}, "/minimum", "minimum without a type is not supported; add the type"),
        *(
            (
                {key: [STRING, REF], "pattern": "^a"},
                "/pattern",
                "pattern next to a union is not supported; move it into each variant",
            )
            for key in ("anyOf", "oneOf")
        ),
        *(
            (
                {**schema, "pattern": "^a"},
                "/pattern",
                "pattern next to another schema is not supported; move it into that schema",
            )
            for schema in (REF, {"allOf": [REF]})
        ),
        (
            {"anyOf": [STRING, REF], "oneOf": [STRING, REF]},
            "/oneOf",
            "oneOf next to anyOf is supported only in objects; move one of them into allOf",
        ),
        ({"anyOf": [False]}, "/anyOf", "no value is allowed; add a variant"),
        ({"allOf": [REF, False]}, "/allOf/1", "no value is allowed; remove the schema"),
        (
            {"type": "array", "items": False},
            "/items",
            "an array that must be empty is not supported; allow some items",
        ),
        (
            {"type": "object", "additionalProperties": STRING, "required": ["a"]},
            "/required",
            "required in a map is not supported; add the fields to properties",
        ),
        (
            {**record(a=STRING), "additionalProperties": STRING},
            "/additionalProperties",
            "additionalProperties next to named fields is not supported; allow any value",
        ),
        (
            {"const": "a", "enum": ["a"]},
            "/enum",
            "enum next to const is not supported; remove one of them",
        ),
        (
            {**STRING, "pattern": "("},
            "/pattern",
            "is not a valid Python regular expression; rewrite the pattern",
        ),
        (
            {**STRING, "const": "a", "pattern": "^a"},
            "/pattern",
            "pattern next to constants is not supported; remove it",
        ),
        *(
            (
                {**STRING, key: value},
                f"/{key}",
                f"'{key}' is not supported; add a rule to the generator",
            )
            for key, value in UNREAD
        ),
    ],
)
def test_what_is_not_supported(schema: Schema, at: str, message: str) -> None:
    [(where, code, words)] = found(schema)
    assert (where, code) == (f"/at{at}", "unsupported")
    assert words == message


@pytest.mark.parametrize(
    ("kind", "key", "others", "stated"),
    [
        ("array", "items", "prefixItems", [{}]),
        ("object", "additionalProperties", "patternProperties", {"^a": {}}),
    ],
)
@pytest.mark.parametrize("rest", [STRING, False])
def test_what_others_leave_is_not_read_without_them(
    kind: str, key: str, others: str, stated: Any, rest: Any
) -> None:
    """If only `others` were ignored, `key` would reject valid values."""
    schema = {"type": kind, key: rest, others: stated}
    assert sorted(found(schema)) == [
        (f"/at/{at}", "unsupported", message)
        for at, message in (
            (key, f"{key} with {others} is not supported; allow any value"),
            (others, f"'{others}' is not supported; add a rule to the generator"),
        )
    ]
    assert len(found({**schema, key: {}})) == 1


@pytest.mark.parametrize(
    ("at", "is_found"),
    [
        *((f"/at/{keyword}/0", False) for keyword in ("allOf", "anyOf", "oneOf")),
        *((f"/at/{place}", True) for place in ("properties/0", "properties/a", "items")),
    ],
)
def test_properties_need_a_type_except_in_parts_of_a_schema(at: str, is_found: bool) -> None:
    message = "properties without a type also allow values that aren't objects; add the type"
    finding = (f"{at}/properties", "unsupported", message)
    assert found({"properties": {"a": STRING}}, at) == ([finding] if is_found else [])


@pytest.mark.parametrize("keyword", ["x-new", "minlength", "x-deserialize-lossy"])
def test_keywords_of_nobody_are_found(keyword: str) -> None:
    [(where, code, message)] = found({**STRING, keyword: True})
    is_vendors = keyword.startswith("x-")
    assert code == ("unknown-vendor-keyword" if is_vendors else "unknown-keyword")
    assert where == f"/at/{keyword}"
    assert message == f"unknown keyword {keyword!r}; add a rule for it to the generator"


@pytest.mark.parametrize(
    ("at", "is_member"),
    [
        ("/$defs/A/properties/a", True),
        ("/$defs/A/properties/properties", True),
        ("/$defs/A", False),
        ("/$defs/properties", False),
        ("/$defs/A/properties/a/items", False),
    ],
)
def test_only_members_are_repaired(at: str, is_member: bool) -> None:
    keyword = "x-deserialize-default-on-error"
    message = "has an effect only in the schema of an object's field; move it there"
    misplaced = (f"{at}/{keyword}", "misplaced-keyword", message)
    assert found(REPAIR, at) == ([] if is_member else [misplaced])
