"""A client of protocol 2, with an agent of protocol 1."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime.jsonrpc.limits import DEFAULT, Limits
from package.bridge.wire import Json, Wire

TEXT: Json = {"type": "text", "text": "hi"}
MODES: Json = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
MODE_OPTION: Json = {
    "configId": "mode",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}],
}
YES: Json = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
RUNNING: Json = {"sessionUpdate": "state_update", "state": "running"}
WAITING: Json = {"sessionUpdate": "state_update", "state": "requires_action"}
CALL: Json = {"toolCallId": "t", "title": "Read"}


def idle(reason: str = "end_turn", **members: Any) -> Json:
    return {"sessionUpdate": "state_update", "state": "idle", "stopReason": reason, **members}


def chunk(text: str, role: str = "agent_message", **members: Any) -> Json:
    return {
        "sessionUpdate": f"{role}_chunk",
        "content": {"type": "text", "text": text},
        **members,
    }


def introduced(limits: Limits = DEFAULT, **capabilities: Any) -> Wire:
    """A bridge whose ends have introduced themselves; takes the agent's capabilities."""
    wire = Wire(limits=limits)
    info = {"name": "client", "version": "1"}
    wire.client.request("initialize", protocolVersion=2, info=info, capabilities={})
    answer = {"protocolVersion": 1, "agentCapabilities": capabilities}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    return wire


def with_session(wire: Wire | None = None, **answered: Any) -> Wire:
    """A bridge with the session `s`, whose response has the given members."""
    wire = wire or introduced()
    open_session(wire, **answered)
    return wire


def open_session(wire: Wire, session_id: str = "s", **answered: Any) -> Json:
    """Open a session; return what the client is answered."""
    id_ = wire.client.request("session/new", cwd="/w")
    wire.agent.answer(wire.agent.take("session/new"), {"sessionId": session_id, **answered})
    return wire.client.answers[id_]


def prompt(wire: Wire, *blocks: Json) -> int:
    """Send a prompt; return the id of the request."""
    return wire.client.request("session/prompt", sessionId="s", prompt=list(blocks) or [TEXT])


def begin(wire: Wire, *blocks: Json) -> Json:
    """Begin a turn; return the prompt that the agent gets. What the client is told is dropped."""
    prompt(wire, *blocks)
    wire.client.updates()
    return wire.agent.take("session/prompt")


def resume(wire: Wire, *, replay: bool, session_id: str = "s") -> int:
    start = {"replayFrom": {"type": "start"}} if replay else {}
    return wire.client.request("session/resume", sessionId=session_id, cwd="/w", **start)


def texts(updates: list[Json]) -> list[str]:
    return [u["content"]["text"] for u in updates if u["sessionUpdate"].endswith("_chunk")]


# --- initialize --------------------------------------------------------------------------------


def test_client_advertises_what_every_newer_client_understands() -> None:
    wire = Wire()
    info = {"name": "client", "version": "1"}
    capabilities = {"auth": {"terminal": {}}, "elicitation": {"form": {}}, "_x": 1}
    wire.client.request("initialize", protocolVersion=2, info=info, capabilities=capabilities)
    params = wire.agent.take("initialize")["params"]
    assert params["clientInfo"] == info
    assert params["clientCapabilities"] == {
        "auth": {"terminal": True},
        "elicitation": {"form": {}},
        "session": {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}},
        "_x": 1,
    }


