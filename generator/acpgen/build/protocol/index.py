"""What sessions take of a schema: methods, classes, members, and which of them are not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acpgen.diagnostics import pointer
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    Array,
    Definition,
    Enumeration,
    Member,
    Method,
    Nullable,
    Record,
    Shape,
    TaggedUnion,
)
from acpgen.ir.queries import members_of, target


@dataclass(frozen=True, slots=True)
class Unmet:
    """Something that is not there, and where in the schema it should be."""

    at: str
    message: str


class SchemaIndex:
    """Answers to questions about the methods and definitions of a schema."""

    def __init__(self, methods: Sequence[Method], definitions: Mapping[str, Definition]) -> None:
        self.methods = methods
        self.definitions = definitions

    # --- what there is -----------------------------------------------------------------------

    def method(self, side: str, kind: str, wire: str) -> Method | None:
        """A method by who handles it, what it is and its name in JSON."""
        found = (m for m in self.methods if (m.side, m.kind, m.wire) == (side, kind, wire))
        return next(found, None)

    def arms(self, name: str | None) -> dict[str, str]:
        """The classes of a tagged union by tag; empty for what is none."""
        union = self.definitions.get(name or "")
        arms = union.arms if isinstance(union, TaggedUnion) else ()
        return {arm.tag: arm.target for arm in arms}

    def special(self, name: str) -> dict[str, str]:
        """The special cases of a record by the value that says so."""
        record = self.definitions.get(name)
        arms = record.subtypes if isinstance(record, Record) else ()
        return {arm.tag: arm.target for arm in arms}

    def member(self, name: str | None, wire: str) -> Member | None:
        """A member by its name in JSON."""
        members = members_of(self.definitions, name or "")
        return next((member for member in members if member.wire == wire), None)

    def names(self, name: str | None) -> set[str]:
        """The members of a definition, by their names in JSON."""
        return {member.wire for member in members_of(self.definitions, name or "")}

    def has(self, name: str | None, *wires: str) -> bool:
        """Whether a definition has all of these members."""
        return self.names(name) >= set(wires)

    def type(self, name: str | None, wire: str) -> str | None:
        """The definition that a member refers to."""
        member = self.member(name, wire)
        return target(member.shape) if member is not None else None

    def items(self, name: str | None, wire: str) -> str | None:
        """The definition that the items of a member refer to."""
        member = self.member(name, wire)
        shape = member.shape if member is not None else None
        return target(shape.items) if isinstance(shape, Array) else None

    def enumeration(self, name: str | None, wire: str) -> Enumeration | None:
        """The enumeration of a member."""
        member = self.member(name, wire)
        shape: Shape | None = member.shape if member is not None else None
        if isinstance(shape, Nullable):
            shape = shape.shape
        alias = self.definitions.get(self.type(name, wire) or "")
        if isinstance(alias, Alias):
            shape = alias.shape
        return shape if isinstance(shape, Enumeration) else None

    def is_optional(self, name: str | None, wire: str) -> bool:
        """Whether a member is there, and may be left out."""
        member = self.member(name, wire)
        return member is not None and not member.required

    # --- what there is not -------------------------------------------------------------------

    def lack(self, name: str | None, message: str) -> Unmet:
        """A lack of a definition, or of the schema if there is no such definition."""
        definition = self.definitions.get(name or "")
        return Unmet(definition.pointer if definition else pointer("$defs"), message)

    def unreadable(self, name: str | None, *wires: str) -> list[Unmet]:
        """What keeps members from being read: the class, or they, are not there."""
        if not isinstance(self.definitions.get(name or ""), Record):
            members = " and ".join(map(repr, wires)) or "nothing"
            return [self.lack(name, f"{name or 'something'} is no class, with {members} in it")]
        return [
            self.lack(name, f"{name} has no member {wire!r}")
            for wire in wires
            # Templates and rules write the name that a member has by rule.
            if (member := self.member(name, wire)) is None
            or member.name != naming.member_name(wire)
        ]

    def unconstructible(self, name: str | None, *wires: str) -> list[Unmet]:
        """What keeps an object from being made of these members and no others."""
        missing = self.unreadable(name, *wires)
        return missing or [
            self.lack(name, f"{name} needs a member {member.wire!r}, which nothing here can fill")
            for member in members_of(self.definitions, name or "")
            if member.required and member.wire not in wires and member.const is None
        ]
