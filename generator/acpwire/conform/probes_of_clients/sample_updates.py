"""Sample updates of all types that an agent can send, built from the generated classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from acp_bindings.runtime.values.record import Unknown, members
from acp_bindings.runtime.values.unset import UnsetType

from acpwire.surfaces import load, surfaces_of

# Values of string fields with a particular format. Other string fields contain their own names.
_TEXTS = {
    "currency": "EUR",
    "current_value": "value",  # valid, since `value` is the only value of every option
    "cwd": "/conform",
    "data": "aGVsbG8=",
    "last_modified": "2026-01-01T00:00:00Z",
    "path": "/conform/file.txt",
    "updated_at": "2026-01-01T00:00:00Z",
}
# The maximum depth of objects that include optional fields. The depth is limited because types can
# be recursive.
_DEPTH = 4


def updates(version: int) -> Iterator[dict[str, Any]]:
    """Yield two updates of each type, one with only the required fields and one with all fields.

    Updates that end a turn are omitted.
    """
    surface = load(surfaces_of(version)[0])
    type_: Any = surface.CLIENT_METHODS["session/update"].params
    for kind in _arms(get_type_hints(type_)["update"]):
        if "stop_reason" in members(kind):  # this update ends the turn
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
    """Return a union's variants, except null and the class for unknown variants."""
    arms = [arm for arm in get_args(hint) if arm not in (type(None), UnsetType)]
    return [arm for arm in arms if not (isinstance(arm, type) and issubclass(arm, Unknown))]