def test_capabilities_of_the_agent_are_regrouped() -> None:
    wire = Wire()
    info = {"name": "client", "version": "1"}
    id_ = wire.client.request("initialize", protocolVersion=2, info=info)
    answer = {
        "protocolVersion": 1,
        "agentInfo": {"name": "agent", "version": "2"},
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": False},
            "mcpCapabilities": {"http": True, "sse": True},
            "sessionCapabilities": {"list": {}, "delete": {}, "additionalDirectories": {}},
            "auth": {"logout": {}},
        },
        "authMethods": [
            {"id": "k", "name": "Key"},
            {"type": "terminal", "id": "t", "name": "Sign in", "env": {"A": "1"}},
        ],
    }
    wire.agent.answer(wire.agent.take("initialize"), answer)
    assert wire.client.answers[id_] == {
        "protocolVersion": 2,
        "info": {"name": "agent", "version": "2"},
        "capabilities": {
            "session": {
                "prompt": {"image": {}},
                "mcp": {"stdio": {}, "http": {}},
                "delete": {},
                "additionalDirectories": {},
            },
            "auth": {},
        },
        "authMethods": [
            {"type": "agent", "methodId": "k", "name": "Key"},
            {
                "type": "terminal",
                "methodId": "t",
                "name": "Sign in",
                "env": [{"name": "A", "value": "1"}],
            },
        ],
    }
    assert wire.lost() == []


def test_login_is_hidden_where_there_is_no_logout() -> None:
    wire = Wire()
    info = {"name": "client", "version": "1"}
    id_ = wire.client.request("initialize", protocolVersion=2, info=info)
    answer = {"protocolVersion": 1, "authMethods": [{"id": "k", "name": "Key"}]}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    assert wire.client.answers[id_]["authMethods"] == []
    assert wire.lost() == ["/authMethods"]


def test_agent_without_a_name_gets_one() -> None:
    wire = Wire()
    info = {"name": "client", "version": "1"}
    id_ = wire.client.request("initialize", protocolVersion=2, info=info)
    wire.agent.answer(wire.agent.take("initialize"), {"protocolVersion": 1})
    assert wire.client.answers[id_]["info"] == {"name": "unknown", "version": "unknown"}


def test_login_and_logout_have_other_names() -> None:
    wire = introduced(auth={"logout": {}})
    id_ = wire.client.request("auth/login", methodId="k")
    wire.agent.answer(wire.agent.take("authenticate"), {})
    assert wire.client.answers[id_] == {}
    id_ = wire.client.request("auth/logout")
    wire.agent.answer(wire.agent.take("logout"), {"_meta": {"a": 1}})
    assert wire.client.answers[id_] == {"_meta": {"a": 1}}


def test_files_and_tool_cancelling_are_refused_and_told() -> None:
    wire = introduced()
    id_ = wire.agent.request("fs/read_text_file", sessionId="s", path="/a")
    assert wire.agent.answers[id_]["code"] == -32601
    id_ = wire.client.request("tool_call/cancel", sessionId="s", toolCallId="t")
    assert wire.client.answers[id_]["code"] == -32601
    assert len(wire.lost()) == 2


# --- opening sessions ----------------------------------------------------------------------------


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
    assert wire.client.answers[id_]["code"] == -32602
    assert wire.agent.received == []


def test_modes_are_an_option() -> None:
    option = {"id": "model", "name": "Model", "type": "boolean", "currentValue": True}
    answer = open_session(introduced(), modes=MODES, configOptions=[option])
    shown = {"configId": "model", "name": "Model", "type": "boolean", "currentValue": True}
    assert answer == {"sessionId": "s", "configOptions": [MODE_OPTION, shown]}


def test_option_of_modes_has_an_id_of_its_own() -> None:
    option = {"id": "mode", "name": "M", "type": "boolean", "currentValue": True}
    answer = open_session(introduced(), modes=MODES, configOptions=[option])
    assert [o["configId"] for o in answer["configOptions"]] == ["mode_", "mode"]


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
    assert wire.client.answers[id_]["code"] == -32603


# --- prompts -------------------------------------------------------------------------------------


def test_prompt_is_accepted_at_once() -> None:
    wire = with_session()
    id_ = prompt(wire)
    message_id = wire.client.answers[id_]["messageId"]
    inserted = {"sessionUpdate": "user_message", "messageId": message_id, "content": [TEXT]}
    assert wire.client.updates() == [inserted, RUNNING]
    assert wire.agent.take("session/prompt")["params"] == {"sessionId": "s", "prompt": [TEXT]}


