"""Builds shapes from schemas, including objects that are defined in several parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from acpgen.analysis.build_context import BuildContext, DefinitionSite, FlatObject, Property
from acpgen.common.pointers import pointer
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
    Number,
    Reference,
    Shape,
    String,
    UntaggedArm,
    UntaggedUnion,
)
from acpgen.schema import keywords
from acpgen.schema.nodes import JSON_TYPES, Node, SchemaUnion, types_of

# Keywords that an object schema does not contain if it is only a union or a map.
_OF_OBJECTS = frozenset({"$ref", "allOf", "not", "properties", "required"})


class ShapeBuilder:
    """A builder that creates the shapes of one schema and names and queues its inline objects."""

    def __init__(self, context: BuildContext) -> None:
        self._context = context

    def shape(self, node: Node, hint: str, *, named: bool = False) -> Shape:
        """Return the shape of a schema.

        `hint` is the class name for an inline object. `named` specifies whether the schema is a
        definition. Only definitions can be closed by `policy.toml`.
        """
        if node.accepts_anything:
            return AnyJson()
        if node.target is not None:
            return Reference(self._context.class_of(node.target))
        node = node.bare
        self._check_keywords_of_objects(node)
        if node.unions and not node.assertions.keys() & _OF_OBJECTS:
            return self._union(node.unions[0], hint, named)
        if node.stated.keys() & {"const", "enum"}:
            return listed_constants(node, lambda: self._keeps_others(hint, named))
        types = node.stated.get("type", "object")
        if types not in ("object", ["object"]):
            self._check_keywords_of_scalars(node)
        if isinstance(types, str):
            return self._of_type(types, node, hint)
        arms = [node.restricted(name) for name in types if name != "null"]
        shapes = [self.shape(arm, hint) for arm in arms]
        if not shapes:
            return Null()
        shape = shapes[0] if len(shapes) == 1 else untagged_union(zip(arms, shapes, strict=True))
        return Nullable(shape) if "null" in types else shape

    def _keeps_others(self, hint: str, named: bool) -> bool:
        """Return whether the default mode accepts unknown strings in an enumeration."""
        return named and not self._context.is_closed(hint)

    def _of_type(self, type_: str, node: Node, hint: str) -> Shape:
        """Return the shape of a schema with one JSON type."""
        match type_:
            case "string":
                return string(node)
            case "integer":
                return integer(node)
            case "number":
                return number(node)
            case "boolean":
                return Boolean()
            case "null":
                return Null()
            case "array":
                items = self.shape(node.items, hint + "Item")
                return Array(items, node.stated.get("minItems") or None)
        if node.unions or node.stated.keys() & _OF_OBJECTS:
            return self._in_place(node, hint, None, self.flatten(node))
        return Dictionary(self.shape(node.values, hint + "Value"))

    def _in_place(
        self, node: Node, hint: str, description: str | None, flat: FlatObject
    ) -> Reference:
        """Name and enqueue an inline object, then return a reference to it."""
        name = hint
        definition = self._context.definition_of(hint)
        if definition and f"{node.at}/".startswith(pointer("$defs", definition) + "/"):
            # The alias already has the name of the definition.
            name = self._context.class_name(f"{hint}/object", naming.object_class(hint))
        self._context.enqueue(DefinitionSite(name, node.at, description=description), flat)
        return Reference(name)

    # --- unions of values --------------------------------------------------------------------

    def _union(self, union: SchemaUnion, hint: str, named: bool) -> Shape:
        """Return the shape of a schema that consists only of `anyOf` or `oneOf`."""
        owner = union.owner
        stated = owner.stated.get("type", JSON_TYPES)
        if not types_of(union.arms) <= ({stated} if isinstance(stated, str) else {*stated}):
            message = "a type next to a union is not supported; move it into each variant"
            self._context.unsupported(f"{owner.at}/type", message)
        if union.exclusive and _overlap(union):
            return self._untagged(union.arms, hint, exclusive=True)
        arms = tuple(arm for arm in union.arms if not arm.is_null)
        shape: Shape | None = alternative_constants(arms, lambda: self._keeps_others(hint, named))
        if shape is None:
            if len(arms) == 1 and not (named and arms[0].tags):
                shape = self.shape(arms[0], hint)
            elif all(arm.is_object for arm in arms):
                flat = FlatObject(unions=(replace(union, arms=arms),))
                shape = self._in_place(owner, hint, owner.description, flat)
            else:
                shape = self._untagged(arms, hint, exclusive=union.exclusive)
        return Nullable(shape) if len(arms) < len(union.arms) else shape

    def _untagged(self, arms: Sequence[Node], hint: str, *, exclusive: bool) -> UntaggedUnion:
        """Return an untagged union of variants, naming inline objects after their titles."""
        labels = [naming.arm_class(arm.stated.get("title", ""), hint) for arm in arms]
        shapes = [self.shape(arm, label) for arm, label in zip(arms, labels, strict=True)]
        return untagged_union(zip(arms, shapes, strict=True), exclusive)

    def _check_keywords_of_objects(self, node: Node) -> None:
        """Report keywords that apply only to objects if the schema also allows other values."""
        of_objects = all(arm.types == {"object"} for arm in node.arms)
        keys = [key for key in ("not", "properties", "required") if key in node.stated]
        if node.arms and not of_objects and node.stated.get("type") != "object":
            beside = "next to a union with other types is not supported; move it into the variants"
            for key in keys:
                self._context.unsupported(f"{node.at}/{key}", f"{key} {beside}")
            for part in node.conjuncts:
                self._context.unsupported(part.at, f"a schema {beside}")
        elif "not" in keys and isinstance(node.stated.get("type"), list):
            message = "`not` next to several types is not supported; move it into an object schema"
            self._context.unsupported(f"{node.at}/not", message)

    def _check_keywords_of_scalars(self, node: Node) -> None:
        """Report `not` and the schemas in `allOf` or `$ref` next to a non-object type."""
        if isinstance(node.stated["type"], str) and "not" in node.stated:
            message = "`not` next to a non-object type is not supported; remove `not`"
            self._context.unsupported(f"{node.at}/not", message)
        for part in node.conjuncts:
            message = "a schema next to a non-object type is not supported; move the type into it"
            self._context.unsupported(part.at, message)

    # --- objects -----------------------------------------------------------------------------

    def flatten(self, node: Node) -> FlatObject:
        """Merge an object's own `properties` and unions with the objects in its `allOf`."""
        context = self._context
        properties = [
            Property(wire, member, wire in node.required)
            for wire, member in node.properties.items()
            if not member.is_never
        ]
        if "object" not in node.types:
            context.unsupported(node.at, "no object can match this schema; remove the schema")
        if not node.values.accepts_anything:
            message = "a map is not supported in a union of objects; define its fields"
            context.unsupported(node.values.at, message)
        unions = list(node.unions)
        absent = [(wire, member.at) for wire, member in node.properties.items() if member.is_never]
        if "not" in node.stated:
            if node.forbidden_members is None:
                message = "`not` can exclude tags only in a variant for other tags; remove `not`"
                context.unsupported(f"{node.at}/not", message)
            absent += [(wire, f"{node.at}/not") for wire in node.forbidden_members or ()]
        for part in node.conjuncts:
            if not part.resolved.is_object:
                message = "only an object can be merged into an object; remove the schema"
                context.unsupported(part.at, message)
                continue
            inner = self.flatten(part.resolved)
            properties += inner.properties
            unions += inner.unions
            absent += inner.absent
        missing = set(node.required) - {member.wire for member in properties}
        properties += [Property(wire, node.anything("required"), True) for wire in sorted(missing)]
        return FlatObject(self.merge(properties), tuple(unions), tuple(dict(absent).items()))

    def merge(self, properties: Iterable[Property]) -> tuple[Property, ...]:
        """Merge properties with the same wire name and report any conflicts."""
        merged: dict[str, Property] = {}
        for member in properties:
            earlier = merged.get(member.wire)
            if earlier is None or earlier.schema.accepts_anything:
                required = member.required or bool(earlier and earlier.required)
                merged[member.wire] = replace(member, required=required)
            elif member.schema.accepts_anything or _said(member) == _said(earlier):
                merged[member.wire] = replace(earlier, required=earlier.required or member.required)
            else:
                problem = f"{member.wire!r} is defined differently at {earlier.schema.at}"
                self._context.unsupported(member.schema.at, f"{problem}; define it once")
        return tuple(merged.values())


