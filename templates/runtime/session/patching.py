"""Patching: how reducers read an update, and make or change an entry of the state with it.

A member of an update that is absent changes nothing; null clears, where its rule says so. What the
state keeps is copied first, since the update is the program's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from ..values.record import Record, Unknown, members
from ..values.unset import UNSET

R = TypeVar("R", bound=Record)
# The path to the key of an entry within an update: the name of each member in Python and in JSON.
KeyPath: TypeAlias = tuple[tuple[str, str], ...]


def key_of(update: Any, key_path: KeyPath) -> Any:
    """Return the key of the entry that an update is about; None if it has none."""
    value = update
    for name, wire in key_path:
        value = value.raw.get(wire) if isinstance(value, Unknown) else getattr(value, name, None)
    # The JSON of an unlisted variant may hold anything there, even what has no hash.
    return value if value.__class__ in (str, int) else None


def is_given(value: object) -> bool:
    """Return whether the value of a member is neither absent nor null."""
    return value is not None and value is not UNSET


def merged(stored: dict[str, Any] | None, patch: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return metadata patched by top-level key. A null key is removed, a null patch removes all.

    The stored metadata is changed, for it may be large; the patch is not.
    """
    if patch is None:
        return {}
    if stored is None:
        stored = {}
    for name, value in patch.items():
        if value is None:
            stored.pop(name, None)
        else:
            stored[name] = value
    return stored


def converted(record: Record, cls: type[R], **defaults: Any) -> R:
    """Convert a record to another class with the same members; null members become absent.

    Lists and dictionaries are copied, so that adding to one does not change the other.

    Args:
        record: the record.
        cls: the class to convert to.
        defaults: the values of members that the record lacks.

    Raises:
        TypeError: a required member of the class is missing.
    """
    values: dict[str, Any] = dict(defaults)
    for name in members(record.__class__):
        value = getattr(record, name)
        if is_given(value):
            values[name] = copied(value)
    if record.unknown_fields:
        values["unknown_fields"] = dict(record.unknown_fields)
    return cls(**values)


def copied(value: Any) -> Any:
    """Return a copy of what rules add to, so that this does not change updates of the user."""
    if value.__class__ is tuple:  # constructors accept it, attributes of entries are lists
        return list(value)
    return value.copy() if value.__class__ is list or value.__class__ is dict else value
