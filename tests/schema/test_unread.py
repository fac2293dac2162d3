"""The parts of schemas that no rule of the generator reads."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from acpgen.schema.nodes import Definitions, Node
from acpgen.schema.unread import find_unread

Schema: TypeAlias = dict[str, Any]

STRING: Schema = {"type": "string"}
REF: Schema = {"$ref": "#/$defs/A"}
TAGGED: Schema = {
    "type": "object",
    "properties": {"t": {"type": "string", "const": "a"}},
    "required": ["t"],
}
OTHER: Schema = {
    "type": "object",
    "properties": {"t": STRING},
    "required": ["t"],
    "not": {"anyOf": [TAGGED]},
}
REPAIR: Schema = {**STRING, "x-deserialize-default-on-error": True}


# Assertions of JSON Schema, each with a value.
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
]


def found(schema: Schema, at: str = "/at") -> list[tuple[str, str, str]]:
    return list(find_unread(Node(schema, at, Definitions({"A": STRING}))))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"description": "anything"},
        STRING,
        {**REF, "description": "d", "x-docs-ignore": True},
        {"type": "object", "allOf": [REF], "properties": {"a": STRING}, "required": ["a"]},
        {"anyOf": [REF, STRING]},
        {**TAGGED, "anyOf": [REF]},
        OTHER,
        {"type": "object", "additionalProperties": STRING},
        {"type": ["object", "null"], "additionalProperties": STRING},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {"a": True}, "unevaluatedProperties": True},
        {"type": "string", "enum": ["a"], "format": "uri"},
        {"const": 1},
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "pattern": "^_"},
        {**STRING, "format": "byte", "examples": ["a"], "deprecated": True, "$comment": "c"},
        {**REF, "type": "object", "properties": {"a": STRING}, "required": ["a"]},
        {**TAGGED, "anyOf": [REF, True], "oneOf": [REF, False]},
        {"type": "object", "properties": {"a/b": False}},
        {**TAGGED, "not": {"type": "object", "required": ["b"]}},
        {**TAGGED, "not": {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}},
    ],
)
def test_what_is_supported(schema: Schema) -> None:
    assert found(schema) == []


@pytest.mark.parametrize(
    ("schema", "at", "message"),
    [
        ({**REF, "minLength": 1}, "/minLength", "minLength beside another schema has no rule"),
        ({"allOf": [REF], "minLength": 1}, "/minLength", "minLength beside another schema"),
        ({"anyOf": [STRING], "oneOf": [STRING]}, "/oneOf", "oneOf beside anyOf has no rule"),
        ({"minLength": 1}, "/minLength", "minLength without a type has no rule"),
        (
            {"type": "string", "anyOf": [STRING], "minLength": 1},
            "/minLength",
            "minLength beside a union has no rule",
        ),
        ({"anyOf": [False]}, "/anyOf", "no value is allowed"),
        ({"allOf": [False]}, "/allOf/0", "no value is allowed"),
        ({"type": "array", "items": False}, "/items", "an array that must be empty"),
        ({**TAGGED, "additionalProperties": STRING}, "/additionalProperties", "beside named"),
        ({**TAGGED, "additionalProperties": False}, "/additionalProperties", "a closed object"),
        ({"type": "object", "unevaluatedProperties": STRING}, "/unevaluatedProperties", "beside"),
        (
            {"type": "object", "additionalProperties": STRING, "required": ["a"]},
            "/required",
            "required in a map has no rule",
        ),
        ({**STRING, "enum": ["a"], "minLength": 1}, "/minLength", "minLength beside constants"),
        ({**STRING, "const": 1}, "/const", "a constant is not of the stated type"),
        ({"type": ["string", "null"], "enum": ["a", 1]}, "/enum", "not of the stated type"),
        ({"enum": ["a", 1]}, "/enum", "constants must be strings or integers"),
        ({"const": {"a": 1}}, "/const", "constants must be strings or integers"),
        ({"const": "a", "enum": ["a"]}, "/enum", "enum beside const has no rule"),
        ({**STRING, "not": {"type": "string", "const": "a"}}, "/not", "`not` has no rule but"),
        ({**OTHER, "not": {"anyOf": [REF]}}, "/not", "`not` has no rule but"),
        ({**TAGGED, "not": {"required": ["a", "b"]}}, "/not", "`not` has no rule but"),
        ({**STRING, "pattern": r"^\p{L}"}, "/pattern", "not a regular expression in Python"),
        *(({**STRING, key: value}, f"/{key}", f"no rule reads '{key}'") for key, value in UNREAD),
    ],
)
def test_what_is_not_supported(schema: Schema, at: str, message: str) -> None:
    [(where, code, words)] = found(schema)
    assert (where, code) == (f"/at{at}", "unsupported")
    assert message in words
    assert "; " in words  # the advice


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
    """Read alone, it would also refuse what the others accept."""
    schema = {"type": kind, key: rest, others: stated}
    assert sorted((where, words) for where, _, words in found(schema)) == [
        (f"/at/{key}", f"{key} beside {others} has no rule; allow any value"),
        (f"/at/{others}", f"no rule reads '{others}'; add one to the generator"),
    ]
    assert len(found({**schema, key: {}})) == 1


@pytest.mark.parametrize("keyword", ["x-new", "minlength", "x-deserialize-lossy"])
def test_keywords_of_nobody_are_found(keyword: str) -> None:
    [(where, code, message)] = found({**STRING, keyword: True})
    is_vendors = keyword.startswith("x-")
    assert code == ("unknown-vendor-keyword" if is_vendors else "unknown-keyword")
    assert where == f"/at/{keyword}"
    assert repr(keyword) in message


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
    message = "repairs nothing but a member of an object; move it there"
    misplaced = (f"{at}/{keyword}", "misplaced-keyword", message)
    assert found(REPAIR, at) == ([] if is_member else [misplaced])
