"""Helpers that build small schemas and schema nodes."""

from __future__ import annotations

from typing import Any

from acpgen.schema.nodes import JSON_TYPES, Definitions, Node, SchemaUnion

from tests.acpgen.diff.small import STRING, Schema, record, ref

NULL: Schema = {"type": "null"}
ANY = set(JSON_TYPES)


def const(value: Any) -> Schema:
    return {"type": "string", "const": value}


def arm(**tags: str) -> Schema:
    """Return an object with required fields, each with a constant value."""
    return record(*tags, **{name: const(value) for name, value in tags.items()})


DEFINITIONS: Schema = {
    "Name": STRING,
    "Alias": ref("Name"),
    "Point": record("x", x={"type": "integer"}),
    "Points": {"type": "array", "items": ref("Point")},
    "Map": {"type": "object", "additionalProperties": STRING},
}


def node(schema: Any) -> Node:
    return Node(schema, "/at", Definitions(DEFINITIONS))


def union(schemas: Any, **more: Any) -> SchemaUnion:
    [found] = node({"anyOf": list(schemas), **more}).unions
    return found


def other(excluded: Any, tag: Any = STRING) -> Schema:
    """Return a variant for tagged objects that the schema `excluded` doesn't match."""
    return {**record("t", t=tag), "not": excluded}