def _said(member: Property) -> dict[str, Any]:
    """Return the keywords that constrain or repair a field."""
    stated = member.schema.stated.items()
    return member.schema.assertions | {key: value for key, value in stated if key.startswith("x-")}


def untagged_union(arms: Iterable[tuple[Node, Shape]], exclusive: bool = False) -> UntaggedUnion:
    """Return the untagged union of the given schemas, each paired with its shape.

    A decoder first excludes variants based on the value's JSON type and fields. The value then
    belongs to the first remaining variant that accepts it in strict mode. If `exclusive` is true,
    the value must not match another variant.
    """

    def arm(node: Node, shape: Shape) -> UntaggedArm:
        types = tuple(name for name in JSON_TYPES if name in node.types)
        return UntaggedArm(shape, types, node.required_keys, node.absent_keys)

    return UntaggedUnion(tuple(arm(node, shape) for node, shape in arms), exclusive)


def _overlap(union: SchemaUnion) -> bool:
    """Return whether a constant or null matches several variants of a union."""
    constants = [repr(value) for arm in union.arms for value in arm.constants]
    listed = types_of(arm for arm in union.arms if arm.constants)
    others = types_of(arm for arm in union.arms if not arm.constants)
    takes_null = sum(arm.is_nullable for arm in union.arms)
    return len(set(constants)) < len(constants) or bool(listed & others) or takes_null > 1


