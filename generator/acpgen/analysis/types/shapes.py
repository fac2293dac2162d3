"""Build shapes: the JSON values that schemas accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from acpgen.analysis.context import BuildContext, DefinitionSite, FlatObject
from acpgen.analysis.types import enumerations, scalars
from acpgen.analysis.types.objects import ObjectFlattener
from acpgen.analysis.types.untagged import untagged_union
from acpgen.common.pointers import pointer
from acpgen.ir import naming
from acpgen.ir.model import (
    AnyJson,
    Array,
    Boolean,
    Dictionary,
    Null,
    Nullable,
    Reference,
    Shape,
    UntaggedUnion,
)
from acpgen.schema.nodes import JSON_TYPES, Choice, Node

# Keywords of an object that is more than a union or a map.
_OF_OBJECTS = frozenset({"$ref", "allOf", "not", "properties", "required"})


class ShapeBuilder:
    """Builds the shapes of one schema; an object defined in place is enqueued under a name."""

    def __init__(self, context: BuildContext, flattener: ObjectFlattener) -> None:
        self._context = context
        self._flattener = flattener

    def shape(self, node: Node, hint: str, *, named: bool = False) -> Shape:
        """The shape of a schema.

        Args:
            node: the schema.
            hint: the class of an object that the schema defines in place.
            named: whether the schema is a definition, which policy may name.
        """
        if node.accepts_anything:
            return AnyJson()
        if node.target is not None:
            return Reference(self._context.class_of(node.target))
        node = node.bare
        self._check_keywords_of_objects(node)
        if node.choices and not node.assertions.keys() & _OF_OBJECTS:
            return self._union(node.choices[0], hint, named)
        if node.stated.keys() & {"const", "enum"}:
            return enumerations.from_list(node, partial(self._keeps_others, hint, named))
        types = node.stated.get("type", "object")
        if types not in ("object", ["object"]):
            self._check_keywords_of_scalars(node)
        if isinstance(types, list):
            return self._of_types(node, types, hint)
        return self._of_type(types, node, hint)

    def _keeps_others(self, hint: str, named: bool) -> bool:
        """Whether the default mode keeps strings that an enumeration does not list."""
        return named and not self._context.is_closed(hint)

    # --- types -------------------------------------------------------------------------------

    def _of_types(self, node: Node, types: list[str], hint: str) -> Shape:
        """The shape of a schema that lists JSON types."""
        arms = [node.restricted(name) for name in types if name != "null"]
        shapes = [self.shape(arm, hint) for arm in arms]
        if not shapes:
            return Null()
        shape = shapes[0]
        if len(shapes) > 1:
            pairs = list(zip(arms, shapes, strict=True))
            shape = untagged_union(pairs, False)
        return Nullable(shape) if "null" in types else shape

    def _of_type(self, type_: str, node: Node, hint: str) -> Shape:
        """The shape of a schema with one JSON type."""
        match type_:
            case "string":
                return scalars.string(node)
            case "integer":
                return scalars.integer(node)
            case "number":
                return scalars.number(node)
            case "boolean":
                return Boolean()
            case "null":
                return Null()
            case "array":
                items = self.shape(node.items, hint + "Item")
                return Array(items, node.stated.get("minItems") or None)
        if node.choices or node.stated.keys() & _OF_OBJECTS:
            return self._in_place(node, hint, None, self._flattener.flatten(node))
        return Dictionary(self.shape(node.values, hint + "Value"))

    def _in_place(
        self, node: Node, hint: str, description: str | None, flat: FlatObject
    ) -> Reference:
        """A reference to an object defined in place."""
        name = hint
        definition = self._context.definition_of(hint)
        if definition and f"{node.at}/".startswith(pointer("$defs", definition) + "/"):
            # The definition's own name is taken by its alias.
            name = self._context.class_name(f"{hint}/object", naming.object_class(hint))
        self._context.enqueue(DefinitionSite(name, node.at, description=description), flat)
        return Reference(name)

    # --- unions ------------------------------------------------------------------------------

    def _union(self, choice: Choice, hint: str, named: bool) -> Shape:
        """The shape of a schema that is only `anyOf` or `oneOf`."""
        self._check_union(choice)
        owner = choice.owner
        if choice.exclusive and _overlap(choice):
            return self._untagged(choice.arms, hint, exclusive=True)
        arms = tuple(arm for arm in choice.arms if not arm.is_null)
        alternatives = enumerations.find_alternatives(arms)
        shape: Shape
        if alternatives is not None:
            keeps_others = partial(self._keeps_others, hint, named)
            shape = enumerations.from_alternatives(alternatives, keeps_others)
        elif len(arms) == 1 and not (named and arms[0].tags):
            shape = self.shape(arms[0], hint)
        elif all(arm.is_object for arm in arms):
            flat = FlatObject(choices=(replace(choice, arms=arms),))
            shape = self._in_place(owner, hint, owner.description, flat)
        else:
            shape = self._untagged(arms, hint, exclusive=choice.exclusive)
        return Nullable(shape) if len(arms) < len(choice.arms) else shape

    def _untagged(self, arms: Sequence[Node], hint: str, *, exclusive: bool) -> UntaggedUnion:
        """The untagged union of some arms; their titles name what they define in place."""
        labels = [naming.arm_class(arm.stated.get("title", ""), hint) for arm in arms]
        shapes = [self.shape(arm, label) for arm, label in zip(arms, labels, strict=True)]
        return untagged_union(zip(arms, shapes, strict=True), exclusive)

    # --- what has no rule --------------------------------------------------------------------

    def _check_keywords_of_objects(self, node: Node) -> None:
        """Report what a schema says about objects only, and not about its other values."""
        of_objects = all(arm.types == {"object"} for arm in node.arms)
        keys = [key for key in ("not", "properties", "required") if key in node.stated]
        if node.arms and not of_objects and node.stated.get("type") != "object":
            for key in keys:
                message = f"{key} beside a union of more than objects has no rule"
                self._context.unsupported(f"{node.at}/{key}", f"{message}; move it into the arms")
            for part in node.conjuncts:
                message = "a schema beside a union of more than objects has no rule"
                self._context.unsupported(part.at, f"{message}; move it into the arms")
        elif "not" in keys and isinstance(node.stated.get("type"), list):
            message = "`not` beside several types has no rule; move it into a schema of objects"
            self._context.unsupported(f"{node.at}/not", message)

    def _check_keywords_of_scalars(self, node: Node) -> None:
        """Report schemas beside the type of a value that is no object."""
        if isinstance(node.stated["type"], str) and "not" in node.stated:
            message = "`not` beside the type of a value has no rule; express it differently"
            self._context.unsupported(f"{node.at}/not", message)
        for part in node.conjuncts:
            message = "a schema beside the type of a value has no rule; move the type into it"
            self._context.unsupported(part.at, message)

    def _check_union(self, choice: Choice) -> None:
        """Report what a union of values says besides its arms."""
        owner = choice.owner
        stated = owner.stated.get("type", JSON_TYPES)
        named = {stated} if isinstance(stated, str) else set(stated)
        if not frozenset[str]().union(*(arm.types for arm in choice.arms)) <= named:
            message = "a type beside a union that has others has no rule; move it into each arm"
            self._context.unsupported(f"{owner.at}/type", message)


def _overlap(choice: Choice) -> bool:
    """Whether arms that could be an enumeration, or allow null, share a value."""
    constants = [repr(value) for arm in choice.arms for value in arm.constants]
    listed = frozenset[str]().union(*(arm.types for arm in choice.arms if arm.constants))
    others = frozenset[str]().union(*(arm.types for arm in choice.arms if not arm.constants))
    takes_null = sum(arm.is_nullable for arm in choice.arms)
    return len(set(constants)) < len(constants) or bool(listed & others) or takes_null > 1
