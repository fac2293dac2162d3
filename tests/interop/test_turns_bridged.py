"""Tests of bridged turns: our programs use protocol 2, and the SDK programs use protocol 1."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interop.test_turns import STOP_REASONS, USAGE
from tests.interop.test_turns_and_sessions import state_after
from tests.interop.turns.our_agent import PLAN
from tests.interop.turns.outcomes import GO, Turns, message, state


def plan(turns: Turns) -> dict[str, Any]:
    if turns.version == 1:
        return {"sessionUpdate": "plan", "entries": PLAN}
    items = {"type": "items", "planId": "plan", "entries": PLAN}
    return {"sessionUpdate": "plan_update", "plan": items}


def thought(words: str) -> dict[str, Any]:
    return {**message(words), "sessionUpdate": "agent_thought_chunk"}


def test_what_the_agent_says_arrives_in_order(bridged: Turns) -> None:
    has_more = bridged.version == 1  # in this case, the agent uses protocol 2
    assert bridged.updates("output") == bridged.framed(
        GO,
        plan(bridged),
        message("I will read it."),
        message(" It is short."),
        *([thought("Is that a loop?")] if has_more else []),
        bridged.tool_call("Check the file", "other", "pending"),
        *([{"sessionUpdate": "usage_update", **USAGE}] if has_more else []),
    )


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_answer_to_a_prompt_has_the_stop_reason(bridged: Turns, reason: str) -> None:
    answers = bridged.answers("session/prompt", f"stop_{reason}")
    assert answers == [{"result": {"stopReason": reason}}]


def test_a_question_is_a_state_or_gives_the_title_back(bridged: Turns) -> None:
    shown = [
        update
        for update in bridged["tool_granted"]["updates"]
        if update not in bridged.updates("tool_granted") and "messageId" not in update
    ]
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "title": "Check the file"}
    assert shown == ([call] if bridged.version == 1 else [state("requires_action")])


def test_second_client_is_told_all_but_what_was_lost(bridged: Turns) -> None:
    prompts = ["Check the file.", "Thank you."]
    first, second = (
        state_after(bridged, updates)
        for updates in (
            bridged["replay"]["updates"],
            bridged.second.report["replay"]["replayed"],
        )
    )
    said = [(each.role, each.text) for each in first.messages if each.role != "user"]
    if bridged.version == 1:  # cannot retract messages
        said.remove(("thought", "Never mind."))
    told = [(each.role, each.text) for each in second.messages]
    assert [each for each in told if each[0] != "user"] == said
    assert [each[1] for each in told if each[0] == "user"] == prompts
    assert second.tool_calls == first.tool_calls
    assert second.usage == first.usage


def test_second_client_is_told_that_the_agent_is_idle(bridged: Turns) -> None:
    last = bridged.second.report["replay"]["replayed"][-1]
    assert bridged.version == 1 or last == state("idle")
