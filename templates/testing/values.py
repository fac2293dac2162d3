"""Conversion of any surface's objects to JSON, and updates that exist in every protocol version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeGuard, cast

from ..runtime.jsonrpc.handler import advertise
from ..runtime.jsonrpc.method import Method
from ..runtime.session.facts import Facts
from ..runtime.values.record import Record, Unknown

# The method for permission requests.
PERMISSION = "session/request_permission"
# The package might be vendored under a different name.
_PACKAGE = __name__.rsplit(".", 2)[0]


def surface(version: int) -> Any:
    """Import the stable surface for a protocol version and return it.

    Raises:
        ImportError: If the package was vendored without this surface.
    """
    return import_module(f"{_PACKAGE}.v{version}")


def facts(version: int) -> Facts:
    """Return the `Facts` of a protocol version."""
    found: Facts = surface(version).FACTS
    return found


@cache
def versions() -> tuple[int, ...]:
    """Return the protocol versions with a stable surface in this package, in ascending order."""
    names = [module.name for module in iter_modules(import_module(_PACKAGE).__path__)]
    return tuple(sorted(int(name[1:]) for name in names if re.fullmatch("v[0-9]+", name)))


def surface_of(kind: type) -> Any:
    """Return the surface to which a class or one of its base classes belongs.

    Raises:
        TypeError: If the class belongs to no surface.
    """
    for base in kind.__mro__:
        module = base.__module__.removeprefix(f"{_PACKAGE}.")
        if module != base.__module__ and module.startswith("v"):
            return import_module(f"{_PACKAGE}.{module.partition('.')[0]}")
    raise TypeError(f"{kind.__name__} is not a surface class; pass a class such as v2.ToolCall")


def advertise_answers(
    introduction: dict[str, Any], version: int, side: str, methods: Iterable[str]
) -> None:
    """Add the capabilities that methods require to the `initialize` params or result.

    Methods that require no capability and methods that aren't defined by an installed surface are
    ignored.

    Args:
        introduction: the JSON params or result, which this function modifies.
        version: the protocol version of the params or result.
        side: the side that handles the methods.
        methods: the names of the methods.
    """
    for name in methods:
        method = _find_method(version, side, name)
        if method is not None and method.capability is not None:
            advertise(introduction, method.capability)


def _find_method(version: int, side: str, name: str) -> Method[Any, Any] | None:
    """Return a method of the stable surface or, if it is missing, of the unstable surface."""
    for package in (f"{_PACKAGE}.v{version}", f"{_PACKAGE}.v{version}_unstable"):
        try:
            methods: Mapping[str, Method[Any, Any]] = import_module(package).METHODS[side]
        except ImportError:  # the package was vendored without this surface
            continue
        if name in methods:
            return methods[name]
    return None


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is a mapping, which represents a JSON object."""
    return isinstance(value, Mapping)


def is_typed(value: object) -> bool:
    """Return whether a value is an instance of a surface's class."""
    return isinstance(value, Record | Unknown)


def as_json(value: Any) -> Any:
    """Encode an instance of a surface's class. Return JSON unchanged."""
    return _owner(value).encode(value) if is_typed(value) else value


def update_as_json(value: Any) -> Any:
    """Encode an instance of a surface's class as a session update. Return JSON unchanged."""
    if not is_typed(value):
        return value
    owner = _owner(value)
    return owner.encode(value, owner.TYPES[owner.FACTS.updates])


def content_as_json(value: Any) -> Any:
    """Encode an instance of a surface's class as a content block. Return JSON unchanged."""
    if not is_typed(value):
        return value
    owner = _owner(value)
    return owner.encode(value, owner.TYPES[owner.FACTS.content])


def _owner(value: Any) -> Any:
    return surface_of(cast("type[object]", type(value)))


@dataclass(frozen=True, slots=True)
class Update:
    """A session update that doesn't depend on the protocol version.

    In a script, the update is sent to the client. In an expectation, it matches every update that
    contains its fields.

    Attributes:
        kinds: the accepted values of `sessionUpdate`. The first value is sent unless the protocol
            version or the order of updates requires another value.
        members: the update's other fields, by their JSON names.
    """

    kinds: tuple[str, ...]
    members: Mapping[str, Any]

    def __str__(self) -> str:
        return shown({"sessionUpdate": self.kinds[-1], **self.members})


def update(kind: str, **members: Any) -> Update:
    """Create an update of any type.

    Args:
        kind: the value of `sessionUpdate`.
        members: the update's other fields, by their JSON names.
    """
    return Update((kind,), {name: as_json(value) for name, value in members.items()})


def say(text: str) -> Update:
    """Create an update that contains a chunk of the agent's message."""
    return update("agent_message_chunk", content={"type": "text", "text": text})


def think(text: str) -> Update:
    """Create an update that contains a chunk of the agent's thoughts."""
    return update("agent_thought_chunk", content={"type": "text", "text": text})


def tool_call(tool_call_id: str, **members: Any) -> Update:
    """Create an update that begins or changes a tool call.

    In protocol 1, a script sends a tool call's first update as `tool_call` and later updates as
    `tool_call_update`. In protocol 2, a script sends all updates as `tool_call_update`.
    """
    made = update("tool_call_update", toolCallId=tool_call_id, **members)
    return Update(("tool_call_update", "tool_call"), made.members)


def shown(value: Any) -> str:
    """Return a one-line representation of an update: its type and its abbreviated fields."""
    if not is_mapping(value):
        return repr(value)
    members: dict[str, Any] = {**value}
    kind = members.pop("sessionUpdate", "")
    parts = [f"{name}={_brief(member)}" for name, member in members.items()]
    return " ".join([str(kind), *parts]).strip()


def _brief(value: Any) -> str:
    if is_mapping(value) and set(value) == {"type", "text"}:
        return repr(value["text"])
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
