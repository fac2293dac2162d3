"""Law 4: the default mode repairs bad values as the schema says and reports each repair."""

from __future__ import annotations

import pytest
from acp_bindings.runtime import DecodeError, Issue

from tests.package.laws.budget import each_distinct_type, each_type, each_type_drawn
from tests.package.laws.exclusions import V1, law
from tests.package.laws.instances import Choices, generate
from tests.package.laws.library import Outcome, decode, encode, pointer, resolve, same
from tests.package.laws.mutations import Mutation, mutations, systematic
from tests.package.laws.reference import Expected, predict
from tests.package.laws.schemas import SURFACES, TYPES, Surface
from tests.package.laws.walk import VENDOR, cases, facts

# Locations that accept any JSON value, so no value is invalid.
UNBREAKABLE = (
    ("Error/properties/data", tuple(SURFACES)),
    ("ToolCallUpdate/properties/rawInput", tuple(SURFACES)),
    ("ToolCallUpdate/properties/rawOutput", tuple(SURFACES)),
    ("ToolCall/properties/rawInput", V1),
    ("ToolCall/properties/rawOutput", V1),
)


@each_type
def test_valid_instances_are_not_touched(surface: Surface, name: str) -> None:
    for drawn in cases(surface, name):
        outcome = decode(surface, name, drawn.value)
        assert outcome.error is None, f"{drawn}: {outcome.error}"
        assert outcome.issues == []
        assert outcome.value == decode(surface, name, drawn.value, strict=True).value


@each_distinct_type
def test_each_near_miss(surface: Surface, name: str) -> None:
    count = 0
    for mutation in systematic(surface, name, iter(cases(surface, name))):
        _assert_lenient(mutation)
        count += 1
    assert count or not facts(surface, name)[1:]


@each_type_drawn
def test_near_misses_inside(surface: Surface, name: str, choices: Choices, picks: Choices) -> None:
    near_misses = list(mutations(generate(surface, name, choices)))
    for _ in range(min(4, len(near_misses))):
        _assert_lenient(picks.of(near_misses))


def _assert_lenient(mutation: Mutation) -> None:
    surface, name, value = mutation.drawn.surface, mutation.drawn.name, mutation.value
    strict = decode(surface, name, value, strict=True)
    lenient = decode(surface, name, value)
    _assert_the_same_unheard(mutation, lenient)
    if strict.error is None:
        assert lenient.error is None, f"{mutation}: {lenient.error}"
        assert lenient.issues == [], f"{mutation}: {lenient.issues}"
        assert lenient.value == strict.value
        return
    if lenient.error is None:
        _assert_recovery(mutation, lenient)
    else:
        assert lenient.issues == []
    if (expected := predict(mutation)) is not None:
        _assert_expected(mutation, expected, lenient)
        if expected.action == "refused":
            _assert_refused(mutation, expected, strict)


def _assert_the_same_unheard(mutation: Mutation, lenient: Outcome) -> None:
    module = mutation.drawn.surface.module
    form = module.TYPES[mutation.drawn.name]
    if lenient.error is None:
        value = module.decode(form, mutation.value)
        assert value == lenient.value, f"{mutation}: {value!r}"
    else:
        with pytest.raises(DecodeError) as caught:
            module.decode(form, mutation.value)
        assert caught.value.args == lenient.error.args


def _assert_recovery(mutation: Mutation, lenient: Outcome) -> None:
    """Check that each issue shows the value at its path, and that no further repair is needed."""
    surface, name, value = mutation.drawn.surface, mutation.drawn.name, mutation.value
    assert lenient.issues, f"nothing was reported for {mutation}"
    for issue in lenient.issues:
        assert same(resolve(value, issue.pointer), issue.raw), f"{mutation}: {issue}"
        assert issue.action in ("defaulted", "skipped", "unknown_kept")
        assert issue.reason
    assert len({issue.pointer for issue in lenient.issues}) == len(lenient.issues)
    back = encode(surface, name, lenient.value)
    again = decode(surface, name, back)
    assert again.value == lenient.value, f"{mutation} came back as {back!r}"
    # A repair can make an array empty and thus shorter than the schema requires.
    left = [
        _without_place(issue)
        for issue in again.issues
        if (issue.raw, issue.action) != ([], "defaulted")
    ]
    kept = [_without_place(i) for i in lenient.issues if i.action == "unknown_kept"]
    assert left == kept, f"{mutation}: {again.issues}"


def _without_place(issue: Issue) -> tuple[object, ...]:
    # Dropping earlier items changes the index, so the path isn't compared.
    return issue.reason, repr(issue.raw), issue.action


def _assert_expected(mutation: Mutation, expected: Expected, lenient: Outcome) -> None:
    surface, name = mutation.drawn.surface, mutation.drawn.name
    if expected.action == "refused":
        _assert_refused(mutation, expected, lenient)
        return
    assert lenient.error is None, f"{mutation}: {lenient.error}"
    assert len(lenient.issues) == 1, f"{mutation}: {lenient.issues}"
    (issue,) = lenient.issues
    assert (issue.pointer, issue.action) == (pointer(expected.path), expected.action), mutation
    assert same(issue.raw, expected.raw)
    back = encode(surface, name, lenient.value)
    assert same(back, expected.json), f"{mutation} became {back!r}, not {expected.json!r}"


def _assert_refused(mutation: Mutation, expected: Expected, outcome: Outcome) -> None:
    assert outcome.error is not None, f"{mutation}: expected an error"
    found, place = outcome.error.pointer, pointer(expected.path)
    below = mutation.new == {} and found.startswith(f"{place}/")
    assert found == place or below, f"{mutation}: {outcome.error}"


def test_the_model_reaches_every_keyword_site() -> None:
    """For each keyword at each location, the model predicts at least one repair."""
    reached: set[tuple[str, str, str]] = set()
    clear, unclear = 0, 0
    for surface, name in TYPES:
        for mutation in systematic(surface, name, iter(cases(surface, name))):
            if not law(surface).is_valid(name, mutation.value):
                expected = predict(mutation)
                clear += expected is not None
                unclear += expected is None
                if expected is not None and expected.by is not None:
                    reached.add((surface.name, *expected.by))
    sites = {
        (surface.name, fact.pointer, fact.kind)
        for surface, name in TYPES
        for fact in facts(surface, name)
        if fact.kind in VENDOR
    }
    unbreakable = {
        (surface, f"#/$defs/{site}", VENDOR[0]) for site, names in UNBREAKABLE for surface in names
    }
    assert sites - reached == unbreakable
    assert reached <= sites
    # The model predicts the outcome of most near misses. `_assert_recovery` checks the others.
    assert clear > 5 * unclear
