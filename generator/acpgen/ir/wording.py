"""Definitions, shapes, methods and repairs in few words, for people who compare them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Boolean,
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
    Surface,
    TaggedUnion,
    UntaggedUnion,
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
        case AnyJson():
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
        case UntaggedUnion(arms):
            return " or ".join(dict.fromkeys(inner(arm.shape) for arm in arms))


def title(method: Method) -> str:
    """A method's name in JSON; what extensions add has none."""
    return method.wire or f"extension {method.kind}"


def repaired(fallback: Fallback) -> str:
    """What a vendor keyword puts in the place of a bad value."""
    return "absent" if fallback.absent else json.dumps(fallback.value)


def expected(shape: Shape, surface: Surface) -> str:
    """A shape in the words of an error message."""
    match shape:
        case AnyJson():
            return "any JSON"
        case Null():
            return "null"
        case Boolean():
            return "boolean"
        case String():
            return "string"
        case Integer():
            return "integer"
        case Number():
            return "number"
        case Enumeration(values, _, None, _):
            return "one of " + ", ".join(map(str, values)) if len(values) > 1 else str(values[0])
        case Enumeration(_, base):
            return expected(base, surface)
        case Array():
            return "array"
        case Dictionary():
            return "object"
        case Nullable(inner):
            return f"{expected(inner, surface)} or null"
        case UntaggedUnion(arms, exclusive):
            words = list(dict.fromkeys(_arm(arm.shape, arm.keys, surface) for arm in arms))
            return ("exactly one of: " if exclusive else "") + " or ".join(words)
        case Reference(name):
            definition = surface.definitions[name]
            return (
                expected(definition.shape, surface) if isinstance(definition, Alias) else "object"
            )


def _arm(shape: Shape, keys: tuple[str, ...], surface: Surface) -> str:
    words = expected(shape, surface)
    named = " and ".join(keys)
    if not keys:
        return words
    return f"{words} of objects with {named}" if words == "array" else f"{words} with {named}"
