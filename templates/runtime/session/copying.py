"""Copies of the objects that a session receives: the program can change its own later."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

from ..values.record import Record, Unknown, members
from ..values.unset import UnsetType

# The classes of nearly all values without parts.
_PLAIN: Final = frozenset({str, int, float, bool, type(None), UnsetType})
# The function that copies the objects of each class of the protocol, once it is compiled.
_COPIERS: Final[dict[type, Callable[[Any], Any]]] = {}


def deep_copy(value: Any) -> Any:
    """Return a copy of protocol or JSON objects that shares no mutable parts.

    It does the same as `copy.deepcopy` in a small part of the time, since these objects form a
    tree.
    """
    copier = _COPIERS.get(value.__class__)
    return _copy_other(value) if copier is None else copier(value)


def _copy_other(value: Any) -> Any:
    cls = value.__class__
    if cls in _PLAIN:
        return value
    if cls is list or cls is tuple:  # constructors accept both, attributes are lists
        return [deep_copy(item) for item in value]
    if cls is dict:
        return {name: deep_copy(item) for name, item in value.items()}
    # A subclass of the program has a dictionary, and can do anything when it is copied.
    if not isinstance(value, (Record, Unknown)) or hasattr(value, "__dict__"):
        return copy.deepcopy(value)
    names = (*members(cls), "unknown_fields") if isinstance(value, Record) else ("tag", "raw")
    copier = _COPIERS[cls] = _compile(cls, names)
    return copier(value)


def _compile(cls: type, names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Compile a function that copies objects of a class.

    A loop over the attributes would take twice the time, and updates are copied all the time.
    """
    lines = ["def copier(value):", "    made = new(cls)"]
    for name in names:
        lines.append(f"    part = value.{name}")
        lines.append(f"    made.{name} = part if part.__class__ in plain else deep_copy(part)")
    lines.append("    return made")
    namespace = {"cls": cls, "new": cls.__new__, "plain": _PLAIN, "deep_copy": deep_copy}
    exec("\n".join(lines), namespace)  # the names come from the class
    copier: Any = namespace["copier"]
    return copier  # type: ignore[no-any-return]
