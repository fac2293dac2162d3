"""Tests of the evolution tool: its edits, its laws, and deliberate mistakes that it must find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from acpgen.analysis.surface import Built

from tests.acpgen.analysis.shapes import MORE, READ, UNREAD
from tests.acpgen.diff.small import method
from tests.package.laws.schemas import CompiledOracle, Oracle
from tests.support.paths import SURFACES
from tests.tools.evolution import attempt, differences
from tests.tools.evolution.draft import Draft, NothingToEdit, Schema
from tests.tools.evolution.evolve import EDITS, Evolution, Step, assert_valid, vendored
from tests.tools.evolution.laws import Report, Values, check_definition
from tests.tools.evolution.oracle import Drawer, has_patterns, judge, stated
from tests.tools.evolution.packages import build_surface, imported, reduced
from tests.tools.evolution.pruning import prune

# --- small shapes

# Schemas of all shapes, each with values to try in addition to random values.
SHAPES: dict[str, tuple[Schema, list[Any]]] = {
    **{f"read: {name}": shape for name, shape in READ.items()},
    **{f"unread: {name}": (schema, []) for name, (schema, _, _) in UNREAD.items()},
}


@pytest.mark.parametrize("name", SHAPES)
def test_laws_hold_for_each_shape(name: str) -> None:
    schema, given = SHAPES[name]
    definitions = {"Request": method("some/method"), **MORE, "X": schema}
    report = Report(Evolution(0, "v2", (), {"$defs": definitions}))
    built = build_surface(report.evolution.root, "v2")
    report.unchecked = built.surface.unchecked
    assert bool(report.unchecked) == name.startswith("unread")
    says = attempt.says_of(report)
    assert says is not None, report.failures
    drawer = Drawer(definitions)
    values = Values(given, drawer.values("X", Random(name), changed=True))
    label = f"shape_{list(SHAPES).index(name)}"
    with imported(reduced(built.surface, {"X"}), label, formatted=False) as module:
        check_definition(report, says, module, "X", values)
    assert not report.failures
    assert report.tried.total() > 0
    if name.startswith("read"):
        assert report.tried["valid"] > 0
        assert report.tried["invalid"] > 0


# --- the harness


def edited(kind: str, seed: int = 0) -> Evolution:
    for surface in SURFACES:
        draft = Draft(vendored(surface))
        try:
            words = EDITS[kind](draft, Random(seed))
        except NothingToEdit:
            continue
        return Evolution(seed, surface, (Step(kind, words),), draft.root)
    raise AssertionError(f"{kind} has no place in any schema")


@pytest.mark.parametrize("kind", EDITS)
def test_each_edit_has_a_place_and_makes_a_valid_schema(kind: str) -> None:
    evolutions = (edited(kind, seed) for seed in range(4))
    changed = next(each for each in evolutions if repr(each.root) != repr(each.old))
    [step] = changed.steps
    assert step.words
    assert_valid(changed.old, changed.root, step.words)


@pytest.mark.parametrize(
    ("pointers", "left"),
    [
        ([], None),
        (["/$defs/A/properties/x/items/not"], {"items": {"maxLength": 1}}),
        (["/$defs/A/properties/x/items"], {}),
        (["/$defs/A/properties/x/items/maxLength", "/$defs/A/properties/x/items"], {}),
        (["/$defs/A/properties/x"], True),
    ],
)
def test_pruning(pointers: list[str], left: Any) -> None:
    member: Schema = {"items": {"maxLength": 1, "not": {"const": ""}}}
    root = {"$defs": {"A": {"properties": {"x": member}}, "B": {"anyOf": [member]}}}
    expected = member if left is None else left
    assert prune(root, pointers)["$defs"]["A"] == {"properties": {"x": expected}}
    assert prune(root, ["/$defs/B/anyOf/0", "/$defs/A"])["$defs"] == {
        "A": True,
        "B": {"anyOf": [True]},
    }


@pytest.mark.parametrize("pointer", ["/$defs/C", "/$defs/A/required/0", "/$defs/A/enum/0", "x"])
def test_what_cannot_be_pruned(pointer: str) -> None:
    root = {"$defs": {"A": {"required": ["x"], "enum": [1]}}}
    with pytest.raises(LookupError):
        prune(root, [pointer])


def test_the_oracles_agree_about_what_edits_assert() -> None:
    """One schema contains all assertions except patterns, which only one oracle supports."""
    definitions = stated(asserted("v2")["$defs"])
    quick, other = judge(definitions), Oracle(definitions)
    assert isinstance(quick, CompiledOracle)
    drawer = Drawer(definitions)
    before = stated(vendored("v2")["$defs"])
    verdicts: Counter[bool] = Counter()
    for name in definitions:
        if definitions[name] != before.get(name):
            for value in drawer.values(name, Random(name), changed=True):
                verdict = other.is_valid(name, value)
                assert quick.is_valid(name, value) == verdict, (name, value)
                verdicts[verdict] += 1
    assert min(verdicts[True], verdicts[False]) > 100


def asserted(surface: str) -> Schema:
    """Return a schema after one edit of each kind that adds assertions. Patterns are left out."""
    draft = Draft(vendored(surface))
    for kind in EDITS:
        if kind.startswith("assert "):
            edited = Draft(draft.root)
            with suppress(NothingToEdit):
                EDITS[kind](edited, Random(kind))
            draft = draft if has_patterns(edited.root) else edited
    return draft.root


def test_patterns_are_taken_as_python_does() -> None:
    for schema in ({"pattern": "^a$"}, {"patternProperties": {"^a$": {"type": "null"}}}):
        definitions: dict[str, Schema] = {"A": {"anyOf": [{"type": "null"}, schema]}}
        assert isinstance(judge(definitions), Oracle)
    named: Schema = {"properties": {"pattern": {"type": "string"}}}
    assert isinstance(judge({"A": named}), CompiledOracle)


def test_a_part_that_is_not_listed_as_unchecked_is_a_silent_widening(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build = attempt.build_surface

    def silent(root: Schema, surface: str) -> Built:
        built = build(root, surface)
        return replace(built, surface=replace(built.surface, unread={}))

    monkeypatch.setattr(attempt, "build_surface", silent)
    failures = attempt.attempt(edited("assert maxLength")).failures
    assert any(each.startswith("widening: ") for each in failures)


def _with(**values: bool) -> Callable[..., list[Any]]:
    compare = differences.compare
    return lambda old, new: [replace(each, **values) for each in compare(old, new)]


@pytest.mark.parametrize(
    ("kind", "compare", "law"),
    [
        ("add required member", lambda old, new: [], "unreported: "),
        ("add required member", _with(reads=True), "diff reads: "),
        ("remove member", _with(writes=True), "diff writes: "),
    ],
)
def test_a_wrong_report_of_differences_is_noticed(
    kind: str, compare: Any, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(differences, "compare", compare)
    failures = attempt.attempt(edited(kind)).failures
    assert any(each.startswith(law) for each in failures)
