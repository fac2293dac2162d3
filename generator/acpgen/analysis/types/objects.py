"""Flatten object schemas: merge the objects that `allOf` refers to, find the union among them."""

from __future__ import annotations

from dataclasses import replace

from acpgen.analysis.context import BuildContext, FlatObject, Property
from acpgen.common.pointers import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject


class ObjectFlattener:
    """Flattens the objects of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context

    def flatten(self, schema: JsonObject, at: str) -> FlatObject:
        """Gather what an object says in `properties`, in unions and in what it refers to."""
        required = set(schema.get("required", ()))
        stated = schema.get("properties", {})
        properties = [
            Property(wire, member, wire in required, f"{at}/properties{pointer(wire)}")
            for wire, member in stated.items()
            if member is not False
        ]
        if "object" not in json_schema.json_types(schema, self._context.schemas):
            self._context.unsupported(at, "no object can match this; remove it")
        if not json_schema.accepts_anything(schema.get("additionalProperties", True)):
            message = "the values of a map have no rule in a union of objects; give it members"
            self._context.unsupported(f"{at}/additionalProperties", message)
        choices = list(self._context.choices(schema, at))
        absent = self._absent(schema, at)
        for here, part in json_schema.conjuncts(schema, at):
            inner = self._follow(part, here)
            properties += inner.properties
            choices += inner.choices
            absent += inner.absent
        missing = required - {member.wire for member in properties}
        properties += [Property(wire, {}, True, f"{at}/required") for wire in sorted(missing)]
        return FlatObject(self.merge(properties), tuple(choices), tuple(dict(absent).items()))

    def _absent(self, schema: JsonObject, at: str) -> list[tuple[str, str]]:
        """The members that an object must not have."""
        found = [
            (wire, f"{at}/properties{pointer(wire)}")
            for wire, member in schema.get("properties", {}).items()
            if member is False
        ]
        if "not" in schema:
            forbidden = json_schema.forbidden_members(schema)
            if forbidden is None:
                message = "`not` of other tags has no rule but in an arm with that tag; remove it"
                self._context.unsupported(f"{at}/not", message)
            found += [(wire, f"{at}/not") for wire in forbidden or ()]
        return found

    def _follow(self, schema: JsonObject, at: str) -> FlatObject:
        """Flatten the object that a schema refers to."""
        here, there = at, at
        while (name := json_schema.ref_target(schema)) is not None:
            schema, there = self._context.schemas[name], pointer("$defs", name)
        schema, there = json_schema.unwrap(schema, there)
        if not json_schema.is_object(schema, self._context.schemas):
            self._context.unsupported(here, "only objects can be merged into an object; remove it")
            return FlatObject()
        return self.flatten(schema, there)

    def merge(self, properties: list[Property]) -> tuple[Property, ...]:
        """One property for each wire name; several statements about it must agree."""
        merged: dict[str, Property] = {}
        for member in properties:
            earlier = merged.get(member.wire)
            if earlier is None or json_schema.accepts_anything(earlier.schema):
                required = member.required or bool(earlier and earlier.required)
                merged[member.wire] = replace(member, required=required)
            elif json_schema.accepts_anything(member.schema) or _said(member) == _said(earlier):
                merged[member.wire] = replace(earlier, required=earlier.required or member.required)
            else:
                message = f"{member.wire!r} is stated differently at {earlier.at}; state it once"
                self._context.unsupported(member.at, message)
        return tuple(merged.values())


def _said(member: Property) -> JsonObject:
    """The assertions and the repairs of a member."""
    repairs = {key: value for key, value in member.schema.items() if key.startswith("x-")}
    return json_schema.without_annotations(member.schema) | repairs
