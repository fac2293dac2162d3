"""Turns with the official SDKs: tools, permissions, cancelling."""

from __future__ import annotations

from typing import Any

import pytest

from interop.turns.outcomes import (
    ALL,
    GO,
    OUR_CLIENT,
    OUR_CLIENT_V2,
    V1,
    Turns,
    among,
    answers,
    message,
    news,
    output,
    position,
    same_id,
    sent,
    state,
    text,
    without_ids,
)

# --- tools -----------------------------------------------------------------------------------


OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]


@among(ALL)
@pytest.mark.parametrize("conversation", ["tool_granted", "tool_rejected"])
def test_permission_is_asked_for_the_tool_call(turns: Turns, conversation: str) -> None:
    [question] = turns[conversation]["questions"]
    params = question["params"]
    assert params["options"] == OPTIONS
    if turns.version == 1:
        assert params["toolCall"] == {"toolCallId": "call_1", "title": "Check the file?"}
    else:
        assert params["title"] == "Check the file?"
        assert params["subject"] == {"type": "tool_call", "toolCall": {"toolCallId": "call_1"}}


@among(ALL)
def test_granted_tool_runs_reports_progress_and_completes_with_content(turns: Turns) -> None:
    assert answers(turns.first, "session/request_permission", "tool_granted") == [
        {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}}
    ]
    chunks = [
        {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "call_1", "content": content}
        for content in output("Half of it", "All of it")
    ]
    assert turns.updates("tool_granted") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        news("call_1", "in_progress"),
        *(chunks if turns.version == 2 else []),
        news("call_1", "completed", "No mistakes"),
        message("It is fine."),
    )


@among(ALL)
def test_tool_begins_only_after_the_permission_is_granted(turns: Turns) -> None:
    [request] = sent(turns.first, "session/request_permission", "tool_granted")
    answered = position(
        turns.first,
        lambda line: "method" not in line
        and line.get("id") == request["id"]
        and "outcome" in line.get("result", {}),
    )
    begun = position(
        turns.first,
        lambda line: line.get("params", {}).get("sessionId") == "tool_granted"
        and line["params"].get("update", {}).get("status") == "in_progress",
    )
    assert answered < begun


@among(ALL)
def test_rejected_tool_does_not_run_and_the_turn_goes_on(turns: Turns) -> None:
    assert answers(turns.first, "session/request_permission", "tool_rejected") == [
        {"result": {"outcome": {"outcome": "selected", "optionId": "reject"}}}
    ]
    assert turns.updates("tool_rejected") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        news("call_1", "failed"),
        message("Then not."),
    )
    assert turns.stops("tool_rejected") == ["end_turn"]


@among(OUR_CLIENT)
def test_local_state_follows_the_status_of_the_tool_call(turns: Turns) -> None:
    assert statuses(turns["tool_granted"]) == ["pending", "in_progress", "completed"]
    assert statuses(turns["tool_rejected"]) == ["pending", "failed"]


@among(OUR_CLIENT_V2)
def test_v2_content_chunks_are_appended_and_content_of_an_update_replaces_them(
    turns: Turns,
) -> None:
    contents = [
        looked["tool_calls"]["call_1"][1]
        for update, looked in zip(
            turns["tool_granted"]["updates"], turns["tool_granted"]["states"], strict=True
        )
        if "toolCallId" in update
    ]
    assert contents == [
        [],
        [],
        ["Half of it"],
        ["Half of it", "All of it"],
        ["No mistakes"],
    ]


def statuses(conversation: dict[str, Any]) -> list[str]:
    """The successive statuses of the tool call."""
    found: list[str] = []
    for looked in conversation["states"]:
        for status, _ in looked["tool_calls"].values():
            if found[-1:] != [status]:
                found.append(status)
    return found


# --- cancelling ------------------------------------------------------------------------------


LATE = [news("call_run", "failed", "Stopped after 3 tests"), message("The answer is cancelled.")]


