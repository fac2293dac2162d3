"""Copies of what a program gives to a session: the program can change its own objects later."""

from __future__ import annotations

import copy
from typing import Any, Final

from ..values.record import Record, Unknown, members
from ..values.unset import UnsetType

# The classes of nearly all values without parts.
_PLAIN: Final = frozenset({str, int, float, bool, type(None), UnsetType})
# The attributes of each class of objects of the protocol; None for any other class.
_ATTRIBUTES: Final[dict[type, tuple[str, ...] | None]] = {}


def deep_copy(value: Any) -> Any:
    """Return a copy of objects of the protocol or of JSON that shares nothing that can change.

    It does the same as `copy.deepcopy` in a fifth of the time, since these objects form a tree.
    """
    cls = value.__class__
    if cls in _PLAIN:
        return value
    if cls is list:
        return [deep_copy(item) for item in value]
    if cls is dict:
        return {name: deep_copy(item) for name, item in value.items()}
    names = _ATTRIBUTES[cls] if cls in _ATTRIBUTES else _attributes_of(value)
    if names is None:
        return copy.deepcopy(value)
    made = cls.__new__(cls)
    for name in names:
        part = getattr(value, name)
        setattr(made, name, part if part.__class__ in _PLAIN else deep_copy(part))
    return made


def _attributes_of(value: Any) -> tuple[str, ...] | None:
    names: tuple[str, ...] | None = None
    # A subclass of the program has a dictionary, and can do anything when it is copied.
    if not hasattr(value, "__dict__"):
        if isinstance(value, Record):
            names = *members(value.__class__), "unknown_fields"
        elif isinstance(value, Unknown):
            names = "tag", "raw"
    _ATTRIBUTES[value.__class__] = names
    return names
