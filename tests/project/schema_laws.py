"""The laws that hold for a package made from any schema, with `jsonschema` as the judge.

Whatever these need to know about a schema they read from its structure: it may be any revision.
"""

from __future__ import annotations

import copy
import functools
import importlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from package.laws.instances import Choices, Drawn, generate
from package.laws.library import json_text, same, writer
from package.laws.mutations import Mutation, arms, mutations, systematic, tag_of
from package.laws.schemas import Json, Oracle, Schema, Surface
from package.laws.walk import cases


@dataclass(frozen=True, eq=False, repr=False)
class MadeSurface(Surface):
    """A schema, and the surface of a package that was made from it.

    Attributes:
        package: the name of the package.
    """

    package: str

    @functools.cached_property
    def module(self) -> ModuleType:
        """The generated surface."""
        return importlib.import_module(f"{self.package}.{self.name}")


@dataclass
class Tally:
    """What was tried: valid instances, and near misses by what the schema says about them."""

    instances: int = 0
    accepted: int = 0
    refused: int = 0


# --- which definitions are types -------------------------------------------------------------


def types_of(definitions: dict[str, Schema]) -> set[str]:
    """The definitions that are types, that is, all but those of JSON-RPC messages.

    The latter are not meant for documentation and no type refers to them; they list definitions, or
    have the members of a message.
    """
    found: set[str] = set()
    pending = [name for name, each in definitions.items() if not _may_be_message(each)]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += references(definitions[name])
    return found


def _may_be_message(schema: Schema) -> bool:
    members = schema.get("properties", {}).keys()
    return "x-docs-ignore" in schema and bool(arms(schema) or {"method", "params"} & members)


def references(schema: Any) -> list[str]:
    """The names of the definitions that a schema refers to."""
    if isinstance(schema, list):
        return [name for each in schema for name in references(each)]
    if not isinstance(schema, dict):
        return []
    found = [name for each in schema.values() for name in references(each)]
    reference = schema.get("$ref")
    return [*found, reference.rpartition("/")[2]] if isinstance(reference, str) else found


# --- what strict mode enforces ---------------------------------------------------------------

# The keywords whose value holds schemas, by name or by index, and those whose value is one.
HOLDERS = {"$defs", "properties", "patternProperties", "dependentSchemas"}
HOLDERS |= {"anyOf", "oneOf", "allOf", "prefixItems"}
SINGLE = {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}


def enforced(schema: Schema, unchecked: tuple[str, ...] = ()) -> Schema:
    """The part of a schema that is enforced, with `{}` for the schema `true`.

    Args:
        unchecked: pointers to what is not; a keyword is removed, and a schema says nothing.
    """
    rest = copy.deepcopy(schema)
    for pointer in unchecked:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        place: Any = rest
        holds = False  # whether the place is the value of one of the HOLDERS
        for part in parts[:-1]:
            holds = not holds and part in HOLDERS
            place = place[int(part)] if isinstance(place, list) else place[part]
        if holds:
            place[int(parts[-1]) if isinstance(place, list) else parts[-1]] = True
        else:
            del place[parts[-1]]
    for each in list(subschemas(rest)):
        for keyword in HOLDERS & each.keys():
            held = each[keyword]
            for key in list(held) if isinstance(held, dict) else range(len(held)):
                held[key] = {} if held[key] is True else held[key]
    return rest


def law(surface: Surface) -> Oracle:
    """The schema with law 5, for unions that have an arm without a tag.

    By the schema, a known tag with a bad payload may match that arm; by the law, it fails.
    """
    definitions = copy.deepcopy(surface.definitions)
    for union in subschemas({"$defs": definitions}):
        tag = tag_of(union)
        if tag is None or not tag.has_default:
            continue
        known = {"required": [tag.name], "properties": {tag.name: {"enum": list(tag.known)}}}
        for arm in arms(union):
            tagged = "const" in arm.get("properties", {}).get(tag.name, {})
            if not tagged and "not" not in arm:
                arm.setdefault("allOf", []).append({"not": known})
    return Oracle(definitions)


def subschemas(schema: Any) -> Iterator[Schema]:
    """A schema and all schemas in it, from the inside out."""
    if not isinstance(schema, dict):
        return
    for keyword in HOLDERS & schema.keys():
        held = schema[keyword]
        for each in held.values() if isinstance(held, dict) else held:
            yield from subschemas(each)
    for keyword in SINGLE & schema.keys():
        yield from subschemas(schema[keyword])
    yield schema


# --- the laws --------------------------------------------------------------------------------


def assert_laws(surface: Surface, instances: int, near_misses: int) -> Tally:
    """Check every type: instances make the round trip, and strict mode is the schema.

    Args:
        surface: the schema and the package.
        instances: how many are drawn of each type, besides those that reach each of its parts.
        near_misses: how many are taken of each drawn instance, besides those of each part.
    """
    entropy = random.Random(surface.name)
    judge = law(surface)
    tally = Tally()
    for name in surface.names:
        drawn = [generate(surface, name, Choices(entropy.randbytes(256))) for _ in range(instances)]
        each_part = cases(surface, name)
        for each in (*each_part, *drawn):
            assert_round_trip(surface, each)
            tally.instances += 1
        picked = list(systematic(surface, name, iter(each_part)))
        for each in drawn:
            found = list(mutations(each))
            picked += entropy.sample(found, min(near_misses, len(found)))
        for mutation in picked:
            if assert_strict_is_the_schema(surface, judge, mutation):
                tally.accepted += 1
            else:
                tally.refused += 1
    return tally


def assert_round_trip(surface: Surface, drawn: Drawn) -> None:
    """Decode an instance in strict and in default mode, and as text, and encode it again."""
    module: Any = surface.module
    kind = module.TYPES[drawn.name]
    value = module.decode(kind, drawn.value, strict=True)
    assert same(module.encode(value, kind), drawn.value), drawn
    issues: list[object] = []
    assert module.decode(kind, drawn.value, on_issue=issues.append) == value, drawn
    assert issues == [], drawn
    assert module.loads(kind, module.dumps(value, kind)) == value, drawn
    write = writer(module, drawn.name)
    assert write is None or write(value) == json_text(module.encode(value, kind)), drawn


def assert_strict_is_the_schema(surface: Surface, judge: Oracle, mutation: Mutation) -> bool:
    """Compare strict decoding of a near miss with the judge; returns whether it is valid."""
    module: Any = surface.module
    name, value = mutation.drawn.name, mutation.value
    valid = judge.is_valid(name, value)
    decoded = decoded_strictly(module, name, value)
    assert bool(decoded) == valid, f"valid: {valid}, but strict mode disagrees: {mutation}"
    if decoded:
        assert same(module.encode(decoded[0], module.TYPES[name]), value), mutation
    return valid


def decoded_strictly(module: Any, name: str, value: Json) -> list[Any]:
    """The decoded value; none if it is refused."""
    try:
        return [module.decode(module.TYPES[name], value, strict=True)]
    except module.DecodeError:
        return []
