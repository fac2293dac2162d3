"""The surfaces of the generated package: their methods, and which of them a conversation speaks."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal, TypeAlias, cast

from acp_bindings.runtime.jsonrpc.method import Kind, Method, Surface

Side: TypeAlias = Literal["client", "agent"]
VersionSurfaces: TypeAlias = tuple[str, ...]

VERSIONS = (1, 2)
_LEVELS = ("", "_unstable")


def load(name: str) -> Surface:
    """Import the methods of a surface, with its codec."""
    return cast(Surface, import_module(f"acp_bindings.{name}.methods"))


def surfaces_of(version: int) -> VersionSurfaces:
    """The names of the surfaces of a protocol version: the stable one first."""
    return tuple(f"v{version}{level}" for level in _LEVELS)


class Spoken:
    """The surfaces that messages are checked against, as far as they are known."""

    # For each protocol version in question, its surfaces: what the first one refuses may be part of
    # the next. Empty if the version has no surface here.
    candidates: tuple[VersionSurfaces, ...]
    version: int | None

    def __init__(self, chosen: str | None = None) -> None:
        """Start without knowing the version; a chosen surface holds whatever the version."""
        self._chosen = chosen
        self.is_bridged = False  # then, it only holds for the side that speaks its version
        self.forget()

    def forget(self) -> None:
        """Return to the beginning: the version is not known."""
        chosen = None if self.is_bridged else self._chosen
        self.candidates = ((chosen,),) if chosen else tuple(map(surfaces_of, VERSIONS))
        self.version = load(chosen).SCHEMA.protocol_version if chosen else None

    def agree(self, version: int) -> bool:
        """Check against a version from now on; return whether it has a surface here."""
        chosen = self._chosen
        if chosen and self.is_bridged and load(chosen).SCHEMA.protocol_version != version:
            chosen = None
        version = max(version, 1)  # version 1 also answers for earlier ones
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
    """Find a method of a surface by its name, its kind, and its receiver if that is known."""
    for method in _named(name, surface):
        fitting = _of_kind(method, kind)
        if fitting is not None and (
            receiver is None or method.side not in _OTHER or method.side == receiver
        ):
            return fitting
    return None


def find_receiver(name: str, kind: Kind) -> Side | None:
    """Find the only side that handles a method in any version; None if that does not decide."""
    for level in _LEVELS:
        named = [method for version in VERSIONS for method in _named(name, f"v{version}{level}")]
        fitting = [method for method in named if _of_kind(method, kind)] or named
        sides = {method.side for method in fitting}
        if sides:
            [side, *more] = sides
            return cast(Side, side) if side in _OTHER and not more else None
    return None


def other(side: Side) -> Side:
    """The side that talks with this one."""
    return _OTHER[side]


_OTHER: dict[str, Side] = {"client": "agent", "agent": "client"}


def _named(name: str, surface: str) -> Iterator[Method[Any, Any]]:
    for table in load(surface).METHODS.values():
        if name in table:
            yield table[name]


def _of_kind(method: Method[Any, Any], kind: Kind) -> Method[Any, Any] | None:
    return method if method.kind == kind else method.notification
