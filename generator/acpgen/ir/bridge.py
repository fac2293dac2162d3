"""The bridge between two surfaces, represented by the content of its generated tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """A constructor call in the generated tables.

    Calls are plain data because the generator must run without the package that it writes. The
    classes are defined in `runtime.bridge.rules`.
    """

    name: str  # the class
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)  # default values are omitted


@dataclass(frozen=True, slots=True)
class CustomFunction:
    """A function from `runtime.bridge.custom` that is passed as an argument to a call."""

    name: str


# A rule, or the name of another definition whose rule is used.
Rule: TypeAlias = Call | str


@dataclass(frozen=True, slots=True)
class Direction:
    """The rules that convert messages from one version to the other."""

    rules: Mapping[str, Rule]  # the rule for each definition that differs between the versions
    counterparts: Mapping[str, str]  # the other version's name for each compared definition
    updates: Mapping[str, Call]  # an `Update` for each session update, by tag


@dataclass(frozen=True, slots=True)
class Bridge:
    """The correspondence between two surfaces."""

    older: str  # the name of the older surface
    newer: str  # the name of the newer surface
    to_newer: Direction
    to_older: Direction
    routes: tuple[Call, ...]  # a `Route` for each method
    # The messages that can be sent even if the receiver does not advertise the required capability,
    # each as a `Promise`, by direction.
    promises: Mapping[str, tuple[Call, ...]]