def test_response_becomes_idle() -> None:
    wire = with_session()
    asked = begin(wire)
    usage = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    wire.agent.update(**usage)
    answer = {"stopReason": "max_tokens", "_meta": {"a": 1}, "_own": 2, "background": "odd"}
    wire.agent.answer(asked, answer)
    ending = idle("max_tokens", _meta={"a": 1}, _own=2)
    assert wire.client.updates() == [usage, ending]
    assert wire.lost() == ["/background"]


def test_error_after_a_beginning_ends_the_turn() -> None:
    wire = with_session()
    asked = begin(wire)
    wire.agent.update(**chunk("so"))
    wire.agent.refuse(asked, -32603, "broken")
    ending = idle("error", error={"code": -32603, "message": "broken"})
    assert wire.client.updates()[-1] == ending
    assert wire.losses == []


def test_immediate_error_is_told_as_a_loss() -> None:
    wire = with_session()
    wire.agent.refuse(begin(wire), -32000, "sign in")
    assert wire.client.updates() == [idle("error", error={"code": -32000, "message": "sign in"})]
    assert [loss.method for loss in wire.losses] == ["session/prompt"]


def test_unusable_response_ends_the_turn() -> None:
    wire = with_session()
    wire.agent.answer(begin(wire), {})
    [ending] = wire.client.updates()
    assert ending["stopReason"] == "error"


def test_prompt_for_no_session_is_refused() -> None:
    wire = introduced()
    id_ = prompt(wire)
    assert wire.client.answers[id_]["code"] == -32002
    assert wire.client.answers[id_]["data"] == {"sessionId": "s"}


def test_unknown_content_is_refused() -> None:
    wire = with_session()
    id_ = prompt(wire, TEXT, {"type": "_video", "data": "x"})
    assert wire.client.answers[id_]["code"] == -32602
    assert wire.agent.received == []
    assert "messageId" in wire.client.answers[prompt(wire)]


def test_what_the_agent_does_not_advertise_is_refused() -> None:
    wire = with_session()
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert wire.client.answers[prompt(wire, image)]["code"] == -32602
    server = {"type": "http", "name": "m", "url": "u"}
    id_ = wire.client.request("session/new", cwd="/w", mcpServers=[server])
    assert wire.client.answers[id_]["code"] == -32602
    assert wire.agent.received == []


def test_second_prompt_waits_for_the_end_of_the_first() -> None:
    wire = with_session()
    first = begin(wire)
    second = prompt(wire)
    assert second not in wire.client.answers
    assert wire.agent.received == []
    wire.agent.answer(first, {"stopReason": "end_turn"})
    message_id = wire.client.answers[second]["messageId"]
    assert [u.get("messageId", u.get("state")) for u in wire.client.updates()] == [
        "idle",
        message_id,
        "running",
    ]
    wire.agent.answer(wire.agent.take("session/prompt"), {"stopReason": "end_turn"})
    assert wire.client.updates() == [idle()]


def test_cancel_ends_the_turn_and_what_waits() -> None:
    wire = with_session()
    first = begin(wire)
    second = prompt(wire)
    wire.client.notify("session/cancel", sessionId="s", _meta={"a": 1})
    assert wire.agent.take("session/cancel")["params"] == {"sessionId": "s", "_meta": {"a": 1}}
    assert wire.client.answers[second]["code"] == -32800
    wire.agent.answer(first, {"stopReason": "cancelled"})
    assert wire.client.updates() == [idle("cancelled")]
    assert wire.agent.received == []


def test_cancelled_turn_that_fails_as_cancelled_is_cancelled() -> None:
    wire = with_session()
    asked = begin(wire)
    wire.client.notify("session/cancel", sessionId="s")
    wire.agent.refuse(asked, -32800)
    assert wire.client.updates() == [idle("cancelled")]


def test_waiting_prompt_can_be_cancelled_alone() -> None:
    wire = with_session()
    first = begin(wire)
    second = prompt(wire)
    wire.client.notify("$/cancel_request", requestId=second)
    assert wire.client.answers[second]["code"] == -32800
    wire.agent.answer(first, {"stopReason": "end_turn"})
    assert wire.agent.received == []


