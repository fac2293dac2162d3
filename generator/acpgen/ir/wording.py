"""Short descriptions of definitions, shapes, methods and fallbacks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

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
    Member,
    Method,
    Null,
    Nullable,
    Number,
    Record,
    Reference,
    Shape,
    String,
    TaggedUnion,
    UntaggedArm,
    UntaggedUnion,
)
from acpgen.ir.queries import walk
from acpgen.ir.surface import Surface

_NO_NAMES: Mapping[str, str] = {}
_ANY = "any JSON"


def describe(
    thing: Definition | Shape, *, limits: bool = True, names: Mapping[str, str] = _NO_NAMES
) -> str:
    """Describe a definition or shape for use in comparisons.

    Args:
        limits: whether to include bounds, lengths, patterns and the number of matching variants.
        names: a mapping from definition names to the names to use in the description.
    """

    def inner(shape: Shape) -> str:
        return describe(shape, limits=limits, names=names)

    def limited(text: str, low: object, high: object) -> str:
        if not limits or (low is None and high is None):
            return text
        return f"{text} {'' if low is None else low}..{'' if high is None else high}"

    match thing:
        case Record():
            return "object"
        case TaggedUnion(tag=tag):
            return f"union by {tag}"
        case Alias(shape=shape):
            return inner(shape)
        case AnyJson():
            return _ANY
        case Null() | Boolean():
            return thing.kind
        case String(least, pattern):
            extra = f" like {pattern}" if limits and pattern else ""
            return limited("string", least, None) + extra
        case Integer() | Number():
            return limited(thing.kind, thing.minimum, thing.maximum)
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
        case UntaggedUnion(arms, exclusive):
            number = "exactly one of " if limits and exclusive else ""
            return number + _either(inner(arm.shape) for arm in arms)


def describe_expected(shape: Shape, definitions: Mapping[str, Definition]) -> str:
    """Describe the JSON that a shape accepts, for use in decoders' error messages."""
    match shape:
        case AnyJson():
            return _ANY
        case Null() | Boolean() | String() | Integer() | Number() | Array():
            return shape.kind
        case Dictionary():
            return "object"
        case Enumeration(values, _, None, _):
            return "one of " + ", ".join(map(str, values)) if len(values) > 1 else str(values[0])
        case Enumeration(_, base):
            return describe_expected(base, definitions)
        case Nullable(inner):
            return f"{describe_expected(inner, definitions)} or null"
        case UntaggedUnion(arms, exclusive):
            arm_texts = _either(_describe_expected_arm(arm, definitions) for arm in arms)
            return ("exactly one of: " if exclusive else "") + arm_texts
        case Reference(name):
            definition = definitions[name]
            if isinstance(definition, Alias):
                return describe_expected(definition.shape, definitions)
            return "object"


def _describe_expected_arm(arm: UntaggedArm, definitions: Mapping[str, Definition]) -> str:
    text = describe_expected(arm.shape, definitions)
    if not arm.keys:
        return text
    keys = " and ".join(arm.keys)
    return f"{text} of objects with {keys}" if text == "array" else f"{text} with {keys}"


def _either(texts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(texts))


def describe_member(surface: Surface, owner: str, member: Member) -> str:
    """Return the description of a field, followed by its formats.

    The overlay is used only if the schema contains no description.
    """
    meaning = member.description or surface.member_summaries.get((owner, member.wire))
    formats = describe_formats(member.shape)
    return " ".join(text for text in (meaning, formats) if text)


def describe_values(surface: Surface, name: str, values: Enumeration) -> list[str]:
    """Return the descriptions of an enumeration's constants, with "" for missing descriptions.

    The overlay is used only for constants that the schema doesn't describe.
    """
    described = values.descriptions or (None,) * len(values.values)
    return [
        words or surface.value_summaries.get((name, str(value)), "")
        for value, words in zip(values.values, described, strict=True)
    ]


def describe_formats(shape: Shape) -> str:
    """Return a sentence stating that the formats of a shape are not checked.

    The result is empty if the shape has no formats.
    """
    scalars = (inner for inner in walk(shape) if isinstance(inner, String | Integer | Number))
    formats = " or ".join(dict.fromkeys(scalar.format for scalar in scalars if scalar.format))
    return f"The format {formats} is not checked." if formats else ""


def describe_fallback(fallback: Fallback) -> str:
    """Describe the value that a vendor keyword substitutes for an invalid one."""
    return "absent" if fallback.absent else json.dumps(fallback.value)


def title(method: Method) -> str:
    """Return a method's wire name or, for an extension method without a wire name, its kind."""
    return method.wire or f"extension {method.kind}"
