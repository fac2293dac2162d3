"""What becomes of the messages of one surface in another: rules, and routes of methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Ref:
    """The rule of another definition, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of `runtime.bridge.rules`.

    Attributes:
        kind: the name of its class.
        parts: its arguments that are rules, or hold some, by name.
        facts: its other arguments, by name.
        own: whether it changes something by itself, not only by its parts.
    """

    kind: str
    parts: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    own: bool = False


Node: TypeAlias = Rule | Ref


@dataclass(frozen=True, slots=True)
class Route:
    """What becomes of a method; see `runtime.bridge.rules.Route`."""

    side: str
    kind: str
    older: str | None
    newer: str | None
    how: str
    params: tuple[str, str]
    result: tuple[str, str] | None
    reason: str


@dataclass(frozen=True, slots=True)
class Bridge:
    """What corresponds between two surfaces.

    Attributes:
        older: the name of the surface of the older version.
        newer: that of the newer version.
        to_newer: the rules for definitions of the older version, by name.
        to_older: those for definitions of the newer version.
        routes: what becomes of each method.
        counterparts: of the definitions that were compared in each direction, first towards the
            newer version, those that have a counterpart, with its name.
    """

    older: str
    newer: str
    to_newer: Mapping[str, Node]
    to_older: Mapping[str, Node]
    routes: tuple[Route, ...]
    counterparts: tuple[Mapping[str, str], Mapping[str, str]]