def test_accepted_prompt_is_not_cancelled_as_a_request() -> None:
    wire = with_session()
    id_ = prompt(wire)
    wire.client.notify("$/cancel_request", requestId=id_)
    wire.agent.take("session/prompt")
    assert wire.agent.received == []


# --- updates -------------------------------------------------------------------------------------


def test_messages_are_named() -> None:
    wire = with_session()
    asked = begin(wire)
    wire.agent.update(**chunk("a"))
    wire.agent.update(**chunk("b"))
    wire.agent.update(**chunk("c", "agent_thought"))
    wire.agent.update(**chunk("d"))
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    wire.agent.update(**chunk("e"))
    ids = [u["messageId"] for u in wire.client.updates() if "messageId" in u]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4


def test_message_and_thought_of_one_id_are_two() -> None:
    wire = with_session()
    begin(wire)
    wire.agent.update(**chunk("a", "agent_thought", messageId="m"))
    wire.agent.update(**chunk("b", messageId="m"))
    assert [u["messageId"] for u in wire.client.updates()] == ["m-thought", "m"]


def test_echo_of_the_prompt_is_dropped() -> None:
    wire = with_session(introduced(promptCapabilities={"image": True}))
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    begin(wire, TEXT, image)
    wire.agent.update(**chunk("h", "user_message"))
    wire.agent.update(**chunk("i", "user_message"))
    wire.agent.update(sessionUpdate="user_message_chunk", content=image)
    assert wire.client.updates() == []
    wire.agent.update(**chunk("another", "user_message"))
    assert texts(wire.client.updates()) == ["another"]


def test_first_update_of_a_tool_call() -> None:
    wire = with_session()
    begin(wire)
    diff = {"type": "diff", "path": "/a", "newText": "x"}
    terminal = {"type": "terminal", "terminalId": "x"}
    call = {**CALL, "content": [diff, terminal], "locations": [{"path": "/a", "line": 0}]}
    wire.agent.update(sessionUpdate="tool_call", **call)
    [update] = wire.client.updates()
    [shown] = update.pop("content")
    assert shown["changes"] == [{"operation": "add", "path": "/a"}]
    tag = {"sessionUpdate": "tool_call_update"}
    assert update == {**tag, **CALL, "locations": [{"path": "/a"}]}
    assert wire.lost() == ["/update/content/1", "/update/locations/0/line"]


def test_null_changes_nothing() -> None:
    wire = with_session()
    begin(wire)
    wire.agent.update(sessionUpdate="tool_call_update", toolCallId="t", title=None, status="failed")
    assert wire.client.updates() == [
        {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "failed"}
    ]


def test_second_tool_call_of_an_id_clears_what_it_lacks() -> None:
    wire = with_session()
    begin(wire)
    wire.agent.update(sessionUpdate="tool_call", **CALL, kind="read", rawInput={"a": 1})
    wire.agent.update(sessionUpdate="tool_call", toolCallId="t", title="Write", kind="edit")
    assert wire.client.updates()[-1] == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "title": "Write",
        "kind": "edit",
        "rawInput": None,
    }


def test_plan_has_an_id() -> None:
    wire = with_session()
    entry = {"content": "Read", "priority": "high", "status": "pending"}
    wire.agent.update(sessionUpdate="plan", entries=[entry], _meta={"a": 1})
    plan = {"type": "items", "planId": "plan", "entries": [entry]}
    assert wire.client.updates() == [
        {"sessionUpdate": "plan_update", "plan": plan, "_meta": {"a": 1}}
    ]


def test_cost_that_is_gone_is_cleared() -> None:
    wire = with_session()
    cost = {"amount": 1.5, "currency": "EUR"}
    wire.agent.update(sessionUpdate="usage_update", used=1, size=2, cost=cost)
    wire.agent.update(sessionUpdate="usage_update", used=1, size=2)
    assert [u["cost"] for u in wire.client.updates()] == [cost, None]


def test_unknown_updates_pass_unless_their_name_has_a_meaning() -> None:
    wire = with_session()
    wire.agent.update(sessionUpdate="_own", a=1)
    wire.agent.update(sessionUpdate="state_update", state="idle")
    assert wire.client.updates() == [{"sessionUpdate": "_own", "a": 1}]
    assert wire.lost() == ["/update"]


