"""The guide about states: what its tables and its text say beside its blocks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET
from support.paths import GUIDE_TEMPLATES, SCHEMA

TEXT = (GUIDE_TEMPLATES / "states.md").read_text(encoding="utf-8")


def test_the_actions_are_those_of_issues() -> None:
    listed = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", TEXT, re.M)
    assert listed == list(get_args(get_type_hints(v1.Issue)["action"]))


def test_the_keywords_are_those_of_the_schema() -> None:
    for path in (SCHEMA / "v1" / "schema.json", SCHEMA / "v2" / "schema.json"):
        used = re.findall(r'"(x-deserialize-[a-z-]+)"', Path(path).read_text(encoding="utf-8"))
        assert set(re.findall(r"`(x-deserialize-[a-z-]+)`", TEXT)) == set(used)


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        (UNSET, {"if call.title:": False, "if call.title is not UNSET:": False}),
        (None, {"if call.title:": False, "if call.title is None:": True}),
        ("", {"if call.title:": False, "if call.title is not UNSET:": True}),
        ("Reading", {"if call.title:": True, "if call.title is None:": False}),
    ],
)
def test_the_questions_about_a_member(title: Any, asked: dict[str, bool]) -> None:
    call = v2.ToolCallUpdate(tool_call_id="t", title=title)
    for line, answer in asked.items():
        assert f"| `{line}` |" in TEXT
        expression = line.removeprefix("if ").removesuffix(":")
        assert eval(expression, {"call": call, "UNSET": UNSET}) in (answer, title)
        assert bool(eval(expression, {"call": call, "UNSET": UNSET})) is answer


def test_an_unlisted_outcome_of_protocol_2_is_no_consent() -> None:
    outcome = v2.decode(v2.RequestPermissionOutcome, {"outcome": "sure"})
    assert isinstance(outcome, v2.UnknownRequestPermissionOutcome)


def test_a_missing_required_member_is_not_repaired() -> None:
    """The content of a tool call's update may be repaired, its id never."""
    v1.decode(v1.ToolCallUpdate, {"toolCallId": "t", "content": 3})
    with pytest.raises(v1.DecodeError):
        v1.decode(v1.ToolCallUpdate, {"content": 3})


def test_strict_mode_keeps_unknown_members() -> None:
    block = v1.decode(v1.TextContent, {"text": "hi", "score": 1}, strict=True)
    assert block.unknown_fields == {"score": 1}
