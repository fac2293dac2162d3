"""Flatten object schemas: merge the objects that `allOf` refers to, find the union among them."""

from __future__ import annotations

from dataclasses import replace

from acpgen.build.context import BuildContext, FlatObject, Property
from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject

_NOTHING = FlatObject((), [], False, {})


class ObjectFlattener:
    """Flattens the objects of one schema."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context

    def flatten(self, schema: JsonObject, at: str) -> FlatObject:
        """Gather the members of an object from `properties` and from what `allOf` refers to."""
        required = set(schema.get("required", ()))
        properties = [
            Property(wire, member, wire in required, f"{at}/properties{pointer(wire)}")
            for wire, member in schema.get("properties", {}).items()
        ]
        arms, exclusive = json_schema.union_arms(schema, at)
        union = schema
        for index, part in enumerate(schema.get("allOf", ())):
            inner = self._follow(part, f"{at}/allOf/{index}")
            properties += inner.properties
            if inner.arms and arms:
                self._context.unsupported(at, "two unions flattened into one object; split it")
            elif inner.arms:
                arms, exclusive, union = inner.arms, inner.exclusive, inner.union
        missing = required - {member.wire for member in properties}
        properties += [Property(wire, {}, True, f"{at}/required") for wire in sorted(missing)]
        return FlatObject(self.merge(properties), arms, exclusive, union)

    def _follow(self, schema: JsonObject, at: str) -> FlatObject:
        """Flatten the object that a schema refers to."""
        while (name := json_schema.ref_target(schema)) is not None:
            schema, at = self._context.schemas[name], pointer("$defs", name)
        if not json_schema.is_object(schema, self._context.schemas):
            self._context.unsupported(at, "must be an object to be merged into another one")
            return _NOTHING
        return self.flatten(schema, at)

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
