"""Tests of rules and response entries in `updates.toml` that don't match the schema."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis.updates import MISSING_RULE, without_repeated
from acpgen.common.problems import Problem

from tests.acpgen.analysis.refusals import append, fit, problems
from tests.acpgen.analysis.test_sessions import OVERLAY, Change, built, rename, require
from tests.acpgen.diff.small import tagged

RULE = "[v2_unstable.notice]\nop"
HEADER = "[implied_updates.v1.'session/prompt']\n"
POINTER = "/implied_updates/v1/session~1prompt"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "'patch'\nslot = 'x'\nnull = 'keep'",
            "null 'keep' is not one of clears, keeps; fix the rule",
        ),
        (
            "'patch'\nslot = 'x'\nmeta = 'x'",
            "meta 'x' is not one of merges, replaces, lasts; fix the rule",
        ),
        ("'patch_message'\nrole = 'a cook'", "role 'a cook' is not a Python name; fix the rule"),
        (
            "'set'\nslot = 'apply'",
            "slot 'apply' cannot be an attribute of a session state; fix the rule",
        ),
        (
            "'upsert'\ncollection = 'apply'",
            "collection 'apply' cannot be an attribute of a session state; fix the rule",
        ),
        ("'set'", "set requires slot and accepts carries; fix the rule"),
        (
            "'forget'",
            (
                "op 'forget' is not one of patch_message, append_to_message, set, upsert, patch,"
                " append, append_output, remove, passthrough; fix the rule"
            ),
        ),
        ("'passthrough'\nslot = 'x'", "passthrough requires no keys; fix the rule"),
        ("'upsert'\ncollection = 'x'\nkey = 'no'", "Notice has no field 'no'; fix the rule"),
        (
            "'upsert'\ncollection = 'x'\nkey = 'title'\nas = 'No'",
            "'No' is not a definition; fix the rule",
        ),
        ("'remove'\ncollection = 'x'", "remove requires collection, key; fix the rule"),
        (
            "'patch'\ncollection = 'x'\nslot = 'y'\nkey = 'title'",
            "a rule must have either a collection and a key, or a slot; fix the rule",
        ),
        ("'patch'", "patch requires a collection or a slot; fix the rule"),
        (
            "'append_to_message'\nrole = 'agent'\nsender = 'a b'",
            "sender 'a b' cannot be a method of an agent session; fix the rule",
        ),
        (
            "'append'\ncollection = 'x'\nkey = 'title'\nas = 'ToolCallUpdate'\nmember = 'no'",
            "ToolCallUpdate has no field 'no'; fix the rule",
        ),
        (
            "'patch'\nslot = 'x'\noutput = 'no'",
            "Notice has no field 'no'; fix the rule",
        ),
        (
            "'patch'\ncollection = 'x'\nkey = 'title'\ndefaults = { no = 1 }",
            "Notice has no field 'no'; fix the rule",
        ),
    ],
)
def test_bad_rule_of_an_update(rule: str, expected: str, overlay: Path) -> None:
    append(overlay / "updates.toml", f"{RULE} = {rule}")
    at = "error[overlay]: schema/overlay/updates.toml#/v2_unstable/notice: "
    assert at + expected in problems(overlay, "v2_unstable")


@pytest.mark.parametrize(
    ("update", "members", "expected"),
    [
        ("no", "used = 'result/used'", "no rule specifies the effect of the update 'no'"),
        ("usage_update", "used = 'used'", "'used' does not begin with params/ or result/"),
        ("usage_update", "used = 'result'", "'result' does not begin with params/ or result/"),
        (
            "usage_update",
            "used = 'result/used'",
            "the result of session/prompt has no field 'used'",
        ),
        (
            "usage_update",
            "used = 'result/stopReason'",
            "UsageUpdate requires 'size', for which there is no value",
        ),
        (
            "current_mode_update",
            "currentModeId = 'result/stopReason'",
            (
                "'result/stopReason' does not have the same type as 'currentModeId' of"
                " CurrentModeUpdate"
            ),
        ),
        (
            "current_mode_update",
            "'*' = 'result/stopReason'",
            "'result/stopReason' is not of type CurrentModeUpdate",
        ),
    ],
)
def test_bad_implied_update(update: str, members: str, expected: str, overlay: Path) -> None:
    append(overlay / "updates.toml", f"{HEADER}{update} = {{ {members} }}")
    at = f"error[overlay]: schema/overlay/updates.toml#{POINTER}/{update}: "
    assert f"{at}{expected}; fix the entry" in problems(overlay, "v1")


@pytest.mark.parametrize(
    ("old", "new", "update", "expected"),
    [
        (
            'sender = "think"',
            'sender = "say"',
            "agent_thought_chunk",
            "shares its sender with 'agent_message_chunk'; rename one of them",
        ),
        (
            'role = "thought"',
            'role = "plans"',
            "agent_thought",
            "'plans' is both a role and a collection; fix one of the rules",
        ),
        (
            'slot = "usage"',
            'slot = "plans"',
            "usage_update",
            "'plans' is both a collection and a slot; fix one of the rules",
        ),
        (
            'output = "output"\n',
            "",
            "terminal_output_chunk",
            "no rule stores the output of 'terminals'; fix the rule",
        ),
        (
            'as = "ToolCallUpdate"\nmember = "content"',
            'as = "ToolCallUpdate"\nmember = "title"',
            "tool_call_content_chunk",
            "'title' of ToolCallUpdate is not a list; fix the rule",
        ),
    ],
)
def test_rules_that_do_not_fit_the_schema_or_each_other(
    old: str, new: str, update: str, expected: str, overlay: Path
) -> None:
    path = overlay / "updates.toml"
    before, header, after = path.read_text(encoding="utf-8").partition("[v2.user_message]")
    path.write_text(before + header + after.replace(old, new), encoding="utf-8")
    at = f"error[overlay]: schema/overlay/updates.toml#/v2/{update}: "
    assert at + expected in problems(overlay, "v2")


def test_update_without_a_rule(overlay: Path) -> None:
    path = overlay / "updates.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[v2.plan_update]", "[v2.plan_updated]"), encoding="utf-8")
    assert (
        "error[missing-rule]: schema/overlay/updates.toml#/v2/plan_update: has no rule; add one"
        " that specifies the effect of this update" in problems(overlay, "v2")
    )


def test_an_empty_entry_implies_no_update(overlay: Path) -> None:
    append(overlay / "updates.toml", f"{HEADER}usage_update = {{}}")
    fit(overlay, "v1")


def notes(folder: Path, surface: str, change: Change, **rules: Any) -> list[tuple[str, str, str]]:
    """Return the notes about a vendored schema after changing it and some of its rules."""
    updates = {**OVERLAY.updates, surface: {**OVERLAY.updates[surface], **rules}}
    made = built(folder, surface, change, replace(OVERLAY, updates=updates))
    return [(note.code, note.pointer, note.message) for note in made.notes]


def test_tags_with_the_same_python_name_conflict(tmp_path: Path) -> None:
    def change(definitions: dict[str, Any]) -> None:
        definitions["SessionUpdate"]["oneOf"].append(tagged("usage-update", tag="sessionUpdate"))

    message = "shares the name of its constant with 'usage_update'; rename the update's tag"
    found = notes(tmp_path, "v1", change, **{"usage-update": {"op": "passthrough"}})
    assert found == [("overlay", "/v1/usage-update", message)]


def test_output_must_be_optional(tmp_path: Path) -> None:
    change = require("TerminalUpdate", "output")
    message = "TerminalUpdate requires 'output', which must be optional; fix the rule"
    assert ("overlay", "/v2/terminal_update", message) in notes(tmp_path, "v2", change)


def test_fields_that_a_rule_carries_must_exist(tmp_path: Path) -> None:
    change = rename("IdleStateUpdate", "background")
    message = "StateUpdate has no field 'background'; fix the rule"
    assert notes(tmp_path, "v2", change) == [("overlay", "/v2/state_update", message)]


@pytest.mark.parametrize("meta", ["merges", "replaces", "lasts"])
def test_only_a_rule_for_the_last_meta_needs_the_field(meta: str, tmp_path: Path) -> None:
    rule = {"op": "patch", "slot": "info", "meta": meta}
    change = rename("SessionInfoUpdate", "_meta")
    message = "SessionInfoUpdate has no field '_meta'; fix the rule"
    expected = [("overlay", "/v1/session_info_update", message)] if meta == "lasts" else []
    assert notes(tmp_path, "v1", change, session_info_update=rule) == expected


@pytest.mark.parametrize("defaults", [{}, {"kind": "other"}])
def test_defaults_fill_fields_that_an_entry_requires(
    defaults: dict[str, str], tmp_path: Path
) -> None:
    rule = {
        "op": "patch",
        "collection": "tool_calls",
        "key": "toolCallId",
        "as": "ToolCallUpdate",
        "defaults": defaults,
    }
    message = "ToolCallUpdate requires 'kind', which ToolCall might not contain; fix the rule"
    expected = [] if defaults else [("overlay", "/v1/tool_call", message)]
    assert notes(tmp_path, "v1", require("ToolCallUpdate", "kind"), tool_call=rule) == expected


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
