"""Samples of what an agent may send, from the types that the schema has: updates of each kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from acp_bindings.runtime.values.record import Unknown, members
from acp_bindings.runtime.values.unset import UnsetType

from acpwire.surfaces import load, surfaces_of

# Texts whose form matters, by the name of their member; others have their name as their text.
_TEXTS = {
    "cwd": "/conform",
    "data": "aGVsbG8=",
    "path": "/conform/file.txt",
    "timestamp": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
    "uri": "file:///conform/file.txt",
}
# How deep samples with all members go: types may contain themselves.
_DEPTH = 4


def updates(version: int) -> Iterator[dict[str, Any]]:
    """Return an update of each kind that ends no turn, with required members and with all."""
    surface = load(surfaces_of(version)[0])
    type_: Any = surface.CLIENT_METHODS["session/update"].params
    for kind in _arms(get_type_hints(type_)["update"]):
        if "stop_reason" in members(kind):  # it ends the turn
            continue
        for depth in (0, _DEPTH):
            params = type_(session_id="", update=_record(kind, depth))
            yield surface.encode(params)["update"]


def _record(type_: Any, depth: int) -> Any:
    hints = get_type_hints(type_)
    names = set(members(type_))
    values = {
        field.name: _value(hints[field.name], field.name, depth - 1)
        for field in dataclasses.fields(type_)
        if field.name in names and (depth > 0 or field.default is dataclasses.MISSING)
    }
    return type_(**values)


def _value(hint: Any, name: str, depth: int) -> Any:
    if name in _TEXTS:
        return _TEXTS[name]
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _value(_arms(hint)[0], name, depth)
    if origin is Literal:
        return get_args(hint)[0]
    if origin is list:
        return [_value(get_args(hint)[0], name, depth)]
    if origin is dict or hint is Any:
        return {}
    if hint is str:
        return name
    if dataclasses.is_dataclass(hint):
        return _record(hint, depth)
    return hint(1)


def _arms(hint: Any) -> list[Any]:
    """What a union consists of, without null and what the schema does not list."""
    arms = [arm for arm in get_args(hint) if arm not in (type(None), UnsetType)]
    return [arm for arm in arms if not (isinstance(arm, type) and issubclass(arm, Unknown))]
