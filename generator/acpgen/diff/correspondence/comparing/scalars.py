"""Rules for strings and numbers, and what only the schema's own words make valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acpgen.diff.compatibility.scalars import accepts_scalar
from acpgen.diff.correspondence.comparing.context import Context
from acpgen.ir.bridge import Range, Rule, Values
from acpgen.ir.model import (
    Alias,
    Definition,
    Enumeration,
    Integer,
    Number,
    Record,
    Scalar,
    Shape,
    String,
    TaggedUnion,
)
from acpgen.ir.queries import map_inner


def compare_scalars(context: Context, sent: Scalar, expected: Shape) -> Rule | None:
    """Return the rule for the values of a scalar shape."""
    if isinstance(sent, Enumeration) and sent.lenient:
        sent = replace(sent, other=sent.other or sent.base)  # the default mode keeps any
    if accepts_scalar(sent, expected):
        return None
    match sent, expected:
        case (Enumeration() | String()), Enumeration():
            return _values(context, sent, expected)
        case Integer(), Integer(low, high) | Number(low, high):
            return Range(low, high)
        case Number(), Number(low, high):
            return Range(low, high)
        case _:
            context.miss("has values that are not valid on the other side; name their `code`")
            return None


def _values(context: Context, sent: Enumeration | String, expected: Enumeration) -> Values:
    instead: str | None = context.decided("instead")
    replaced: Mapping[str, str] = context.decided("replaced") or {}
    if isinstance(sent, Enumeration):
        context.check_names("value", set(map(str, sent.values)), replaced)
    standing = [*replaced.values(), *([] if instead is None else [instead])]
    context.check_names("value of the other side", set(map(str, expected.values)), standing)
    if instead is None and context.decided("left_out") is None:
        context.miss(
            "has values that the other side does not list; say what stands for them in `instead`, "
            "or why they are `left_out`"
        )
    return Values(frozenset(expected.values), instead, replaced)


def closed(definitions: Mapping[str, Definition]) -> dict[str, Definition]:
    """The definitions as a strict receiver takes them: enumerations have no more than is listed."""
    return {name: _closed(definition) for name, definition in definitions.items()}


def _closed(definition: Definition) -> Definition:
    match definition:
        case Alias():
            return replace(definition, shape=_closed_shape(definition.shape))
        case Record():
            members = [replace(m, shape=_closed_shape(m.shape)) for m in definition.members]
            return replace(definition, members=tuple(members))
        case TaggedUnion():
            return definition


def _closed_shape(shape: Shape) -> Shape:
    if isinstance(shape, Enumeration):
        return replace(shape, lenient=False)
    return map_inner(shape, _closed_shape)
