"""Builds records and their fields, including the repairs that vendor keywords specify."""

from __future__ import annotations

from collections import Counter

from acpgen.analysis.build_context import BuildContext, DefinitionSite, FlatObject, Property
from acpgen.analysis.shapes import ShapeBuilder
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    Array,
    Dictionary,
    Enumeration,
    Fallback,
    Member,
    Nullable,
    Record,
    Reference,
    Shape,
    String,
)
from acpgen.ir.queries import map_inner
from acpgen.schema.nodes import Node


class RecordBuilder:
    """A builder for the records of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context
        self._shapes = ShapeBuilder(context)

    def record(self, site: DefinitionSite, flat: FlatObject, base: str | None = None) -> Record:
        """Return the record for an object without unions.

        `base` is the class that the record extends.
        """
        return Record(
            name=site.name,
            pointer=site.at,
            definition=site.definition,
            description=site.description,
            members=self.members(site.name, flat.properties),
            absent=tuple(wire for wire, _ in flat.absent),
            owner=site.owner,
            base=base,
        )

    def members(self, owner: str, properties: tuple[Property, ...]) -> tuple[Member, ...]:
        """Return the fields of the class `owner`, required fields first."""
        members: list[Member] = []
        for stated in properties:
            members.append(self._member(owner, stated, {member.name for member in members}))
        for name, count in Counter(member.name for member in members).items():
            if count > 1:
                same = [member for member in members if member.name == name]
                wires = ", ".join(repr(member.wire) for member in same)
                message = (
                    f"fields {wires} of {owner} have the same Python name, {name!r}; add a name for"
                    f" {owner}.{same[-1].wire} to {self._context.names_file}"
                )
                self._context.problem(same[0].pointer, "name-collision", message)
        return tuple(sorted(members, key=lambda member: not member.required))

    def _member(self, owner: str, stated: Property, taken: set[str]) -> Member:
        context, schema = self._context, stated.schema
        key = f"{owner}.{stated.wire}"
        name = context.field_name(key, naming.member_name(stated.wire), taken)
        if not naming.is_member_name(name):
            advice = f"add a name for {key} to {context.names_file}"
            message = f"field {stated.wire!r} has no valid Python name; {advice}"
            context.problem(schema.at, "bad-name", message)
        rule = naming.inline_class(owner, stated.wire)
        hint = context.class_name(f"{owner}/{stated.wire}", rule)
        return Member(
            wire=stated.wire,
            name=name,
            shape=self._with_name(self._shapes.shape(schema, hint), hint, schema),
            required=stated.required,
            pointer=schema.at,
            on_error=_on_error(stated),
            on_null=self._on_null(schema),
            skip_invalid=self._skips_invalid(schema),
            description=schema.description,
        )

    def _with_name(self, shape: Shape, name: str, schema: Node) -> Shape:
        """Return a field's shape, replacing an inline open enumeration with a named alias."""
        match shape:
            case Nullable() | Array() | Dictionary():
                return map_inner(shape, lambda inner: self._with_name(inner, name, schema))
            case Enumeration(other=String()):
                self._context.add(Alias(name, schema.at, None, schema.description, shape))
                return Reference(name)
            case _:
                return shape

    def _on_null(self, schema: Node) -> Fallback | None:
        """Return the repair that `x-deserialize-default-on-null` specifies for a field, if any."""
        if not schema.stated.get("x-deserialize-default-on-null") or schema.is_nullable:
            return None
        empty = _empty(schema)
        if empty is None:
            message = "has no empty value to replace null; allow null or a list"
            self._context.unsupported(schema.at, message)
        return empty

    def _skips_invalid(self, schema: Node) -> bool:
        skips = bool(schema.stated.get("x-deserialize-skip-invalid-items"))
        if skips and not {"array", "object"} & schema.types:
            self._context.unsupported(schema.at, "has no items to skip; fix the schema")
        return skips


def _on_error(member: Property) -> Fallback | None:
    """Return the repair that `x-deserialize-default-on-error` specifies for a field, if any."""
    schema, absent = member.schema, None if member.required else Fallback(absent=True)
    if not schema.stated.get("x-deserialize-default-on-error"):
        return None
    if "default" in schema.stated:
        return Fallback(absent=False, value=schema.stated["default"])
    if schema.is_nullable:
        return absent or Fallback(absent=False)
    return _empty(schema) or absent


def _empty(schema: Node) -> Fallback | None:
    """Return a repair with the empty value of an array or a map, or None for other types."""
    if schema.types - {"null"} == {"array"}:
        return Fallback(absent=False, value=[])
    return Fallback(absent=False, value={}) if schema.resolved.is_map else None
