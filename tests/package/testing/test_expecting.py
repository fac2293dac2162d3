"""Tests of expectations: arguments and failure messages."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.testing import expect, say, tool_call
from acp_bindings.testing.expecting import differences
from acp_bindings.testing.values import shown

UPDATES = [
    {"sessionUpdate": "tool_call", "toolCallId": "rm", "title": "Delete", "locations": []},
    {"sessionUpdate": "tool_call_update", "toolCallId": "rm", "status": "completed"},
    {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}},
]


@pytest.mark.parametrize(
    "patterns",
    [
        [],
        [tool_call("rm"), say("Done.")],
        [tool_call("rm"), tool_call("rm", status="completed")],
        [v1.ToolCall, {"status": "completed"}, "Done."],
        [v1.AgentMessageChunk(content=v1.TextContent(text="Done."))],
    ],
)
def test_updates_are_found_in_order_with_others_between(patterns: list[Any]) -> None:
    expect(UPDATES, *patterns)


@pytest.mark.parametrize(
    ("patterns", "reason"),
    [
        ([tool_call("rm", status="failed")], "update 1 of 1 is missing; /status: expected"),
        (["Done.", tool_call("rm")], "expected update 2 of 2 is missing: no further"),
        ([v1.Plan], "its type: expected 'Plan', got 'ToolCall'"),
        (["Dome."], "/content/text: expected 'Dome.', got 'Done.'"),
        ([tool_call("rm", locations=[{"path": "/"}])], "/locations/0: expected {'path': '/'}, got"),
        ([{"title": None}], "/title: expected None, got"),
    ],
)
def test_a_failure_names_the_first_difference(patterns: list[Any], reason: str) -> None:
    with pytest.raises(AssertionError) as failed:
        expect(UPDATES, *patterns)
    assert reason in str(failed.value).splitlines()[0]


LONG = "a sentence that is longer than a column of the table is wide"
TABLES: dict[str, tuple[list[Any], bool, list[str]]] = {
    "different": (
        [tool_call("rm"), tool_call("rm", status="failed"), v1.AgentMessageChunk],
        False,
        [
            "expected update 2 of 3 is missing; /status: expected 'failed', got 'completed'",
            "tool_call toolCallId='rm' = tool_call toolCallId='rm' title='Delete' locations=[]",
            "tool_call toolCallId='rm' status='failed'"
            " ≠ tool_call_update toolCallId='rm' status='completed'",
            "agent_message_chunk content='Done.'",
            "AgentMessageChunk",
        ],
    ),
    "skipped": (
        ["Done.", "Done."],
        False,
        [
            "expected update 2 of 2 is missing: no further update arrived",
            "tool_call toolCallId='rm' title='Delete' locations=[]",
            "tool_call_update toolCallId='rm' status='completed'",
            "agent_message_chunk content='Done.' = agent_message_chunk content='Done.'",
            "agent_message_chunk content='Done.' ≠",
        ],
    ),
    "nearest": (
        [LONG],
        False,
        [
            f"expected update 1 of 1 is missing; /content/text: expected {LONG!r}, got 'Done.'",
            "tool_call toolCallId='rm' title='Delete' locations=[]",
            "tool_call_update toolCallId='rm' status='completed'",
            f"agent_message_chunk content={LONG!r}"[:57]
            + "… ≠ agent_message_chunk content='Done.'",
        ],
    ),
    "unexpected": (
        [{"title": "Delete"}],
        True,
        [
            "unexpected updates: 2",
            "title='Delete' = tool_call toolCallId='rm' title='Delete' locations=[]",
            "≠ tool_call_update toolCallId='rm' status='completed'",
            "≠ agent_message_chunk content='Done.'",
        ],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_failure_shows_both_sides(name: str) -> None:
    patterns, exactly, (reason, *rows) = TABLES[name]
    with pytest.raises(AssertionError) as failed:
        expect(UPDATES, *patterns, exactly=exactly)
    first, head, *table = str(failed.value).splitlines()
    assert (first, head.split()) == (reason, ["expected", "got"])
    assert [" ".join(row.split()) for row in table] == rows
    column = head.index("got")
    for row in table:
        assert row == row.rstrip()
        if "tool_call_update" in row:
            assert row.index("tool_call_update") == column


def test_all_updates_may_be_demanded() -> None:
    calls = [tool_call("rm"), tool_call("rm")]
    expect(UPDATES, *calls, "Done.", exactly=True)
    with pytest.raises(AssertionError, match="unexpected updates: 1"):
        expect(UPDATES, *calls, exactly=True)
    with pytest.raises(AssertionError, match=r"/status: expected 'completed', got absent"):
        expect(UPDATES, {"status": "completed"}, exactly=True)


@pytest.mark.parametrize(
    ("expected", "got", "found"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"~x/y": [1]}, {"~x/y": [1, 2]}, ["/~0x~1y/1"]),
        ({"a": (1, {"b": 2})}, {"a": [1, {"b": 3}]}, ["/a/1/b"]),
        ({"a": (1,)}, {"a": "1"}, ["/a"]),
        ({"a": True, "b": 0}, {"a": 1, "b": False}, ["/a", "/b"]),
    ],
)
def test_differences_are_found_by_their_pointers(expected: Any, got: Any, found: Any) -> None:
    assert [pointer for pointer, *_ in differences(expected, got)] == found


def test_long_values_are_abbreviated() -> None:
    assert shown([1, "x"]) == "[1, 'x']"
    assert shown({"a": 1}) == "a=1"
    assert shown({"sessionUpdate": "_x", "a": "x" * 38}) == f"_x a={'x' * 38!r}"
    assert shown({"sessionUpdate": "_x", "a": "x" * 39}) == f"_x a='{'x' * 39}…"
