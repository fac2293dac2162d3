"""Tests of the optional manual decisions that acpgen suggests after an upgrade."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acpgen.analysis.surface import understand
from acpgen.commands.undecided import find_undecided
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import SIDES
from acpgen.ir.model import Record
from acpgen.ir.surface import Surface

REQUIREMENTS = load_overlay(paths.SCHEMA / "overlay").requirements


@pytest.fixture(scope="module")
def present() -> dict[str, Surface]:
    """The vendored surfaces of protocol 1, by name."""
    return {surface.name: surface for surface in understand(None, ["v1", "v1_unstable"])[0]}


def without(surfaces: dict[str, Surface], *names: str) -> dict[str, Surface]:
    return {
        key: replace(
            surface,
            definitions={n: each for n, each in surface.definitions.items() if n not in names},
            methods=tuple(method for method in surface.methods if method.wire not in names),
        )
        for key, surface in surfaces.items()
    }


def asked(old: dict[str, Surface], new: dict[str, Surface]) -> list[str]:
    problems = find_undecided(old, new, REQUIREMENTS)
    assert {each.code for each in problems} <= {"decide"}
    return [f"{each.file}#{each.pointer}" for each in problems]


def test_nothing_is_asked_about_what_is_not_new(present: dict[str, Surface]) -> None:
    assert asked(present, present) == []


def test_nothing_is_asked_that_the_overlay_answers(present: dict[str, Surface]) -> None:
    """The overlay assigns the method to a page and closes the enumeration."""
    assert asked(without(present, "terminal/create", "PermissionOptionKind"), present) == []


def test_both_stabilities_are_asked_about_once(present: dict[str, Surface]) -> None:
    assert asked(without(present, "session/resume"), present) == [
        "schema/overlay/pages.toml#/v1/session~1resume"
    ]


def test_a_method_that_no_requirement_names_is_asked_about(present: dict[str, Surface]) -> None:
    demands = tuple(each for each in REQUIREMENTS.demands if "terminal/kill" not in each.methods)
    less = replace(REQUIREMENTS, demands=demands)
    problems = find_undecided(without(present, "terminal/kill"), present, less)
    assert [f"{problem.file}#{problem.pointer}" for problem in problems] == [
        f"schema/overlay/requirements.toml#/untested/{side}/v1/terminal~1kill" for side in SIDES
    ]


def test_a_method_of_the_unstable_surface_is_asked_about_there(present: dict[str, Surface]) -> None:
    assert asked(without(present, "auth/status_update"), present) == [
        "schema/overlay/pages.toml#/v1/auth~1status_update",
    ]


def test_new_members_of_responses_about_sessions_are_asked_about() -> None:
    present = {each.name: each for each in understand(None, ["v1_unstable"])[0]}
    forgotten = {name: replace(each, implied_updates=()) for name, each in present.items()}
    about = "schema/overlay/updates.toml#/implied_updates/v1_unstable/session~1set_title"
    old = without(present, "SetSessionTitleResponse")
    assert about in asked(without(present, "session/set_title"), forgotten)
    assert about not in asked(without(present, "session/set_title"), present)
    assert about in asked(old, forgotten)
    assert about not in asked(present, forgotten)


def test_closed_unions_and_enumerations_are_asked_about(present: dict[str, Surface]) -> None:
    old = without(present, "StopReason", "ContentBlock", "Usage")
    assert asked(old, present) == [
        "schema/overlay/policy.toml#/closed/ContentBlock",
        "schema/overlay/policy.toml#/closed/StopReason",
    ]


@pytest.mark.parametrize(
    ("name", "wire", "questions"),
    [
        (
            "PromptRequest",
            "_meta",
            ["schema/overlay/capabilities.toml#/v1/agent/session~1prompt#_meta"],
        ),
        ("NewSessionRequest", "additionalDirectories", []),
        ("UsageUpdate", "cost", ["schema/overlay/updates.toml#/v1/usage_update"]),
        ("TextContent", "text", []),
    ],
)
def test_new_members(
    name: str, wire: str, questions: list[str], present: dict[str, Surface]
) -> None:
    """New fields of updates, and new params fields without an overlay entry, are reported."""
    record = present["v1"].definitions[name]
    assert isinstance(record, Record)
    smaller = replace(record, members=tuple(m for m in record.members if m.wire != wire))
    assert smaller != record
    definitions = {**present["v1"].definitions, name: smaller}
    old = {"v1": replace(present["v1"], definitions=definitions)}
    assert asked(old, {"v1": present["v1"]}) == questions


def test_nothing_is_asked_about_the_fields_of_a_new_update(present: dict[str, Surface]) -> None:
    v1 = present["v1"]
    updates = tuple(rule for rule in v1.updates if rule.tag != "usage_update")
    assert len(updates) < len(v1.updates)
    assert asked({"v1": replace(v1, updates=updates)}, {"v1": v1}) == []


def test_everything_in_a_new_surface_is_new(present: dict[str, Surface]) -> None:
    found = asked({}, present)
    assert "schema/overlay/pages.toml#/v1/session~1resume" in found
    assert "schema/overlay/pages.toml#/v1/session~1update" not in found
    assert len(found) > 20
