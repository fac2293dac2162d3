"""Tests of turns with the official SDKs: prompts, output, and how turns end."""

from __future__ import annotations

import json

import pytest

from tests.interop.turns.our_agent import PLAN
from tests.interop.turns.outcomes import GO, SURFACES, Turns, message, text

STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
CONVERSATIONS = {
    *("user_message", "output", "tool_granted", "tool_rejected", "continued", "cancel"),
    *("cancel_question", "replay"),
    *(f"stop_{reason}" for reason in STOP_REASONS),
}
CONVERSATIONS_V2 = {"stop__acme_limit", "requires_action", "unprompted"}


def test_every_combination_has_had_every_conversation(name: str, turns: Turns) -> None:
    expected = CONVERSATIONS | (CONVERSATIONS_V2 if turns.wire == 2 else set())
    # The TypeScript SDK's client doesn't reject unsupported content.
    unsupported = set() if name.startswith("typescript-client") else {"unsupported_content"}
    reports = {key: value for key, value in turns.first.report.items() if isinstance(value, dict)}
    assert set(reports) == expected | unsupported
    assert [key for key, value in reports.items() if "failed" in value] == []
    assert {key for key, value in reports.items() if not value["turns"]} == unsupported
    assert "failed" not in turns.second.report["replay"]


def test_both_sides_end_well(turns: Turns) -> None:
    for outcome in (turns.first, turns.second):
        assert (outcome.client_exit, outcome.agent_exit) == (0, 0), outcome.log
        assert outcome.outlived is False
        # Only bridged agents cause log entries, since protocol 1 cannot express that a thought is
        # cleared.
        is_loss = ["runtime.bridge.exchange: " in line for line in outcome.log.splitlines()]
        assert all(is_loss), outcome.log
        assert bool(is_loss) <= turns.combination.name.endswith("with-bridged-agent")
        # Only our client reports issues and remaining child processes.
        assert outcome.report.get("issues", []) == []
        assert outcome.report.get("children", False) is False


def test_what_is_sent_is_of_the_published_schema(turns: Turns) -> None:
    v = SURFACES[turns.wire]
    kinds = {
        "session/prompt": v.PromptRequest,
        "session/request_permission": v.RequestPermissionRequest,
    }
    for outcome in (turns.first, turns.second):
        for line in (json.loads(entry["line"]) for entry in outcome.transcript):
            method, params = line.get("method"), line.get("params", {})
            if method == "session/update":
                decoded = v.decode(v.SessionUpdate, params["update"], strict=True)
                assert not isinstance(decoded, v.UnknownSessionUpdate)
            elif method in kinds:
                decoded = v.decode(kinds[method], params, strict=True)
                assert not decoded.unknown_fields


# --- the user's message ----------------------------------------------------------------------


FILE = "for item in items:\n    print(item)\n"
RESOURCE = {"uri": "file:///project/main.py", "mimeType": "text/x-python", "text": FILE}
QUESTION = [text("What is wrong here?"), {"type": "resource", "resource": RESOURCE}]


def test_prompt_with_text_and_a_resource_reaches_the_agent(turns: Turns) -> None:
    [request] = turns.sent("session/prompt", "user_message")
    assert request["params"] == {"sessionId": "user_message", "prompt": QUESTION}
    assert turns.updates("user_message") == turns.framed(
        QUESTION,
        message("You wrote: What is wrong here?"),
        message(f"file:///project/main.py is text/x-python: {FILE}"),
    )


def test_accepted_user_message_is_reported_with_the_id_in_the_response(turns: Turns) -> None:
    first = turns["user_message"]["updates"][0]
    if turns.version == 1:  # only protocol 2 reports the user's message
        assert first["sessionUpdate"] == "agent_message_chunk"
    else:
        id_ = turns.turn("user_message")["response"]["messageId"]
        accepted = {"sessionUpdate": "user_message", "messageId": id_, "content": QUESTION}
        assert first == accepted


def test_content_that_the_agent_does_not_take_is_not_sent(ours: Turns) -> None:
    method, capability = ours["unsupported_content"]["refused"]
    assert method.startswith("session/prompt")
    assert capability.endswith("/image")
    assert ours.sent("session/prompt", "unsupported_content") == []


# --- the agent's output ----------------------------------------------------------------------


USAGE = {"used": 53000, "size": 200000, "cost": {"amount": 0.045, "currency": "USD"}}


def test_v1_plan_message_chunks_and_tool_call_arrive_in_order(turns: Turns) -> None:
    assert turns["output"]["updates"] == [
        {"sessionUpdate": "plan", "entries": PLAN},
        message("I will read it."),
        message(" It is short."),
        turns.tool_call("Check the file", "other", "pending"),
    ]


def test_v2_plan_messages_thought_tool_call_and_usage_arrive_in_order(turns: Turns) -> None:
    ids = [update.get("messageId") for update in turns["output"]["updates"]]
    assert ids[3:6] == ["answer", "answer", "thought"]
    assert turns.updates("output") == turns.framed(
        GO,
        {
            "sessionUpdate": "plan_update",
            "plan": {"type": "items", "planId": "plan_1", "entries": PLAN},
        },
        {"sessionUpdate": "agent_message", "content": [text("I will read it.")]},
        message(" It is short."),
        {"sessionUpdate": "agent_thought", "content": [text("Is that a loop?")]},
        turns.tool_call("Check the file", "other", "pending"),
        {"sessionUpdate": "usage_update", **USAGE},
    )


# --- completion ------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_turn_ends_with_the_stop_reason(turns: Turns, reason: str) -> None:
    assert turns.stops(f"stop_{reason}") == [reason]


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_v1_response_to_the_prompt_carries_the_stop_reason(turns: Turns, reason: str) -> None:
    answers = turns.answers("session/prompt", f"stop_{reason}")
    assert answers == [{"result": {"stopReason": reason}}]


@pytest.mark.parametrize("reason", [*STOP_REASONS, "_acme_limit"])
def test_v2_response_accepts_the_prompt_and_an_idle_update_ends_the_turn(
    turns: Turns, reason: str
) -> None:
    [answer] = turns.answers("session/prompt", f"stop_{reason}")
    assert list(answer["result"]) == ["messageId"]
    said = [message("Working.")] if reason == "cancelled" else []
    assert turns.updates(f"stop_{reason}") == turns.framed(GO, *said, stop=reason)


def test_v2_custom_stop_reason_ends_the_turn(turns: Turns) -> None:
    assert turns.stops("stop__acme_limit") == ["_acme_limit"]


# --- the next prompt -------------------------------------------------------------------------


def test_next_prompt_in_the_session_builds_on_the_first(turns: Turns) -> None:
    question = "What did I say at first?"
    assert turns.stops("continued") == ["end_turn", "end_turn"]
    assert turns.updates("continued") == [
        *turns.framed([text("My name is Ada.")], message("Noted.")),
        *turns.framed([text(question)], message("Your first words: My name is Ada.")),
    ]
