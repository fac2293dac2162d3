"""An editable schema document, with methods that find its schemas and keep its references valid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias, TypeVar

from tests.package.laws.instances import Path
from tests.package.laws.library import pointer

Schema: TypeAlias = dict[str, Any]
T = TypeVar("T")

REF = "#/$defs/"
MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
# The keywords that contain editable schemas. Schemas in `not` aren't edited, since they depend on
# the tags of the other variants.
_EDITED_LISTS = ("allOf", "anyOf", "oneOf")
_EDITED = ("items", "additionalProperties")


class NothingToEdit(Exception):
    """Raised when an edit can't be applied to the schema."""


@dataclass(frozen=True)
class Place:
    """A schema object and its path in the document."""

    path: Path
    schema: Schema

    def __str__(self) -> str:
        return pointer(self.path)

    @property
    def definition(self) -> str:
        return str(self.path[1])

    @property
    def is_root(self) -> bool:
        return len(self.path) == 2

    @property
    def is_member(self) -> bool:
        return len(self.path) > 3 and self.path[-2] == "properties"


class Draft:
    def __init__(self, root: Schema) -> None:
        self.root = copied(root)  # the document
        self.definitions: dict[str, Schema] = self.root["$defs"]  # its `$defs`

    def types(self) -> list[str]:
        return [name for name, schema in self.definitions.items() if not is_envelope(schema)]

    def envelopes(self) -> list[str]:
        return [name for name, schema in self.definitions.items() if is_envelope(schema)]

    def places(self) -> Iterator[Place]:
        """Yield all schema objects in the definitions of types, in document order."""
        for name in self.types():
            yield from _inside(("$defs", name), self.definitions[name])

    def place(self, chance: Random, fits: Callable[[Place], object]) -> Place:
        return pick(chance, filter(fits, self.places()))

    def objects(self) -> Iterator[Place]:
        return (place for place in self.places() if place.schema.get("properties"))

    def members(self) -> Iterator[tuple[Place, str]]:
        """Yield the object and the name of each field, except fields with a constant value."""
        for place in self.objects():
            for name, member in place.schema["properties"].items():
                if isinstance(member, dict) and not is_constant(member):
                    yield place, name

    def unions(self) -> Iterator[tuple[Place, str]]:
        """Yield each union with at least two non-null alternatives, with its keyword."""
        for place in self.places():
            for keyword in ("anyOf", "oneOf"):
                arms = place.schema.get(keyword, ())
                are_schemas = all(isinstance(arm, dict) for arm in arms)
                if are_schemas and sum(not is_null(arm) for arm in arms) > 1:
                    yield place, keyword

    def tagged_unions(self) -> Iterator[tuple[Place, str, str]]:
        """Yield each tagged union, its keyword, and the name of its tag."""
        for place, keyword in self.unions():
            tags = {name for arm in place.schema[keyword] for name in tags_of(arm)}
            if len(tags) == 1:
                yield place, keyword, tags.pop()

    def enumerations(self) -> Iterator[tuple[Place, str]]:
        """Yield each union that has constants among its alternatives, with its keyword."""
        for place, keyword in self.unions():
            if any(is_constant(arm) for arm in place.schema[keyword]):
                yield place, keyword

    def references_to(self, name: str) -> list[Schema]:
        return [each for each in referring(self.root) if each["$ref"] == REF + name]

    def follow(self, schema: Any) -> Any:
        seen: set[str] = set()
        while (name := ref_name(schema)) is not None and name not in seen:
            seen.add(name)
            schema = self.definitions[name]
        return schema

    def json_types(self, schema: Any) -> set[str]:
        """Return the JSON types of a schema, following its reference and its alternatives."""
        schema = self.follow(schema)
        if not isinstance(schema, dict):
            return set()
        stated = schema.get("type", ())
        if stated:
            return {stated} if isinstance(stated, str) else set(stated)
        if "properties" in schema:
            return {"object"}
        arms = [arm for keyword in ("anyOf", "oneOf") for arm in schema.get(keyword, ())]
        return {kind for arm in arms for kind in self.json_types(arm)}

    def fresh(self, name: str) -> str:
        found, count = name, 1
        while found in self.definitions:
            count += 1
            found = f"{name}{count}"
        return found

    def rename(self, old: str, new: str) -> None:
        for each in self.references_to(old):
            each["$ref"] = REF + new
        renamed = {new if name == old else name: s for name, s in self.definitions.items()}
        self.definitions.clear()
        self.definitions.update(renamed)

    def replace(self, place: Place, schema: Schema) -> None:
        parent: Any = self.root
        for part in place.path[:-1]:
            parent = parent[part]
        parent[place.path[-1]] = schema


