"""What stands inside a schema as the document has it: other schemas, and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

REF_PREFIX = "#/$defs/"
# Keywords whose value is a schema, a list of schemas, or schemas by name; then the rest of those
# that no rule reads.
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
    """Yield the schemas directly inside one, each with its path: a keyword, and a name or index.

    Args:
        schema: the schema.
        unread: whether to include the values of keywords that no rule reads.
    """
    named, listed, single = (
        (ALL_NAMED, ALL_LIST, ALL_SCHEMA) if unread else (_NAMED, _LIST, _SCHEMA)
    )
    for key, value in schema.items():
        if key in named:
            yield from (((key, name), inner) for name, inner in value.items())
        elif key in listed:
            yield from (((key, index), inner) for index, inner in enumerate(value))
        elif key in single:
            yield (key,), value


def references(schema: Any) -> Iterator[str]:
    """The names of the definitions that a schema refers to, at any depth, in their order."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def contained(schema: Any) -> Iterator[str]:
    """The definitions that a schema refers to, but not from its `properties`."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(REF_PREFIX)
        for (key, *_), inner in direct_subschemas(schema):
            if key not in ("$defs", "not", "properties"):
                yield from contained(inner)
