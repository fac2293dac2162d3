"""Build shapes: the JSON values that schemas accept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acpgen.analysis.context import BuildContext, DefinitionSite, FlatObject
from acpgen.analysis.types.objects import ObjectFlattener
from acpgen.common.pointers import pointer
from acpgen.inputs import json_schema
from acpgen.inputs.document import JsonObject
from acpgen.inputs.json_schema import Arms, Choice
from acpgen.ir import naming
from acpgen.ir.model import (
    AnyJson,
    Array,
    Boolean,
    Dictionary,
    Enumeration,
    Integer,
    Null,
    Nullable,
    Reference,
    Shape,
    String,
    UntaggedArm,
    UntaggedUnion,
)

# Keywords of an object that is more than a union or a map.
_OF_OBJECTS = frozenset({"$ref", "allOf", "not", "properties", "required"})


class ShapeBuilder:
    """Builds the shapes of one schema; an object defined in place is enqueued under a name."""

    def __init__(self, context: BuildContext, flattener: ObjectFlattener) -> None:
        self._context = context
        self._flattener = flattener

    def shape(self, schema: Any, at: str, hint: str, *, named: bool = False) -> Shape:
        """The shape of a schema.

        Args:
            schema: the schema.
            at: the pointer to it.
            hint: the class of an object that the schema defines in place.
            named: whether the schema is that of a definition, which policy may name.
        """
        if json_schema.accepts_anything(schema):
            return AnyJson()
        target = json_schema.ref_target(schema)
        if target is not None:
            return Reference(target)
        schema, at = json_schema.unwrap(schema, at)
        choices = self._context.choices(schema, at)
        self._check_keywords_of_objects(schema, at, choices)
        if choices and not json_schema.without_annotations(schema).keys() & _OF_OBJECTS:
            return self._union(choices[0], at, hint, named)
        if "const" in schema or "enum" in schema:
            return self._listed(schema, at, hint, named)
        types = schema.get("type", "object")
        if types not in ("object", ["object"]):
            if isinstance(types, str) and "not" in schema:
                message = "`not` beside the type of a value has no rule; express it differently"
                self._context.unsupported(f"{at}/not", message)
            for here, _ in json_schema.conjuncts(schema, at):
                message = "a schema beside the type of a value has no rule; move the type into it"
                self._context.unsupported(here, message)
        if isinstance(types, list):
            return self._of_types(schema, types, at, hint)
        return self._of_type(types, schema, at, hint)

    def untagged_union(
        self,
        arms: Sequence[tuple[str, Shape, JsonObject]],
        exclusive: bool,
    ) -> UntaggedUnion:
        """An untagged union, once its arms are known to be told apart.

        Args:
            arms: for each arm, the pointer to its schema, its shape and its schema.
            exclusive: whether exactly one arm must fit.
        """
        schemas = self._context.schemas
        made: list[UntaggedArm] = []
        for here, shape, schema in arms:
            types = json_schema.json_types(schema, schemas)
            ordered = tuple(each for each in json_schema.JSON_TYPES if each in types)
            keys = json_schema.required_keys(schema, schemas)
            arm = UntaggedArm(shape, ordered, keys, json_schema.absent_keys(schema, schemas))
            if not isinstance(shape, AnyJson) and any(_shadows(earlier, arm) for earlier in made):
                message = (
                    "cannot be told from an earlier arm by JSON type or required members; add a tag"
                )
                self._context.problem(here, "ambiguous-union", message)
            made.append(arm)
        return UntaggedUnion(tuple(made), exclusive)

    # --- types -------------------------------------------------------------------------------

    def _of_types(self, schema: JsonObject, types: list[str], at: str, hint: str) -> Shape:
        """The shape of a schema that lists JSON types."""
        inner = [json_schema.restrict_to_type(schema, each) for each in types if each != "null"]
        if not inner:
            return Null()
        if len(inner) == 1:
            shape = self.shape(inner[0], at, hint)
        else:
            arms = [(at, self.shape(each, at, hint), each) for each in inner]
            shape = self.untagged_union(arms, exclusive=False)
        return Nullable(shape) if "null" in types else shape

    def _of_type(self, type_: str, schema: JsonObject, at: str, hint: str) -> Shape:
        """The shape of a schema with one JSON type."""
        choices = self._context.choices(schema, at)
        match type_:
            case "string":
                return json_schema.string_shape(schema)
            case "integer":
                return json_schema.integer_shape(schema)
            case "number":
                return json_schema.number_shape(schema)
            case "boolean":
                return Boolean()
            case "null":
                return Null()
            case "array":
                items = self.shape(schema.get("items", {}), f"{at}/items", hint + "Item")
                return Array(items, schema.get("minItems") or None)
        if choices or schema.keys() & _OF_OBJECTS:
            return self._in_place(at, hint, None, self._flattener.flatten(schema, at))
        values = schema.get("additionalProperties", True)
        return Dictionary(self.shape(values, f"{at}/additionalProperties", hint + "Value"))

    def _in_place(self, at: str, hint: str, description: str | None, flat: FlatObject) -> Reference:
        """A reference to an object defined in place."""
        name = hint
        if f"{at}/".startswith(pointer("$defs", hint) + "/") and hint in self._context.reserved:
            # The definition's own name is that of its alias.
            name = self._context.class_name(f"{hint}/object", naming.object_class(hint))
        self._context.enqueue(DefinitionSite(name, at, description=description), flat)
        return Reference(name)

    # --- enumerations and unions -------------------------------------------------------------

    def _listed(self, schema: JsonObject, at: str, hint: str, named: bool) -> Shape:
        """An enumeration written as `enum` or a single `const`."""
        listed = schema.get("enum", [schema.get("const")])
        values = tuple(value for value in listed if value is not None)
        if not values:
            return Null()
        is_text = isinstance(values[0], str)
        base = String() if is_text else Integer()
        lenient = named and is_text and not self._context.is_closed(hint)
        shape = Enumeration(values, base, None, lenient, (None,) * len(values))
        return Nullable(shape) if len(values) < len(listed) else shape

    def _union(self, choice: Choice, at: str, hint: str, named: bool) -> Shape:
        """The shape of a schema that is only `anyOf` or `oneOf`."""
        _, arms, exclusive, schema = choice
        self._check_union(choice, at)
        rest = [(here, arm) for here, arm in arms if not json_schema.is_null(arm)]
        constants = json_schema.split_enumeration(rest)
        shape: Shape
        if constants is not None:
            values, others = constants
            shape = self._enumeration(rest, values, others, hint, named)
        elif len(rest) == 1 and not (named and json_schema.tag_candidates(rest[0][1])):
            shape = self.shape(rest[0][1], rest[0][0], hint)
        elif all(json_schema.is_object(arm, self._context.schemas) for _, arm in rest):
            flat = FlatObject(choices=(choice._replace(arms=rest),))
            shape = self._in_place(at, hint, schema.get("description"), flat)
        else:
            labels = [naming.arm_class(arm.get("title", ""), hint) for _, arm in rest]
            made = [
                (here, self.shape(arm, here, label), arm)
                for (here, arm), label in zip(rest, labels, strict=True)
            ]
            shape = self.untagged_union(made, exclusive)
        return Nullable(shape) if len(rest) < len(arms) else shape

    def _check_keywords_of_objects(
        self, schema: JsonObject, at: str, choices: tuple[Choice, ...]
    ) -> None:
        """Report what a schema says about objects only, and not about its other values."""
        schemas = self._context.schemas
        arms = [arm for choice in choices for _, arm in choice.arms]
        of_objects = all(json_schema.json_types(arm, schemas) == {"object"} for arm in arms)
        keys = [key for key in ("not", "properties", "required") if key in schema]
        if arms and not of_objects and schema.get("type") != "object":
            for key in keys:
                message = f"{key} beside a union of more than objects has no rule"
                self._context.unsupported(f"{at}/{key}", f"{message}; move it into the arms")
            for here, _ in json_schema.conjuncts(schema, at):
                message = "a schema beside a union of more than objects has no rule"
                self._context.unsupported(here, f"{message}; move it into the arms")
        elif "not" in keys and isinstance(schema.get("type"), list):
            message = "`not` beside several types has no rule; move it into a schema of objects"
            self._context.unsupported(f"{at}/not", message)

    def _check_union(self, choice: Choice, at: str) -> None:
        """Report what a union of values says besides its arms, and where `oneOf` refuses more."""
        schemas = self._context.schemas
        types = [json_schema.json_types(arm, schemas) for _, arm in choice.arms]
        stated = choice.schema.get("type", json_schema.JSON_TYPES)
        named = {stated} if isinstance(stated, str) else set(stated)
        if not set[str]().union(*types) <= named:
            message = "a type beside a union that has others has no rule; move it into each arm"
            self._context.unsupported(f"{at}/type", message)
        if not choice.exclusive:
            return
        constants = [value for _, arm in choice.arms for value in _constants(arm)]
        takes_null = sum("null" in each for each in types) > 1
        is_open = constants and len(constants) < len(choice.arms)
        if len(set(map(repr, constants))) < len(constants) or takes_null or is_open:
            message = "oneOf refuses what several arms allow, which has no rule here; use anyOf"
            self._context.unsupported(choice.at, message)

    def _enumeration(
        self, arms: Arms, values: tuple[str | int, ...], others: Arms, hint: str, named: bool
    ) -> Enumeration:
        """An enumeration written as alternatives of constants.

        Args:
            arms: all alternatives.
            values: the constants.
            others: what else it allows, if anything.
            hint: what policy calls it.
            named: whether policy may name it.
        """
        is_text = isinstance(values[0], str)
        base: String | Integer = String() if is_text else Integer()
        other: String | Integer | None = None
        if others:
            read = json_schema.string_shape if is_text else json_schema.integer_shape
            other = read(others[0][1])
        lenient = other is None and named and is_text and not self._context.is_closed(hint)
        descriptions = tuple(arm.get("description") for _, arm in arms if "const" in arm)
        return Enumeration(values, base, other, lenient, descriptions)


def _constants(arm: JsonObject) -> list[Any]:
    listed: list[Any] = arm.get("enum", [])
    return [arm["const"]] if "const" in arm else listed


def _shadows(earlier: UntaggedArm, later: UntaggedArm) -> bool:
    """Whether some value of the later arm could be taken for one of the earlier."""
    shared = set(earlier.types) & set(later.types)
    is_told_apart = set(earlier.absent) & set(later.keys)
    return bool(shared) and not is_told_apart and json_schema.shadows(earlier.keys, later.keys)
