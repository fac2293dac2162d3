"""Lookups in a schema by wire name, and descriptions of unmet requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acpgen.common.pointers import pointer
from acpgen.ir import naming
from acpgen.ir.model import Array, Definition, Enumeration, Member, Method, Record, TaggedUnion
from acpgen.ir.queries import arms_by_tag, find_definition, find_member, members_of, target, unwrap


@dataclass(frozen=True, slots=True)
class Unmet:
    """A requirement that a schema does not meet."""

    pointer: str  # the pointer to the schema that does not meet the requirement
    message: str  # a description of the missing part


class SchemaIndex:
    """An index of the methods and definitions of a schema.

    Methods accept None as a definition's name because the name is often the result of another
    lookup, which can fail. A lookup with None also fails.
    """

    def __init__(self, methods: Sequence[Method], definitions: Mapping[str, Definition]) -> None:
        self.methods = methods
        self.definitions = definitions

    # --- lookups -----------------------------------------------------------------------------

    def method(self, side: str, kind: str, wire: str) -> Method | None:
        """Return the method with the given handling side, kind and wire name."""
        methods = (m for m in self.methods if (m.side, m.kind, m.wire) == (side, kind, wire))
        return next(methods, None)

    def arms(self, name: str | None) -> dict[str, str]:
        """Return the targets of a tagged union's variants, by tag."""
        definition = find_definition(self.definitions, name)
        return arms_by_tag(definition) if isinstance(definition, TaggedUnion) else {}

    def subtypes(self, name: str) -> dict[str, str]:
        """Return the subtypes of a record, by the value of its discriminator."""
        definition = self.definitions.get(name)
        return arms_by_tag(definition) if isinstance(definition, Record) else {}

    def member(self, name: str | None, wire: str) -> Member | None:
        """Return a field of a definition."""
        return find_member(self.definitions, name, wire)

    def wires(self, name: str | None) -> set[str]:
        """Return the wire names of a definition's fields."""
        return {member.wire for member in members_of(self.definitions, name)}

    def has(self, name: str | None, *wires: str) -> bool:
        """Return whether a definition has all of the given fields."""
        return self.wires(name) >= set(wires)

    def type(self, name: str | None, wire: str) -> str | None:
        """Return the definition that a field refers to."""
        member = self.member(name, wire)
        return target(member.shape) if member is not None else None

    def items(self, name: str | None, wire: str) -> str | None:
        """Return the definition that the items of a list field refer to."""
        member = self.member(name, wire)
        if member is None or not isinstance(member.shape, Array):
            return None
        return target(member.shape.items)

    def enumeration(self, name: str | None, wire: str) -> Enumeration | None:
        """Return the enumeration that defines a field's values."""
        member = self.member(name, wire)
        shape = unwrap(member.shape, self.definitions) if member is not None else None
        return shape if isinstance(shape, Enumeration) else None

    def is_required(self, name: str | None, wire: str) -> bool:
        """Return whether a field exists and is required."""
        member = self.member(name, wire)
        return member is not None and member.required

    def is_optional(self, name: str | None, wire: str) -> bool:
        """Return whether a field exists and is optional."""
        member = self.member(name, wire)
        return member is not None and not member.required

    # --- requirements ------------------------------------------------------------------------

    def unmet(self, name: str | None, message: str) -> Unmet:
        """Return an unmet requirement for a definition or, if it does not exist, for `$defs`."""
        definition = find_definition(self.definitions, name)
        return Unmet(definition.pointer if definition else pointer("$defs"), message)

    def unreadable(self, name: str | None, *wires: str) -> list[Unmet]:
        """Return the reasons why fields of a class cannot be read, such as a missing field."""
        if not isinstance(find_definition(self.definitions, name), Record):
            members = f" with {' and '.join(map(repr, wires))}" if wires else ""
            return [self.unmet(name, f"{name or 'a definition'} is not a class{members}")]
        return [
            self.unmet(name, f"{name} has no field {wire!r}")
            for wire in wires
            # Templates and reducers use the field's default Python name.
            if (member := self.member(name, wire)) is None
            or member.name != naming.member_name(wire)
        ]

    def unconstructible(self, name: str | None, *wires: str) -> list[Unmet]:
        """Return the reasons why an object cannot be constructed from exactly these fields."""
        return self.unreadable(name, *wires) or [
            self.unmet(name, f"{name} requires {member.wire!r}, for which there is no value")
            for member in members_of(self.definitions, name)
            if member.required and member.wire not in wires and member.const is None
        ]
