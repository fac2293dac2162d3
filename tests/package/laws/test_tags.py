"""Laws 5 and 6: a known tag selects the variant, and bad data never becomes a grant."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from acp_bindings.runtime import Unknown

from tests.package.laws.budget import each_case, each_case_drawn
from tests.package.laws.exclusions import AUTHORITY, CLOSED_ON_PURPOSE
from tests.package.laws.instances import Choices, Drawn, generate
from tests.package.laws.library import Outcome, decode, encode, pointer, same
from tests.package.laws.mutations import (
    MISSING,
    WRONG,
    Mutation,
    Tag,
    arms,
    get,
    mutations,
    put,
    tag_of,
)
from tests.package.laws.reference import predict
from tests.package.laws.schemas import SURFACES, TYPES, Json, Surface, at
from tests.package.laws.walk import cases, facts

TAGGED = [
    (surface, name, tag)
    for surface, name in TYPES
    if (tag := tag_of(at(surface.definitions, name))) is not None
]
AUTHORITIES = [(surface, name) for surface, name in TYPES if name in AUTHORITY]
RICH = bytes(range(3, 256, 7)) * 4

each_union = each_case(TAGGED)


def test_unions_are_there() -> None:
    below = [
        fact.pointer
        for surface, name in TYPES
        for fact in facts(surface, name)
        if fact.kind not in ("required", "type")
        and fact.pointer.count("/") > 2
        and tag_of(at(surface.definitions, fact.pointer)) is not None
    ]
    assert below == []
    known = sum(len(tag.known) for _, _, tag in TAGGED)
    consts = sum(
        "const" in member
        for surface, name in TYPES
        for arm in arms(at(surface.definitions, name))
        for member in arm.get("properties", {}).values()
    )
    assert known == consts > 100
    assert {name for _, name in AUTHORITIES} == set(AUTHORITY)


# --- law 5: a known tag with a bad payload fails ---------------------------------------------


@each_union
def test_known_tag_decides(surface: Surface, name: str, tag: Tag) -> None:
    """Unless a mutation changes the tag, decoding returns the tag's variant or fails."""
    refused = 0
    for known in tag.known:
        for drawn in _drawn_by_tag(surface, name, tag, known):
            intact = decode(surface, name, drawn.value, strict=True).value.__class__
            for mutation in mutations(drawn):
                if mutation.path[:1] == (tag.name,):
                    continue
                for strict in (True, False):
                    outcome = decode(surface, name, mutation.value, strict)
                    _assert_variant(mutation, outcome, intact)
                    refused += outcome.error is not None
    assert refused


def _assert_variant(mutation: Mutation, outcome: Outcome, intact: type) -> None:
    if outcome.error is not None:
        expected = predict(mutation)
        if expected is not None:
            assert outcome.error.pointer.startswith(pointer(mutation.path)), mutation
    elif mutation.path and outcome.value.__class__ is not intact:
        # The mutation can change the variant of a nested union, by its own tag or by its fields.
        assert mutation.label in INNER, f"{mutation}: {outcome.value!r}"
        assert len(mutation.path) == 1


# The labels of mutations that can change the variant of a nested union.
INNER = (
    *("unknown tag", "another known tag", "tag missing", "tag not a string"),
    "member of another arm",
)


def _drawn_by_tag(surface: Surface, name: str, tag: Tag, known: str) -> Iterator[Drawn]:
    schema = at(surface.definitions, name)
    keyword = "anyOf" if "anyOf" in schema else "oneOf"
    pins = {f"#/$defs/{name}/{keyword}": tag.known.index(known)}
    assert arms(schema)[tag.known.index(known)]["properties"][tag.name]["const"] == known
    for choices in (Choices(), Choices(RICH)):
        yield generate(surface, name, choices, pins)


@each_union
def test_another_tag_never_leads_to_the_same_variant(surface: Surface, name: str, tag: Tag) -> None:
    """Another known tag selects its own variant. An unknown tag is kept unchanged or rejected."""
    drawn = [
        (known, each) for known in tag.known for each in _drawn_by_tag(surface, name, tag, known)
    ]
    classes = {known: decode(surface, name, each.value).value.__class__ for known, each in drawn}
    for known, each in drawn:
        intact = decode(surface, name, each.value).value.__class__
        for new in (*tag.known, MISSING, None, 5, True, ["text"], {}, [known], "_extension"):
            value = put(each.value, (tag.name,), new)
            outcome = decode(surface, name, value)
            if isinstance(new, str) and new in tag.known:
                if outcome.error is None and not _is_union_inside(surface, name, new):
                    assert outcome.value.__class__ is classes[new], (each, new, outcome)
            elif new == "_extension":
                _assert_kept_or_refused(surface, name, tag, value)
            elif not tag.has_default:
                assert outcome.error is not None, (each, new, outcome)
                assert outcome.error.pointer == pointer((tag.name,))
            # In a record (not a union), tags don't need separate classes.
            elif outcome.error is None and intact.__name__ != name:
                assert outcome.value.__class__ is not intact, (each, new, outcome)


def _is_union_inside(surface: Surface, name: str, known: str) -> bool:
    """Return whether the variant of a tag is itself a union with several classes."""
    definitions = surface.definitions
    [arm] = [
        arm
        for arm in arms(at(definitions, name))
        if any(member.get("const") == known for member in arm.get("properties", {}).values())
    ]
    return any(arms(at(definitions, part["$ref"])) for part in arm.get("allOf", ()))