@among(ALL)
def test_cancel_is_sent_once_while_a_tool_runs_and_a_permission_is_pending(turns: Turns) -> None:
    [cancel] = sent(turns.first, "session/cancel", "cancel")
    assert "id" not in cancel
    [request] = sent(turns.first, "session/request_permission", "cancel")
    assert position(turns.first, lambda line: line == request) < position(
        turns.first, lambda line: line == cancel
    )
    before = turns.updates("cancel")[: -len(turns["cancel"]["late"])]
    asked_for = turns.framed(
        [text("Run the tests, then clean up.")],
        turns.tool_call("Run the tests", "execute", "in_progress", "call_run"),
        turns.tool_call("Clean up", "delete", "pending", "call_remove"),
    )
    assert before == asked_for[: len(before)]
    assert before[-1] == turns.tool_call("Clean up", "delete", "pending", "call_remove")


@among(OUR_CLIENT)
def test_cancelling_marks_unfinished_tool_calls_as_cancelled_at_once(turns: Turns) -> None:
    conversation = turns["cancel"]
    assert conversation["before_cancel"]["tool_calls"] == {
        "call_run": ["in_progress", []],
        "call_remove": ["pending", []],
    }
    assert conversation["after_cancel"]["tool_calls"] == {
        "call_run": ["cancelled", []],
        "call_remove": ["cancelled", []],
    }


@among(ALL)
def test_cancelling_answers_the_pending_permission_request_with_the_cancelled_outcome(
    turns: Turns,
) -> None:
    assert answers(turns.first, "session/request_permission", "cancel") == [
        {"result": {"outcome": {"outcome": "cancelled"}}}
    ]


@among(ALL)
def test_agent_gets_the_cancelled_outcome_before_the_turn_ends(turns: Turns) -> None:
    assert message("The answer is cancelled.") in turns.updates("cancel")


@among(OUR_CLIENT)
def test_cancelling_takes_the_question_back_from_the_user(turns: Turns) -> None:
    [question] = turns["cancel"]["questions"]
    assert question["withdrawn"] is True


@among(ALL)
def test_updates_after_the_cancel_still_arrive(turns: Turns) -> None:
    late = without_ids(turns["cancel"]["late"])
    ended = [state("idle", stopReason="cancelled")] if turns.version == 2 else []
    assert late == [*LATE, *ended]


@among(OUR_CLIENT)
def test_updates_after_the_cancel_are_applied_to_the_local_state(turns: Turns) -> None:
    end = turns["cancel"]["end"]
    assert end["tool_calls"] == {
        "call_run": ["failed", ["Stopped after 3 tests"]],
        "call_remove": ["cancelled", []],
    }
    assert end["messages"][-1][2] == ["The answer is cancelled."]


@among(ALL)
def test_cancelled_turn_ends_with_that_stop_reason_though_the_work_raised(turns: Turns) -> None:
    assert turns.stops("cancel") == ["cancelled"]
    [answer] = answers(turns.first, "session/prompt", "cancel")
    assert "error" not in answer
    if turns.version == 1:
        assert answer == {"result": {"stopReason": "cancelled"}}
    else:
        assert turns.updates("cancel")[-1] == state("idle", stopReason="cancelled")


@among(V1)
def test_v1_late_updates_are_sent_before_the_response(turns: Turns) -> None:
    [prompt] = sent(turns.first, "session/prompt", "cancel")
    answered = position(
        turns.first, lambda line: "stopReason" in line.get("result", {}) and same_id(line, prompt)
    )
    last = sent(turns.first, "session/update", "cancel")[-1]
    assert position(turns.first, lambda line: line == last) < answered


@among(ALL)
def test_permission_that_the_work_itself_waits_for_is_answered_once_when_cancelled(
    turns: Turns,
) -> None:
    assert answers(turns.first, "session/request_permission", "cancel_question") == [
        {"result": {"outcome": {"outcome": "cancelled"}}}
    ]
    assert turns.stops("cancel_question") == ["cancelled"]
    assert turns.updates("cancel_question") == turns.framed(
        [text("Run the tests, then clean up.")],
        turns.tool_call("Clean up", "delete", "pending"),
        stop="cancelled",
    )
