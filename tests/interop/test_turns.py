"""Turns with the official SDKs: prompts, output, and how turns end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from interop.turns.outcomes import (
    ALL,
    GO,
    OUR_CLIENT,
    OUR_CLIENT_V2,
    SURFACES,
    V1,
    V2,
    Turns,
    among,
    answers,
    lines,
    message,
    sent,
    state,
    text,
)

CONVERSATIONS = (
    "user_message",
    "output",
    "stop_end_turn",
    "stop_max_tokens",
    "stop_max_turn_requests",
    "stop_refusal",
    "stop_cancelled",
    "tool_granted",
    "tool_rejected",
    "continued",
    "cancel",
    "cancel_question",
    "replay",
)
CONVERSATIONS_V2 = ("stop__acme_limit", "requires_action", "unprompted", "message_ids")

# The client of the official SDK does not keep unsupported content back.
CONVERSATIONS_OF_OUR_CLIENT = ("unsupported_content",)
STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


# --- every combination, every conversation ---------------------------------------------------


def test_there_are_six_combinations() -> None:
    assert ALL == [
        "ours-v1",
        "typescript-agent-v1",
        "typescript-client-v1",
        "ours-v2",
        "typescript-agent-v2",
        "typescript-client-v2",
    ]


@among(ALL)
def test_every_combination_has_had_every_conversation(name: str, turns: Turns) -> None:
    expected = {*CONVERSATIONS}
    if turns.version == 2:
        expected |= {*CONVERSATIONS_V2}
    if name in OUR_CLIENT:
        expected |= {*CONVERSATIONS_OF_OUR_CLIENT}
    reports = {key: value for key, value in turns.first.report.items() if isinstance(value, dict)}
    assert set(reports) == expected
    assert [key for key, value in reports.items() if "failed" in value] == []
    assert [key for key, value in reports.items() if not value["turns"]] == [
        key for key in CONVERSATIONS_OF_OUR_CLIENT if key in expected
    ]
    assert "failed" not in turns.second.report["replay"]


@among(ALL)
def test_both_sides_end_well(turns: Turns) -> None:
    for outcome in (turns.first, turns.second):
        assert (outcome.client_exit, outcome.agent_exit) == (0, 0), outcome.log
        assert outcome.outlived is False
        assert outcome.log == ""


@among(OUR_CLIENT)
def test_our_client_has_nothing_to_repair(turns: Turns) -> None:
    assert turns.first.report["issues"] == []
    assert turns.second.report["issues"] == []


@among(ALL)
def test_what_is_sent_is_of_the_published_schema(turns: Turns) -> None:
    v = SURFACES[turns.version]
    kinds = {
        "session/prompt": v.PromptRequest,
        "session/request_permission": v.RequestPermissionRequest,
    }
    for outcome in (turns.first, turns.second):
        for _, line in lines(outcome):
            method, params = line.get("method"), line.get("params", {})
            if method == "session/update":
                decoded = v.decode(v.SessionUpdate, params["update"], strict=True)
                assert not isinstance(decoded, v.UnknownSessionUpdate)
            elif method in kinds:
                decoded = v.decode(kinds[method], params, strict=True)
                assert not decoded.unknown_fields


@among(ALL)
def test_nothing_is_sent_in_the_words_of_the_drafts(turns: Turns) -> None:
    words = {word for _, line in lines(turns.first) for word in strings(line)}
    assert "sessionUpdate" in words
    drafts = {"embedded_resource", "arguments", "success", "state_change", "stop_reason"}
    assert not words & drafts


def strings(value: Any) -> Iterator[str]:
    """All names and texts in a JSON value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value


# --- the user's message ----------------------------------------------------------------------


FILE = "for item in items:\n    print(item)\n"
QUESTION = [
    text("What is wrong here?"),
    {
        "type": "resource",
        "resource": {"uri": "file:///project/main.py", "mimeType": "text/x-python", "text": FILE},
    },
]


@among(ALL)
def test_prompt_with_text_and_a_resource_reaches_the_agent(turns: Turns) -> None:
    [request] = sent(turns.first, "session/prompt", "user_message")
    assert request["params"] == {"sessionId": "user_message", "prompt": QUESTION}
    assert turns.updates("user_message") == turns.framed(
        QUESTION,
        message("You wrote: What is wrong here?"),
        message(f"file:///project/main.py is text/x-python: {FILE}"),
    )


@among(V2)
def test_accepted_user_message_is_reported_with_the_id_in_the_response(turns: Turns) -> None:
    conversation = turns["user_message"]
    [turn] = conversation["turns"]
    assert conversation["updates"][0] == {
        "sessionUpdate": "user_message",
        "messageId": turn["response"]["messageId"],
        "content": QUESTION,
    }


@among(OUR_CLIENT)
def test_user_message_is_part_of_the_local_state_once(turns: Turns) -> None:
    messages = turns["user_message"]["end"]["messages"]
    said = [content for role, _, content in messages if role == "user"]
    assert said == [["What is wrong here?", FILE]]


@among(OUR_CLIENT)
def test_content_that_the_agent_does_not_take_is_not_sent(turns: Turns) -> None:
    method, capability = turns["unsupported_content"]["refused"]
    assert method.startswith("session/prompt")
    assert capability.endswith("/image")
    assert sent(turns.first, "session/prompt", "unsupported_content") == []


# --- the agent's output ----------------------------------------------------------------------


