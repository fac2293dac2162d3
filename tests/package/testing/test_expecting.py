"""Expectations: their arguments and failure messages."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.testing import expect, say, tool_call

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
        ([tool_call("rm", status="failed")], "1 of the 1 expected is missing; /status: expected"),
        (["Done.", tool_call("rm")], "update 2 of the 2 expected is missing: no further"),
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


def test_a_failure_shows_both_sides() -> None:
    with pytest.raises(AssertionError) as failed:
        expect(UPDATES, tool_call("rm"), tool_call("rm", status="failed"), "Done.")
    rows = [line.split() for line in str(failed.value).splitlines()[1:]]
    assert rows[0] == ["expected", "got"]
    assert rows[1][:3] == ["tool_call", "toolCallId='rm'", "="]
    assert rows[2][2:] == [
        *("status='failed'", "≠", "tool_call_update", "toolCallId='rm'", "status='completed'")
    ]
    assert len(rows) == 5


def test_all_updates_may_be_demanded() -> None:
    calls = [tool_call("rm"), tool_call("rm")]
    expect(UPDATES, *calls, "Done.", exactly=True)
    with pytest.raises(AssertionError, match="unexpected updates: 1"):
        expect(UPDATES, *calls, exactly=True)
    with pytest.raises(AssertionError, match=r"/status: expected 'completed', got absent"):
        expect(UPDATES, {"status": "completed"}, exactly=True)
