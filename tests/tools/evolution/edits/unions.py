"""Edits to unions: their variants, their tags, and whether they are open."""

from __future__ import annotations

import copy
from random import Random

from tests.tools.evolution.draft import (
    Draft,
    Place,
    Schema,
    is_null,
    is_rest,
    make_member,
    pick,
    ref,
    tags_of,
)


def _case(tag: str, value: str) -> Schema:
    member = {"type": "string", "const": value}
    return {"type": "object", "properties": {tag: member}, "required": [tag]}


def _rule_out(arms: list[Schema], tag: str, value: str) -> None:
    for arm in arms:
        if is_rest(arm):
            arm["not"]["anyOf"].append(_case(tag, value))


def add_arm(draft: Draft, chance: Random) -> str:
    place, keyword, tag = pick(chance, draft.tagged_unions())
    value = chance.choice(("new_kind", "video", "x-y", "class"))
    arm = _case(tag, value)
    if chance.random() < 0.5:
        arm["allOf"] = [ref(pick(chance, _records_without(draft, tag)))]
    else:
        arm["properties"]["payload"] = make_member(draft, chance)
    arms = place.schema[keyword]
    _rule_out(arms, tag, value)
    arms.insert(chance.randrange(len(arms) + 1), arm)
    return f"add an arm with {tag} = {value!r} to {keyword} at {place}: {arm}"


def _records_without(draft: Draft, tag: str) -> list[str]:
    return [
        name
        for name in draft.types()
        if tag not in draft.definitions[name].get("properties", {tag: 1})
        and "anyOf" not in draft.definitions[name]
        and "oneOf" not in draft.definitions[name]
    ]


def add_arm_without_tag(draft: Draft, chance: Random) -> str:
    place, keyword, tag = pick(chance, draft.tagged_unions())
    name = pick(chance, _records_without(draft, tag))
    place.schema[keyword].append({"title": "plain", "allOf": [ref(name)]})
    return f"add an arm without a tag, {name}, to {keyword} at {place}"


def remove_arm(draft: Draft, chance: Random) -> str:
    place, keyword, tag, arm = _any_arm(draft, chance)
    place.schema[keyword].remove(arm)
    value = tags_of(arm)[tag]
    for rest in filter(is_rest, place.schema[keyword]):
        cases = rest["not"]["anyOf"]
        rest["not"]["anyOf"] = [case for case in cases if tags_of(case).get(tag) != value]
        if not rest["not"]["anyOf"]:
            del rest["not"]
    return f"remove the arm with {tag} = {value!r} from {keyword} at {place}"


def remove_arm_but_rule_it_out(draft: Draft, chance: Random) -> str:
    place, keyword, _, arm = _any_arm(draft, chance, needs_rest=True)
    place.schema[keyword].remove(arm)
    return f"remove the arm with {tags_of(arm)} from {keyword} at {place}; it stays ruled out"


def add_arm_not_ruled_out(draft: Draft, chance: Random) -> str:
    place, keyword, tag, arm = _any_arm(draft, chance, needs_rest=True)
    place.schema[keyword].insert(0, {**copy.deepcopy(arm), **_case(tag, "overlapping")})
    return f"add an arm with {tag} = 'overlapping' to {keyword} at {place}; others also accept it"


def _any_arm(draft: Draft, chance: Random, *, needs_rest: bool = False) -> tuple:
    return pick(
        chance,
        (
            (place, keyword, tag, arm)
            for place, keyword, tag in draft.tagged_unions()
            for arm in place.schema[keyword]
            if tag in tags_of(arm)
            and len(place.schema[keyword]) > 2
            and (not needs_rest or any(map(is_rest, place.schema[keyword])))
        ),
    )


def rename_tag(draft: Draft, chance: Random) -> str:
    place, keyword, tag, arm = _any_arm(draft, chance)
    old = tags_of(arm)[tag]
    new = chance.choice((f"{old}2", f"_{old}", old.upper(), f"{old}-x"))
    for rest in filter(is_rest, place.schema[keyword]):
        for case in rest["not"]["anyOf"]:
            if tags_of(case).get(tag) == old:
                case["properties"][tag]["const"] = new
    arm["properties"][tag]["const"] = new
    return f"rename the tag {old!r} to {new!r} in {keyword} at {place}"


def rename_tag_member(draft: Draft, chance: Random) -> str:
    place, keyword, tag = pick(chance, draft.tagged_unions())
    new = "variant"
    for arm in place.schema[keyword]:
        for case in (arm, *(arm.get("not", {}).get("anyOf", ()))):
            if tag in case.get("properties", {}):
                members = case["properties"].items()
                case["properties"] = {new if n == tag else n: s for n, s in members}
                case["required"] = [new if n == tag else n for n in case.get("required", ())]
    place.schema.get("discriminator", {}).update(propertyName=new)
    return f"rename the tag {tag!r} to {new!r} in all arms of {keyword} at {place}"


def drop_tag(draft: Draft, chance: Random) -> str:
    place, keyword, tag, arm = _any_arm(draft, chance)
    del arm["properties"][tag]
    arm["required"].remove(tag)
    for key in ("properties", "required"):
        if not arm[key]:
            del arm[key]
    return f"drop the tag {tag!r} of an arm of {keyword} at {place}"