def _assert_kept_or_refused(surface: Surface, name: str, tag: Tag, value: Json) -> None:
    outcome = decode(surface, name, value)
    if isinstance(outcome.value, Unknown):
        assert outcome.value.tag == "_extension"
        assert outcome.value.is_extension
        assert same(outcome.value.raw, value)
        assert same(encode(surface, name, outcome.value), value)
    if tag.has_default:
        assert not isinstance(outcome.value, Unknown) or tag.is_open
    elif name in CLOSED_ON_PURPOSE and not tag.is_open:
        assert outcome.error is not None
        assert outcome.error.pointer == pointer((tag.name,))
    elif outcome.error is None:
        assert isinstance(outcome.value, Unknown)
        assert len(outcome.issues) == (not tag.is_open)


# --- law 6: authority stays closed -----------------------------------------------------------


@each_case_drawn(AUTHORITIES)
def test_no_undue_grant(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    near_misses = list(mutations(generate(surface, name, choices)))
    for _ in range(min(12, len(near_misses))):
        _assert_grant_is_meant(surface, name, picks.of(near_misses).value)


@each_case(AUTHORITIES)
def test_no_grant_from_any_near_miss(surface: Surface, name: str) -> None:
    for drawn in cases(surface, name):
        for mutation in mutations(drawn):
            _assert_grant_is_meant(surface, name, mutation.value)


def _assert_grant_is_meant(surface: Surface, name: str, value: Json) -> None:
    outcome = decode(surface, name, value)
    if not _grants(outcome.value):
        return
    grant = outcome.value.__class__.__name__
    schema = at(surface.definitions, name)
    tag = tag_of(schema)
    assert tag is not None
    meant = [arm for arm in arms(schema) if _arm_tag(arm, tag.name) == value.get(tag.name)]
    if not meant:
        # Values without a known tag match the schema's untagged variant.
        assert tag.has_default, f"{value!r} became {grant}"
        meant = [arm for arm in arms(schema) if _arm_tag(arm, tag.name) is None]
    back = encode(surface, name, outcome.value)
    (arm,) = meant
    required = {*arm.get("required", ()), *schema.get("required", ())}
    for part in arm.get("allOf", ()):
        required |= set(at(surface.definitions, part["$ref"]).get("required", ()))
    assert required
    emptied = {
        member
        for member in required
        if value[member] is None
        and "x-deserialize-default-on-null" in _member(surface, arm, member)
    }
    repaired = {issue.pointer for issue in outcome.issues}
    for member in required - emptied:
        at_member = pointer((member,))
        assert at_member not in repaired, f"{value!r} became {grant} by {outcome.issues}"
        # Nested fields can be repaired according to their own rules.
        if not any(place.startswith(f"{at_member}/") for place in repaired):
            assert same(back[member], value[member]), f"{value!r} became {grant} with {back!r}"


def _arm_tag(arm: dict[str, Any], name: str) -> object:
    return arm.get("properties", {}).get(name, {}).get("const")


def _member(surface: Surface, arm: dict[str, Any], name: str) -> dict[str, Any]:
    for part in (arm, *(at(surface.definitions, p["$ref"]) for p in arm.get("allOf", ()))):
        found: dict[str, Any] = part.get("properties", {}).get(name, {})
        if found:
            return found
    return {}


def _grants(value: Any) -> list[Any]:
    names = {each for _, classes in AUTHORITY.values() for each in classes}
    found = [value] if value.__class__.__name__ in names else []
    if dataclasses.is_dataclass(value) and not isinstance(value, Unknown):
        for field in dataclasses.fields(value):
            if field.name not in ("unknown_fields", "meta"):
                found += _grants(getattr(value, field.name))
    elif isinstance(value, list):
        for item in value:
            found += _grants(item)
    return found


def test_no_grant_appears_anywhere() -> None:
    """Replacing a grant with invalid data removes the grant from the decoded value."""
    owners: set[tuple[str, str, str]] = set()
    pointers = {f"#/$defs/{name}": name for name in AUTHORITY}
    for surface, name in TYPES:
        for drawn in cases(surface, name):
            before = len(_grants(decode(surface, name, drawn.value).value))
            for path, node in drawn.nodes.items():
                kinds = [pointers[p] for p in node.fragments if p in pointers]
                if not kinds:
                    continue
                owners.update((surface.name, kind, name) for kind in kinds if kind != name)
                own = _grants(decode(surface, kinds[0], get(drawn.value, path)).value)
                for bad in (*(new for _, _, new in WRONG), {"type": "_x"}, {"outcome": "selected"}):
                    after = decode(surface, name, put(drawn.value, path, bad)).value
                    assert len(_grants(after)) <= before - len(own), (drawn, path, bad)
    reached = {(surface, kind) for surface, kind, _ in owners}
    inside = {(s.name, n) for s, n in AUTHORITIES if n != "CreateElicitationResponse"}
    assert reached == inside


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("name", CLOSED_ON_PURPOSE)
@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_closed_on_purpose(surface: Surface, name: str, strict: bool) -> None:
    """Both modes reject unlisted values, unless the schema has a variant for them."""
    schema = at(surface.definitions, name)
    tag = tag_of(schema)
    if tag is not None:
        outcome = decode(surface, name, {tag.name: "_extension"}, strict)
        assert isinstance(outcome.value, Unknown) == tag.is_open
    else:
        outcome = decode(surface, name, "_extension", strict)
        is_open = not all("const" in arm for arm in arms(schema))
        assert (outcome.value == "_extension") == is_open
    assert (outcome.error is None) == (outcome.value is not None)