# --- enumerations and scalars ------------------------------------------------------------------


def alternative_constants(
    arms: Sequence[Node], keeps_others: Callable[[], bool]
) -> Enumeration | None:
    """Return the enumeration that is equivalent to a union of constants, or None for other unions.

    Each variant must list constants. One additional variant can accept other strings or integers.
    """
    listed = [arm for arm in arms if arm.constants]
    others = [arm for arm in arms if not arm.constants]
    classes = {type(value) for arm in listed for value in arm.constants}
    if classes not in ({str}, {int}) or len(others) > 1:
        return None
    is_text = classes == {str}
    other: String | Integer | None = None
    for arm in others:
        is_more = arm.stated.keys() & {"not", *keywords.COMBINERS}
        if arm.stated.get("type") != ("string" if is_text else "integer") or is_more:
            return None
        other = string(arm) if is_text else integer(arm)
    described = {arm.constant: arm.description for arm in listed}
    values = tuple(dict.fromkeys(value for arm in listed for value in arm.constants))
    return Enumeration(
        values=values,
        base=String() if is_text else Integer(),
        other=other,
        lenient=is_text and other is None and keeps_others(),
        descriptions=tuple(described.get(value) for value in values),
    )


def listed_constants(node: Node, keeps_others: Callable[[], bool]) -> Shape:
    """Return the shape of an `enum` or `const`.

    `keeps_others` returns whether the default mode accepts unknown strings.
    """
    values = tuple(value for value in node.constants if value is not None)
    if not values:
        return Null()
    is_text = isinstance(values[0], str)
    base = String() if is_text else Integer()
    shape = Enumeration(values, base, None, is_text and keeps_others(), (None,) * len(values))
    return Nullable(shape) if len(values) < len(node.constants) else shape


def string(node: Node) -> String:
    """Return the shape of a schema for strings."""
    stated = node.stated
    return String(stated.get("minLength") or None, stated.get("pattern"), stated.get("format"))


def integer(node: Node) -> Integer:
    """Return the shape of a schema for integers, including bounds from its format."""
    stated = node.stated
    format_ = stated.get("format")
    low, high = keywords.INTEGER_RANGES.get(format_ or "", (None, None))
    return Integer(
        minimum=max(
            (each for each in (low, stated.get("minimum")) if each is not None), default=None
        ),
        maximum=min(
            (each for each in (high, stated.get("maximum")) if each is not None), default=None
        ),
        format=None if format_ in keywords.INTEGER_RANGES else format_,
    )


def number(node: Node) -> Number:
    """Return the shape of a schema for numbers."""
    stated = node.stated.get("format")
    unread = None if stated in keywords.FLOATS else stated
    return Number(node.stated.get("minimum"), node.stated.get("maximum"), unread)