def _inside(path: Path, schema: Any) -> Iterator[Place]:
    if not isinstance(schema, dict):
        return
    yield Place(path, schema)
    for name, inner in schema.get("properties", {}).items():
        yield from _inside((*path, "properties", name), inner)
    for keyword in _EDITED_LISTS:
        for index, inner in enumerate(schema.get(keyword, ())):
            yield from _inside((*path, keyword, index), inner)
    for keyword in _EDITED:
        yield from _inside((*path, keyword), schema.get(keyword))


def copied(value: Schema) -> Schema:
    """Return a deep copy of a JSON value. This is ten times as fast as `copy.deepcopy`."""
    made: Schema = json.loads(json.dumps(value))
    return made


def referring(root: Schema) -> Iterator[Schema]:
    """Yield every object with a `$ref` in a document, even in envelopes and in `not`."""
    pending: list[Any] = [root]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            if isinstance(each.get("$ref"), str):
                yield each
            pending += each.values()
        elif isinstance(each, list):
            pending += each


def pick(chance: Random, choices: Iterable[T]) -> T:
    listed = list(choices)
    if not listed:
        raise NothingToEdit
    return chance.choice(listed)


def ref(name: str) -> Schema:
    return {"$ref": REF + name}


def ref_name(schema: Any) -> str | None:
    """Return the name that a schema refers to, directly or in an `allOf` with a single part."""
    if not isinstance(schema, dict):
        return None
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    parts = schema.get("allOf", ())
    return ref_name(parts[0]) if len(parts) == 1 and "properties" not in schema else None


def make_member(draft: Draft, chance: Random) -> Schema:
    target = chance.choice(draft.types())
    schema: Schema = chance.choice(
        (
            {"type": "string"},
            {"type": "boolean"},
            {"type": "number"},
            {"type": "integer", "format": "uint32", "minimum": 0},
            {"type": "integer", "minimum": 1},
            {"type": ["string", "null"]},
            {"type": ["string", "integer"]},
            {"type": "array", "items": {"type": "string"}},
            {"type": ["array", "null"], "items": ref(target)},
            {"type": "object", "additionalProperties": True},
            {"type": "object", "properties": {"inner": {"type": "string"}}},
            {"type": "object"},
            {"type": "string", "enum": ["auto", "manual"]},
            {"oneOf": [{"const": "on", "type": "string"}, {"const": "off", "type": "string"}]},
            {"anyOf": [ref(target), {"type": "null"}]},
            {"allOf": [ref(target)]},
            ref(target),
            {},
        )
    )
    return schema


def dependants(definitions: dict[str, Schema], names: set[str]) -> set[str]:
    uses = {name: set(references(schema)) for name, schema in definitions.items()}
    found: set[str] = set()
    pending = set(names)
    while pending:
        pending = {name for name, used in uses.items() if used & pending} - found - names
        found |= pending
    return found


def closure(definitions: dict[str, Schema], names: set[str]) -> set[str]:
    """Return the named definitions and all definitions that they refer to, even indirectly."""
    found: set[str] = set()
    pending = set(names) & definitions.keys()
    while pending:
        found |= pending
        used = {each for name in pending for each in references(definitions[name])}
        pending = (used & definitions.keys()) - found
    return found


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key in ("$ref", "$dynamicRef"):
            if isinstance(schema.get(key), str):
                yield schema[key].removeprefix(REF)
        for each in schema.values():
            yield from references(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from references(each)


def is_envelope(schema: Any) -> bool:
    """Return whether a definition describes complete JSON-RPC messages instead of a type."""
    return isinstance(schema, dict) and bool(schema.get("x-docs-ignore"))


def is_constant(schema: Any) -> bool:
    return isinstance(schema, dict) and "const" in schema


def is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def tags_of(arm: Any) -> dict[str, Any]:
    """Return the constant values of a variant's required fields, by field name."""
    if not isinstance(arm, dict):
        return {}
    required = arm.get("required", ())
    return {
        name: member["const"]
        for name, member in arm.get("properties", {}).items()
        if is_constant(member) and name in required
    }


def is_rest(arm: Any) -> bool:
    """Return whether a variant is the fallback for tags that no other variant has."""
    return isinstance(arm, dict) and "anyOf" in arm.get("not", {})
