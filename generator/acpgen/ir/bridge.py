"""The bridge between two surfaces: the content of its generated tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """A constructor call in the generated tables.

    Calls are plain data since the generator writes the package and so must run without it. The
    classes, with the meaning of their arguments, are those of `runtime.bridge.rules`.

    Attributes:
        name: the class.
        arguments: the positional arguments.
        keywords: the keyword arguments. Those with the default value are left out.
    """

    name: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CustomFunction:
    """A function of `runtime.bridge.custom`, as an argument of a call."""

    name: str


# A rule, or the name of the definition that has it.
Rule: TypeAlias = Call | str


@dataclass(frozen=True, slots=True)
class Direction:
    """The conversion of messages from one of two versions to the other.

    Attributes:
        rules: the rules of definitions that are not equal in both versions, by name.
        counterparts: the names that all compared definitions have in the other version.
        updates: an `Update` for each session update, by tag.
    """

    rules: Mapping[str, Rule]
    counterparts: Mapping[str, str]
    updates: Mapping[str, Call]


@dataclass(frozen=True, slots=True)
class Bridge:
    """The correspondence between two surfaces.

    Attributes:
        older: the name of the surface of the older version.
        newer: the name of the surface of the newer version.
        to_newer: the conversion of messages of the older version.
        to_older: the conversion of messages of the newer version.
        routes: a `Route` for each method.
        promises: by direction, a `Promise` for each message that can be sent although the receiver
            lacks a capability.
    """

    older: str
    newer: str
    to_newer: Direction
    to_older: Direction
    routes: tuple[Call, ...]
    promises: Mapping[str, tuple[Call, ...]]
