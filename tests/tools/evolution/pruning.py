"""Removal of the parts of a schema that a package lists as unchecked.

The parts are removed as documented for `SCHEMA.unchecked`. If a pointer refers to a keyword, the
keyword is deleted. If it refers to a schema in a list or map, the schema is replaced with `true`. A
`oneOf` that contains or refers to such a part is replaced with `anyOf`, since a branch that accepts
more values makes a `oneOf` accept fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from tests.package.laws.library import pointer as escaped
from tests.tools.evolution.draft import LISTS, MAPS, Schema, copied, dependants, references


def resolve(root: Schema, pointer: str) -> Any:
    found: Any = root
    for part in _parts(pointer):
        if isinstance(found, list):
            found = found[_index(part)]
        elif isinstance(found, dict):
            found = found[part]
        else:
            raise LookupError(pointer)
    return found


def _parts(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise LookupError(pointer)
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _index(part: str) -> int:
    if not part.isdecimal():
        raise LookupError(part)
    return int(part)


def prune(root: Schema, pointers: Collection[str]) -> Schema:
    pruned = copied(root)
    # Process the innermost parts first, since removing a part also removes the parts inside it.
    for pointer in sorted(pointers, key=lambda each: (-each.count("/"), each)):
        resolve(root, pointer)
        *above, last = _parts(pointer)
        parent: Any = pruned
        for part in above:
            parent = parent[_index(part)] if isinstance(parent, list) else parent[part]
        role = _role([*above, last])
        if role == "schema":
            parent[_index(last) if isinstance(parent, list) else last] = True
        elif role == "keyword":
            del parent[last]
        else:
            raise LookupError(f"{pointer} is neither a keyword nor a schema")
    _relax(pruned, set(pointers))
    return pruned


def _relax(root: Schema, pointers: set[str]) -> None:
    """Replace each `oneOf` that contains or refers to a pruned part with `anyOf`."""
    definitions = root["$defs"]
    weak = {pointer.split("/")[2] for pointer in pointers}
    weak |= dependants(definitions, weak & definitions.keys())
    for at, schema in _schemas("", root):
        inside = any(each.startswith(f"{at}/oneOf/") for each in pointers)
        if "oneOf" in schema and (inside or weak & set(references(schema["oneOf"]))):
            schema.setdefault("allOf", []).append({"anyOf": schema.pop("oneOf")})


def _schemas(at: str, schema: Any) -> Iterator[tuple[str, Schema]]:
    if isinstance(schema, dict):
        yield at, schema
        for key, value in list(schema.items()):
            if key in MAPS:
                inside = value.items()
            elif key in LISTS:
                inside = enumerate(value)
            else:
                inside = [(None, value)] if key in _SCHEMAS else []
            for name, each in inside:
                path = (key,) if name is None else (key, name)
                yield from _schemas(at + escaped(path), each)


def _role(parts: list[str]) -> str:
    """Return the role of a pointer's target: `keyword`, `schema`, or `other` for data."""
    role = "schema"
    kind = ""
    for part in parts:
        if role == "schema":
            role, kind = "keyword", part
        elif role == "keyword" and kind in (*MAPS, *LISTS):
            role = "schema"
        elif role == "keyword":
            # If the keyword's value is a schema, `part` is a keyword. Otherwise, it is data.
            role, kind = ("keyword", part) if kind in _SCHEMAS else ("other", "")
        else:
            role = "other"
    return role


_SCHEMAS = frozenset(
    {
        *("items", "additionalProperties", "not", "if", "then", "else", "contains"),
        *("propertyNames", "unevaluatedItems", "unevaluatedProperties"),
    }
)