def test_members_of_the_notification_pass() -> None:
    wire = with_session()
    wire.agent.notify("session/update", sessionId="s", update=chunk("a"), _meta={"a": 1}, _b=2)
    params = wire.client.take("session/update")["params"]
    assert (params["_meta"], params["_b"]) == ({"a": 1}, 2)


# --- questions -----------------------------------------------------------------------------------


def ask(wire: Wire, **call: Any) -> int:
    call = {"toolCallId": "t", **call}
    return wire.agent.request(
        "session/request_permission", sessionId="s", toolCall=call, options=[YES]
    )


def test_permission_is_about_a_tool_call() -> None:
    wire = with_session()
    begin(wire)
    id_ = ask(wire, title="Remove", status=None)
    assert wire.client.updates() == [WAITING]
    asked = wire.client.take("session/request_permission")
    assert asked["params"] == {
        "sessionId": "s",
        "title": "Remove",
        "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t", "title": "Remove"}},
        "options": [YES],
    }
    outcome = {"outcome": "selected", "optionId": "y", "_meta": {"a": 1}}
    wire.client.answer(asked, {"outcome": outcome})
    assert wire.agent.answers[id_] == {"outcome": outcome}
    assert wire.client.updates() == [RUNNING]


def test_permission_has_the_title_that_is_known() -> None:
    wire = with_session()
    begin(wire)
    wire.agent.update(sessionUpdate="tool_call", **CALL)
    ask(wire)
    assert wire.client.take("session/request_permission")["params"]["title"] == "Read"


def test_permission_without_a_title_gets_one() -> None:
    wire = with_session()
    ask(wire)
    assert wire.client.take("session/request_permission")["params"]["title"]


def test_members_without_a_meaning_are_left_out() -> None:
    wire = introduced()
    assert open_session(wire, availableCommands=5) == {"sessionId": "s"}
    wire.agent.request(
        "session/request_permission",
        sessionId="s",
        toolCall=CALL,
        options=[YES],
        description=5,
        _own=1,
    )
    params = wire.client.take("session/request_permission")["params"]
    assert "description" not in params
    assert params["_own"] == 1
    assert wire.lost() == ["/availableCommands", "/description"]


def test_turn_runs_again_when_no_question_is_open() -> None:
    wire = with_session()
    begin(wire)
    ask(wire)
    ask(wire)
    assert wire.client.updates() == [WAITING]
    cancelled = {"outcome": {"outcome": "cancelled"}}
    wire.client.answer(wire.client.take("session/request_permission"), cancelled)
    assert wire.client.updates() == []
    wire.client.answer(wire.client.take("session/request_permission"), cancelled)
    assert wire.client.updates() == [RUNNING]


def test_answer_after_the_turn_starts_nothing() -> None:
    wire = with_session()
    asked = begin(wire)
    id_ = ask(wire)
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    wire.client.updates()
    question = wire.client.take("session/request_permission")
    wire.client.answer(question, {"outcome": {"outcome": "cancelled"}})
    assert wire.agent.answers[id_] == {"outcome": {"outcome": "cancelled"}}
    assert wire.client.updates() == []


def test_unknown_outcome_counts_as_cancelled() -> None:
    wire = with_session()
    id_ = ask(wire)
    wire.client.answer(wire.client.take(), {"outcome": {"outcome": "_later"}})
    assert wire.agent.answers[id_] == {"outcome": {"outcome": "cancelled"}}
    assert "" in wire.lost()


def test_permission_without_options_is_cancelled() -> None:
    wire = with_session()
    id_ = wire.agent.request(
        "session/request_permission", sessionId="s", toolCall={"toolCallId": "t"}, options=[]
    )
    assert wire.agent.answers[id_] == {"outcome": {"outcome": "cancelled"}}
    assert wire.client.received == []


