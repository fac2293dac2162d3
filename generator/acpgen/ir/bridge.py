"""What becomes of the messages of one surface in another: rules, routes and updates.

The rules are those of `runtime.bridge.rules`, class by class; their docstrings say what each does.
A part that is None is equal in both versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from acpgen.ir.model import Capability

# How something gets to the other version: by rules alone, by code of the runtime, or not at all.
How: TypeAlias = Literal["carried", "translated", "absent"]


@dataclass(frozen=True, slots=True)
class Ref:
    """The rule of another definition, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Members:
    """The rule of an object."""

    fields: Mapping[str, Rule] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)
    foreign: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    not_null: frozenset[str] = frozenset()
    implied: frozenset[str] = frozenset()
    added: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Values:
    """The rule of an enumeration; without `instead`, other values are left out."""

    listed: frozenset[str | int]
    instead: str | None = None
    replaced: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Range:
    """The rule of a number."""

    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """The rule of an array."""

    rule: Rule | None = None
    least: int = 0


@dataclass(frozen=True, slots=True)
class Entries:
    """The rule of a map."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class Arms:
    """The rule of a tagged union."""

    tag: str
    arms: Mapping[str, Rule | None]
    lost: Mapping[str, str] = field(default_factory=dict)
    default: Rule | None = None
    is_open: bool = False
    known: frozenset[str] = frozenset()
    other: Rule | None = None


@dataclass(frozen=True, slots=True)
class ByMember:
    """The rule of a union of objects without a tag."""

    rules: Mapping[str, Rule | None]


@dataclass(frozen=True, slots=True)
class Code:
    """A function of `runtime.bridge.custom`, by name."""

    function: str


Rule: TypeAlias = Ref | Members | Values | Range | Items | Entries | Arms | ByMember | Code


@dataclass(frozen=True, slots=True)
class Route:
    """What becomes of a method; see `runtime.bridge.rules.Route`."""

    side: str
    kind: str
    older: str | None
    newer: str | None
    how: How
    params: tuple[str, str]
    result: tuple[str, str] | None
    reason: str


@dataclass(frozen=True, slots=True)
class Update:
    """What becomes of a kind of session update; see `runtime.bridge.rules.Update`."""

    how: How
    reason: str


# How a bridge treats messages without an advertised capability of the receiver.
PromiseHow: TypeAlias = Literal["passed", "replaced", "refused", "translated"]


@dataclass(frozen=True, slots=True)
class Promise:
    """A message that can be sent without a capability; see `runtime.bridge.rules.Promise`."""

    key: str
    side: str
    method: str
    member: str
    kind: str
    capability: Capability
    how: PromiseHow
    reason: str


@dataclass(frozen=True, slots=True)
class Direction:
    """What becomes of what one of two versions says in the other."""

    rules: Mapping[str, Rule]  # the rules of definitions that are not equal there, by name
    # Of all definitions that were compared, the names they have there.
    counterparts: Mapping[str, str]
    updates: Mapping[str, Update]  # what becomes of each session update, by tag


@dataclass(frozen=True, slots=True)
class Bridge:
    """What corresponds between two surfaces."""

    older: str  # the name of the surface of the older version
    newer: str  # that of the newer version
    to_newer: Direction  # what becomes of what the older version says
    to_older: Direction  # what becomes of what the newer version says
    routes: tuple[Route, ...]  # what becomes of each method
    # By direction, messages that can be sent although the receiver lacks a capability.
    promises: Mapping[str, tuple[Promise, ...]]
