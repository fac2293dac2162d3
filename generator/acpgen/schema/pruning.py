"""Removal of unsupported parts from a schema.

The result accepts every value that the full schema accepts, and possibly more.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Literal

from acpgen.common.pointers import pointer, pointer_parts
from acpgen.schema.keywords import ALL_LIST, ALL_NAMED, ALL_SCHEMA

_NOTHING = object()  # the result for a missing value, since None represents null


def prune(root: dict[str, Any], parts: Iterable[str]) -> dict[str, Any]:
    """Return a copy of a schema without the parts at the given pointers, as found by `prunable`.

    A keyword is deleted. A schema in a list or in a mapping from names to schemas is replaced with
    `{}`, which accepts every value.
    """
    pruned = copy.deepcopy(root)
    for part in parts:
        *path, last = pointer_parts(part)
        holder: Any = pruned
        for token in path:
            holder = holder[int(token)] if isinstance(holder, list) else holder.get(token)
            if holder is None:  # inside another removed part
                break
        if holder is None:
            continue
        if _holder(path) == "schema":
            holder.pop(last, None)
        elif isinstance(holder, list):
            holder[int(last)] = {}
        else:
            holder[last] = {}
    return pruned


def prunable(root: dict[str, Any], at: str) -> str | None:
    """Return the pointer to the smallest removable part that contains a location.

    Removing a part must not make the schema reject more values. If a schema inside `not` accepts
    more values, the outer schema rejects more, so the entire `not` is removed. The same problem
    exists in `oneOf`, which is therefore treated as `anyOf` after the removal.

    The result is None if the entire definition around the location was already removed.
    """
    tokens = pointer_parts(at)
    for end in range(len(tokens)):
        if _holder(tokens[:end]) == "schema" and tokens[end] == "not":
            tokens = tokens[: end + 1]
            break
    while tokens:
        part = at_pointer(root, pointer(*tokens))
        holder = _holder(tokens[:-1])
        if holder == "schema":
            can_go = part is not _NOTHING and tokens[-1] != "$defs"
        else:
            can_go = holder == "group" and (
                part is False or (isinstance(part, dict) and bool(part))
            )
        if can_go:
            return pointer(*tokens)
        tokens = tokens[:-1]
    return None


def at_pointer(root: dict[str, Any], at: str) -> Any:
    """Return the value at a pointer into a document."""
    value: Any = root
    for token in pointer_parts(at):
        if isinstance(value, list):
            value = value[int(token)] if int(token) < len(value) else _NOTHING
        else:
            value = value.get(token, _NOTHING) if isinstance(value, dict) else _NOTHING
    return value


def _holder(path: list[str]) -> Literal["schema", "group", "value"]:
    """Return what a path identifies.

    Returns:
        `schema` for a schema object, in which each key is a keyword; `group` for a list of schemas
        or a mapping from names to schemas; or `value` for the value of any other keyword, such as
        `enum`, and for anything inside this value.
    """
    is_group = False
    for token in path:
        if is_group:
            is_group = False
        elif token in ALL_LIST or token in ALL_NAMED:
            is_group = True
        elif token not in ALL_SCHEMA:
            return "value"
    return "group" if is_group else "schema"
