"""Tests that the generated cases cover all definitions and facts in the schemas."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.package.laws.exclusions import CLOSED_ON_PURPOSE
from tests.package.laws.instances import Drawn
from tests.package.laws.mutations import get, systematic
from tests.package.laws.schemas import SURFACES, TYPES, Oracle, Surface, oracle, with_ranges
from tests.package.laws.walk import Fact, cases, facts
from tests.support.paths import SCHEMA

each_surface = pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)


def test_the_types_are_all_definitions_that_are_no_envelopes() -> None:
    """The definitions are counted in the schema files themselves, so that no file is left out."""
    counts = []
    for path in SCHEMA.glob("v*/*.json"):
        definitions = json.loads(path.read_text(encoding="utf-8"))["$defs"].values()
        counts.append(sum(1 for each in definitions if not each.get("x-docs-ignore")))
    assert sorted(counts) == sorted(len(surface.names) for surface in SURFACES.values())
    assert all(counts)
    assert len(TYPES) == sum(counts) > 0


@each_surface
def test_every_definition_is_a_type(surface: Surface) -> None:
    assert set(surface.module.TYPES) == set(surface.names)


@each_surface
def test_cases_reach_every_fact(surface: Surface) -> None:
    for name in surface.names:
        drawn = cases(surface, name)
        for fact in facts(surface, name):
            assert any(_reaches(each, fact) for each in drawn), fact


def _reaches(drawn: Drawn, fact: Fact) -> bool:
    for path, node in drawn.nodes.items():
        if fact.kind in ("arm", "enum value"):
            if fact.pointer in node.arms:
                return True
        elif fact.kind == "required":
            owner, _, member = fact.pointer.rpartition("/required/")
            if owner in node.fragments and (*path, member) in drawn.nodes:
                return True
        elif fact.kind == "type":
            owner, _, kind = fact.pointer.rpartition("/type/")
            if owner in node.fragments and kind in _types(get(drawn.value, path)):
                return True
        elif fact.kind == "absent":
            owner, _, member = fact.pointer.rpartition("/properties/")
            if owner in node.fragments and (*path, member) not in drawn.nodes:
                return True
            # The field can't be absent if another schema of the same object requires it.
            if owner in node.fragments and member in node.required:
                return True
        elif fact.pointer in node.fragments:
            return True
    return False


def _types(value: object) -> tuple[str, ...]:
    return {
        type(None): ("null",),
        bool: ("boolean",),
        int: ("integer", "number"),
        float: ("number",),
        str: ("string",),
        list: ("array",),
        dict: ("object",),
    }[type(value)]


def test_closed_on_purpose_is_what_the_policy_closes() -> None:
    policy = (SCHEMA / "overlay" / "policy.toml").read_text(encoding="utf-8")
    closed = {
        line.removeprefix("[closed.").removesuffix("]").strip('"')
        for line in policy.splitlines()
        if line.startswith("[closed.")
    }
    assert closed == set(CLOSED_ON_PURPOSE)


@each_surface
def test_the_oracles_are_jsonschema(surface: Surface) -> None:
    ranged = with_ranges(surface.definitions)
    other = Oracle(surface.definitions)
    verdicts = {True: 0, False: 0}
    for name in surface.names[::5]:
        stock = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": ranged})
        for mutation in list(systematic(surface, name, iter(cases(surface, name))))[::2]:
            value = mutation.value
            verdict = stock.is_valid(value)
            assert oracle(surface).is_valid(name, value) == verdict, mutation
            assert other.is_valid(name, value) == verdict, mutation
            verdicts[verdict] += 1
    assert min(verdicts.values()) > 20
