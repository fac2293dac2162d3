"""Tests of turns with the official SDKs: updates outside of turns, and replay."""

from __future__ import annotations

from typing import Any

from acp_bindings.v1.session import SessionState as SessionStateV1
from acp_bindings.v2.session import SessionState as SessionStateV2

from tests.interop.turns.outcomes import GO, Turns, message, news, state, text, without_ids

STATES: dict[int, Any] = {1: SessionStateV1, 2: SessionStateV2}


def state_after(turns: Turns, updates: list[Any]) -> Any:
    made = STATES[turns.version]()
    for update in updates:
        made.apply(turns.v.decode(turns.v.SessionUpdate, update, strict=True))
    return made


def told(turns: Turns) -> list[Any]:
    """Return the updates of the session `replay`. For protocol 1, include the prompts."""
    updates: list[Any] = []
    for line in turns.messages("replay"):
        if line.get("method") == "session/update":
            updates.append(line["params"]["update"])
        elif line.get("method") == "session/prompt" and turns.version == 1:
            blocks = line["params"]["prompt"]
            updates += [{"sessionUpdate": "user_message_chunk", "content": each} for each in blocks]
    return updates


# --- outside of turns ------------------------------------------------------------------------


RUNNING, END = state("running"), state("idle", stopReason="end_turn")


def answer(turns: Turns) -> list[Any]:
    return turns.framed([text("Hello.")], message("Hello to you."))


def test_v2_agent_speaks_up_before_and_after_a_prompt(turns: Turns) -> None:
    assert turns.updates("unprompted") == [
        *(RUNNING, message("Good morning."), END),
        *answer(turns),
        *(RUNNING, message("There is mail."), END),
    ]
    assert turns.stops("unprompted") == ["end_turn"]
    said = [u for u in turns["unprompted"]["updates"] if message("")["sessionUpdate"] in u.values()]
    assert len({update["messageId"] for update in said}) == 3


def test_v2_agent_requires_action_while_it_waits_for_permission(turns: Turns) -> None:
    assert turns.updates("requires_action") == turns.framed(
        GO,
        turns.tool_call("Check the file", "execute", "pending"),
        state("requires_action"),
        RUNNING,
        news("call_1", "completed", "No mistakes"),
    )
    ask = "session/request_permission"
    messages = [line for line in turns.messages("requires_action") if "method" in line]
    said = [line["params"].get("update", line["method"]) for line in messages]
    asked = said.index(ask)
    assert said[asked - 1 : asked + 2] == [state("requires_action"), ask, RUNNING]
    assert turns.stops("requires_action") == ["end_turn"]


# --- coming back -----------------------------------------------------------------------------


def test_second_client_is_told_an_equal_state(unbridged: Turns) -> None:
    turns = unbridged
    before = state_after(turns, told(turns))
    assert len(before.messages) > 4
    assert state_after(turns, turns.second.report["replay"]["replayed"]) == before


def test_state_of_the_second_client_equals_that_of_the_first(ours: Turns, unbridged: Turns) -> None:
    came_with = ours.second.report["replay"]["came_with"]
    assert came_with == ours["replay"]["state"]
    assert state_after(ours, came_with) == state_after(ours, told(ours))


def test_replay_comes_before_the_response(turns: Turns) -> None:
    request, *messages = turns.messages("replay", is_second=True)
    assert request["method"] == ("session/load" if turns.wire == 1 else "session/resume")
    assert turns.wire == 1 or request["params"]["replayFrom"] == {"type": "start"}
    answered = ["method" in line for line in messages].index(False)
    assert messages[answered]["id"] == request["id"]
    updates = [line["params"]["update"] for line in messages[:answered]]
    replayed = turns.second.report["replay"]["replayed"]
    assert len(updates) > 4
    assert turns.version != turns.wire or updates == replayed


def test_v2_replay_says_what_the_agent_is_doing_now(turns: Turns) -> None:
    states = [u for u in turns.second.report["replay"]["replayed"] if "state" in u]
    assert states[-1] == END


def test_session_goes_on_where_it_was_when_the_second_client_prompts(turns: Turns) -> None:
    report = turns.second.report["replay"]
    assert [turn["stop"] for turn in report["turns"]] == ["end_turn"]
    assert without_ids(report["updates"][len(report["replayed"]) :]) == turns.framed(
        [text("One more thing.")], message("That was message 3.")
    )
