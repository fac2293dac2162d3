"""Functions that abbreviate JSON values as text and return the values at pointers and paths."""

from __future__ import annotations

import json
from typing import Any, Final

from acp_bindings.runtime.values.errors import describe
from acpgen.common.pointers import pointer_parts

# The maximum lengths of displayed text and displayed ids, in characters.
TEXT: Final = 60
ID: Final = 12


def quote(value: Any) -> str:
    """Return a JSON value as short text: a scalar as JSON, and an array or object as its type."""
    if type(value) in (dict, list):
        return describe(value)
    if type(value) is str:
        return json.dumps(shorten(value, TEXT), ensure_ascii=False)
    return shorten(json.dumps(value), TEXT)


def quote_id(value: Any) -> str:
    """Return a request id as short text, in JSON so that 1 and "1" differ."""
    return quote(shorten(value, ID) if type(value) is str else value)


def shorten(text: str, length: int) -> str:
    """Truncate text to a length, with an ellipsis as the last character."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def locate(value: Any, pointer: str) -> tuple[Any, bool]:
    """Return the value at an RFC 6901 pointer and True, or None and False if it doesn't exist."""
    for name in pointer_parts(pointer):
        if type(value) is dict and name in value:
            value = value[name]
        elif type(value) is list and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None, False
    return value, True


def at(value: Any, *path: str) -> Any:
    """Return the value at a path of field names, or None if a field does not exist."""
    for name in path:
        value = value.get(name) if type(value) is dict else None
    return value


def items(value: Any, *path: str) -> list[dict[str, Any]]:
    """Return the objects in the list at a path of field names."""
    found = at(value, *path)
    return [each for each in found if type(each) is dict] if type(found) is list else []
