"""Edits to enumerations, whose alternatives are constants."""

from __future__ import annotations

from random import Random

from tests.tools.evolution.draft import Draft, Place, Schema, is_constant, pick


def _closed(draft: Draft) -> list[tuple[Place, str]]:
    return [
        (place, keyword)
        for place, keyword in draft.enumerations()
        if all(map(is_constant, place.schema[keyword]))
    ]


def _open(draft: Draft) -> list[tuple[Place, str]]:
    closed = [place for place, _ in _closed(draft)]
    return [(place, keyword) for place, keyword in draft.enumerations() if place not in closed]


def _constants(arms: list[Schema]) -> list[Schema]:
    return [arm for arm in arms if is_constant(arm)]


def add_value(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.enumerations())
    arms = place.schema[keyword]
    like = _constants(arms)[0]
    value = 77 if isinstance(like["const"], int) else chance.choice(("brand_new", "", "None", "é"))
    arms.insert(chance.randrange(len(arms) + 1), {**like, "const": value})
    return f"add the value {value!r} at {place}"


def remove_value(draft: Draft, chance: Random) -> str:
    place, keyword = pick(
        chance, ((p, k) for p, k in draft.enumerations() if len(_constants(p.schema[k])) > 1)
    )
    arm = chance.choice(_constants(place.schema[keyword]))
    place.schema[keyword].remove(arm)
    return f"remove the value {arm['const']!r} at {place}"


def rename_value(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.enumerations())
    arm = chance.choice(_constants(place.schema[keyword]))
    old = arm["const"]
    arm["const"] = new = old + 1000 if isinstance(old, int) else f"{old}_v2"
    return f"rename the value {old!r} to {new!r} at {place}"


def reorder_values(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.enumerations())
    chance.shuffle(place.schema[keyword])
    return f"put the values at {place} in another order"


def open_enumeration(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, _closed(draft))
    arms = place.schema.pop(keyword)
    other = {"title": "unknown", "type": arms[0].get("type", "string")}
    place.schema["anyOf"] = [*arms, other]
    return f"open the enumeration at {place}"


def close_enumeration(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, _open(draft))
    place.schema[keyword] = _constants(place.schema[keyword])
    return f"close the enumeration at {place}"


def state_as_enum(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, _closed(draft))
    arms = place.schema.pop(keyword)
    place.schema["enum"] = [arm["const"] for arm in arms]
    if "type" in arms[0] and chance.random() < 0.7:
        place.schema["type"] = arms[0]["type"]
    return f"state the values at {place} as enum"


def state_without_type(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, _closed(draft))
    types = {arm.pop("type", None) for arm in place.schema[keyword]}
    if chance.random() < 0.5 and None not in types:
        place.schema["type"] = types.pop()
        return f"state the type of the values at {place} once"
    return f"leave out the types of the values at {place}"


def add_value_of_other_type(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.enumerations())
    value = chance.choice((None, True, 1.5, 7, "seven", [1], {"k": 1}))
    place.schema[keyword].append({"const": value})
    return f"add the value {value!r}, of another type, at {place}"


def repeat_value(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.enumerations())
    arm = chance.choice(_constants(place.schema[keyword]))
    place.schema[keyword].append(dict(arm))
    return f"list the value {arm['const']!r} twice at {place}"


def bound_other_values(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, _open(draft))
    [rest] = [arm for arm in place.schema[keyword] if not is_constant(arm)]
    kinds = draft.json_types(rest)
    texts = ({"pattern": "^_"}, {"minLength": 3}, {"maxLength": 9})
    bound: Schema = chance.choice(texts) if "string" in kinds else {"minimum": -32099}
    rest.update(bound)
    return f"bound other values at {place} by {bound}"
