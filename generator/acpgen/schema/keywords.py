"""Keywords of JSON Schema and vendors, grouped by how the generator treats them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

COMBINERS = ("allOf", "anyOf", "oneOf")
# Supported keywords that constrain values. `unread` finds uses of these keywords that `analysis`
# does not support.
RULES = frozenset(
    {
        *("$defs", "$ref", "additionalProperties", "allOf", "anyOf", "const", "enum", "items"),
        *("maximum", "minItems", "minLength", "minimum", "not", "oneOf", "pattern", "properties"),
        *("required", "type", "unevaluatedProperties"),
    }
)
# Keywords that do not constrain values.
ANNOTATIONS = frozenset(
    {
        *("$anchor", "$comment", "$id", "$schema", "contentEncoding", "contentMediaType"),
        *("contentSchema", "default", "deprecated", "description", "discriminator", "example"),
        *("examples", "format", "readOnly", "title", "writeOnly"),
    }
)
# Unsupported keywords that constrain values.
UNREAD = frozenset(
    {
        *("$dynamicRef", "contains", "dependencies", "dependentRequired", "dependentSchemas"),
        *("else", "exclusiveMaximum", "exclusiveMinimum", "if", "maxContains", "maxItems"),
        *("maxLength", "maxProperties", "minContains", "minProperties", "multipleOf"),
        *("patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedItems"),
        "uniqueItems",
    }
)
# Keywords that apply only to values not covered by an adjacent unsupported keyword. If only the
# unsupported keyword were removed, these keywords would reject more values.
OF_THE_REST = {"additionalProperties": "patternProperties", "items": "prefixItems"}
VENDOR = frozenset(
    {
        *("x-deserialize-default-on-error", "x-deserialize-default-on-null"),
        *("x-deserialize-skip-invalid-items", "x-docs-ignore", "x-method", "x-side"),
    }
)
KNOWN = RULES | ANNOTATIONS | VENDOR
# Formats that bound an integer. All other formats are only annotations.
INTEGER_RANGES = {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)} | {
    f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)
}
# Formats that only describe how a number is stored, which has no effect in Python.
FLOATS = frozenset({"double", "float"})
# Keywords that apply only to values of one JSON type.
_APPLY_TO: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "pattern", "format"}),
    "integer": frozenset({"minimum", "maximum", "format"}),
    "number": frozenset({"minimum", "maximum", "format"}),
    "array": frozenset({"items", "minItems"}),
    "object": frozenset(
        {
            *("properties", "required", "additionalProperties", "unevaluatedProperties", "not"),
            *COMBINERS,
        }
    ),
}
_OF_ONE_TYPE = frozenset[str]().union(*_APPLY_TO.values())


def without_annotations(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a schema without vendor keywords and annotations.

    Formats that bound integers are kept.
    """
    return {
        key: value
        for key, value in schema.items()
        if not key.startswith("x-")
        and (key not in ANNOTATIONS or (key == "format" and value in INTEGER_RANGES))
    }


def restrict_to_type(schema: Mapping[str, Any], type_: str) -> dict[str, Any]:
    """Return a schema restricted to one of its JSON types and the keywords for that type."""
    others = _OF_ONE_TYPE - _APPLY_TO.get(type_, frozenset())
    kept = {key: value for key, value in schema.items() if key not in others}
    return {**kept, "type": type_}


# --- nested schemas ----------------------------------------------------------------------------

REF_PREFIX = "#/$defs/"
# Keywords whose value is a schema, a list of schemas, or a mapping from names to schemas. The
# `ALL_` constants also include unsupported keywords.
_SCHEMA = ("items", "not", "additionalProperties")
_LIST = ("allOf", "anyOf", "oneOf")
_NAMED = ("properties", "$defs")
ALL_SCHEMA = frozenset(
    {
        *(*_SCHEMA, "contains", "else", "if", "propertyNames", "then", "unevaluatedItems"),
        "unevaluatedProperties",
    }
)
ALL_LIST = frozenset({*_LIST, "prefixItems"})
ALL_NAMED = frozenset({*_NAMED, "dependencies", "dependentSchemas", "patternProperties"})


def direct_subschemas(
    schema: Mapping[str, Any], *, unread: bool = False
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the schemas directly inside a schema, each with its path.

    A path is a keyword, followed by a name or index if the keyword contains several schemas.
    If `unread` is true, the schemas in unsupported keywords are included.
    """
    all_, read = (ALL_NAMED, ALL_LIST, ALL_SCHEMA), (_NAMED, _LIST, _SCHEMA)
    named, listed, single = all_ if unread else read
    for key, value in schema.items():
        if key in named:
            yield from (((key, name), inner) for name, inner in value.items())
        elif key in listed:
            yield from (((key, index), inner) for index, inner in enumerate(value))
        elif key in single:
            yield (key,), value


def references(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to, at any depth and in order."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def contained(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to outside of its `properties`."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for (key, *_), inner in direct_subschemas(schema):
            if key not in ("$defs", "not", "properties"):
                yield from contained(inner)
