"""Put enumerations that a schema lists in place back where it lists them.

Python has an alias for each, with a name that the schema does not define: the member changes.
"""

from __future__ import annotations

from dataclasses import replace

from acpgen.ir.model import (
    Alias,
    Definition,
    Enumeration,
    Member,
    Record,
    Reference,
    Shape,
    TaggedUnion,
)
from acpgen.ir.queries import map_inner
from acpgen.ir.surface import Surface


def with_enumerations_in_place(surface: Surface) -> Surface:
    """Return a surface without aliases of enumerations that are not definitions of the schema."""
    listed = {
        name: definition.shape
        for name, definition in surface.definitions.items()
        if isinstance(definition, Alias)
        and definition.definition is None
        and isinstance(definition.shape, Enumeration)
    }

    def in_place(shape: Shape) -> Shape:
        if isinstance(shape, Reference):
            return listed.get(shape.name, shape)
        return map_inner(shape, in_place)

    def members(before: tuple[Member, ...]) -> tuple[Member, ...]:
        return tuple(replace(member, shape=in_place(member.shape)) for member in before)

    def changed(definition: Definition) -> Definition:
        match definition:
            case Record():
                return replace(definition, members=members(definition.members))
            case TaggedUnion(unknown=unknown) if unknown is not None:
                return replace(
                    definition, unknown=replace(unknown, members=members(unknown.members))
                )
            case _:
                return definition

    definitions = surface.definitions.items()
    kept = {name: changed(each) for name, each in definitions if name not in listed}
    return replace(surface, definitions=kept)
