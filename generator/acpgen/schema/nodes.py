"""Nodes, which represent schemas and provide their locations, parts and allowed values.

A node caches the results of queries. A node's references resolve to nodes in the same
`Definitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from acpgen.common.pointers import pointer
from acpgen.schema import keywords
from acpgen.schema.keywords import REF_PREFIX, contained, direct_subschemas, references

JSON_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


class Definitions(dict[str, "Node"]):
    """A document's `$defs` as nodes by name, sorted so that their original order doesn't matter."""

    def __init__(self, definitions: Mapping[str, Any], removed: Iterable[str] = ()) -> None:
        """Create the nodes. `removed` lists the pointers to the parts that were pruned."""
        self.stated = definitions  # the schemas as written in the document
        self._removed = frozenset(removed)
        super().__init__(
            (name, Node(definitions[name], pointer("$defs", name), self, name))
            for name in sorted(definitions)
        )

    def around(self, root: Mapping[str, Any]) -> Node:
        """Return a node for the document itself, without its definitions."""
        return Node({key: value for key, value in root.items() if key != "$defs"}, "", self)

    def cyclic(self) -> list[Node]:
        """Return one definition from each reference cycle that does not pass through a field."""
        held = {name: set(contained(node.stated)) for name, node in self.items()}
        cyclic: dict[str, Node] = {}
        for name, node in self.items():
            reached: set[str] = set()
            pending = list(held[name])
            while pending:
                reference = pending.pop()
                if reference not in reached:
                    reached.add(reference)
                    pending += held[reference]
            if name in reached and not reached & cyclic.keys():
                cyclic[name] = node
        return list(cyclic.values())

    def is_complete(self, nodes: Iterable[Node]) -> bool:
        """Return whether the nodes and the definitions they refer to still have all their parts."""
        pending, reached = list(nodes), set[str]()
        while pending and self._removed:
            node = pending.pop()
            inside = f"{node.at}/"
            if any(f"{part}/".startswith(inside) for part in self._removed):
                return False
            names = set(node.references()) - reached
            reached |= names
            pending += [self[name] for name in names]
        return True


@dataclass(frozen=True, slots=True)
class SchemaUnion:
    """The `anyOf` or `oneOf` of a schema."""

    at: str  # the pointer to the keyword
    # The variants. A value must match at least one variant.
    arms: tuple[Node, ...]
    exclusive: bool  # whether a value must match exactly one variant
    owner: Node  # the schema that contains the keyword

    @property
    def tag(self) -> str | None:
        """The field with the constants that distinguish the variants.

        None if no variant has a constant, several fields could be the tag, two variants share a
        value, or a variant for other tags does not exclude the known tags.
        """
        tagged = [arm.tags for arm in self.arms if arm.tags]
        common = (
            [name for name in tagged[0] if all(name in tags for tags in tagged)] if tagged else []
        )
        named = self.owner.stated.get("discriminator", {}).get("propertyName")
        if named is not None:
            common = [name for name in common if name == named]
        if len(common) != 1:
            return None
        [tag] = common
        values = [tags[tag] for tags in tagged]
        others = [names for arm in self.arms if (names := arm.excluded_tags(tag)) is not None]
        is_distinct = len(set(values)) == len(values) and len(others) <= 1
        return tag if is_distinct and all(set(values) <= names for names in others) else None


def types_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the JSON types that at least one of the schemas allows."""
    return frozenset[str]().union(*(node.types for node in nodes))


