"""Tests of law 3.

Strict decoding succeeds if and only if the schema and laws 5 and 6 allow the JSON.
"""

from __future__ import annotations

import pytest

from tests.package.laws.budget import each_distinct_type, each_type_drawn
from tests.package.laws.exclusions import AMENDMENTS, Amendment, law
from tests.package.laws.instances import Choices, generate
from tests.package.laws.library import decode, encode, resolve, same
from tests.package.laws.mutations import Mutation, arms, mutations, systematic
from tests.package.laws.schemas import SURFACES, Surface, at, oracle
from tests.package.laws.walk import cases


@each_distinct_type
def test_strict_is_the_schema_at_each_part(surface: Surface, name: str) -> None:
    refused = 0
    for mutation in systematic(surface, name, iter(cases(surface, name))):
        refused += not _assert_strict_is_the_schema(mutation)
    assert bool(refused) == (not _accepts_everything(surface, name))


@each_type_drawn
def test_strict_is_the_law(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    drawn = generate(surface, name, choices)
    error = decode(surface, name, drawn.value, strict=True).error
    assert error is None, f"{drawn}: {error}"
    near_misses = list(mutations(drawn))
    for _ in range(min(3, len(near_misses))):
        _assert_strict_is_the_schema(picks.of(near_misses))


def _assert_strict_is_the_schema(mutation: Mutation) -> bool:
    surface, name, value = mutation.drawn.surface, mutation.drawn.name, mutation.value
    outcome = decode(surface, name, value, strict=True)
    valid = law(surface).is_valid(name, value)
    assert not outcome.issues
    if valid:
        assert outcome.error is None, f"the schema takes {mutation}: {outcome.error}"
        back = encode(surface, name, outcome.value)
        assert same(back, value), f"{mutation} came back as {back!r}"
    else:
        assert outcome.error is not None, f"the schema refuses {mutation}"
        _assert_pointer_names_a_place(value, outcome.error.pointer)
    return valid


def _assert_pointer_names_a_place(value: object, pointer: str) -> None:
    """Check that a pointer refers to a value or to a missing field of an object."""
    try:
        resolve(value, pointer)
    except LookupError:
        assert isinstance(resolve(value, pointer.rpartition("/")[0]), dict), pointer


@pytest.mark.parametrize("entry", AMENDMENTS, ids=lambda entry: entry.pointer.replace("/", "."))
def test_amendments_are_needed(entry: Amendment) -> None:
    assert entry.reason
    assert entry.surfaces
    for surface in (SURFACES[each] for each in entry.surfaces):
        assert isinstance(at(surface.definitions, entry.pointer), dict)
        assert oracle(surface).is_valid(entry.name, entry.witness)
        assert not law(surface).is_valid(entry.name, entry.witness)
        assert decode(surface, entry.name, entry.witness, strict=True).error is not None
        assert decode(surface, entry.name, entry.witness).error is not None


def _accepts_everything(surface: Surface, name: str) -> bool:
    """Return whether a definition or one of its variants accepts everything, even near misses."""
    schema = at(surface.definitions, name)
    silent = {"title", "description", "x-side", "x-method"}
    return any(each.keys() <= silent for each in (schema, *arms(schema)))