def state_tag_as_enum(draft: Draft, chance: Random) -> str:
    place, keyword, tag, arm = _any_arm(draft, chance)
    value = arm["properties"][tag].pop("const")
    arm["properties"][tag]["enum"] = [value, "alias"] if chance.random() < 0.4 else [value]
    return f"state {tag} as enum {arm['properties'][tag]['enum']} in {keyword} at {place}"


def move_tag_into_definition(draft: Draft, chance: Random) -> str:
    place, keyword, arm = pick(
        chance,
        (
            (place, keyword, arm)
            for place, keyword, tag in draft.tagged_unions()
            for arm in place.schema[keyword]
            if tag in tags_of(arm) and not is_rest(arm)
        ),
    )
    name = draft.fresh(f"{place.definition}Tagged")
    draft.definitions[name] = copy.deepcopy(arm)
    arm.clear()
    arm.update(ref(name))
    return f"move an arm of {keyword} at {place} into the definition {name}"


def add_discriminator(draft: Draft, chance: Random) -> str:
    place, keyword, tag = pick(chance, draft.tagged_unions())
    place.schema["discriminator"] = {"propertyName": tag}
    return f"name the discriminator {tag!r} of {keyword} at {place}"


def reorder_arms(draft: Draft, chance: Random) -> str:
    place, keyword = pick(chance, draft.unions())
    chance.shuffle(place.schema[keyword])
    return f"put the arms of {keyword} at {place} in another order"


def _union(draft: Draft, chance: Random, *, is_open: bool) -> tuple[Place, str, str]:
    return pick(
        chance,
        (
            (place, keyword, tag)
            for place, keyword, tag in draft.tagged_unions()
            if any(map(is_rest, place.schema[keyword])) == is_open
        ),
    )


def open_union(draft: Draft, chance: Random) -> str:
    place, keyword, tag = _union(draft, chance, is_open=False)
    arms = place.schema[keyword]
    cases = [_case(tag, value) for arm in arms if (value := tags_of(arm).get(tag)) is not None]
    rest = {
        "title": "other",
        "type": "object",
        "properties": {tag: {"type": "string"}},
        "required": [tag],
        "not": {"anyOf": cases},
        "additionalProperties": True,
    }
    arms.append(rest)
    return f"open {keyword} at {place}: an arm for all other tags"


def close_union(draft: Draft, chance: Random) -> str:
    place, keyword, _ = _union(draft, chance, is_open=True)
    place.schema[keyword] = [arm for arm in place.schema[keyword] if not is_rest(arm)]
    return f"close {keyword} at {place}: no arm for other tags"


def rule_out_more(draft: Draft, chance: Random) -> str:
    place, keyword, tag = _union(draft, chance, is_open=True)
    _rule_out(place.schema[keyword], tag, "retired")
    return f"rule out {tag} = 'retired' in the arm for other tags of {keyword} at {place}"


def swap_keyword(draft: Draft, chance: Random) -> str:
    place, old = pick(chance, draft.unions())
    new = "oneOf" if old == "anyOf" else "anyOf"
    if new in place.schema:
        place.schema[old], place.schema[new] = place.schema[new], place.schema[old]
    else:
        entries = list(place.schema.items())
        place.schema.clear()
        place.schema.update((new if key == old else key, value) for key, value in entries)
    return f"{new} for {old} at {place}"


def swap_keyword_of_nullable(draft: Draft, chance: Random) -> str:
    place = draft.place(
        chance,
        lambda place: len(place.schema.get("anyOf", ())) == 2
        and any(map(is_null, place.schema["anyOf"])),
    )
    place.schema["oneOf"] = place.schema.pop("anyOf")
    return f"oneOf for anyOf at {place}"


def add_second_question(draft: Draft, chance: Random) -> str:
    place, old = pick(
        chance, ((p, k) for p, k in draft.unions() if p.schema.get("properties") or p.is_root)
    )
    new = "oneOf" if old == "anyOf" else "anyOf"
    if new in place.schema or draft.json_types(place.schema) != {"object"}:
        place, old = pick(
            chance, ((p, k) for p, k, _ in draft.tagged_unions() if len(p.schema.keys()) < 6)
        )
        new = "oneOf" if old == "anyOf" else "anyOf"
    members: Schema = {"scopeSession": {"type": "string"}, "scopeRequest": {"type": "integer"}}
    place.schema[new] = [
        {"title": name[5:], "type": "object", "properties": {name: member}, "required": [name]}
        for name, member in members.items()
    ]
    return f"ask a second question by {new} beside {old} at {place}"


def make_record_a_union(draft: Draft, chance: Random) -> str:
    name = pick(
        chance,
        (
            name
            for name in draft.types()
            if draft.definitions[name].get("properties")
            and not draft.definitions[name].keys() & {"anyOf", "oneOf"}
        ),
    )
    keyword = chance.choice(("anyOf", "oneOf"))
    draft.definitions[name][keyword] = [
        {"type": "object", "properties": {each: {"type": "string"}}, "required": [each]}
        for each in ("byName", "byPath")
    ]
    return f"make the record {name} one of two by {keyword}"
