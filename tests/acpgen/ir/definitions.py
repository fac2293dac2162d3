"""Sample definitions."""

from __future__ import annotations

from acpgen.ir.model import (
    Alias,
    Arm,
    Definition,
    Member,
    Record,
    Shape,
    String,
    TaggedUnion,
    UntaggedArm,
    UntaggedUnion,
)


def member(wire: str, shape: Shape, *, required: bool = False) -> Member:
    return Member(wire, wire, shape, required, f"/{wire}")


def record(name: str, *members: Member, **more: Arm) -> Record:
    """Return a record. `more` contains its subtypes."""
    return Record(name, f"/$defs/{name}", name, None, members, subtypes=tuple(more.values()))


def alias(name: str, shape: Shape) -> Alias:
    return Alias(name, f"/$defs/{name}", name, None, shape)


def union(name: str, *targets: str, default: Shape | None = None) -> TaggedUnion:
    """Return a union of the given definitions, with their lowercase names as tags."""
    arms = tuple(Arm(target.lower(), target) for target in targets)
    return TaggedUnion(name, f"/$defs/{name}", name, None, "kind", arms, default, None)


def choice(*arms: tuple[Shape, tuple[str, ...]], exclusive: bool = False) -> UntaggedUnion:
    """Return an untagged union of shapes, each with the keys that select it."""
    return UntaggedUnion(tuple(UntaggedArm(shape, (), keys) for shape, keys in arms), exclusive)


def named(*definitions: Definition) -> dict[str, Definition]:
    return {definition.name: definition for definition in definitions}


NAME = alias("Name", String())