def test_agent_cancels_its_question() -> None:
    wire = with_session()
    id_ = ask(wire)
    question = wire.client.take("session/request_permission")
    wire.agent.notify("$/cancel_request", requestId=id_)
    assert wire.client.take("$/cancel_request")["params"] == {"requestId": question["id"]}
    wire.client.refuse(question, -32800)
    assert wire.agent.answers[id_]["code"] == -32800


FORM: Json = {
    "mode": "form",
    "message": "Name?",
    "requestedSchema": {"type": "object", "properties": {}},
}


def test_elicitation_of_a_session() -> None:
    wire = with_session()
    begin(wire)
    id_ = wire.agent.request("elicitation/create", sessionId="s", **FORM)
    assert wire.client.updates() == [WAITING]
    wire.client.answer(wire.client.take("elicitation/create"), {"action": "accept", "content": {}})
    assert wire.agent.answers[id_] == {"action": "accept", "content": {}}
    assert wire.client.updates() == [RUNNING]


def test_elicitation_for_a_request_of_the_client() -> None:
    wire = introduced()
    wire.client.request("_skip", a=1)
    opening = wire.client.request("session/new", cwd="/w")
    asked = wire.agent.take("session/new")
    wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    assert wire.client.take("elicitation/create")["params"]["requestId"] == opening
    wire.agent.answer(asked, {"sessionId": "s"})
    id_ = wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    assert wire.agent.answers[id_]["code"] == -32602


def test_elicitation_for_a_prompt_is_of_its_session() -> None:
    wire = with_session()
    asked = begin(wire)
    wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    params = wire.client.take("elicitation/create")["params"]
    assert params == {**FORM, "sessionId": "s"}
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    id_ = wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    assert wire.agent.answers[id_]["code"] == -32602


# --- bringing sessions back ----------------------------------------------------------------------


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


def test_load_takes_the_place_of_what_was_known() -> None:
    wire = with_session(introduced(loadSession=True))
    wire.agent.update(**chunk("a"))
    resume(wire, replay=True)
    wire.agent.update(**chunk("a"))
    wire.agent.answer(wire.agent.take("session/load"), {})
    begin(wire)
    resume(wire, replay=True)
    assert texts(wire.client.updates()) == ["a", "hi"]


def test_what_is_said_after_a_load_is_another_message() -> None:
    wire = introduced(loadSession=True)
    resume(wire, replay=True)
    wire.agent.update(**chunk("a"))
    wire.agent.answer(wire.agent.take("session/load"), {})
    wire.agent.update(**chunk("b"))
    ids = [u["messageId"] for u in wire.client.updates() if "messageId" in u]
    assert ids[0] != ids[1]


def test_resume_of_an_agent_that_can() -> None:
    wire = introduced(loadSession=True, sessionCapabilities={"resume": {}})
    id_ = resume(wire, replay=False)
    wire.agent.answer(wire.agent.take("session/resume"), {})
    assert wire.client.answers[id_] == {}
    assert wire.lost() == []


def test_replay_of_an_unknown_session_without_load_is_lost() -> None:
    wire = introduced(sessionCapabilities={"resume": {}})
    id_ = resume(wire, replay=True)
    wire.agent.answer(wire.agent.take("session/resume"), {})
    assert wire.client.answers[id_] == {}
    assert wire.lost() == ["/replayFrom"]


@pytest.mark.parametrize("replay", [True, False])
def test_agent_without_load_and_resume_knows_no_other_session(replay: bool) -> None:
    wire = introduced()
    id_ = resume(wire, replay=replay)
    assert wire.client.answers[id_]["code"] == -32002


def test_replay_from_what_the_bridge_has_seen() -> None:
    wire = with_session(modes=MODES)
    asked = begin(wire)
    wire.agent.update(**chunk("a"))
    wire.agent.update(sessionUpdate="tool_call", **CALL)
    [said, _] = wire.client.updates()
    id_ = resume(wire, replay=True)
    updates = wire.client.updates()
    assert texts(updates) == ["hi", "a"]
    assert updates[1]["messageId"] == said["messageId"]
    assert updates[2] == {"sessionUpdate": "tool_call_update", **CALL}
    assert updates[-1] == RUNNING
    assert wire.client.answers[id_] == {"configOptions": [MODE_OPTION]}
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    assert wire.client.updates() == [idle()]


