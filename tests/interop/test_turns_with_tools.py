"""Tests of turns with the official SDKs: tools, permissions, and cancellation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interop.turns.our_agent import OPTIONS
from tests.interop.turns.outcomes import GO, Turns, message, news, output, state, text

ASK = "session/request_permission"
CLEAN_UP = [text("Run the tests, then clean up.")]
CANCELLED = [{"result": {"outcome": {"outcome": "cancelled"}}}]


def selected(option: str) -> list[Any]:
    return [{"result": {"outcome": {"outcome": "selected", "optionId": option}}}]


@pytest.mark.parametrize("conversation", ["tool_granted", "tool_rejected"])
def test_permission_is_asked_for_the_tool_call(turns: Turns, conversation: str) -> None:
    [question] = turns[conversation]["questions"]
    params, title = question["params"], "Check the file?"
    assert params["options"] == OPTIONS
    call = {"toolCallId": "call_1"}
    if turns.version == 1 or turns.is_bridged:
        call["title"] = title
    if turns.version == 1:
        known = {"kind": "execute", "status": "pending"} if turns.is_bridged else {}
        assert params["toolCall"] == {**call, **known}
    else:
        assert params["title"] == title
        assert params["subject"] == {"type": "tool_call", "toolCall": call}


def test_granted_tool_runs_reports_progress_and_completes_with_content(turns: Turns) -> None:
    assert turns.answers(ASK, "tool_granted") == selected("allow")
    chunks = [
        {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "call_1", "content": content}
        for content in output("Half of it", "All of it")
    ]
    grown = [
        {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "content": output(*texts)}
        for texts in (["Half of it"], ["Half of it", "All of it"])
    ]
    assert turns.updates("tool_granted") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        news("call_1", "in_progress"),
        *(chunks if turns.wire == 2 else []),
        *(grown if turns.version == 1 and turns.is_bridged else []),
        news("call_1", "completed", "No mistakes"),
        message("It is fine."),
    )


def test_tool_begins_only_after_the_permission_is_granted(turns: Turns) -> None:
    said = [
        line.get("params", {}).get("update", {}).get("status")
        or "outcome" in line.get("result", {})
        for line in turns.messages("tool_granted")
    ]
    assert said.index(True) < said.index("in_progress")


def test_rejected_tool_does_not_run_and_the_turn_goes_on(turns: Turns) -> None:
    assert turns.answers(ASK, "tool_rejected") == selected("reject")
    assert turns.updates("tool_rejected") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        news("call_1", "failed"),
        message("Then not."),
    )
    assert turns.stops("tool_rejected") == ["end_turn"]


# --- cancelling ------------------------------------------------------------------------------


def test_cancel_is_sent_once_while_a_tool_runs_and_a_permission_is_pending(turns: Turns) -> None:
    [cancel] = turns.sent("session/cancel", "cancel")
    assert "id" not in cancel
    [request] = turns.sent(ASK, "cancel")
    messages = turns.messages("cancel")
    assert messages.index(request) < messages.index(cancel)
    before = turns.updates("cancel")[: -len(turns.plain(turns["cancel"]["late"]))]
    calls = (
        turns.tool_call("Run the tests", "execute", "in_progress", "call_run"),
        turns.tool_call("Clean up", "delete", "pending", "call_remove"),
    )
    assert before == turns.framed(CLEAN_UP, *calls)[: len(before)]
    assert before[-1] == calls[-1]


def test_cancelling_answers_the_pending_permission_request_with_the_cancelled_outcome(
    turns: Turns,
) -> None:
    assert turns.answers(ASK, "cancel") == CANCELLED


def test_updates_after_the_cancel_still_arrive(turns: Turns) -> None:
    """The agent sends an update after it receives the outcome of its permission request."""
    ended = [state("idle", stopReason="cancelled")] if turns.version == 2 else []
    assert turns.plain(turns["cancel"]["late"]) == [
        news("call_run", "failed", "Stopped after 3 tests"),
        message("The answer is cancelled."),
        *ended,
    ]


def test_cancelled_turn_ends_with_that_stop_reason_though_the_work_raised(turns: Turns) -> None:
    assert turns.stops("cancel") == ["cancelled"]
    [answer] = turns.answers("session/prompt", "cancel")
    assert "error" not in answer
    if turns.wire == 1:
        assert answer == {"result": {"stopReason": "cancelled"}}
    else:
        assert turns.updates("cancel")[-1] == state("idle", stopReason="cancelled")


def test_v1_late_updates_are_sent_before_the_response(turns: Turns) -> None:
    assert turns.messages("cancel")[-1]["result"] == {"stopReason": "cancelled"}


def test_permission_that_the_work_itself_waits_for_is_answered_once_when_cancelled(
    turns: Turns,
) -> None:
    assert turns.answers(ASK, "cancel_question") == CANCELLED
    assert turns.stops("cancel_question") == ["cancelled"]
    call = turns.tool_call("Clean up", "delete", "pending")
    assert turns.updates("cancel_question") == turns.framed(CLEAN_UP, call, stop="cancelled")
