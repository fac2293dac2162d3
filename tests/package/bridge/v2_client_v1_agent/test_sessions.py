"""Tests that a protocol 2 client opens, resumes and closes sessions of a protocol 1 agent."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime.bridge.v2_client_v1_agent.session import Terminal
from acp_bindings.runtime.jsonrpc.limits import Limits

from tests.package.bridge.v2_client_v1_agent.introduced import (
    CALL,
    FORM,
    MODE_OPTION,
    MODES,
    RUNNING,
    ask,
    begin,
    chunk,
    idle,
    introduced,
    open_session,
    prompt,
    resume,
    texts,
    with_session,
)
from tests.package.bridge.wire import Json, Wire

UNKNOWN = {"code": -32002, "message": "session not found", "data": {"sessionId": "s"}}

# --- opening sessions ---------------------------------------------------------------------------


def test_servers_are_required_by_the_older_version() -> None:
    wire = introduced()
    server = {"type": "stdio", "name": "m", "command": "/m"}
    wire.client.request("session/new", cwd="/w")
    assert wire.agent.take("session/new")["params"] == {"cwd": "/w", "mcpServers": []}
    wire.client.request("session/new", cwd="/w", mcpServers=[server], _meta={"a": 1})
    params = wire.agent.take("session/new")["params"]
    assert params["mcpServers"] == [{"name": "m", "command": "/m", "args": [], "env": []}]
    assert params["_meta"] == {"a": 1}


@pytest.mark.parametrize("kind", ["sse", "_other"])
def test_servers_of_other_kinds_are_refused(kind: str) -> None:
    wire = introduced()
    server = {"type": kind, "name": "m", "url": "u", "headers": []}
    id_ = wire.client.request("session/new", cwd="/w", mcpServers=[server])
    assert wire.client.answers[id_] == {
        "code": -32602,
        "message": "the agent does not support the transport of an MCP server",
    }
    assert wire.agent.received == []


def test_null_options_are_left_out() -> None:
    assert open_session(introduced(), configOptions=None, modes=None) == {"sessionId": "s"}


def test_option_of_modes_has_an_id_of_its_own() -> None:
    boolean = {"type": "boolean", "currentValue": True, "category": "mode"}
    model = {"type": "select", "currentValue": "x", "options": [{"value": "x", "name": "X"}]}
    options = [
        {"id": "mode", "name": "M", **boolean},
        {"id": "o", "name": "O", "category": "model", **model},
    ]
    answer = open_session(introduced(), modes=MODES, configOptions=options)
    assert [o["configId"] for o in answer["configOptions"]] == ["mode_", "mode", "o"]


def test_option_for_modes_takes_the_place_of_modes() -> None:
    values = [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]
    option = {"id": "o", "name": "M", "category": "mode", "type": "select", "options": values}
    wire = introduced()
    answer = open_session(wire, modes=MODES, configOptions=[{**option, "currentValue": "ask"}])
    assert [o["configId"] for o in answer["configOptions"]] == ["o"]
    wire.agent.update(sessionUpdate="current_mode_update", currentModeId="code")
    [update] = wire.client.updates()
    assert [o["currentValue"] for o in update["configOptions"]] == ["code"]


def test_mode_is_set_by_its_option() -> None:
    wire = with_session(modes=MODES)
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="mode", type="id", value="code"
    )
    asked = wire.agent.take("session/set_mode")
    assert asked["params"] == {"sessionId": "s", "modeId": "code"}
    wire.agent.answer(asked, {})
    assert wire.client.answers[id_] == {"configOptions": [{**MODE_OPTION, "currentValue": "code"}]}


def test_options_of_no_session_are_refused() -> None:
    wire = introduced()
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="o", type="id", value="x"
    )
    assert wire.client.answers[id_]["code"] == -32002


def test_values_of_unknown_types_are_refused() -> None:
    wire = with_session()
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="o", type="_number", value=1
    )
    assert wire.client.answers[id_]["code"] == -32602


def test_mode_is_no_boolean() -> None:
    wire = with_session(modes=MODES)
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="mode", type="boolean", value=True
    )
    assert wire.client.answers[id_]["code"] == -32602


def test_an_agent_without_options_refuses_them_as_unknown() -> None:
    wire = with_session(modes=MODES)
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="b", type="id", value="x"
    )
    asked = wire.agent.take("session/set_config_option")
    assert asked["params"] == {"sessionId": "s", "configId": "b", "value": "x"}
    wire.agent.refuse(asked, -32601)
    error = {"code": -32602, "message": "the agent has no option 'b'"}
    assert wire.client.answers[id_] == error


def test_other_errors_for_an_option_are_forwarded() -> None:
    wire = with_session()
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="b", type="id", value="x"
    )
    wire.agent.refuse(wire.agent.take("session/set_config_option"), -32603, "no such value")
    assert wire.client.answers[id_] == {"code": -32603, "message": "no such value"}


def test_other_options_are_set_as_before() -> None:
    wire = with_session(modes=MODES)
    id_ = wire.client.request(
        "session/set_config_option", sessionId="s", configId="b", type="boolean", value=True
    )
    asked = wire.agent.take("session/set_config_option")
    assert asked["params"] == {"sessionId": "s", "configId": "b", "type": "boolean", "value": True}
    option = {"id": "b", "name": "B", "type": "boolean", "currentValue": True}
    wire.agent.answer(asked, {"configOptions": [option]})
    options = wire.client.answers[id_]["configOptions"]
    assert [o["configId"] for o in options] == ["mode", "b"]


def test_change_of_the_mode_is_one_of_an_option() -> None:
    wire = with_session(modes=MODES)
    wire.agent.update(sessionUpdate="current_mode_update", currentModeId="code", _meta={"a": 1})
    options = [{**MODE_OPTION, "currentValue": "code"}]
    assert wire.client.updates() == [
        {"sessionUpdate": "config_option_update", "configOptions": options, "_meta": {"a": 1}}
    ]


def test_modes_stay_beside_options_that_change() -> None:
    wire = with_session(modes=MODES)
    option = {"id": "b", "name": "B", "type": "boolean", "currentValue": True}
    wire.agent.update(sessionUpdate="config_option_update", configOptions=[option])
    wire.agent.update(sessionUpdate="current_mode_update", currentModeId="code")
    for update in wire.client.updates():
        assert [o["configId"] for o in update["configOptions"]] == ["mode", "b"]


def test_mode_of_which_nothing_is_known_is_lost() -> None:
    wire = with_session()
    wire.agent.update(sessionUpdate="current_mode_update", currentModeId="code")
    assert wire.client.updates() == []
    assert wire.lost() == ["/update/currentModeId"]


def test_too_many_sessions_are_refused() -> None:
    wire = introduced(Limits(sessions=1))
    open_session(wire)
    id_ = wire.client.request("session/new", cwd="/w")
    error = {"code": -32603, "message": "too many open sessions: 1"}
    assert wire.client.answers[id_] == error
    assert wire.client.answers[resume(wire, replay=False, session_id="other")] == error
    assert wire.agent.received == []


def test_a_closed_session_that_was_not_open_does_not_count() -> None:
    wire = introduced(Limits(sessions=1))
    wire.agent.update(**chunk("a"))  # for a session that isn't open yet
    wire.client.request("session/close", sessionId="s")
    open_session(wire, "other")
    id_ = wire.client.request("session/new", cwd="/w")
    assert wire.client.answers[id_]["message"] == "too many open sessions: 1"


def test_an_open_session_can_be_resumed_at_the_limit() -> None:
    wire = with_session(introduced(Limits(sessions=1), sessionCapabilities={"resume": {}}))
    id_ = resume(wire, replay=False)
    wire.agent.answer(wire.agent.take("session/resume"), {})
    assert wire.client.answers[id_] == {}


@pytest.mark.parametrize("succeeds", [True, False])
def test_updates_of_a_closed_session_are_lost_once_no_session_is_being_opened(
    succeeds: bool,
) -> None:
    wire = with_session()
    wire.client.request("session/new", cwd="/w")
    asked = wire.agent.take("session/new")
    wire.client.request("session/close", sessionId="s")
    wire.agent.update(**chunk("a"))  # can refer to the new session
    assert texts(wire.client.updates()) == ["a"]
    if succeeds:
        wire.agent.answer(asked, {"sessionId": "t"})
    else:
        wire.agent.refuse(asked)
    wire.agent.update(**chunk("b"))
    assert wire.client.updates() == []
    [loss] = [loss for loss in wire.losses if loss.method == "session/update"]
    assert (loss.reason, loss.session_id) == ("the session is closed", "s")


def test_a_session_that_is_not_open_does_not_count() -> None:
    wire = introduced(Limits(sessions=1))
    wire.agent.update(**chunk("a"))  # for a session that isn't open yet
    id_ = wire.client.request("session/new", cwd="/w")
    wire.agent.answer(wire.agent.take("session/new"), {"sessionId": "other"})
    assert wire.client.answers[id_]["sessionId"] == "other"


# --- bringing sessions back ---------------------------------------------------------------------


def test_replay_is_a_load() -> None:
    wire = introduced(loadSession=True)
    id_ = resume(wire, replay=True)
    asked = wire.agent.take("session/load")
    assert asked["params"] == {"sessionId": "s", "cwd": "/w", "mcpServers": []}
    wire.agent.update(**chunk("q", "user_message"))
    wire.agent.update(**chunk("a"))
    wire.agent.answer(asked, {"modes": MODES})
    updates = wire.client.updates()
    assert texts(updates) == ["q", "a"]
    assert updates[-1] == {"sessionUpdate": "state_update", "state": "idle"}
    assert wire.client.answers[id_] == {"configOptions": [MODE_OPTION]}


def test_resume_without_a_replay_keeps_the_history_back() -> None:
    wire = introduced(loadSession=True)
    commands = {"sessionUpdate": "available_commands_update", "availableCommands": []}
    id_ = resume(wire, replay=False)
    wire.agent.update(**chunk("q", "user_message"))
    wire.agent.update(**commands)
    wire.agent.answer(wire.agent.take("session/load"), {})
    assert wire.client.updates() == [commands, {"sessionUpdate": "state_update", "state": "idle"}]
    assert wire.client.answers[id_] == {}


def test_what_is_said_after_a_load_is_another_message() -> None:
    wire = introduced(loadSession=True)
    resume(wire, replay=True)
    wire.agent.update(**chunk("a"))
    wire.agent.answer(wire.agent.take("session/load"), {})
    wire.agent.update(**chunk("b"))
    *replayed, live = [u["messageId"] for u in wire.client.updates() if "messageId" in u]
    assert live not in replayed


def test_resume_of_an_agent_that_can() -> None:
    wire = introduced(loadSession=True, sessionCapabilities={"resume": {}})
    server = {"type": "stdio", "name": "m", "command": "/m"}
    id_ = wire.client.request("session/resume", sessionId="s", cwd="/w", mcpServers=[server])
    asked = wire.agent.take("session/resume")
    assert asked["params"] == {
        "sessionId": "s",
        "cwd": "/w",
        "mcpServers": [{"name": "m", "command": "/m", "args": [], "env": []}],
    }
    wire.agent.answer(asked, {})
    assert wire.client.answers[id_] == {}
    assert wire.client.updates() == [{"sessionUpdate": "state_update", "state": "idle"}]
    assert wire.lost() == []
    info = {"sessionId": "s", "cwd": "/w"}
    assert wire.client.answers[wire.client.request("session/list")] == {"sessions": [info]}


def test_a_loaded_session_is_complete() -> None:
    """The bridge can replay a loaded session, even during a turn, when the agent cannot."""
    wire = introduced(loadSession=True)
    resume(wire, replay=True)
    wire.agent.update(**chunk("a"))
    wire.agent.answer(wire.agent.take("session/load"), {})
    begin(wire)
    resume(wire, replay=True)
    assert texts(wire.client.updates()) == ["a", "hi"]
    assert "/replayFrom" not in wire.lost()


def test_replay_of_an_unknown_session_without_load_is_lost() -> None:
    wire = introduced(sessionCapabilities={"resume": {}})
    id_ = resume(wire, replay=True)
    wire.agent.answer(wire.agent.take("session/resume"), {})
    assert wire.client.answers[id_] == {}
    assert wire.lost() == ["/replayFrom"]


def test_replay_from_what_the_bridge_has_seen() -> None:
    wire = with_session(modes=MODES)
    asked = begin(wire)
    link = {"type": "resource_link", "name": "a", "uri": "file:///a"}
    wire.agent.update(**chunk("a"))
    wire.agent.update(sessionUpdate="agent_message_chunk", content=link)
    wire.agent.update(sessionUpdate="tool_call", **CALL)
    [said, *_] = wire.client.updates()
    id_ = resume(wire, replay=True)
    updates = wire.client.updates()
    contents = [(u["messageId"], u["content"]) for u in updates if "messageId" in u][2:]
    parts: list[Any] = [[], {"type": "text", "text": "a"}, link]
    assert contents == [(said["messageId"], content) for content in parts]
    assert {"sessionUpdate": "tool_call_update", **CALL} in updates
    assert updates[-1] == RUNNING
    assert wire.client.answers[id_] == {"configOptions": [MODE_OPTION]}
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    assert wire.client.updates() == [idle()]


def test_resume_without_a_replay_tells_the_current_state() -> None:
    wire = with_session(modes=MODES)
    option = {"id": "b", "name": "B", "type": "boolean", "currentValue": True}
    wire.agent.update(sessionUpdate="config_option_update", configOptions=[option])
    wire.agent.update(sessionUpdate="current_mode_update", currentModeId="code")
    commands = {"sessionUpdate": "available_commands_update", "availableCommands": []}
    usage = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    for update in (commands, chunk("a"), usage):
        wire.agent.update(**update)
    wire.client.updates()
    id_ = resume(wire, replay=False)
    *current, last = wire.client.updates()
    assert sorted(current, key=str) == [commands, usage]
    assert last == {"sessionUpdate": "state_update", "state": "idle"}
    options = wire.client.answers[id_]["configOptions"]
    assert [each["currentValue"] for each in options] == ["code", True]


def test_second_load_waits_for_the_end_of_the_first() -> None:
    wire = introduced(loadSession=True)
    resume(wire, replay=True)
    second = resume(wire, replay=True)
    wire.agent.answer(wire.agent.take("session/load"), {})
    assert second not in wire.client.answers
    wire.agent.answer(wire.agent.take("session/load"), {})
    assert wire.client.answers[second] == {}


def test_load_that_fails() -> None:
    wire = introduced(loadSession=True)
    first, second = resume(wire, replay=True), prompt(wire)
    wire.agent.refuse(wire.agent.take("session/load"), -32002)
    assert wire.client.answers[first]["code"] == -32002
    assert wire.client.answers[second]["code"] == -32002


def test_load_that_fails_leaves_the_state_as_it_was() -> None:
    wire = with_session(introduced(loadSession=True))
    wire.agent.update(**chunk("before"))
    resume(wire, replay=True)
    wire.agent.update(**chunk("partly"))
    prompt(wire)
    assert [message["method"] for message in wire.agent.received] == ["session/load"]
    wire.agent.refuse(wire.agent.take("session/load"))
    wire.client.updates()
    assert wire.agent.take("session/prompt")
    resume(wire, replay=True)
    assert texts(wire.client.updates()) == ["before", "hi"]


def test_replay_from_elsewhere_is_refused() -> None:
    wire = introduced(loadSession=True)
    id_ = wire.client.request(
        "session/resume", sessionId="s", cwd="/w", replayFrom={"type": "_end"}
    )
    assert wire.client.answers[id_]["code"] == -32602


# --- replays that a client already saw --------------------------------------------------------


def turn(wire: Wire) -> list[Json]:
    """Play the first turn of `HISTORY` and return the updates that reach the client."""
    prompt(wire)
    asked = wire.agent.take("session/prompt")
    for update in HISTORY[1:6]:
        wire.agent.update(**update)
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    return wire.client.updates()


def replay(wire: Wire, history: list[Json]) -> list[Json]:
    """Replay a history as the agent and return the updates that reach the client."""
    resume(wire, replay=True)
    for update in history:
        wire.agent.update(**update)
    wire.agent.answer(wire.agent.take("session/load"), {})
    return wire.client.updates()


def state_of(updates: list[Json], state: Any = None) -> Any:
    """Apply updates to a state, by default an empty state, and return the state."""
    state = v2.SessionState() if state is None else state
    for update in updates:
        state.apply(v2.decode(v2.SessionUpdate, update))
    return state


HISTORY = [
    chunk("hi", "user_message"),
    chunk("Let me see", "agent_thought"),
    chunk("one"),
    chunk(" more"),
    {"sessionUpdate": "tool_call", **CALL},
    chunk("two"),
    chunk("again", "user_message"),
    chunk("three"),
]


@pytest.mark.parametrize("named", [False, True])
def test_equal_replays_have_equal_ids(named: bool) -> None:
    names: Json = {"messageId": "m"} if named else {}
    history = [{**names, **update} if "content" in update else update for update in HISTORY]
    first, second = (replay(introduced(loadSession=True), history) for _ in range(2))
    assert first == second
    assert len({u["messageId"] for u in first if "messageId" in u}) == (3 if named else 6)


def test_sessions_have_different_ids() -> None:
    ids: list[str] = []
    for session_id in ("s", "t"):
        wire = introduced(loadSession=True)
        resume(wire, replay=True, session_id=session_id)
        wire.agent.notify("session/update", sessionId=session_id, update=chunk("a"))
        ids += {u["messageId"] for u in wire.client.updates()}
    assert len(set(ids)) == 2


@pytest.mark.parametrize("named", [False, True])
def test_a_replay_replaces_the_messages_that_the_client_has(named: bool) -> None:
    names: Json = {"messageId": "m"} if named else {}
    history = [{**names, **update} if "content" in update else update for update in HISTORY]
    view = state_of(replay(introduced(loadSession=True), history))
    again = state_of(replay(introduced(loadSession=True), history), copy.deepcopy(view))
    assert [message.text for message in view.messages if message.text]
    assert again.messages == view.messages


def test_a_replay_has_the_ids_of_the_turn_that_it_replays() -> None:
    view = state_of(turn(with_session()))
    again = state_of(replay(introduced(loadSession=True), HISTORY[:6]), copy.deepcopy(view))
    assert again.messages == view.messages


def test_what_the_bridge_has_seen_replaces_what_the_client_has() -> None:
    wire = with_session()
    view = state_of(turn(wire))
    resume(wire, replay=True)
    again = state_of(wire.client.updates(), copy.deepcopy(view))
    assert again.messages == view.messages


def test_a_turn_after_an_incomplete_replay_is_kept_apart() -> None:
    """If a replay omits messages, their ids must not be reused for later messages."""
    complete, partial = introduced(loadSession=True), introduced(loadSession=True)
    before = {u["messageId"] for u in replay(complete, HISTORY) if "messageId" in u}
    replay(partial, [u for u in HISTORY if u["sessionUpdate"] != "agent_thought_chunk"])
    asked = begin(partial)
    partial.agent.update(**chunk("four"))
    partial.agent.answer(asked, {"stopReason": "end_turn"})
    assert before.isdisjoint(u["messageId"] for u in partial.client.updates() if "messageId" in u)


def test_omitted_message_changes_no_ids_in_later_turns() -> None:
    without_two = [update for update in HISTORY if update != chunk("two")]
    ids: list[list[str]] = []
    for history in (HISTORY, without_two):
        updates = replay(introduced(loadSession=True), history)
        ids.append(list(dict.fromkeys(u["messageId"] for u in updates if "messageId" in u)))
    assert [len(each) for each in ids] == [6, 5]
    assert ids[0][-2:] == ids[1][-2:]  # the second turn


def test_without_the_history_ids_are_unique() -> None:
    ids: list[str] = []
    for _ in range(2):
        wire = introduced(sessionCapabilities={"resume": {}})
        resume(wire, replay=False)
        wire.agent.update(**chunk("a"))
        wire.agent.answer(wire.agent.take("session/resume"), {})
        ids += [u["messageId"] for u in wire.client.updates() if "messageId" in u]
    assert len(set(ids)) == 2


def test_a_message_is_only_emptied_in_a_replay() -> None:
    wire = with_session(introduced(loadSession=True, sessionCapabilities={"resume": {}}))
    turn(wire)
    resume(wire, replay=False)
    wire.agent.update(**chunk("late", messageId="x"))
    wire.agent.answer(wire.agent.take("session/resume"), {})
    assert [u for u in wire.client.updates() if u.get("content") == []] == []


# --- listing and closing ------------------------------------------------------------------------


def test_list_of_what_the_bridge_has_seen() -> None:
    wire = with_session()
    told = {"title": "T", "updatedAt": "2026-01-01T00:00:00Z"}
    wire.agent.update(sessionUpdate="session_info_update", **told)
    id_ = wire.client.request("session/list")
    info = {"sessionId": "s", "cwd": "/w", **told}
    assert wire.client.answers[id_] == {"sessions": [info]}
    id_ = wire.client.request("session/list", cwd="/other", _meta={"a": 1})
    assert wire.client.answers[id_] == {"sessions": []}
    assert wire.lost() == ["", "", "/_meta"]
    id_ = wire.client.request("session/list", cursor="c")
    assert wire.client.answers[id_] == {
        "code": -32602,
        "message": "unknown cursor: no session/list response contained it",
    }


def test_list_of_an_agent_that_can() -> None:
    wire = introduced(sessionCapabilities={"list": {}})
    id_ = wire.client.request("session/list", cwd="/w")
    result = {"sessions": [{"sessionId": "x", "cwd": "/w"}], "nextCursor": "2"}
    wire.agent.answer(wire.agent.take("session/list"), result)
    assert wire.client.answers[id_] == result


def test_close_by_the_bridge_ends_the_turn() -> None:
    wire = with_session()
    asked = begin(wire)
    waiting = prompt(wire)
    id_ = wire.client.request("session/close", sessionId="s", _meta={"a": 1})
    assert wire.client.answers[id_] == {}
    assert wire.client.answers[waiting] == UNKNOWN
    assert wire.client.updates() == [idle("cancelled")]
    assert wire.agent.take("session/cancel")
    wire.agent.update(**chunk("late"))
    wire.agent.answer(asked, {"stopReason": "cancelled"})
    assert wire.client.updates() == []
    assert [(loss.method, loss.pointer, loss.session_id) for loss in wire.losses] == [
        ("session/close", "", "s"),
        ("session/close", "/_meta", "s"),
        ("session/update", "", "s"),
    ]
    assert wire.client.answers[prompt(wire)]["code"] == -32002
    assert wire.client.answers[resume(wire, replay=False)]["code"] == -32002


def test_a_session_that_is_not_open_cannot_be_closed_by_the_bridge() -> None:
    wire = introduced()
    id_ = wire.client.request("session/close", sessionId="s")
    assert wire.client.answers[id_] == UNKNOWN


def test_close_that_fails_closes_nothing() -> None:
    wire = with_session(introduced(sessionCapabilities={"close": {}}))
    id_ = wire.client.request("session/close", sessionId="s")
    wire.agent.refuse(wire.agent.take("session/close"))
    assert wire.client.answers[id_]["code"] == -32603
    assert "messageId" in wire.client.answers[prompt(wire)]


def test_question_in_a_closed_session_is_cancelled() -> None:
    wire = with_session()
    wire.client.request("session/close", sessionId="s")
    id_ = ask(wire)
    assert wire.agent.answers[id_] == {"outcome": {"outcome": "cancelled"}}
    id_ = wire.agent.request("elicitation/create", sessionId="s", **FORM)
    assert wire.agent.answers[id_] == {"action": "cancel"}


def test_late_answer_to_a_load_does_not_bring_a_session_back() -> None:
    wire = introduced(loadSession=True)
    id_ = resume(wire, replay=True)
    asked = wire.agent.take("session/load")
    wire.client.request("session/close", sessionId="s")
    wire.agent.answer(asked, {})
    assert wire.client.answers[id_]["code"] == -32002
    assert wire.client.answers[prompt(wire)]["code"] == -32002


def test_late_error_of_a_load_does_not_close_a_session_that_is_back() -> None:
    wire = introduced(loadSession=True)
    resume(wire, replay=True)
    first = wire.agent.take("session/load")
    wire.client.request("session/close", sessionId="s")
    second = resume(wire, replay=True)
    wire.agent.refuse(first)
    wire.agent.answer(wire.agent.take("session/load"), {})
    assert wire.client.answers[second] == {}
    assert "messageId" in wire.client.answers[prompt(wire)]


def test_deleted_session_is_gone() -> None:
    wire = with_session(introduced(sessionCapabilities={"delete": {}}))
    id_ = wire.client.request("session/delete", sessionId="s")
    wire.agent.answer(wire.agent.take("session/delete"), {})
    assert wire.client.answers[id_] == {}
    assert wire.client.answers[prompt(wire)]["code"] == -32002


# --- ends ---------------------------------------------------------------------------------------


def test_end_of_the_agent_ends_turns_and_answers_all() -> None:
    wire = with_session()
    begin(wire)
    waiting = prompt(wire)
    ask(wire)
    wire.client.updates()
    question = wire.client.take("session/request_permission")
    opening = wire.client.request("session/new", cwd="/w")
    wire.bridge.receive_eof(wire.bridge.agent, "it crashed")
    wire.collect()
    [ending] = wire.client.updates()
    assert ending["stopReason"] == "error"
    assert wire.client.answers[waiting]["code"] == -32603
    assert wire.client.answers[opening]["code"] == -32603
    assert wire.client.take("$/cancel_request")["params"] == {"requestId": question["id"]}
    assert wire.client.answers[prompt(wire)]["code"] == -32603


def test_end_of_the_client_cancels_turns_and_fails_questions() -> None:
    wire = with_session()
    asked = begin(wire)
    waiting = prompt(wire)
    id_ = ask(wire)
    wire.bridge.receive_eof(wire.bridge.client)
    wire.collect()
    assert wire.agent.answers[id_]["code"] == -32603
    assert wire.agent.take("session/cancel")
    assert wire.client.answers[waiting]["code"] == -32800
    wire.agent.answer(asked, {"stopReason": "cancelled"})
    assert wire.agent.received == []


def test_end_of_the_client_cancels_a_turn_that_has_not_begun() -> None:
    wire = with_session()
    asked = begin(wire)
    wire.bridge.receive_eof(wire.bridge.client)
    wire.agent.refuse(asked, -32800)
    assert wire.losses == []


@pytest.mark.parametrize(
    ("before", "output", "added"),
    [
        ("", "one", "one"),
        ("one", "one two", " two"),
        ("one two", "one", ""),  # a response to an earlier request
        ("one two", "two three", None),  # "one two" itself is not part of it
        ("line\n" * 13, "line\n" * 13 + "end", "end"),
        ("x" + "line\n" * 13, "line\n" * 13 + "end", "end"),  # without the beginning
        # The last match is too long, so the match before it counts.
        ("b" + "a" * 66, "a" * 67, "a"),
        # The last match is too long in more places than are tried.
        ("a", "a" * 200, "a" * 199),
        ("one", "other", None),
    ],
)
def test_new_output_begins_after_the_earlier_output(
    before: str, output: str, added: str | None
) -> None:
    terminal = Terminal({"terminalId": "t"}, before)
    assert terminal.take_output(output) == added
    assert terminal.output == (before if added == "" else output)
