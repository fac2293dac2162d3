"""Removal of the parts of a schema that the generator has no rule for.

The result accepts every value that the full schema accepts, and possibly more.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from acpgen.common.pointers import pointer, pointer_parts
from acpgen.schema.keywords import ALL_LIST, ALL_NAMED, ALL_SCHEMA

_NOTHING = object()  # for pointers that lead nowhere, since null is a value


def prune(root: dict[str, Any], parts: Iterable[str]) -> dict[str, Any]:
    """Return a schema without the parts at some pointers, as returned by `prunable`.

    A keyword is deleted. A schema in a list or under a name becomes `{}`, which accepts everything.
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
        if _is_keyword(path):
            holder.pop(last, None)
        elif isinstance(holder, list):
            holder[int(last)] = {}
        else:
            holder[last] = {}
    return pruned


def prunable(root: dict[str, Any], at: str) -> str | None:
    """Return the smallest part at or around a pointer that can be removed without refusing more.

    Inside `not`, a schema that accepts more makes the whole accept less, so all of it is removed.
    The same applies to `oneOf`, which is then read as `anyOf`.

    Return its pointer; None if everything up to the definition is already removed.
    """
    tokens = pointer_parts(at)
    for end in range(len(tokens)):
        if _is_keyword(tokens[:end]) and tokens[end] == "not":
            tokens = tokens[: end + 1]
            break
    while len(tokens) > 1:
        part = at_pointer(root, pointer(*tokens))
        if _is_keyword(tokens[:-1]):
            can_go = part is not _NOTHING and tokens[-1] != "$defs"
        else:
            can_go = part is False or (isinstance(part, dict) and bool(part))
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


def _is_keyword(path: list[str]) -> bool:
    """Return whether a path leads to a schema object, so that the next token is a keyword."""
    kind = "schema"
    for token in path:
        if kind in ("list", "named"):
            kind = "schema"
        elif kind == "schema" and token in ALL_LIST:
            kind = "list"
        elif kind == "schema" and token in ALL_NAMED:
            kind = "named"
        elif kind == "schema" and token in ALL_SCHEMA:
            kind = "schema"
        else:
            kind = "value"
    return kind == "schema"
