"""Definitions, shapes, methods and repairs in few words, for people who compare them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from acpgen.model import (
    Alias,
    Anything,
    Array,
    Boolean,
    Choice,
    Definition,
    Dictionary,
    Enumeration,
    Fallback,
    Integer,
    Method,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
)

_NO_NAMES: Mapping[str, str] = {}


def word(
    thing: Definition | Shape, *, limits: bool = True, names: Mapping[str, str] = _NO_NAMES
) -> str:
    """A definition or shape in words.

    Args:
        limits: whether to name bounds, lengths and patterns.
        names: what definitions are to be called instead.
    """

    def inner(shape: Shape) -> str:
        return word(shape, limits=limits, names=names)

    def limited(kind: str, low: object, high: object) -> str:
        if not limits or (low is None and high is None):
            return kind
        return f"{kind} {'' if low is None else low}..{'' if high is None else high}"

    match thing:
        case Record():
            return "object"
        case TaggedUnion(tag=tag):
            return f"union by {tag}"
        case Alias(shape=shape):
            return inner(shape)
        case Anything():
            return "any JSON"
        case Null():
            return "null"
        case Boolean():
            return "boolean"
        case String(least, pattern):
            extra = f" like {pattern}" if limits and pattern else ""
            return limited("string", least, None) + extra
        case Integer(low, high):
            return limited("integer", low, high)
        case Number(low, high):
            return limited("number", low, high)
        case Enumeration(values, base, other, _):
            listed = ", ".join(map(str, values))
            return f"{inner(base)} ({listed}{', others' if other else ''})"
        case Array(items, least):
            return limited(f"list of {inner(items)}", least, None)
        case Dictionary(values):
            return f"map of {inner(values)}"
        case Reference(name):
            return names.get(name, name)
        case Nullable(shape):
            return f"{inner(shape)} or null"
        case Choice(arms):
            return " or ".join(dict.fromkeys(inner(arm.shape) for arm in arms))


def title(method: Method) -> str:
    """A method's name in JSON; what extensions add has none."""
    return method.wire or f"extension {method.kind}"


def repaired(fallback: Fallback) -> str:
    """What a vendor keyword puts in the place of a bad value."""
    return "absent" if fallback.absent else json.dumps(fallback.value)
