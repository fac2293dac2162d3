"""Tests that the pages of both protocol versions list every difference between the versions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from acpdocs.content import SurfacePages
from acpdocs.facts import version_comparison
from acpdocs.facts.version_comparison import find_successors
from acpgen.diff.changes import Change
from acpgen.diff.compare import compare
from acpgen.ir.surface import Surface

from tests.acpgen.diff.small import STRING, Schema, build, method, read, record, ref, tagged, union


@pytest.mark.parametrize("pair", [("v1", "v2"), ("v1_unstable", "v2_unstable")])
def test_every_difference_of_the_versions_is_on_both_pages(
    pair: tuple[str, str], surfaces: dict[str, Surface], pages: dict[str, SurfacePages]
) -> None:
    old, new = (pages[name] for name in pair)
    changes = compare(*(surfaces[name] for name in pair))
    inside = [c for c in changes if c.subject not in ("definition", "method")]
    inside += [
        c for c in changes if c.action == "renamed" and c.subject in ("definition", "method")
    ]
    for surface in (old, new):
        every: list[Any] = [*surface.types, *(p for s in surface.methods.values() for p in s)]
        rows = [row for page in every if page.counterpart for row in page.counterpart.differences]
        shown = {(row.aspect, row.before, row.after) for row in rows}
        assert {_words(change) for change in inside} <= shown
        assert len(rows) >= len(inside) > 100
    names = {page.name: page for page in old.types}
    counterpart = names["SessionNotification"].counterpart
    assert counterpart is not None
    assert counterpart.link is not None
    assert counterpart.link.target == f"{pair[1]}/types/UpdateSessionNotification.md"


def _words(change: Change) -> tuple[str, str, str]:
    action = "" if change.action == "changed" else f" {change.action}"
    return f"{change.subject}{action}", change.before or "", change.after or ""


def test_parts_are_named_without_the_type(pages: dict[str, SurfacePages]) -> None:
    types = {page.name: page.counterpart for page in pages["v1"].types}

    def differences(name: str) -> set[tuple[str, str]]:
        counterpart = types[name]
        assert counterpart is not None
        return {(each.part, each.aspect) for each in counterpart.differences}

    assert {("", "openness"), ("plan", "variant removed")} <= differences("SessionUpdate")
    assert ("capabilities", "field added") in differences("ToolCallUpdate")


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_parts_of_a_method_begin_with_its_params_or_result(
    version: str, pages: dict[str, SurfacePages]
) -> None:
    methods = {page.title: page for side in pages[version].methods.values() for page in side}

    def differences(title: str) -> list[tuple[str, str]]:
        counterpart = methods[title].counterpart
        assert counterpart is not None
        return [(each.part, each.aspect) for each in counterpart.differences]

    renamed = ("params", "definition renamed")
    assert differences("session/cancel") == [("", "capability added"), renamed]
    assert differences("session/prompt") == [
        ("", "capability added"),
        ("prompt[AudioContent]", "capability"),
        ("prompt[EmbeddedResource]", "capability"),
        ("prompt[ImageContent]", "capability"),
        ("params.prompt", "type"),
        ("result.messageId", "field added"),
        ("result.stopReason", "field removed"),
    ]
    assert differences("$/cancel_request") == [("params.requestId", "nullability")]


def test_links_lead_to_differences_at_any_depth(pages: dict[str, SurfacePages]) -> None:
    path = ("RequestPermissionRequest", "PermissionOption", "PermissionOptionKind")
    types = {page.name: page.counterpart for page in pages["v1"].types}
    for name, inner in pairwise(path):
        counterpart = types[name]
        assert counterpart is not None
        assert inner in [link.text for link in counterpart.inside]
    last = types["PermissionOptionKind"]
    assert last is not None
    assert last.inside == ()


def test_only_types_that_lead_to_a_change_are_affected() -> None:
    chains = {"Outer": "Middle", "Middle": "Inner", "Other": "Unchanged"}
    definitions = read(
        {
            **{name: record("x", x=ref(target)) for name, target in chains.items()},
            "Inner": record("x", x=STRING),
            "Unchanged": record("x", x=STRING),
        }
    ).definitions
    affected = version_comparison._affected(definitions, {"Inner"})
    assert {name: affected[name] for name in chains} == {
        "Outer": ("Middle",),
        "Middle": ("Inner",),
        "Other": (),
    }


def test_a_removed_variant_has_a_successor(pages: dict[str, SurfacePages]) -> None:
    types = {page.name: page.counterpart for page in pages["v1"].types}
    removed = types["ToolCall"]
    assert removed is not None
    assert (removed.link, removed.successor and removed.successor.text) == (None, "ToolCallUpdate")


def test_successor_is_the_new_variant_with_most_of_the_fields() -> None:
    lost = {"a": STRING, "b": STRING, "c": STRING, "d": STRING}
    old = _with_variants(Lost=lost)

    def successors(**variants: dict[str, Schema]) -> dict[str, str]:
        return find_successors(old, _with_variants(**variants), {"Content": "Content"})

    most = dict.fromkeys("abc", STRING)
    half = dict.fromkeys("abxy", STRING)
    assert successors(Other=half, New=most) == {"Lost": "New"}
    assert successors(New=most, Other=half) == {"Lost": "New"}
    assert successors(Other=half) == {}
    assert successors() == {}


def _with_variants(**variants: dict[str, Schema]) -> Surface:
    """Return a surface with a union of the given records and two variants without fields."""
    arms = [tagged(name.lower(), name) for name in variants]
    records = {name: record(**fields) for name, fields in variants.items()}
    made = union(*arms, tagged("empty"), tagged("none"))
    request = method("some/method", content=ref("Content"))
    return build({**records, "Content": made, "Request": request})
