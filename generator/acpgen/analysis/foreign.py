"""Qualify the definitions of a surface, so that an extension can refer to them."""

from __future__ import annotations

from dataclasses import replace

from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    Arm,
    Definition,
    Member,
    Record,
    Reference,
    Shape,
    TaggedUnion,
    Unknown,
    UntaggedUnion,
)
from acpgen.ir.queries import map_inner
from acpgen.ir.surface import Surface


def qualify(surface: Surface) -> dict[str, Definition]:
    """The definitions of a surface under qualified names, which refer to such names."""
    qualifier = _Qualifier(surface.name)
    return {
        qualifier.name(name): qualifier.definition(definition)
        for name, definition in surface.definitions.items()
    }


class _Qualifier:
    """Qualifies all names in parts of definitions."""

    def __init__(self, surface: str) -> None:
        self._surface = surface

    def name(self, name: str) -> str:
        return naming.qualified(self._surface, name)

    def _optional(self, name: str | None) -> str | None:
        return None if name is None else self.name(name)

    def definition(self, definition: Definition) -> Definition:
        name, owner = self.name(definition.name), getattr(definition, "owner", None)
        match definition:
            case Alias(shape=shape):
                return replace(definition, name=name, shape=self.shape(shape))
            case Record(members=members, base=base, subtypes=subtypes):
                return replace(
                    definition,
                    name=name,
                    members=self._members(members),
                    base=self._optional(base),
                    owner=self._optional(owner),
                    subtypes=self._arms(subtypes),
                )
            case TaggedUnion(arms=arms, default=default, unknown=unknown):
                return replace(
                    definition,
                    name=name,
                    arms=self._arms(arms),
                    default=None if default is None else self.shape(default),
                    unknown=None if unknown is None else self._unknown(unknown),
                    owner=self._optional(owner),
                )

    def shape(self, shape: Shape) -> Shape:
        if isinstance(shape, Reference):
            return Reference(self.name(shape.name))
        return map_inner(shape, self.shape)

    def _arms(self, arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
        return tuple(replace(arm, target=self.name(arm.target)) for arm in arms)

    def _members(self, members: tuple[Member, ...]) -> tuple[Member, ...]:
        return tuple(replace(member, shape=self.shape(member.shape)) for member in members)

    def _unknown(self, unknown: Unknown) -> Unknown:
        choice = None if unknown.choice is None else self.shape(unknown.choice)
        assert choice is None or isinstance(choice, UntaggedUnion), "a shape keeps its kind"
        return replace(
            unknown,
            name=self.name(unknown.name),
            known=self.name(unknown.known),
            members=self._members(unknown.members),
            choice=choice,
        )
