"""A schema without the parts that a package lists as unchecked.

Written from the contract alone: the keyword at a pointer is deleted, and a schema at a pointer that
is an element of a list or an entry of a map becomes `true`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evolution.draft import LISTS, MAPS, Schema, copied


def resolve(root: Schema, pointer: str) -> Any:
    """The value that an RFC 6901 pointer names.

    Raises:
        LookupError: there is none.
    """
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


def prune(root: Schema, pointers: Iterable[str]) -> Schema:
    """A copy of a document without the parts at some pointers.

    Raises:
        LookupError: a pointer names nothing, or neither a keyword nor a schema.
    """
    pruned = copied(root)
    # The innermost first: what is inside another part goes with it.
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
    return pruned


def _role(parts: list[str]) -> str:
    """What the last part of a pointer names: a `keyword`, a `schema`, or `other` data."""
    role = "schema"
    kind = ""
    for part in parts:
        if role == "schema":
            role, kind = "keyword", part
        elif role == "keyword" and kind in (*MAPS, *LISTS):
            role = "schema"
        elif role == "keyword":
            # The keyword's value is itself a schema, of which this is a keyword; or it is data.
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
