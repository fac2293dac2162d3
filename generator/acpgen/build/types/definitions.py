"""Make the definitions of one schema."""

from __future__ import annotations

from collections import Counter
from typing import Any

from acpgen.build.context import BuildContext
from acpgen.build.types.objects import FlatObject, Objects, Property
from acpgen.build.types.unions import DefinitionSite, Unions
from acpgen.diagnostics import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import Arms
from acpgen.ir import naming
from acpgen.ir.model import (
    Alias,
    AnyJson,
    Array,
    Boolean,
    Dictionary,
    Enumeration,
    Fallback,
    Integer,
    Member,
    Null,
    Nullable,
    Record,
    Reference,
    Shape,
    String,
)

ABSENT = Fallback(absent=True)


class DefinitionBuilder:
    """Makes the definitions of one schema."""

    def __init__(self, ledger: BuildContext) -> None:
        self._ledger = ledger
        self._schemas = ledger.schemas
        self._objects = Objects(ledger)
        self._unions = Unions(ledger, self._objects, self)

    # --- definitions -------------------------------------------------------------------------

    def run(self) -> None:
        for name in json_schema.cyclic(self._schemas):
            self._ledger.problem(
                pointer("$defs", name), "unsupported", "refers to itself; break the cycle"
            )
        if self._ledger.problems:
            return
        for name in sorted(self._ledger.reserved):
            schema = self._schemas[name]
            at = pointer("$defs", name)
            place = DefinitionSite(name, at, name, None, schema.get("description"))
            self.define(place, schema)

    def define(self, place: DefinitionSite, schema: JsonObject) -> None:
        """Make the definition of a schema that has a name."""
        arms, _ = json_schema.union_arms(schema, place.at)
        is_record = (
            json_schema.is_object(schema, self._schemas) and json_schema.ref_target(schema) is None
        )
        if is_record or (arms and "properties" in schema):
            self.define_object(place, self._objects.flatten(schema, place.at))
            return
        self._ledger.add(
            Alias(
                name=place.name,
                pointer=place.at,
                definition=place.definition,
                description=place.description,
                shape=self.shape(schema, place.at, place.name, named=True),
            )
        )

    def define_object(self, place: DefinitionSite, form: FlatObject) -> None:
        """Make a record, or the union whose arms are flattened into it."""
        if not form.arms:
            self._ledger.add(self.record(place, form.properties))
        else:
            self._unions.define(place, form)

    # --- records -----------------------------------------------------------------------------

    def record(
        self, place: DefinitionSite, properties: tuple[Property, ...], base: str | None = None
    ) -> Record:
        return Record(
            name=place.name,
            pointer=place.at,
            definition=place.definition,
            description=place.description,
            members=self.members(place.name, properties),
            owner=place.owner,
            base=base,
        )

    def members(self, owner: str, properties: tuple[Property, ...]) -> tuple[Member, ...]:
        members: list[Member] = []
        for stated in properties:
            members.append(self.member(owner, stated, {member.name for member in members}))
        for name, count in Counter(member.name for member in members).items():
            if count > 1:
                wires = [member.wire for member in members if member.name == name]
                self._ledger.problem(
                    members[0].pointer,
                    "name-collision",
                    f"members {', '.join(map(repr, wires))} of {owner} are both {name!r} in Python;"
                    " name one of them in names.toml",
                )
        return tuple(sorted(members, key=lambda member: not member.required))

    def member(self, owner: str, stated: Property, taken: set[str]) -> Member:
        schema = stated.schema if isinstance(stated.schema, dict) else {}
        name = self._ledger.field_name(
            f"{owner}.{stated.wire}", naming.member_name(stated.wire), taken
        )
        if not naming.is_member_name(name):
            self._ledger.problem(
                stated.at,
                "bad-name",
                f"member {stated.wire!r} cannot be a field; name it in names.toml as"
                f" {owner}.{stated.wire}",
            )
        rule = naming.inline_class(owner, stated.wire)
        hint = self._ledger.class_name(f"{owner}/{stated.wire}", rule)
        shape = self.shape(schema, stated.at, hint)
        nullable = "null" in json_schema.json_types(schema, self._schemas)
        on_error = on_null = None
        if schema.get("x-deserialize-default-on-error"):
            on_error = self.error_fallback(schema, stated.required, nullable)
        if schema.get("x-deserialize-default-on-null") and not nullable:
            on_null = self.empty(schema)
            if on_null is None:
                self._ledger.problem(
                    stated.at, "unsupported", "has no empty value for null; allow null or a list"
                )
        skips = bool(schema.get("x-deserialize-skip-invalid-items"))
        if skips and not {"array", "object"} & json_schema.json_types(schema, self._schemas):
            self._ledger.problem(stated.at, "unsupported", "has no items to skip; mend the schema")
        return Member(
            wire=stated.wire,
            name=name,
            shape=shape,
            required=stated.required,
            pointer=stated.at,
            on_error=on_error,
            on_null=on_null,
            skip_invalid=skips,
            description=schema.get("description"),
        )

    def error_fallback(self, schema: JsonObject, required: bool, nullable: bool) -> Fallback | None:
        """What `x-deserialize-default-on-error` puts in the place of a bad value."""
        if "default" in schema:
            return Fallback(absent=False, value=schema["default"])
        if nullable:
            return Fallback(absent=False) if required else ABSENT
        return self.empty(schema) or (None if required else ABSENT)

    def empty(self, schema: JsonObject) -> Fallback | None:
        """The empty value of an array or a map."""
        types = json_schema.json_types(schema, self._schemas) - {"null"}
        if types == {"array"}:
            return Fallback(absent=False, value=[])
        while (name := json_schema.ref_target(schema)) is not None:
            schema = self._schemas[name]
        return Fallback(absent=False, value={}) if json_schema.is_map(schema) else None

    # --- shapes ------------------------------------------------------------------------------

    def shape(self, schema: Any, at: str, hint: str, *, named: bool = False) -> Shape:
        """The shape of a schema; an object defined in place becomes a definition named `hint`."""
        if json_schema.accepts_anything(schema):
            return AnyJson()
        target = json_schema.ref_target(schema)
        if target is not None:
            if target not in self._ledger.reserved:
                self._ledger.problem(
                    at, "unsupported", f"refers to the envelope {target!r}; it is no type"
                )
            return Reference(target)
        arms, exclusive = json_schema.union_arms(schema, at)
        if arms and "properties" not in schema:
            return self.union_shape(schema, at, hint, arms, exclusive, named)
        if "const" in schema or "enum" in schema:
            return self.listed(schema, at, hint, named)
        types = schema.get("type", "object")
        if isinstance(types, list):
            inner = [json_schema.restrict_to_type(schema, each) for each in types if each != "null"]
            if not inner:
                return Null()
            if len(inner) > 1:
                made = [(at, self.shape(each, at, hint), each) for each in inner]
                shape: Shape = self._unions.choice(hint, at, made, exclusive=False)
            else:
                shape = self.shape(inner[0], at, hint)
            return Nullable(shape) if "null" in types else shape
        return self.typed(types, schema, at, hint)

    def typed(self, type_: str, schema: JsonObject, at: str, hint: str) -> Shape:
        """The shape of a schema with one JSON type."""
        if type_ == "string":
            return json_schema.string_shape(schema)
        if type_ == "integer":
            return json_schema.integer_shape(schema)
        if type_ == "number":
            return json_schema.number_shape(schema)
        if type_ == "boolean":
            return Boolean()
        if type_ == "null":
            return Null()
        if type_ == "array":
            items = self.shape(schema.get("items", {}), f"{at}/items", hint + "Item")
            return Array(items, schema.get("minItems") or None)
        if "properties" in schema or "allOf" in schema:
            name = self.class_in_place(at, hint)
            place = DefinitionSite(name, at, None, None, None)
            self.define_object(place, self._objects.flatten(schema, at))
            return Reference(name)
        values = schema.get("additionalProperties", True)
        return Dictionary(self.shape(values, f"{at}/additionalProperties", hint + "Value"))

    def class_in_place(self, at: str, hint: str) -> str:
        """The class of an object in place; its definition's own name is that of the alias then."""
        if f"{at}/".startswith(pointer("$defs", hint) + "/") and hint in self._ledger.reserved:
            return self._ledger.class_name(f"{hint}/object", naming.object_class(hint))
        return hint

    def listed(self, schema: JsonObject, at: str, hint: str, named: bool) -> Shape:
        """An enumeration written as `enum` or a single `const`."""
        values = schema.get("enum", [schema.get("const")])
        types = {type(value) for value in values}
        if types not in ({str}, {int}):
            self._ledger.problem(at, "unsupported", "constants must be all strings or all integers")
            return AnyJson()
        base = String() if types == {str} else Integer()
        keep = named and types == {str} and not self._ledger.is_closed(hint)
        return Enumeration(tuple(values), base, None, keep, (None,) * len(values))

    def union_shape(
        self, schema: JsonObject, at: str, hint: str, arms: Arms, exclusive: bool, named: bool
    ) -> Shape:
        """The shape of a schema that is only `anyOf` or `oneOf`."""
        rest = [(here, arm) for here, arm in arms if not json_schema.is_null(arm)]
        nullable = len(rest) < len(arms)
        shape: Shape
        found = json_schema.split_enumeration(rest)
        if found is not None:
            shape = self.enumeration(rest, found[0], found[1], hint, named)
        elif len(rest) == 1 and not (named and json_schema.tag_candidates(rest[0][1])):
            shape = self.shape(rest[0][1], rest[0][0], hint)
        elif all(json_schema.is_object(arm, self._schemas) for _, arm in rest):
            name = self.class_in_place(at, hint)
            place = DefinitionSite(name, at, None, None, schema.get("description"))
            self.define_object(place, FlatObject((), rest, exclusive, schema))
            shape = Reference(name)
        else:
            made = []
            for here, arm in rest:
                label = naming.arm_class(arm.get("title", ""), hint)
                made.append((here, self.shape(arm, here, label), arm))
            shape = self._unions.choice(hint, at, made, exclusive)
        return Nullable(shape) if nullable else shape

    def enumeration(
        self, arms: Arms, values: tuple[str | int, ...], rest: Arms, hint: str, named: bool
    ) -> Enumeration:
        base: String | Integer = String() if isinstance(values[0], str) else Integer()
        other: String | Integer | None = None
        if rest:
            schema = rest[0][1]
            other = (
                json_schema.string_shape(schema)
                if isinstance(base, String)
                else json_schema.integer_shape(schema)
            )
        keep = bool(
            other is None
            and named
            and isinstance(base, String)
            and not self._ledger.is_closed(hint)
        )
        descriptions = tuple(arm.get("description") for _, arm in arms if "const" in arm)
        return Enumeration(values, base, other, keep, descriptions)
