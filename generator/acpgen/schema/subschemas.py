"""What stands inside a schema as the document has it: other schemas, and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

REF_PREFIX = "#/$defs/"


def direct_subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas directly inside one, each with its path: a keyword, and a name or index."""
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            yield from (((key, name), inner) for name, inner in value.items())
        elif key in ("allOf", "anyOf", "oneOf"):
            yield from (((key, index), inner) for index, inner in enumerate(value))
        elif key in ("items", "not", "additionalProperties"):
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
