"""Copying: sessions copy the objects that they receive, since the program can modify them later."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final, TypeVar

from ..values.record import Record, Unknown, members
from ..values.unset import UnsetType

T = TypeVar("T")

# The most common classes of values that contain no other values.
_PLAIN: Final = frozenset({str, int, float, bool, type(None), UnsetType})
# The compiled functions that copy objects, by protocol class.
_COPIERS: Final[dict[type, Callable[[Any], Any]]] = {}


def deep_copy(value: Any) -> Any:
    """Return a copy that shares no mutable parts with the given protocol or JSON objects.

    This function is much faster than `copy.deepcopy`. The result is the same, since the objects
    form a tree.
    """
    copier = _COPIERS.get(value.__class__)
    return _copy_other(value) if copier is None else copier(value)


def copy_content(content: T) -> T:
    """Return a copy of the content block of a message.

    Raises:
        TypeError: If `content` is not a content block.
    """
    # Dictionaries are accepted here because the encoder's error explains how to decode them.
    if not isinstance(content, (Record, Unknown, dict)):
        raise TypeError(f"expected text or a content block, found {type(content).__name__}")
    copied: T = deep_copy(content)
    return copied


def _copy_other(value: Any) -> Any:
    cls = value.__class__
    if cls in _PLAIN:
        return value
    if cls is list or cls is tuple:  # constructors accept tuples, but attributes are lists
        return [deep_copy(item) for item in value]
    if cls is dict:
        return {name: deep_copy(item) for name, item in value.items()}
    # A subclass defined by a program has a `__dict__` and can customize copying.
    if not isinstance(value, (Record, Unknown)) or hasattr(value, "__dict__"):
        return copy.deepcopy(value)
    names = (*members(cls), "unknown_fields") if isinstance(value, Record) else ("tag", "raw")
    copier = _COPIERS[cls] = _compile(cls, names)
    return copier(value)


def _compile(cls: type, names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Compile a function that copies objects of a class.

    A loop over the attributes would take twice as long, and every update is copied.
    """
    lines = ["def copier(value):", "    made = new(cls)"]
    for name in names:
        lines.append(f"    part = value.{name}")
        lines.append(f"    made.{name} = part if part.__class__ in plain else deep_copy(part)")
    lines.append("    return made")
    namespace = {"cls": cls, "new": cls.__new__, "plain": _PLAIN, "deep_copy": deep_copy}
    exec("\n".join(lines), namespace)  # safe, since all names in the code come from the class
    copier: Any = namespace["copier"]
    return copier  # type: ignore[no-any-return]
