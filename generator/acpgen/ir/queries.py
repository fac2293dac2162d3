"""Ways from a definition to its members, and to theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Definition,
    Member,
    Null,
    Nullable,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    UntaggedUnion,
)

# Each member on the way, by its name in Python and in JSON.
Way: TypeAlias = tuple[tuple[str, str], ...]


def resolve_path(definitions: Mapping[str, Definition], name: str, path: str) -> Way | None:
    """Follow member names in JSON, joined by slashes; None when one of them is not there."""
    way: list[tuple[str, str]] = []
    current: str | None = name
    for wire in path.split("/"):
        member = next((m for m in members_of(definitions, current or "") if m.wire == wire), None)
        if member is None:
            return None
        way.append((member.name, wire))
        current = target(member.shape)
    return tuple(way)


def class_of(definitions: Mapping[str, Definition], name: str, wire: str, tag: str) -> str | None:
    """The class that a tag selects for the items of a member; None if there is none."""
    for member in members_of(definitions, name):
        if member.wire == wire and isinstance(member.shape, Array):
            union = definitions.get(target(member.shape.items) or "")
            arms = union.arms if isinstance(union, TaggedUnion) else ()
            return next((arm.target for arm in arms if arm.tag == tag), None)
    return None


def members_of(definitions: Mapping[str, Definition], name: str) -> list[Member]:
    """The members of a record, or those that all known arms of a union have."""
    definition = definitions.get(name)
    if isinstance(definition, Record):
        return list(definition.members)
    if not isinstance(definition, TaggedUnion):
        return []
    first, *others = [members_of(definitions, arm.target) for arm in definition.arms]
    names = [{member.wire for member in members} for members in others]
    return [member for member in first if all(member.wire in each for each in names)]


def target(shape: Shape) -> str | None:
    """The definition that a shape, or null, refers to."""
    if isinstance(shape, Nullable):
        return target(shape.shape)
    return shape.name if isinstance(shape, Reference) else None


def unwrap(shape: Shape, definitions: Mapping[str, Definition]) -> Shape:
    """What an alias, or what may be null, is."""
    match shape:
        case Nullable(inner):
            return unwrap(inner, definitions)
        case Reference(name) if isinstance(alias := definitions.get(name), Alias):
            return unwrap(alias.shape, definitions)
        case _:
            return shape


def takes_null(shape: Shape, definitions: Mapping[str, Definition]) -> bool:
    """Whether null is a value of a shape; of references, what they lead to says so.

    Args:
        definitions: what references of the shape go to.
    """
    match shape:
        case AnyJson() | Null() | Nullable():
            return True
        case UntaggedUnion(arms):
            return any(takes_null(arm.shape, definitions) for arm in arms)
        case Reference(name):
            definition = definitions.get(name)
            return isinstance(definition, Alias) and takes_null(definition.shape, definitions)
        case _:
            return False
