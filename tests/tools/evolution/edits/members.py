"""Edits to objects' fields and to the values that the fields allow."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.tools.evolution.draft import (
    Draft,
    Schema,
    is_constant,
    is_null,
    make_member,
    pick,
    ref_name,
)

NAMES = ("priority", "newField", "x", "displayName", "class", "type", "raw-value", "größe", "_hint")
REPAIRS = ("x-deserialize-default-on-error", "x-deserialize-default-on-null")


def _new_name(chance: Random, schema: Schema) -> str:
    return pick(chance, (name for name in NAMES if name not in schema["properties"]))


def add_member(draft: Draft, chance: Random) -> str:
    place = pick(chance, draft.objects())
    name = _new_name(chance, place.schema)
    place.schema["properties"][name] = made = make_member(draft, chance)
    return f"add the optional member {name!r} {made} at {place}"


def add_required_member(draft: Draft, chance: Random) -> str:
    place = pick(chance, draft.objects())
    name = _new_name(chance, place.schema)
    place.schema["properties"][name] = made = make_member(draft, chance)
    place.schema["required"] = [*place.schema.get("required", ()), name]
    return f"add the required member {name!r} {made} at {place}"


def remove_member(draft: Draft, chance: Random) -> str:
    place, name = pick(chance, draft.members())
    del place.schema["properties"][name]
    _set_required(place.schema, name, False)
    return f"remove the member {name!r} at {place}"


def rename_member(draft: Draft, chance: Random) -> str:
    place, old = pick(chance, draft.members())
    new = pick(chance, (n for n in (f"{old}Name", *NAMES) if n not in place.schema["properties"]))
    members = place.schema["properties"]
    place.schema["properties"] = {new if n == old else n: s for n, s in members.items()}
    if old in place.schema.get("required", ()):
        place.schema["required"] = [new if n == old else n for n in place.schema["required"]]
    return f"rename the member {old!r} to {new!r} at {place}"


def reorder_members(draft: Draft, chance: Random) -> str:
    place = pick(chance, (each for each in draft.objects() if len(each.schema["properties"]) > 1))
    entries = list(place.schema["properties"].items())
    chance.shuffle(entries)
    place.schema["properties"] = dict(entries)
    return f"put the members at {place} in another order"


def move_member_to_part(draft: Draft, chance: Random) -> str:
    place, name = pick(chance, ((p, n) for p, n in draft.members() if "anyOf" not in p.schema))
    part: Schema = {"type": "object", "properties": {name: place.schema["properties"].pop(name)}}
    if name in place.schema.get("required", ()):
        _set_required(place.schema, name, False)
        part["required"] = [name]
    place.schema.setdefault("allOf", []).append(part)
    return f"move the member {name!r} at {place} into a part of allOf"


def make_required(draft: Draft, chance: Random) -> str:
    place, name = pick(
        chance, ((p, n) for p, n in draft.members() if n not in p.schema.get("required", ()))
    )
    _set_required(place.schema, name, True)
    return f"make the member {name!r} required at {place}"


def make_optional(draft: Draft, chance: Random) -> str:
    place, name = pick(
        chance, ((p, n) for p, n in draft.members() if n in p.schema.get("required", ()))
    )
    _set_required(place.schema, name, False)
    return f"make the member {name!r} optional at {place}"


def _set_required(schema: Schema, name: str, is_required: bool) -> None:
    names = [each for each in schema.get("required", ()) if each != name]
    schema["required"] = [*names, name] if is_required else names
    if not schema["required"]:
        del schema["required"]


def make_nullable(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance,
        lambda place: isinstance(place.schema.get("type"), str)
        and place.schema["type"] not in ("null", "object")
        and not is_constant(place.schema),
    )
    place.schema["type"] = [place.schema["type"], "null"]
    return f"make {place} nullable"


def make_not_nullable(draft: Draft, chance: Random) -> str:
    places = [each for each in draft.places() if "null" in each.schema.get("type", ())]
    places = [each for each in places if each.schema["type"] != "null"]
    place = pick(chance, places)
    kinds = [kind for kind in place.schema["type"] if kind != "null"]
    place.schema["type"] = kinds if len(kinds) != 1 else kinds[0]
    if place.schema.get("default", 0) is None:
        del place.schema["default"]
    return f"make {place} not nullable"


def make_reference_not_nullable(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance,
        lambda place: len(place.schema.get("anyOf", ())) == 2 and is_null(place.schema["anyOf"][1]),
    )
    inner, _ = place.schema.pop("anyOf")
    place.schema["allOf"] = [inner]
    if place.schema.get("default", 0) is None:
        del place.schema["default"]
    return f"make {place} not nullable"


def change_type(draft: Draft, chance: Random) -> str:
    kinds: tuple[Any, ...] = ("string", "integer", "number", "boolean", ["string", "integer"])
    place = draft.place(
        chance,
        lambda place: place.schema.get("type") in ("string", "integer", "number", "boolean")
        and not place.schema.keys() & {"const", "enum", "default"},
    )
    old = place.schema["type"]
    place.schema["type"] = new = pick(chance, (kind for kind in kinds if kind != old))
    for keyword in ("format", "minimum", "maximum", "minLength", "pattern"):
        place.schema.pop(keyword, None)
    return f"change the type at {place} from {old} to {new}"


def become_list(draft: Draft, chance: Random) -> str:
    place, name = pick(chance, draft.members())
    inner = place.schema["properties"][name]
    kept = {k: inner.pop(k) for k in list(inner) if k in ("default", *REPAIRS)}
    kept.pop("default", None)
    place.schema["properties"][name] = {"type": "array", "items": inner, **kept}
    return f"make the member {name!r} at {place} a list"


def become_anything(draft: Draft, chance: Random) -> str:
    place, name = pick(chance, draft.members())
    place.schema["properties"][name] = {"description": "Anything."}
    return f"let the member {name!r} at {place} be anything"


def set_default(draft: Draft, chance: Random) -> str:
    values = {"string": "text", "boolean": True, "integer": 1, "number": 0.5, "array": []}
    place = draft.place(
        chance,
        lambda place: place.is_member
        and isinstance(place.schema.get("type"), str)
        and place.schema["type"] in values
        and not place.schema.keys() & {"default", "const", "enum", "pattern", "minItems"},
    )
    place.schema["default"] = values[place.schema["type"]]
    return f"set the default {place.schema['default']!r} at {place}"


def remove_default(draft: Draft, chance: Random) -> str:
    place = draft.place(chance, lambda each: "default" in each.schema)
    del place.schema["default"]
    return f"remove the default at {place}"


def add_repair(draft: Draft, chance: Random) -> str:
    keyword = chance.choice((*REPAIRS, "x-deserialize-skip-invalid-items"))
    place, name = pick(chance, draft.members())
    schema = place.schema["properties"][name]
    is_list = "array" in draft.json_types(schema) and ref_name(schema) is None
    if keyword == "x-deserialize-skip-invalid-items" and not is_list:
        keyword = REPAIRS[0]
    schema[keyword] = True
    return f"set {keyword} on the member {name!r} at {place}"


def remove_repair(draft: Draft, chance: Random) -> str:
    place, keyword = pick(
        chance, ((p, k) for p in draft.places() for k in p.schema if k.startswith("x-deserialize"))
    )
    del place.schema[keyword]
    return f"remove {keyword} at {place}"


def remove_bounds(draft: Draft, chance: Random) -> str:
    bounds = {"minimum", "maximum", "minLength", "minItems", "pattern", "format"}
    place = draft.place(chance, lambda each: bounds & each.schema.keys())
    gone = sorted(bounds & place.schema.keys())
    for keyword in gone:
        del place.schema[keyword]
    return f"remove {', '.join(gone)} at {place}"