ENTRIES = [
    {"content": "Read the file", "priority": "high", "status": "in_progress"},
    {"content": "Look for mistakes", "priority": "medium", "status": "pending"},
    {"content": "Suggest a repair", "priority": "low", "status": "pending"},
]
USAGE = {"used": 53000, "size": 200000, "cost": {"amount": 0.045, "currency": "USD"}}


@among(V1)
def test_v1_plan_message_chunks_and_tool_call_arrive_in_order(turns: Turns) -> None:
    assert turns["output"]["updates"] == [
        {"sessionUpdate": "plan", "entries": ENTRIES},
        message("I will read it."),
        message(" It is short."),
        turns.tool_call("Check the file", "other", "pending"),
    ]


@among(V2)
def test_v2_plan_messages_thought_tool_call_and_usage_arrive_in_order(turns: Turns) -> None:
    accepted, running, *updates, idle = turns["output"]["updates"]
    assert [accepted["content"], running, idle] == [
        GO,
        state("running"),
        state("idle", stopReason="end_turn"),
    ]
    assert updates == [
        {
            "sessionUpdate": "plan_update",
            "plan": {"type": "items", "planId": "plan_1", "entries": ENTRIES},
        },
        {
            "sessionUpdate": "agent_message",
            "messageId": "answer",
            "content": [text("I will read it.")],
        },
        {**message(" It is short."), "messageId": "answer"},
        {
            "sessionUpdate": "agent_thought",
            "messageId": "thought",
            "content": [text("Is that a loop?")],
        },
        turns.tool_call("Check the file", "other", "pending"),
        {"sessionUpdate": "usage_update", **USAGE},
    ]


@among(OUR_CLIENT)
def test_output_is_part_of_the_local_state(turns: Turns) -> None:
    end = turns["output"]["end"]
    spoken = [[role, content] for role, _, content in end["messages"]]
    answer = ["agent", ["I will read it.", " It is short."]]
    if turns.version == 1:
        assert spoken == [["user", ["Go ahead."]], answer]
    else:
        assert spoken == [["user", ["Go ahead."]], answer, ["thought", ["Is that a loop?"]]]
    assert end["tool_calls"] == {"call_1": ["pending", []]}


@among(OUR_CLIENT_V2)
def test_v2_turn_knows_the_usage_that_was_reported(turns: Turns) -> None:
    [turn] = turns["output"]["turns"]
    usage = dict(turn["usage"])
    usage.pop("sessionUpdate", None)
    assert usage == USAGE


@among(OUR_CLIENT)
@pytest.mark.parametrize("conversation", ["user_message", "output", "tool_granted", "cancel"])
def test_turn_hands_on_every_update_in_order(turns: Turns, conversation: str) -> None:
    [turn] = turns[conversation]["turns"]
    assert turn["updates"] == turns[conversation]["updates"]


# --- completion ------------------------------------------------------------------------------


@among(ALL)
@pytest.mark.parametrize("reason", STOP_REASONS)
def test_turn_ends_with_the_stop_reason(turns: Turns, reason: str) -> None:
    assert turns.stops(f"stop_{reason}") == [reason]


@among(V1)
@pytest.mark.parametrize("reason", STOP_REASONS)
def test_v1_response_to_the_prompt_carries_the_stop_reason(turns: Turns, reason: str) -> None:
    name = f"stop_{reason}"
    assert answers(turns.first, "session/prompt", name) == [{"result": {"stopReason": reason}}]


@among(V2)
@pytest.mark.parametrize("reason", [*STOP_REASONS, "_acme_limit"])
def test_v2_response_accepts_the_prompt_and_an_idle_update_ends_the_turn(
    turns: Turns, reason: str
) -> None:
    [answer] = answers(turns.first, "session/prompt", f"stop_{reason}")
    assert list(answer["result"]) == ["messageId"]
    updates = turns.updates(f"stop_{reason}")
    said = [message("Working.")] if reason == "cancelled" else []
    assert updates == turns.framed(GO, *said, stop=reason)


@among(V2)
def test_v2_custom_stop_reason_ends_the_turn(turns: Turns) -> None:
    assert turns.stops("stop__acme_limit") == ["_acme_limit"]


@among(OUR_CLIENT)
def test_client_tells_known_stop_reasons_from_custom_ones(turns: Turns) -> None:
    reasons = [*STOP_REASONS] + (["_acme_limit"] if turns.version == 2 else [])
    known = [turns[f"stop_{reason}"]["turns"][0]["known_stop"] for reason in reasons]
    assert known == [*STOP_REASONS] + ([None] if turns.version == 2 else [])


# --- the next prompt -------------------------------------------------------------------------


@among(ALL)
def test_next_prompt_in_the_session_builds_on_the_first(turns: Turns) -> None:
    assert turns.stops("continued") == ["end_turn", "end_turn"]
    assert turns.updates("continued") == [
        *turns.framed([text("My name is Ada.")], message("Noted.")),
        *turns.framed(
            [text("What did I say at first?")], message("Your first words: My name is Ada.")
        ),
    ]


@among(OUR_CLIENT)
def test_local_state_has_both_turns_in_order(turns: Turns) -> None:
    messages = turns["continued"]["end"]["messages"]
    assert [[role, *content] for role, _, content in messages] == [
        ["user", "My name is Ada."],
        ["agent", "Noted."],
        ["user", "What did I say at first?"],
        ["agent", "Your first words: My name is Ada."],
    ]
