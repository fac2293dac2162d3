"""Flatten object schemas: merge the objects that `allOf` refers to, find the unions among them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acpgen.analysis.context import BuildContext, FlatObject, Property
from acpgen.schema.nodes import Node


class ObjectFlattener:
    """Flattens the objects of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context

    def flatten(self, node: Node) -> FlatObject:
        """Gather what an object says in `properties`, in unions and in what it refers to."""
        properties = [
            Property(wire, member, wire in node.required)
            for wire, member in node.properties.items()
            if not member.is_never
        ]
        if "object" not in node.types:
            self._context.unsupported(node.at, "no object can match this; remove it")
        if not node.values.accepts_anything:
            message = "the values of a map have no rule in a union of objects; give it members"
            self._context.unsupported(node.values.at, message)
        choices = list(node.choices)
        absent = self._absent(node)
        for part in node.conjuncts:
            inner = self._follow(part)
            properties += inner.properties
            choices += inner.choices
            absent += inner.absent
        missing = set(node.required) - {member.wire for member in properties}
        properties += [Property(wire, node.anything("required"), True) for wire in sorted(missing)]
        return FlatObject(self.merge(properties), tuple(choices), tuple(dict(absent).items()))

    def _absent(self, node: Node) -> list[tuple[str, str]]:
        """The members that an object must not have, each with the pointer that says so."""
        absent = [(wire, member.at) for wire, member in node.properties.items() if member.is_never]
        if "not" in node.stated:
            if node.forbidden_members is None:
                message = "`not` of other tags has no rule but in an arm with that tag; remove it"
                self._context.unsupported(f"{node.at}/not", message)
            absent += [(wire, f"{node.at}/not") for wire in node.forbidden_members or ()]
        return absent

    def _follow(self, part: Node) -> FlatObject:
        """Flatten the object that a schema refers to."""
        if not part.resolved.is_object:
            message = "only objects can be merged into an object; remove it"
            self._context.unsupported(part.at, message)
            return FlatObject()
        return self.flatten(part.resolved)

    def merge(self, properties: list[Property]) -> tuple[Property, ...]:
        """One property for each wire name; several statements about it must agree."""
        merged: dict[str, Property] = {}
        for member in properties:
            earlier = merged.get(member.wire)
            if earlier is None or earlier.schema.accepts_anything:
                required = member.required or bool(earlier and earlier.required)
                merged[member.wire] = replace(member, required=required)
            elif member.schema.accepts_anything or _said(member) == _said(earlier):
                merged[member.wire] = replace(earlier, required=earlier.required or member.required)
            else:
                problem = f"{member.wire!r} is stated differently at {earlier.schema.at}"
                self._context.unsupported(member.schema.at, f"{problem}; state it once")
        return tuple(merged.values())


def _said(member: Property) -> dict[str, Any]:
    """The assertions and the repairs of a member."""
    stated = member.schema.stated.items()
    return member.schema.assertions | {key: value for key, value in stated if key.startswith("x-")}
