"""Take object schemas apart: which members there are, and which union is flattened among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from acpgen.build.context import BuildContext
from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import Arms


@dataclass(frozen=True, slots=True)
class Property:
    """A member as the schema states it, before it has a shape."""

    wire: str
    schema: Any
    required: bool
    at: str


@dataclass(frozen=True, slots=True)
class FlatObject:
    """An object schema taken apart.

    Attributes:
        properties: its members, those of the objects it refers to included.
        arms: the alternatives of the union flattened into it, if any.
        exclusive: whether exactly one of them must fit.
        union: the schema that holds the alternatives.
    """

    properties: tuple[Property, ...]
    arms: Arms
    exclusive: bool
    union: JsonObject


class Objects:
    """Takes the objects of one schema apart."""

    def __init__(self, ledger: BuildContext) -> None:
        self._ledger = ledger

    def flatten(self, schema: JsonObject, at: str) -> FlatObject:
        """Gather the members of an object from `properties` and from what `allOf` refers to."""
        required = set(schema.get("required", ()))
        own = schema.get("properties", {})
        properties = [
            Property(wire, member, wire in required, f"{at}/properties{pointer(wire)}")
            for wire, member in own.items()
        ]
        arms, exclusive = json_schema.union_arms(schema, at)
        union = schema
        for index, part in enumerate(schema.get("allOf", ())):
            inner = self._follow(part, f"{at}/allOf/{index}")
            properties += inner.properties
            if inner.arms and arms:
                self._ledger.problem(
                    at, "unsupported", "two unions flattened into one object; split it"
                )
            elif inner.arms:
                arms, exclusive, union = inner.arms, inner.exclusive, inner.union
        missing = required - {member.wire for member in properties}
        properties += [Property(wire, {}, True, f"{at}/required") for wire in sorted(missing)]
        return FlatObject(self.merge(properties), arms, exclusive, union)

    def _follow(self, schema: JsonObject, at: str) -> FlatObject:
        """Take apart the object a schema refers to."""
        seen: set[str] = set()
        while (name := json_schema.ref_target(schema)) is not None:
            if name in seen:
                self._ledger.problem(
                    at, "unsupported", f"{name!r} refers to itself; break the cycle"
                )
                return FlatObject((), [], False, {})
            seen.add(name)
            schema, at = self._ledger.schemas[name], pointer("$defs", name)
        if not json_schema.is_object(schema, self._ledger.schemas):
            self._ledger.problem(
                at, "unsupported", "must be an object to be merged into another one"
            )
            return FlatObject((), [], False, {})
        return self.flatten(schema, at)

    def merge(self, properties: list[Property]) -> tuple[Property, ...]:
        """One property per name; two statements about one name must agree."""
        merged: dict[str, Property] = {}
        for member in properties:
            earlier = merged.get(member.wire)
            if earlier is None or json_schema.accepts_anything(earlier.schema):
                required = member.required or bool(earlier and earlier.required)
                merged[member.wire] = replace(member, required=required)
            elif not json_schema.accepts_anything(member.schema) and _stated(member) != _stated(earlier):
                self._ledger.problem(
                    member.at,
                    "unsupported",
                    f"{member.wire!r} is also stated at {earlier.at}, differently; state it once",
                )
            else:
                merged[member.wire] = replace(earlier, required=earlier.required or member.required)
        return tuple(merged.values())


def _stated(member: Property) -> JsonObject:
    """What a schema says about a member, its repairs included."""
    repairs = {key: value for key, value in member.schema.items() if key.startswith("x-")}
    return json_schema.without_annotations(member.schema) | repairs
