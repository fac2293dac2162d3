"""Schemas that are refused because the generator would ignore a part of them."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from acpgen.inputs.unsupported import find_unsupported

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


def found(schema: Schema, at: str = "/at") -> list[tuple[str, str]]:
    return list(find_unsupported(at, schema))


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
    ],
)
def test_what_is_supported(schema: Schema) -> None:
    assert found(schema) == []


@pytest.mark.parametrize(
    ("schema", "at", "message"),
    [
        (
            {**REF, "minLength": 1, "pattern": "a"},
            "/$ref",
            "minLength, pattern would be ignored beside it; move the $ref into allOf",
        ),
        (
            {"anyOf": [STRING], "oneOf": [STRING]},
            "/oneOf",
            "would be ignored beside anyOf; move one of them into allOf",
        ),
        ({"minLength": 1}, "", "does not state its type; add one"),
        (
            {"type": "string", "anyOf": [STRING], "minLength": 1},
            "/minLength",
            "would be ignored beside a union; move it into each arm",
        ),
        (
            {"allOf": [REF], "minLength": 1},
            "/minLength",
            "would be ignored beside allOf; move it into a schema in allOf",
        ),
        ({"anyOf": [STRING, True]}, "/anyOf/1", "true is not an arm; remove it"),
        ({"allOf": [False]}, "/allOf/0", "false is not an arm; remove it"),
        (
            {"type": "object", "properties": {"a/b": False}},
            "/properties/a~1b",
            "forbids the member; remove it",
        ),
        (
            {"type": "array", "items": False},
            "/items",
            "an array that must be empty is not supported; allow some items",
        ),
        (
            {**TAGGED, "additionalProperties": STRING},
            "/additionalProperties",
            "is only supported in a map, without named members; allow any value",
        ),
        (
            {"type": "object", "unevaluatedProperties": STRING},
            "/unevaluatedProperties",
            "is only supported in a map, without named members; allow any value",
        ),
        (
            {"type": "object", "additionalProperties": STRING, "required": ["a"]},
            "/required",
            "would be ignored in a map; name the members in properties",
        ),
        (
            {"type": "string", "enum": ["a"], "minLength": 1},
            "/minLength",
            "would be ignored beside constants; remove it",
        ),
        (
            {"type": "string", "const": 1},
            "",
            "a constant is not of the stated type; fix one of them",
        ),
        (
            {"type": ["string", "null"], "enum": ["a", 1]},
            "",
            "a constant is not of the stated type; fix one of them",
        ),
        (
            {"const": "a", "enum": ["a"]},
            "/enum",
            "would be ignored beside const; remove one of them",
        ),
        (
            {**STRING, "not": {"type": "string", "const": "a"}},
            "/not",
            "is only supported in an arm for all other tags; express it differently",
        ),
        (
            {**OTHER, "not": {"anyOf": [REF]}},
            "/not",
            "is only supported in an arm for all other tags; express it differently",
        ),
        (
            {"type": "string", "pattern": r"^\p{L}"},
            "/pattern",
            "is not a regular expression in Python; write it differently",
        ),
    ],
)
def test_what_is_not_supported(schema: Schema, at: str, message: str) -> None:
    assert found(schema) == [(f"/at{at}", message)]


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
    message = "is only supported on a member of an object; move it there"
    assert found(REPAIR, at) == ([] if is_member else [(f"{at}/{keyword}", message)])
