"""Edits that add restrictions: every assertion keyword of JSON Schema 2020-12."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from tests.tools.evolution.draft import Draft, NothingToEdit, Place, Schema, is_constant, pick, ref

TEXTS, NUMBERS, LISTS, OBJECTS = "string", "number", "array", "object"
ANY = ""
# A function that returns the keywords to add. It receives the names of two or more fields.
Maker: TypeAlias = Callable[[Random, list[str]], Schema]


def _const(value: Any) -> Maker:
    return lambda chance, names: {"const": value}


def _of(*choices: Schema) -> Maker:
    return lambda chance, names: chance.choice(choices)


def _needs(name: str) -> Schema:
    return {"required": [name]}


# The JSON type that each assertion restricts, and a function that returns its keywords.
ASSERTIONS: dict[str, tuple[str, Maker]] = {
    # numbers
    "multipleOf": (NUMBERS, _of({"multipleOf": 5}, {"multipleOf": 0.5}, {"multipleOf": 1})),
    "minimum": (NUMBERS, _of({"minimum": 1}, {"minimum": -5.5}, {"minimum": 0.5})),
    "maximum": (NUMBERS, _of({"maximum": 9}, {"maximum": 10.5}, {"maximum": 1e3})),
    "exclusiveMinimum": (NUMBERS, _of({"exclusiveMinimum": 0})),
    "exclusiveMaximum": (NUMBERS, _of({"exclusiveMaximum": 10})),
    # strings
    "minLength": (TEXTS, _of({"minLength": 2}, {"minLength": 0}, {"minLength": 2.0})),
    "maxLength": (TEXTS, _of({"maxLength": 3}, {"maxLength": 0})),
    "pattern": (TEXTS, _of({"pattern": "^[a-z]"}, {"pattern": "é"}, {"pattern": r"^\p{L}+$"})),
    # arrays
    "minItems": (LISTS, _of({"minItems": 1}, {"minItems": 2})),
    "maxItems": (LISTS, _of({"maxItems": 1}, {"maxItems": 0})),
    "uniqueItems": (LISTS, _of({"uniqueItems": True}, {"uniqueItems": False})),
    "contains": (LISTS, _of({"contains": {"type": "object"}}, {"contains": {"minLength": 2}})),
    "minContains": (LISTS, _of({"contains": {}, "minContains": 2})),
    "maxContains": (LISTS, _of({"contains": {}, "maxContains": 1})),
    "prefixItems": (LISTS, _of({"prefixItems": [{"minLength": 3}]}, {"prefixItems": [{}, {}]})),
    "unevaluatedItems": (LISTS, _of({"unevaluatedItems": False})),
    "items false": (LISTS, _of({"items": False})),
    # objects
    "minProperties": (OBJECTS, _of({"minProperties": 2})),
    "maxProperties": (OBJECTS, _of({"maxProperties": 2})),
    "propertyNames": (OBJECTS, _of({"propertyNames": {"pattern": "^[a-zA-Z_]+$"}})),
    "patternProperties": (OBJECTS, _of({"patternProperties": {"^x-": {"type": "string"}}})),
    "additionalProperties": (OBJECTS, _of({"additionalProperties": {"type": "string"}})),
    "closed": (OBJECTS, _of({"additionalProperties": False}, {"unevaluatedProperties": False})),
    "unevaluatedProperties": (OBJECTS, _of({"unevaluatedProperties": {"type": "integer"}})),
    "dependentRequired": (OBJECTS, lambda c, n: {"dependentRequired": {n[0]: n[1:2]}}),
    "dependentSchemas": (OBJECTS, lambda c, n: {"dependentSchemas": {n[0]: _needs(n[1])}}),
    "required of no member": (OBJECTS, _of(_needs("elsewhere"))),
    "any required": (OBJECTS, lambda c, n: {"anyOf": [_needs(n[0]), _needs(n[1])]}),
    "one required": (OBJECTS, lambda c, n: {"oneOf": [_needs(n[0]), _needs(n[1])]}),
    "not required": (
        OBJECTS,
        lambda c, n: {"not": c.choice((_needs(n[0]), {"type": "object", **_needs("kind2")}))},
    ),
    "not required together": (OBJECTS, lambda c, n: {"not": {"required": n[:2]}}),
    "member that must be absent": (OBJECTS, lambda c, n: {"properties": {"gone": False}}),
    # anything
    "not": (
        ANY,
        _of(
            {"not": {"type": "null"}},
            {"not": {"const": "text"}},
            {"not": {"minLength": 5}},
            {"not": {"required": ["type"]}},
            {"not": {"enum": ["a", 1, None]}},
            {"not": {}},
            {"not": {"anyOf": [{"type": "integer"}, {"maxLength": 0}]}},
            {"not": {"properties": {"k": {"maxLength": 1}}, "required": ["k"]}},
        ),
    ),
    "if then else": (
        ANY,
        lambda c, n: c.choice(
            (
                {"if": _needs(n[0]), "then": _needs(n[1]), "else": {"maxProperties": 1}},
                {"if": {"type": "string"}, "then": {"minLength": 1}},
                {"if": {"const": "a"}, "else": {"minLength": 2}},
                {"if": {"minimum": 5}, "then": {"multipleOf": 5}},
                {"then": {"type": "null"}},
            )
        ),
    ),
    "const true": (ANY, _const(True)),
    "const 1.0": (ANY, _const(1.0)),
    "const 0": (ANY, _const(0)),
    "const null": (ANY, _const(None)),
    "const text": (ANY, _const("text")),
    "const list": (ANY, _const(["a", 1])),
    "const object": (ANY, _const({"k": [None]})),
    "enum of mixed types": (ANY, _of({"enum": ["a", 1, None, True, 1.5]}, {"enum": [["a"], {}]})),
    "enum of texts": (ANY, _of({"enum": ["a", "text", ""]}, {"enum": ["a", "a b", "é"]})),
    "enum of numbers": (ANY, _of({"enum": [0, 1, 10]}, {"enum": [1, 1.5]}, {"enum": [True]})),
    "allOf of a bound": (
        ANY,
        _of(
            {"allOf": [{"minLength": 2}]},
            {"allOf": [{"maximum": 5}, {}]},
            {"allOf": [{"type": "string"}]},
            {"allOf": [True]},
            {"allOf": [{"not": {"const": "a"}}]},
        ),
    ),
    "anyOf of bounds": (
        ANY,
        _of(
            {"anyOf": [{"minLength": 2}, {"maximum": 5}]},
            {"anyOf": [{"type": "string"}, {}]},
            {"anyOf": [True, {"const": 1}]},
            {"oneOf": [{"minLength": 2}, {"maxLength": 3}]},
            {"oneOf": [{"type": "string"}, {"type": ["integer", "null"]}]},
        ),
    ),
}
# Replacements for a field's entire schema.
NEW: tuple[Any, ...] = (
    True,
    False,
    {"const": 1},
    {"const": True},
    {"const": None},
    {"const": [1, "a"]},
    {"enum": ["a", 1, None]},
    {"enum": [1.5, 2]},
    {"type": ["string", "number", "boolean", "object", "array", "null"]},
    {"type": ["integer", "number"]},
    {"not": {"type": "string"}},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
    {"type": "object", "patternProperties": {"^x": {"type": "integer"}}},
    {"minLength": 3},
    {"required": ["a"]},
    {"items": {"type": "string"}},
    {"properties": {"a": {"type": "string"}}},
    {"additionalProperties": {"type": "integer"}},
    {"if": {"type": "string"}, "then": {"maxLength": 3}, "else": {"type": "integer"}},
    {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "array"}]},
    {"oneOf": [{"type": "number"}, {"type": "integer"}]},
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
    {"anyOf": [{}]},
    {"type": "array", "items": {"type": "array", "items": {"type": "integer", "maximum": 3}}},
)


def _assert(keyword: str) -> Callable[[Draft, Random], str]:
    kind, make = ASSERTIONS[keyword]

    def edit(draft: Draft, chance: Random) -> str:
        places = _places(draft, kind)
        for place in chance.sample(places, len(places)):
            names = list(draft.follow(place.schema).get("properties", {}))
            chance.shuffle(names)
            schema = copy.deepcopy(make(chance, [*names, "a", "type"]))
            if not place.schema.keys() & schema.keys() - {"items", "properties"}:
                members = {**place.schema.get("properties", {}), **schema.pop("properties", {})}
                place.schema.update(schema, **({"properties": members} if members else {}))
                return f"{edit.__name__}: add {schema or 'a member'} at {place}"
        raise NothingToEdit

    edit.__name__ = f"assert {keyword}"
    return edit


ASSERTING = [_assert(keyword) for keyword in ASSERTIONS]


def _places(draft: Draft, kind: str) -> list[Place]:
    found: list[Place] = []
    for place in draft.places():
        kinds = draft.json_types(place.schema)
        if "integer" in kinds:
            kinds.add("number")
        is_open = "_meta" not in place.path and not is_constant(place.schema)
        if is_open and (kind in kinds or (kind == ANY and kinds)):
            found.append(place)
    return found


def replace_schema(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance,
        lambda place: place.path[-1] in ("items", "additionalProperties")
        or (place.is_member and not is_constant(place.schema)),
    )
    schema = copy.deepcopy(chance.choice(NEW))
    draft.replace(place, schema)
    return f"say {schema} at {place}"


def replace_definition(draft: Draft, chance: Random) -> str:
    name = pick(chance, (n for n in draft.types() if "x-method" not in draft.definitions[n]))
    schema = copy.deepcopy(chance.choice([each for each in NEW if isinstance(each, dict)]))
    draft.definitions[name] = schema
    return f"say {schema} about the definition {name}"


def say_beside_reference(draft: Draft, chance: Random) -> str:
    place = draft.place(chance, lambda each: "$ref" in each.schema)
    kinds = draft.json_types(place.schema)
    if "object" in kinds:
        schema: Schema = {"required": ["extra"]}
    elif "string" in kinds:
        schema = {"minLength": 2}
    else:
        schema = {"type": sorted(kinds)} if kinds else {"not": {"type": "null"}}
    place.schema.update(schema)
    return f"add {schema} beside the $ref at {place}"


def refer_dynamically(draft: Draft, chance: Random) -> str:
    place = draft.place(chance, lambda each: "$ref" in each.schema)
    place.schema["$dynamicRef"] = place.schema.pop("$ref")
    return f"$dynamicRef for $ref at {place}"


def add_part(draft: Draft, chance: Random) -> str:
    place = draft.place(chance, lambda each: "allOf" in each.schema)
    parts: tuple[Any, ...] = (
        {"minLength": 2},
        {"required": ["extra"]},
        {"type": "object", "properties": {"extra": {"type": "integer"}}},
        {"not": {"required": ["extra"]}},
        True,
        {},
        ref(pick(chance, draft.types())),
    )
    part = chance.choice(parts)
    place.schema["allOf"].append(part)
    return f"add the part {part} to allOf at {place}"


def add_arm_to_anything(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.unions())
    arms: tuple[Any, ...] = (
        {"type": "null"},
        {"type": "string"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object"},
        {"not": {"type": "object"}},
        {"const": 1},
        {},
        True,
        False,
    )
    arm = chance.choice(arms)
    place.schema[keyword].insert(chance.randrange(len(place.schema[keyword]) + 1), arm)
    return f"add the arm {arm} to {keyword} at {place}"
