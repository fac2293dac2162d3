"""Take the parts out of a schema that the generator has no rule for.

What is left accepts every value that the whole schema accepts, and perhaps others.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from acpgen.diagnostics import pointer
from acpgen.inputs.document import JsonObject

# Keywords whose value is a schema, a list of schemas, or schemas by name.
_SCHEMA = frozenset(
    {
        *("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames"),
        *("then", "unevaluatedItems", "unevaluatedProperties"),
    }
)
_LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})


def prune(root: JsonObject, parts: Iterable[str]) -> JsonObject:
    """Return a schema without some parts.

    Args:
        root: the document.
        parts: pointers, as `prunable` returns them. A keyword is deleted; a schema in a list or
            under a name becomes `{}`, which accepts everything.
    """
    pruned = copy.deepcopy(root)
    for part in parts:
        *path, last = _tokens(part)
        holder: Any = pruned
        for token in path:
            holder = holder[int(token)] if isinstance(holder, list) else holder.get(token)
            if holder is None:  # inside of another part
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


def prunable(root: JsonObject, at: str) -> str | None:
    """The smallest part at or around a pointer without which a schema accepts no fewer values.

    Inside of `not`, a smaller schema would accept more and the whole fewer; so that goes as a
    whole. An arm of `oneOf` that accepts everything would leave no value for the others.

    Args:
        root: the document, pruned before.
        at: a pointer to a keyword or a schema.

    Returns:
        Its pointer; None if all of it is pruned already, up to the definition.
    """
    tokens = _tokens(at)
    for end in range(len(tokens)):
        if _is_keyword(tokens[:end]) and tokens[end] == "not":
            tokens = tokens[: end + 1]
            break
    while len(tokens) > 1:
        is_arm = len(tokens) > 2 and tokens[-2] == "oneOf" and _is_keyword(tokens[:-2])
        if not is_arm and _says_something(root, tokens):
            return pointer(*tokens)
        tokens = tokens[:-1]
    return None


def _says_something(root: JsonObject, tokens: list[str]) -> bool:
    """Whether there is something at a pointer that can be pruned."""
    if tokens[-1] in _LIST | _NAMED and _is_keyword(tokens[:-1]):
        return tokens[-1] in _LIST and _at(root, tokens) is not None
    return _at(root, tokens) not in (None, {}, True)


def _at(root: JsonObject, tokens: list[str]) -> Any:
    value: Any = root
    for token in tokens:
        if isinstance(value, list):
            value = value[int(token)] if int(token) < len(value) else None
        else:
            value = value.get(token) if isinstance(value, dict) else None
    return value


def _is_keyword(path: list[str]) -> bool:
    """Whether a path leads to a schema object, so that the token after it is a keyword."""
    kind = "schema"
    for token in path:
        if kind in ("list", "named"):
            kind = "schema"
        elif kind == "schema" and token in _LIST:
            kind = "list"
        elif kind == "schema" and token in _NAMED:
            kind = "named"
        elif kind == "schema" and token in _SCHEMA:
            kind = "schema"
        else:
            kind = "value"
    return kind == "schema"


def _tokens(at: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in at.split("/")[1:]]
