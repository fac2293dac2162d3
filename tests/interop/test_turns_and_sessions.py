"""Turns with the official SDKs: updates outside of turns, message ids, and replay."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.v1.session import SessionState as SessionStateV1
from acp_bindings.v2.session import SessionState as SessionStateV2

from interop.running import Outcome
from interop.turns.outcomes import (
    ALL,
    GO,
    OUR_CLIENT,
    OUR_CLIENT_V2,
    SURFACES,
    V2,
    Turns,
    among,
    contents,
    lines,
    message,
    news,
    position,
    same_id,
    sent,
    state,
    text,
    without_ids,
)

STATES: dict[int, Any] = {1: SessionStateV1, 2: SessionStateV2}

ROLES = ("user", "agent", "thought")


# --- what was said ---------------------------------------------------------------------------


def told(version: int, outcome: Outcome, session: str, until: str = "") -> Any:
    """The state that results from the transcript of a session.

    Args:
        version: the protocol version.
        outcome: has the transcript.
        session: the id of the session.
        until: the method of the request to stop at.
    """
    v = SURFACES[version]
    made = STATES[version]()
    for _, line in lines(outcome):
        if line.get("params", {}).get("sessionId") != session:
            continue
        if line["method"] == until:
            break
        if line["method"] == "session/update":
            made.apply(v.decode(v.SessionUpdate, line["params"]["update"], strict=True))
        elif line["method"] == "session/prompt" and version == 1:
            for block in line["params"]["prompt"]:
                content = v.decode(v.ContentBlock, block, strict=True)
                made.apply(v.UserMessageChunk(content=content))
    return made


# --- outside of turns ------------------------------------------------------------------------


GREETING = [
    state("running"),
    message("Good morning."),
    state("idle", stopReason="end_turn"),
]
MAIL = [state("running"), message("There is mail."), state("idle", stopReason="end_turn")]


@among(V2)
def test_v2_agent_speaks_up_before_and_after_a_prompt(turns: Turns) -> None:
    answer = turns.framed([text("Hello.")], message("Hello to you."))
    assert turns.updates("unprompted") == [*GREETING, *answer, *MAIL]
    assert turns.stops("unprompted") == ["end_turn"]


@among(OUR_CLIENT_V2)
def test_v2_turn_has_none_of_the_updates_outside_of_it(turns: Turns) -> None:
    [turn] = turns["unprompted"]["turns"]
    assert without_ids(turn["updates"]) == turns.framed([text("Hello.")], message("Hello to you."))


@among(OUR_CLIENT_V2)
def test_v2_updates_outside_of_turns_change_the_local_state(turns: Turns) -> None:
    states = turns["unprompted"]["states"]
    said = "running", "running", "idle", "idle", "running", "running", "idle"
    assert [looked["activity"] for looked in states] == [*said, "running", "running", "idle"]
    assert states[2]["messages"][0][2] == ["Good morning."]
    assert "There is mail." in states[-1]["messages"][-1][2]


@among(V2)
def test_v2_what_is_said_outside_of_a_turn_is_a_message_of_its_own(turns: Turns) -> None:
    updates = turns["unprompted"]["updates"]
    ids = [u["messageId"] for u in updates if u["sessionUpdate"] == "agent_message_chunk"]
    assert len(set(ids)) == 3


@among(V2)
def test_v2_agent_requires_action_while_it_waits_for_permission(turns: Turns) -> None:
    assert turns.updates("requires_action") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        state("requires_action"),
        state("running"),
        news("call_1", "completed", "No mistakes"),
    )
    said = [
        line["params"].get("update", line["method"])
        for _, line in lines(turns.first)
        if line.get("params", {}).get("sessionId") == "requires_action"
    ]
    asked = said.index("session/request_permission")
    assert said[asked - 1 : asked + 2] == [
        state("requires_action"),
        "session/request_permission",
        state("running"),
    ]
    assert turns.stops("requires_action") == ["end_turn"]


@among(OUR_CLIENT_V2)
def test_v2_local_state_requires_action_when_the_user_is_asked(turns: Turns) -> None:
    [question] = turns["requires_action"]["questions"]
    assert question["state"]["activity"] == "requires_action"
    assert turns["requires_action"]["end"]["activity"] == "idle"


# --- message ids -----------------------------------------------------------------------------


KINDS = {"user": "user_message", "agent": "agent_message", "thought": "agent_thought"}


def steps(role: str) -> list[dict[str, Any]]:
    """The updates of a message, one after the other."""
    whole = {"sessionUpdate": KINDS[role], "messageId": f"{role}_1"}
    part = {"sessionUpdate": f"{KINDS[role]}_chunk", "messageId": f"{role}_1"}
    return [
        {**whole, "content": [text("A")]},
        {**part, "content": text("B")},
        {**whole, "_meta": {"seen": True}},
        {**whole, "content": [text("C")]},
        {**part, "content": text("D")},
        {**whole, "content": []},
        {**part, "content": text("E")},
        {**whole, "content": None},
        {**part, "content": text("F")},
        {**part, "messageId": f"{role}_2", "content": text("G")},
    ]


@among(V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_message_updates_tell_absent_content_from_empty_and_null(
    turns: Turns, role: str
) -> None:
    updates = [
        update
        for update in turns["message_ids"]["updates"]
        if update.get("messageId") in (f"{role}_1", f"{role}_2")
    ]
    assert updates == steps(role)


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_chunk_is_appended_to_whatever_content_is_current(turns: Turns, role: str) -> None:
    found = [each[f"{role}_1"] for each in contents(turns, role)]
    assert [found[number] for number in (1, 4, 6, 8)] == [["A", "B"], ["C", "D"], ["E"], ["F"]]


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_message_update_without_content_leaves_the_content(turns: Turns, role: str) -> None:
    assert contents(turns, role)[2][f"{role}_1"] == ["A", "B"]
    assert turns["message_ids"]["end"]["meta"][f"{role}_1"] == {"seen": True}


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_message_update_with_content_replaces_all_content_and_chunks(
    turns: Turns, role: str
) -> None:
    assert contents(turns, role)[3][f"{role}_1"] == ["C"]


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_empty_content_and_null_clear_the_message(turns: Turns, role: str) -> None:
    found = [each[f"{role}_1"] for each in contents(turns, role)]
    assert [found[5], found[7]] == [[], []]


@among(OUR_CLIENT_V2)
@pytest.mark.parametrize("role", ROLES)
def test_v2_changed_message_id_begins_a_new_message(turns: Turns, role: str) -> None:
    found = contents(turns, role)[-1]
    assert {key: found[key] for key in (f"{role}_1", f"{role}_2")} == {
        f"{role}_1": ["F"],
        f"{role}_2": ["G"],
    }


# --- coming back -----------------------------------------------------------------------------


@among(ALL)
def test_second_client_is_told_an_equal_state(turns: Turns) -> None:
    before = told(turns.version, turns.first, "replay")
    after = told(turns.version, turns.second, "replay", until="session/prompt")
    assert len(before.messages) > 4
    assert after == before


@among(OUR_CLIENT)
def test_state_of_the_second_client_equals_that_of_the_first(turns: Turns) -> None:
    assert turns.second.report["replay"]["came_with"] == turns["replay"]["state"]
    v = SURFACES[turns.version]
    made = STATES[turns.version]()
    for update in turns.second.report["replay"]["came_with"]:
        made.apply(v.decode(v.SessionUpdate, update))
    assert made == told(turns.version, turns.first, "replay")


@among(ALL)
def test_replay_comes_before_the_response(turns: Turns) -> None:
    method = "session/load" if turns.version == 1 else "session/resume"
    [request] = sent(turns.second, method, "replay")
    if turns.version == 2:
        assert request["params"]["replayFrom"] == {"type": "start"}
    answered = position(turns.second, lambda line: "method" not in line and same_id(line, request))
    asked = position(turns.second, lambda line: line == request)
    updates = [
        line["params"]["update"] for _, line in list(lines(turns.second))[asked + 1 : answered]
    ]
    assert updates == turns.second.report["replay"]["replayed"]
    assert updates


@among(V2)
def test_v2_replay_says_what_the_agent_is_doing_now(turns: Turns) -> None:
    states = [u for u in turns.second.report["replay"]["replayed"] if "state" in u]
    assert states[-1] == state("idle", stopReason="end_turn")


@among(ALL)
def test_session_goes_on_where_it_was_when_the_second_client_prompts(turns: Turns) -> None:
    report = turns.second.report["replay"]
    assert [turn["stop"] for turn in report["turns"]] == ["end_turn"]
    assert without_ids(report["updates"][len(report["replayed"]) :]) == turns.framed(
        [text("One more thing.")], message("That was message 3.")
    )
