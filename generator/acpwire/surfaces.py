"""The generated package's surfaces, their methods, and the surfaces that a connection uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, TypeAlias, cast

import acp_bindings
from acp_bindings.runtime import DecodeError
from acp_bindings.runtime.jsonrpc.method import Kind, Method, Surface
from acp_bindings.runtime.session.facts import Facts

Side: TypeAlias = Literal["client", "agent"]
VersionSurfaces: TypeAlias = tuple[str, ...]

# The peer of each side.
OTHER: dict[str, Side] = {"client": "agent", "agent": "client"}
_LEVELS = ("", "_unstable")
_NAMES = frozenset(
    module.name
    for module in iter_modules(acp_bindings.__path__)
    if re.fullmatch("v[0-9]+(_unstable)?", module.name)
)
# The protocol versions that the package supports, in ascending order.
VERSIONS = tuple(sorted({int(name[1:].partition("_")[0]) for name in _NAMES}))


def load(name: str) -> Surface:
    """Import and return the module that defines a surface's methods."""
    return cast(Surface, import_module(f"acp_bindings.{name}.methods"))


def surfaces_of(version: int) -> VersionSurfaces:
    """Return the names of a protocol version's surfaces, stable surface first."""
    names = (f"v{version}{level}" for level in _LEVELS)
    return tuple(name for name in names if name in _NAMES)


@cache
def facts_of(surface: str) -> Facts:
    """Return the facts about sessions in a surface."""
    facts: Facts = import_module(f"acp_bindings.{surface}.facts").FACTS
    return facts


def facts(version: int) -> Facts:
    """Return the facts about sessions in a protocol version."""
    return facts_of(surfaces_of(version)[0])


def has_method(version: int, side: Side, name: str) -> bool:
    """Return whether a protocol version defines a method for the given side to handle."""
    return any(name in load(surface).METHODS[side] for surface in surfaces_of(version))


def fits(version: int, side: Side, name: str, params: Any) -> bool:
    """Return whether params are valid for a method in a version's stable surface."""
    method = load(surfaces_of(version)[0]).METHODS[side].get(name)
    try:
        return method is not None and bool(method.codec.decode(method.params, params, strict=True))
    except DecodeError:
        return False


def defines(version: int, side: Side, name: str, field: str) -> bool:
    """Return whether a version's stable surface defines a field in a method's params."""
    method = load(surfaces_of(version)[0]).METHODS[side].get(name)
    return method is not None and field in method.codec.fields_of(method.params)


class Spoken:
    """The surfaces to check a connection's messages against."""

    # The surfaces of each protocol version that might be in use. A message that a version's first
    # surface rejects can be valid in the next surface. The tuple is empty if the negotiated version
    # is not supported.
    candidates: tuple[VersionSurfaces, ...]
    version: int | None

    def __init__(self, chosen: str | None = None) -> None:
        """Begin with an unknown version. If a surface is chosen, it is used for all versions."""
        self._chosen = chosen
        self.is_bridged = False  # whether `chosen` is used only for its own protocol version
        self.forget()

    def forget(self) -> None:
        """Reset the version to unknown."""
        chosen = None if self.is_bridged else self._chosen
        self.candidates = ((chosen,),) if chosen else tuple(map(surfaces_of, VERSIONS))
        self.version = load(chosen).SCHEMA.protocol_version if chosen else None

    def agree(self, version: int) -> bool:
        """Set the negotiated version, and return whether the package contains a surface for it."""
        chosen = self._chosen
        if chosen and self.is_bridged and load(chosen).SCHEMA.protocol_version != version:
            chosen = None
        version = max(version, 1)  # the surface of version 1 also describes earlier versions
        if chosen is not None:
            self.version = load(chosen).SCHEMA.protocol_version
            self.candidates = ((chosen,),)
        else:
            self.version = version
            self.candidates = (surfaces_of(version),) if version in VERSIONS else ()
        return bool(self.candidates)


def find_method(
    name: str, kind: Kind, receiver: Side | None, surface: str
) -> Method[Any, Any] | None:
    """Find a surface's method by name, kind and receiver. The receiver None matches either side."""
    for method in _named(name, surface):
        fitting = _of_kind(method, kind)
        if fitting is not None and (
            receiver is None or method.side not in OTHER or method.side == receiver
        ):
            return fitting
    return None


def find_receiver(name: str, kind: Kind) -> Side | None:
    """Return the side that handles a method, or None if no side or both sides handle it."""
    for level in _LEVELS:
        surfaces = [f"v{version}{level}" for version in VERSIONS]
        named = [method for each in surfaces if each in _NAMES for method in _named(name, each)]
        fitting = [method for method in named if _of_kind(method, kind)] or named
        sides = {method.side for method in fitting}
        if sides:
            [side, *more] = sides
            return cast(Side, side) if side in OTHER and not more else None
    return None


def _named(name: str, surface: str) -> Iterator[Method[Any, Any]]:
    for table in load(surface).METHODS.values():
        if name in table:
            yield table[name]


def _of_kind(method: Method[Any, Any], kind: Kind) -> Method[Any, Any] | None:
    return method if method.kind == kind else method.notification
