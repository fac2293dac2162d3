"""Entries of the overlay for what is in a stable and an unstable surface."""

from __future__ import annotations

from dataclasses import replace

from acpgen.analysis.overlay_checks import find_unmatched
from acpgen.analysis.updates import MISSING_RULE, without_repeated
from acpgen.common import paths
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.reading import load_overlay

OVERLAY = load_overlay(paths.SCHEMA / "overlay")


def missing(at: str) -> Problem:
    return Problem("updates.toml", at, MISSING_RULE, "")


def test_a_rule_is_asked_for_once_if_the_stable_surface_needs_it() -> None:
    asked = ["/v1_unstable/b", "/v2/a", "/v2_unstable/a", "/v2_unstable/b"]
    other = Problem("x", "/v2_unstable/a", "other", "")
    found = without_repeated([*map(missing, asked), other])
    assert [each.pointer for each in found if each.code == MISSING_RULE] == [
        "/v1_unstable/b",
        "/v2/a",
        "/v2_unstable/b",
    ]
    assert other in found


def test_entries_that_a_promotion_made_superfluous_are_reported() -> None:
    (tag, rule), *_ = OVERLAY.updates["v2"].items()
    (_, side, wire), entries = next(
        (key, each) for key, each in OVERLAY.capabilities.items() if key[0] == "v2"
    )
    moved = tuple(replace(e, path=("v2_unstable", *e.path[1:])) for e in entries)
    unstable = {**OVERLAY.updates.get("v2_unstable", {}), tag: rule}
    overlay = replace(
        OVERLAY,
        updates={**OVERLAY.updates, "v2_unstable": unstable},
        capabilities={**OVERLAY.capabilities, ("v2_unstable", side, wire): moved},
    )
    found = {
        problem.pointer: problem.message
        for problem in find_unmatched(overlay, [], set())
        if "repeats" in problem.message
    }
    assert len(found) == 1 + len(moved)
    assert f"/v2_unstable/{tag}" in found
    assert not [p for p in find_unmatched(OVERLAY, [], set()) if "repeats" in p.message]
