"""Edits to entire definitions and to references to them."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random
from typing import TypeAlias

from tests.tools.evolution.draft import (
    REF,
    Draft,
    Place,
    Schema,
    is_null,
    make_member,
    pick,
    ref,
    ref_name,
    referring,
)

# A reference to a definition: the object or union that contains it, and either the name of the
# field, or the union's keyword and the variant.
Use: TypeAlias = tuple[dict, str | tuple[str, dict]]

_MEMBER_KEYWORDS = ("default", "description", "title")


def add_definition(draft: Draft, chance: Random) -> str:
    name = draft.fresh(chance.choice(("Checkpoint", "Budget", "ReviewState", "Plugin2")))
    member = chance.choice(("a", "b"))
    kind, schema = chance.choice(
        (
            ("record", {"type": "object", "properties": {member: make_member(draft, chance)}}),
            ("string", {"type": "string", "description": "An id."}),
            ("enumeration", {"type": "string", "enum": ["low", "high"]}),
            ("map", {"type": "object", "additionalProperties": {"type": "integer"}}),
            ("list", {"type": "array", "items": {"type": "string"}}),
        )
    )
    place = pick(chance, draft.objects())
    draft.definitions[name] = schema
    place.schema["properties"][name.lower()] = chance.choice((ref(name), {"allOf": [ref(name)]}))
    return f"add the {kind} {name}, and the member {name.lower()} at {place} that refers to it"


def add_unused_definition(draft: Draft, chance: Random) -> str:
    name = draft.fresh("Reserved")
    draft.definitions[name] = {"type": "object", "properties": {"a": make_member(draft, chance)}}
    return f"add the definition {name}, which nothing uses"


def remove_definition(draft: Draft, chance: Random) -> str:
    uses = _uses(draft)
    mentions = Counter(map(ref_name, referring(draft.root)))
    removable = [
        name for name in draft.types() if _is_removable(draft, name, uses[name], mentions[name])
    ]
    name = pick(chance, removable)
    for owner, key in uses[name]:
        if isinstance(key, str):
            del owner["properties"][key]
            owner["required"] = [each for each in owner.get("required", ()) if each != key]
        else:
            keyword, arm = key
            owner[keyword] = [each for each in owner[keyword] if each is not arm]
    del draft.definitions[name]
    return f"remove the definition {name}, and the members and arms that refer to it"


def _is_removable(draft: Draft, name: str, uses: list[Use], mentions: int) -> bool:
    if "x-method" in draft.definitions[name] or name == "RequestId":
        return False
    if len(uses) != mentions:
        return False
    arms = [(id(owner), key[0]) for owner, key in uses if not isinstance(key, str)]
    lists = {(id(o), k[0]): len(o[k[0]]) for o, k in uses if not isinstance(k, str)}
    return all(lists[arm] - arms.count(arm) > 1 for arm in arms)


def _uses(draft: Draft) -> dict[str | None, list[Use]]:
    found: dict[str | None, list[Use]] = defaultdict(list)
    for place in draft.places():
        for member, schema in place.schema.get("properties", {}).items():
            for name in {ref_name(schema), _maybe(schema)}:
                found[name].append((place.schema, member))
        as_member = _maybe(place.schema) if place.is_member else None
        for keyword in ("anyOf", "oneOf"):
            for arm in place.schema.get(keyword, ()):
                parts = arm.get("allOf", ()) if isinstance(arm, dict) else ()
                name = ref_name({"allOf": parts})
                if name != as_member:
                    found[name].append((place.schema, (keyword, arm)))
    return found


def _maybe(schema: dict) -> str | None:
    arms = schema.get("anyOf", ()) if isinstance(schema, dict) else ()
    return ref_name(arms[0]) if len(arms) == 2 and is_null(arms[1]) else None


def rename_definition(draft: Draft, chance: Random) -> str:
    old = pick(chance, draft.types())
    new = draft.fresh(chance.choice((f"{old}Info", f"Acp{old}", old + old[-1])))
    draft.rename(old, new)
    return f"rename the definition {old} to {new}"


def swap_names(draft: Draft, chance: Random) -> str:
    one = pick(chance, draft.types())
    other = pick(chance, [name for name in draft.types() if name != one])
    draft.rename(one, "Swapped_")
    draft.rename(other, one)
    draft.rename("Swapped_", other)
    return f"swap the names of the definitions {one} and {other}"


def reorder_definitions(draft: Draft, chance: Random) -> str:
    entries = list(draft.definitions.items())
    chance.shuffle(entries)
    draft.definitions.clear()
    draft.definitions.update(entries)
    return "put the definitions in another order"


def inline_reference(draft: Draft, chance: Random) -> str:
    place, name = pick(chance, _references(draft))
    target = copy.deepcopy(draft.definitions[name])
    for keyword in ("x-method", "x-side"):
        target.pop(keyword, None)
    kept = {key: each for key, each in place.schema.items() if key not in ("$ref", "allOf")}
    draft.replace(place, {**target, **kept})
    return f"inline the definition {name} at {place}"


def _references(draft: Draft) -> Iterator[tuple[Place, str]]:
    for place in draft.places():
        name = ref_name(place.schema)
        if name in draft.definitions and REF + str(name) not in repr(draft.definitions[str(name)]):
            yield place, str(name)


def extract_definition(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance,
        lambda place: (place.is_member or place.path[-1] == "items")
        and ref_name(place.schema) is None
        and not {"const", "properties"} & place.schema.keys()
        and place.schema.keys() - {"description", "title"},
    )
    word = next(str(part) for part in reversed(place.path) if part != "items")
    name = draft.fresh(place.definition + word.strip("_$").capitalize())
    inner, kept = _split(place.schema)
    draft.definitions[name] = inner
    draft.replace(place, {"allOf": [ref(name)], **kept} if kept else ref(name))
    return f"extract the definition {name} from {place}"


def _split(schema: Schema) -> tuple[Schema, Schema]:
    """Separate the keywords that restrict values from the keywords that describe the field."""
    own = {k for k in schema if k in _MEMBER_KEYWORDS or k.startswith("x-deserialize")}
    kept = {k: v for k, v in schema.items() if k in own}
    return {k: v for k, v in schema.items() if k not in own}, kept


def wrap_in_all_of(draft: Draft, chance: Random) -> str:
    place = draft.place(chance, lambda each: not each.is_root)
    inner, kept = _split(place.schema)
    draft.replace(place, {"allOf": [inner], **kept})
    return f"wrap {place} in allOf"


def wrap_definition_in_all_of(draft: Draft, chance: Random) -> str:
    name = pick(chance, draft.types())
    kept = {k: v for k, v in draft.definitions[name].items() if k[:2] == "x-" or k == "description"}
    inner = {k: v for k, v in draft.definitions[name].items() if k not in kept}
    draft.definitions[name] = {"allOf": [inner], **kept}
    return f"wrap the definition {name} in allOf"


def unwrap_all_of(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance,
        lambda place: len(place.schema.get("allOf", ())) == 1
        and not place.schema.keys() & {"properties", "anyOf", "oneOf", "type"},
    )
    [inner] = place.schema.pop("allOf")
    place.schema.update(inner)
    return f"unwrap allOf at {place}"


def any_of_with_null(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance, lambda place: place.is_member or place.path[-1] in ("items", "additionalProperties")
    )
    inner, kept = _split(place.schema)
    draft.replace(place, {"anyOf": [inner, {"type": "null"}], **kept})
    return f"wrap {place} in anyOf with null"


def make_definition_nullable(draft: Draft, chance: Random) -> str:
    name = pick(chance, (n for n in draft.types() if "x-method" not in draft.definitions[n]))
    schema = draft.definitions[name]
    stated = schema.get("type")
    if isinstance(stated, str) and not schema.keys() & {"anyOf", "oneOf", "allOf"}:
        schema["type"] = [stated, "null"]
    else:
        draft.definitions[name] = {"anyOf": [schema, {"type": "null"}]}
    return f"make the definition {name} nullable"


def any_of_two_definitions(draft: Draft, chance: Random) -> str:
    place, name = pick(chance, ((p, n) for p, n in _references(draft) if p.is_member))
    other = pick(chance, (each for each in draft.types() if each != name))
    keyword = chance.choice(("anyOf", "oneOf"))
    kept = {k: v for k, v in place.schema.items() if k not in ("$ref", "allOf")}
    draft.replace(place, {keyword: [ref(name), ref(other)], **kept})
    return f"allow {other} beside {name} at {place} by {keyword}"


def combine_definitions(draft: Draft, chance: Random) -> str:
    records = [n for n in draft.types() if draft.definitions[n].get("properties")]
    name = pick(chance, (n for n in records if "allOf" not in draft.definitions[n]))
    other = pick(
        chance, (n for n in records if REF + name not in repr(draft.definitions[n]) and n != name)
    )
    draft.definitions[name]["allOf"] = [ref(other)]
    return f"let the definition {name} contain {other} by allOf"


def mark_as_ignored(draft: Draft, chance: Random) -> str:
    objects = [n for n in draft.types() if draft.definitions[n].get("type") == "object"]
    name = pick(chance, (n for n in objects if "x-method" not in draft.definitions[n]))
    draft.definitions[name]["x-docs-ignore"] = True
    return f"mark the definition {name} x-docs-ignore"