def test_load_during_a_turn_is_answered_by_the_bridge() -> None:
    wire = with_session(introduced(loadSession=True))
    begin(wire)
    resume(wire, replay=True)
    assert wire.agent.received == []
    assert texts(wire.client.updates()) == ["hi"]


def test_prompt_waits_for_the_end_of_a_load() -> None:
    wire = introduced(loadSession=True)
    resume(wire, replay=True)
    id_ = prompt(wire)
    assert id_ not in wire.client.answers
    wire.agent.answer(wire.agent.take("session/load"), {})
    assert "messageId" in wire.client.answers[id_]
    assert wire.agent.take("session/prompt")


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
    wire.agent.refuse(wire.agent.take("session/load"))
    begin(wire)
    resume(wire, replay=True)
    assert texts(wire.client.updates()) == ["before", "hi"]


def test_replay_from_elsewhere_is_refused() -> None:
    wire = introduced(loadSession=True)
    id_ = wire.client.request(
        "session/resume", sessionId="s", cwd="/w", replayFrom={"type": "_end"}
    )
    assert wire.client.answers[id_]["code"] == -32602


# --- listing and closing -------------------------------------------------------------------------


def test_list_of_what_the_bridge_has_seen() -> None:
    wire = with_session()
    wire.agent.update(sessionUpdate="session_info_update", title="T")
    id_ = wire.client.request("session/list")
    info = {"sessionId": "s", "cwd": "/w", "title": "T"}
    assert wire.client.answers[id_] == {"sessions": [info]}
    id_ = wire.client.request("session/list", cwd="/other")
    assert wire.client.answers[id_] == {"sessions": []}
    id_ = wire.client.request("session/list", cursor="c")
    assert wire.client.answers[id_]["code"] == -32602


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
    id_ = wire.client.request("session/close", sessionId="s")
    assert wire.client.answers[id_] == {}
    assert wire.client.answers[waiting]["code"] == -32002
    assert wire.client.updates() == [idle("cancelled")]
    assert wire.agent.take("session/cancel")
    wire.agent.update(**chunk("late"))
    wire.agent.answer(asked, {"stopReason": "cancelled"})
    assert wire.client.updates() == []
    assert len(wire.lost()) == 1
    assert wire.client.answers[prompt(wire)]["code"] == -32002
    assert wire.client.answers[resume(wire, replay=False)]["code"] == -32002


def test_close_by_an_agent_that_can() -> None:
    wire = with_session(introduced(sessionCapabilities={"close": {}}))
    begin(wire)
    id_ = wire.client.request("session/close", sessionId="s")
    asked = wire.agent.take("session/close")
    assert id_ not in wire.client.answers
    wire.agent.answer(asked, {})
    assert wire.client.answers[id_] == {}
    assert wire.client.updates() == [idle("cancelled")]


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


def test_closed_session_can_be_loaded_again() -> None:
    wire = with_session(introduced(loadSession=True))
    wire.client.request("session/close", sessionId="s")
    resume(wire, replay=True)
    wire.agent.update(**chunk("a"))
    wire.agent.answer(wire.agent.take("session/load"), {})
    assert texts(wire.client.updates()) == ["a"]
    assert wire.lost() == []


def test_deleted_session_is_gone() -> None:
    wire = with_session(introduced(sessionCapabilities={"delete": {}}))
    id_ = wire.client.request("session/delete", sessionId="s")
    wire.agent.answer(wire.agent.take("session/delete"), {})
    assert wire.client.answers[id_] == {}
    assert wire.client.answers[prompt(wire)]["code"] == -32002


# --- ends ----------------------------------------------------------------------------------------


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


def test_state_is_that_of_the_older_version() -> None:
    wire = with_session()
    begin(wire)
    wire.agent.update(**chunk("a"))
    translator: Any = wire.bridge._translator
    state = translator._registry.sessions["s"].state
    assert isinstance(state, v1.SessionState)
    assert [message.text for message in state.messages] == ["hi", "a"]