class Node:
    """A schema at a location in a document.

    Attributes:
        stated: the keywords as written in the document, or no keywords for `true` and `false`.
        at: the pointer to the schema.
        name: the name of the definition, or None if the schema isn't a definition.
        is_never: whether the schema is `false`, which rejects every value.
    """

    def __init__(
        self, schema: Any, at: str, definitions: Definitions, name: str | None = None
    ) -> None:
        self.is_never = schema is False
        self.stated: dict[str, Any] = schema if isinstance(schema, dict) else {}
        self.at = at
        self.name = name
        self._definitions = definitions

    # --- parts -------------------------------------------------------------------------------

    def _part(self, schema: Any, *path: str | int) -> Node:
        return Node(schema, self.at + pointer(*path), self._definitions)

    def _parts(self, key: str) -> tuple[Node, ...]:
        listed = enumerate(self.stated.get(key, ()))
        return tuple(self._part(schema, key, index) for index, schema in listed)

    @cached_property
    def assertions(self) -> dict[str, Any]:
        """The keywords that constrain values, including formats that bound integers."""
        return keywords.without_annotations(self.stated)

    @property
    def description(self) -> str | None:
        """The description in the schema."""
        return self.stated.get("description")

    @property
    def method(self) -> str | None:
        """The method whose params or result the schema describes, from `x-method`."""
        return self.stated.get("x-method")

    @property
    def side(self) -> str | None:
        """The side that handles the method, from `x-side`."""
        return self.stated.get("x-side")

    @cached_property
    def properties(self) -> dict[str, Node]:
        """The schemas of named fields."""
        named = self.stated.get("properties", {})
        return {name: self._part(schema, "properties", name) for name, schema in named.items()}

    @property
    def required(self) -> Sequence[str]:
        """The fields that this schema requires, ignoring schemas that it refers to."""
        required: list[str] = self.stated.get("required", [])
        return required

    def part(self, key: str) -> Node:
        """Return the schema in a keyword such as `items`, or `true` if the keyword is missing."""
        return self._part(self.stated.get(key, True), key)

    def anything(self, key: str) -> Node:
        """Return a schema that allows every value, located at a keyword of this schema."""
        return self._part(True, key)

    @cached_property
    def items(self) -> Node:
        """The schema of an array's items."""
        return self.part("items")

    @cached_property
    def values(self) -> Node:
        """The schema of unnamed fields, from `additionalProperties`."""
        return self.part("additionalProperties")

    @cached_property
    def parts(self) -> tuple[Node, ...]:
        """The schemas in `allOf`."""
        return self._parts("allOf")

    @cached_property
    def unions(self) -> tuple[SchemaUnion, ...]:
        """The unions in the schema. A value must match every union.

        A `oneOf` with a pruned variant is no longer exact and is therefore treated as `anyOf`.
        """
        unions: list[SchemaUnion] = []
        for key in ("anyOf", "oneOf"):
            if key in self.stated:
                arms = tuple(arm for arm in self._parts(key) if not arm.is_never)
                exclusive = key == "oneOf" and self._definitions.is_complete(arms)
                unions.append(SchemaUnion(f"{self.at}/{key}", arms, exclusive, self))
        return tuple(unions)

    @cached_property
    def arms(self) -> tuple[Node, ...]:
        """The variants of all unions in the schema."""
        return tuple(arm for union in self.unions for arm in union.arms)

    @cached_property
    def conjuncts(self) -> tuple[Node, ...]:
        """The nontrivial schemas in `allOf`, and `$ref` as a schema."""
        parts = [part for part in self.parts if not part.accepts_anything]
        if "$ref" in self.stated:
            parts.append(self._part({"$ref": self.stated["$ref"]}, "$ref"))
        return tuple(parts)

    @cached_property
    def bare(self) -> Node:
        """The schema in `allOf` if it is the node's only content, or else the node itself."""
        if self.assertions.keys() == {"allOf"} and len(self.conjuncts) == 1:
            return self.conjuncts[0].bare
        return self

    @property
    def referred(self) -> Node | None:
        """The definition that the node's `$ref` refers to, if the node has a `$ref`."""
        reference = self.stated.get("$ref")
        return None if reference is None else self._definitions[reference.removeprefix(REF_PREFIX)]

    @cached_property
    def target(self) -> Node | None:
        """The definition that the node is equivalent to, through `$ref` or `allOf`, if any."""
        if self.assertions.keys() - {"type"} == {"allOf"} and len(self.conjuncts) == 1:
            return self.conjuncts[0].target
        return self.referred if self.assertions.keys() == {"$ref"} else None

    @property
    def resolved(self) -> Node:
        """The schema at the end of this node's chain of references to definitions."""
        node = self
        while node.target is not None:
            node = node.target
        return node.bare

    def restricted(self, type_: str) -> Node:
        """Return this schema restricted to one of its JSON types and that type's keywords."""
        return Node(keywords.restrict_to_type(self.stated, type_), self.at, self._definitions)

    def walk(self) -> Iterator[Node]:
        """Yield this schema and all nested schemas, except negated schemas and booleans."""
        yield self
        for path, schema in direct_subschemas(self.stated):
            if isinstance(schema, dict) and path != ("not",):
                yield from self._part(schema, *path).walk()

    def document(self) -> dict[str, Any]:
        """Return the schema as a separate document that includes all definitions."""
        return {**self.stated, "$defs": self._definitions.stated}

    def references(self) -> Iterator[str]:
        """Yield the names of the definitions that the schema refers to, at any depth, in order."""
        return references(self.stated)

    # --- values ------------------------------------------------------------------------------

    @cached_property
    def accepts_anything(self) -> bool:
        """True if the schema allows every JSON value."""
        if self.assertions.keys() == {"allOf"}:
            return all(part.accepts_anything for part in self.parts)
        return not self.assertions and not self.is_never

    @property
    def is_null(self) -> bool:
        """True if the schema allows only null."""
        return self.assertions == {"type": "null"}

    @property
    def is_nullable(self) -> bool:
        """True if the schema allows null."""
        return "null" in self.types

    @cached_property
    def types(self) -> frozenset[str]:
        """The JSON types of the allowed values."""
        if self.is_never:
            return frozenset()
        types = set(JSON_TYPES)
        if self.referred is not None:
            types &= self.referred.types
        if "type" in self.stated:
            named = self.stated["type"]
            types &= {named} if isinstance(named, str) else set(named)
        elif "const" in self.stated or "enum" in self.stated:
            types &= {json_type(constant) for constant in self.constants}
        elif "properties" in self.stated:
            types &= {"object"}
        for part in self.parts:
            types &= part.types
        for union in self.unions:
            types &= types_of(union.arms)
        return frozenset(types)

    @property
    def constants(self) -> Sequence[Any]:
        """The constants listed by `enum` or `const`."""
        if "enum" in self.stated:
            listed: list[Any] = self.stated["enum"]
            return listed
        return [self.stated["const"]] if "const" in self.stated else []

    @cached_property
    def is_map(self) -> bool:
        """True if the schema allows only objects and restricts only their unnamed fields."""
        stated = self.bare.assertions
        names_members = stated.keys() & {"$ref", "properties", *keywords.COMBINERS}
        is_object = stated.get("type") == "object" and not names_members
        return is_object and "additionalProperties" in stated

    @property
    def is_object(self) -> bool:
        """True if the schema allows only objects and isn't a map."""
        return self.types == {"object"} and not self.is_map

    # --- members -----------------------------------------------------------------------------

    @cached_property
    def required_keys(self) -> tuple[str, ...]:
        """The fields that an object, or each item of an array of objects, must contain."""
        if self.types == {"array"}:
            items = self.resolved.items
            return items.required_keys if items.is_object else ()
        return self._all_required if self.types == {"object"} else ()

    @cached_property
    def _all_required(self) -> tuple[str, ...]:
        others = [self.referred, *self.parts] if self.referred is not None else self.parts
        keys = [key for node in others for key in node._all_required]
        return tuple(dict.fromkeys([*keys, *self.required]))

    @cached_property
    def absent_keys(self) -> tuple[str, ...]:
        """The fields that an object must not contain. Empty if the schema allows other types."""
        if self.types != {"object"}:
            return ()
        keys = [*(self.forbidden_members or ())]
        keys += [name for name, member in self.properties.items() if member.is_never]
        for part in self.conjuncts:
            keys += (part.target or part).absent_keys
        return tuple(dict.fromkeys(keys))

    @cached_property
    def forbidden_members(self) -> tuple[str, ...] | None:
        """The fields that `not` forbids, or None if `not` is missing or more complex."""
        if not isinstance(self.stated.get("not"), dict):
            return None
        names: list[str] = []
        for case in self.negated:
            required = case.assertions.get("required", ())
            is_alone = case.assertions.keys() - {"type"} == {"required"} and len(required) == 1
            if not is_alone or case.assertions.get("type", "object") != "object":
                return None
            names += required
        return tuple(dict.fromkeys(names))

    @cached_property
    def negated(self) -> tuple[Node, ...]:
        """The schemas that `not` excludes."""
        negated = self._part(self.stated.get("not", False), "not")
        if "anyOf" in negated.stated:
            return negated._parts("anyOf")
        return () if negated.is_never else (negated,)

    @property
    def constant(self) -> Any:
        """The constant that is the only allowed value, if any."""
        constants = self.bare.constants
        return constants[0] if len(constants) == 1 else None

    # --- variants of tagged unions -----------------------------------------------------------

    @cached_property
    def tags(self) -> dict[str, str]:
        """The required fields that must equal a constant string, each with its constant."""
        return {
            name: constant
            for name, member in self.properties.items()
            if name in self.required and isinstance(constant := member.constant, str)
        }

    def excluded_tags(self, tag: str) -> set[str] | None:
        """Return the tags that `not` excludes, or None if this is not a variant for other tags."""
        member = self.properties.get(tag)
        if member is None or tag not in self.required or member.assertions != {"type": "string"}:
            return None
        if not isinstance(self.stated.get("not"), dict):
            return None
        excluded: set[str] = set()
        for case in self.negated:
            is_only_tag = (
                case.assertions.keys() <= {"type", "properties", "required"}
                and list(case.properties) == list(case.required) == [tag]
                and case.properties[tag].assertions.keys() <= {"type", "const", "enum"}
            )
            if tag not in case.tags or not is_only_tag:
                return None
            excluded.add(case.tags[tag])
        return excluded

    def is_for_other_tags(self, tag: str) -> bool:
        """Return whether this is the variant for tags that belong to no other variant."""
        return self.excluded_tags(tag) is not None

    def allows_no_tag(self, tag: str) -> bool:
        """Return whether the schema requires the tag to be null or absent."""
        member = self.properties.get(tag)
        return member is not None and member.is_null and tag not in self.required

    def without_tag(self, tag: str) -> Node:
        """Return the node without its tag field and without a `not` that only excludes tags."""
        dropped = {"title", "additionalProperties", "unevaluatedProperties"}
        if self.is_for_other_tags(tag):
            dropped.add("not")
        properties = {**self.stated.get("properties", {})}
        required = [name for name in self.required if name != tag]
        changed: dict[str, Any] = {}
        if properties.pop(tag, None) is not None:
            changed = {"properties": properties, "required": required}
            if not properties and not required:
                dropped, changed = dropped | changed.keys(), {}
        left = {key: value for key, value in self.stated.items() if key not in dropped}
        return Node(left | changed, self.at, self._definitions)


def json_type(constant: Any) -> str:
    """Return the JSON type of a constant."""
    if constant is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(constant), "object")
