"""A model of the three vendor keywords that predicts the default mode's result for a bad value.

The model is independent of the generated code. Each instance contains a single bad value and lists
the schemas that apply at each path. The innermost enclosing schema with a vendor keyword repairs
the bad value. If no enclosing schema has such a keyword, decoding fails.
"""

from __future__ import annotations

from dataclasses import dataclass

from .exclusions import CLOSED_ON_PURPOSE
from .instances import Node, Path
from .mutations import MISSING, Mutation, arms, get, is_enum, is_open_enum, put, tag_of
from .schemas import Json, Schema
from .walk import VENDOR

ON_ERROR, SKIP, ON_NULL = VENDOR
# Labels of changes that can leave an instance valid or make it invalid in several places.
SCALARS = ("string", "integer", "number", "boolean")
UNCLEAR = ("member of another arm", "another known tag", "extra member")


@dataclass(frozen=True)
class Expected:
    action: str  # the action of the issue, or `refused`
    # The path of the issue or error. If the value is an empty object, the error can name a missing
    # field.
    path: Path
    json: Json = None  # the encoding of the decoded value
    raw: Json = None  # the value in the issue
    # A pointer to the schema that repairs the value, and the keyword that specifies the repair.
    by: tuple[str, str] | None = None


def predict(mutation: Mutation) -> Expected | None:
    """Predict the outcome for an instance that a mutation made invalid.

    Return None if the outcome doesn't depend on a single bad value, either because the label
    represents several simultaneous changes or because an untagged union has other variants to try.
    """
    nodes, path = mutation.drawn.nodes, mutation.path
    if mutation.label in UNCLEAR or (path in nodes and _took_null(nodes[path])):
        return None
    value = mutation.value
    parent = nodes.get(path[:-1]) if path else None
    tag = path[-1] if path else None
    union = _union_by_tag(parent, tag)
    if union is not None and not _is_site(nodes.get(path)):
        pointer, schema = union
        found = tag_of(schema)
        assert found is not None
        if found.has_default:
            return None
        if mutation.new.__class__ is str:
            if found.is_open:
                return None
            if pointer.removeprefix("#/$defs/") not in CLOSED_ON_PURPOSE:
                return Expected("unknown_kept", path, value, mutation.new)
    if mutation.label == "unknown enum value" and mutation.new.__class__ is str:
        name = _closed_enum(nodes[path])
        if name and name not in CLOSED_ON_PURPOSE:
            return Expected("unknown_kept", path, value, mutation.new)
    return _repair(mutation, value)


def _repair(mutation: Mutation, value: Json) -> Expected | None:
    nodes, bad = mutation.drawn.nodes, mutation.path
    # A missing field can't be repaired, so start with the object that should contain it.
    start = len(bad) - (mutation.new is MISSING)
    for length in range(start, -1, -1):
        path = bad[:length]
        if path in nodes:
            if is_ambiguous(nodes[path]):
                return None
            found = _fallback(nodes[path], get(value, path), at_bad=path == bad)
            if found is not None:
                by, new = found
                return _repaired(mutation, value, "defaulted", path, new, by)
        above = nodes.get(path[:-1]) if path else None
        if above is not None and path[-1].__class__ is int:
            for pointer, schema in above.fragments.items():
                if SKIP in schema:
                    return _repaired(mutation, value, "skipped", path, MISSING, (pointer, SKIP))
    return Expected("refused", bad)


def _repaired(
    mutation: Mutation, value: Json, action: str, path: Path, new: Json, by: tuple[str, str]
) -> Expected:
    raw = get(value, path)
    return Expected(action, path, put(value, path, new), raw, by)


def _fallback(node: Node, value: Json, at_bad: bool) -> tuple[tuple[str, str], Json] | None:
    for pointer, schema in node.fragments.items():
        if ON_ERROR in schema:
            by = pointer, ON_ERROR
            if "default" in schema:
                return by, schema["default"]
            if schema.get("type") == "array":
                return by, []
            if schema.get("type") == "object":
                return by, {}
            return by, MISSING
        if ON_NULL in schema and at_bad and value is None:
            return (pointer, ON_NULL), [] if schema["type"] == "array" else {}
    return None


def _took_null(node: Node) -> bool:
    """Return whether a null in a union was changed. Another variant might accept the new value."""
    return bool(node.arms) and node.types == ("null",)


def _is_site(node: Node | None) -> bool:
    return node is not None and bool(node.find(ON_ERROR))


def _union_by_tag(node: Node | None, member: object) -> tuple[str, Schema] | None:
    for pointer, schema in node.fragments.items() if node else ():
        tag = tag_of(schema)
        if tag is not None and tag.name == member:
            return pointer, schema
    return None


def _closed_enum(node: Node) -> str | None:
    for pointer, schema in node.fragments.items():
        if is_enum(schema) and not is_open_enum(schema):
            return pointer.removeprefix("#/$defs/")
    return None


def is_ambiguous(node: Node) -> bool:
    """Return whether another variant of an untagged union could accept the value."""
    for schema in node.fragments.values():
        tag = tag_of(schema)
        choices = arms(schema)
        plain = all(arm.get("type") in (*SCALARS, "null") for arm in choices)
        if (
            len(choices) > 1
            and not plain
            and (tag is None or tag.has_default)
            and not _is_nullable(schema)
        ):
            return True
    return False


def _is_nullable(schema: Schema) -> bool:
    return len(arms(schema)) == 2 and any(arm.get("type") == "null" for arm in arms(schema))
