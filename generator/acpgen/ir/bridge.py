"""The bridge between two surfaces: the content of its generated tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """A constructor call in the generated tables.

    Calls are plain data because the generator writes the package and so must run without it. The
    classes and their arguments are defined in `runtime.bridge.rules`.
    """

    name: str  # the class
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)  # without default values


@dataclass(frozen=True, slots=True)
class CustomFunction:
    """A function of `runtime.bridge.custom`, as an argument of a call."""

    name: str


# A rule, or the name of the definition that has it.
Rule: TypeAlias = Call | str


@dataclass(frozen=True, slots=True)
class Direction:
    """The conversion of messages from one of two versions to the other."""

    rules: Mapping[str, Rule]  # by definition, if it differs between the versions
    counterparts: Mapping[str, str]  # the names of all compared definitions in the other version
    updates: Mapping[str, Call]  # an `Update` for each session update, by tag


@dataclass(frozen=True, slots=True)
class Bridge:
    """The correspondence between two surfaces."""

    older: str  # the name of the surface
    newer: str
    to_newer: Direction
    to_older: Direction
    routes: tuple[Call, ...]  # a `Route` for each method
    # By direction, a `Promise` for each message that can be sent although the receiver lacks a
    # capability.
    promises: Mapping[str, tuple[Call, ...]]
