"""Tests of turns, updates and permission requests.

The client uses protocol 2, and the agent uses protocol 1.
"""

from __future__ import annotations

import pytest

from tests.package.bridge.v2_client_v1_agent.introduced import (
    CALL,
    FORM,
    RUNNING,
    TEXT,
    WAITING,
    YES,
    ask,
    begin,
    chunk,
    idle,
    introduced,
    open_session,
    prompt,
    texts,
    with_session,
)
from tests.package.bridge.wire import Json, Wire

# --- initialize ---------------------------------------------------------------------------------


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


@pytest.mark.parametrize("auth", [{}, {"auth": {}}, {"auth": {"logout": None}}])
def test_login_is_shown_where_there_is_no_logout(auth: Json) -> None:
    wire = Wire()
    info = {"name": "client", "version": "1"}
    id_ = wire.client.request("initialize", protocolVersion=2, info=info)
    methods = [{"id": "k", "name": "Key"}]
    answer = {"protocolVersion": 1, "authMethods": methods, "agentCapabilities": auth}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    shown = [{"type": "agent", "methodId": "k", "name": "Key"}]
    assert wire.client.answers[id_]["authMethods"] == shown
    assert wire.lost() == ["/authMethods"]
    id_ = wire.client.request("auth/login", methodId="k")
    wire.agent.answer(wire.agent.take("authenticate"), {})
    assert wire.client.answers[id_] == {}
    id_ = wire.client.request("auth/logout")
    assert wire.agent.received == []
    assert wire.client.answers[id_] == {
        "code": -32601,
        "message": "method not found: auth/logout: the agent does not support logout: the agent "
        "does not advertise /agentCapabilities/auth/logout",
        "data": {"capability": "/agentCapabilities/auth/logout"},
    }


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


# --- prompts ------------------------------------------------------------------------------------


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
    wire.agent.refuse(begin(wire), -32000, "sign in", data={"a": 1})
    error = {"code": -32000, "message": "sign in", "data": {"a": 1}}
    assert wire.client.updates() == [idle("error", error=error)]
    assert [loss.method for loss in wire.losses] == ["session/prompt"]


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


# --- updates ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("role", ["user_message", "agent_message", "agent_thought"])
def test_size_that_the_newer_version_does_not_allow_is_lost(role: str) -> None:
    wire = with_session()
    link = {"type": "resource_link", "name": "a", "uri": "file:///a"}
    wire.agent.update(sessionUpdate=f"{role}_chunk", content={**link, "size": -1})
    assert [update["content"] for update in wire.client.updates()] == [link]
    [loss] = wire.losses
    assert (loss.pointer, loss.session_id) == ("/update/content/size", "s")


def test_message_and_thought_of_one_id_are_two() -> None:
    wire = with_session()
    begin(wire)
    wire.agent.update(**chunk("a", "agent_thought", messageId="m"))
    wire.agent.update(**chunk("b", messageId="m"))
    assert [u["messageId"] for u in wire.client.updates()] == ["m", "m-agent"]


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


@pytest.mark.parametrize(
    "parts", [["h\ud83d", "\ude00i"], ["h", "\ud83d", "\ude00", "i"], ["h😀", "i"]], ids=ascii
)
def test_echo_of_the_prompt_may_end_within_a_character(parts: list[str]) -> None:
    wire = with_session()
    begin(wire, {"type": "text", "text": "h\ud83d"}, {"type": "text", "text": "\ude00i"})
    for part in parts:
        wire.agent.update(**chunk(part, "user_message"))
    assert wire.client.updates() == []
    wire.agent.update(**chunk("\ude00", "user_message"))
    assert texts(wire.client.updates()) == ["\ude00"]


def test_message_that_differs_from_the_prompt_is_separate() -> None:
    wire = with_session()
    prompt(wire, {"type": "text", "text": "/review"})
    [inserted] = [u for u in wire.client.updates() if u["sessionUpdate"] == "user_message"]
    wire.agent.update(**chunk("Review it", "user_message"))
    wire.agent.update(**chunk(" all", "user_message"))
    ids = [u["messageId"] for u in wire.client.updates()]
    assert ids[0] == ids[1] != inserted["messageId"]


@pytest.mark.parametrize("named", [{}, {"messageId": "u"}])
def test_message_that_begins_like_the_prompt_is_sent_as_a_whole(named: Json) -> None:
    wire = with_session()
    begin(wire, {"type": "text", "text": "Hello"})
    wire.agent.update(**chunk("He", "user_message", **named))
    assert wire.client.updates() == []
    wire.agent.update(**chunk("lp", "user_message", **named))
    wire.agent.update(**chunk("Hello", "user_message", **named))
    updates = wire.client.updates()
    assert texts(updates) == ["He", "lp", "Hello"]
    assert len({u["messageId"] for u in updates}) == 1


def test_another_message_does_not_interrupt_the_echo_of_the_prompt() -> None:
    wire = with_session()
    begin(wire, {"type": "text", "text": "Hello"})
    for text, message_id in (("He", "u"), ("other", "v"), ("llo", "u")):
        wire.agent.update(**chunk(text, "user_message", messageId=message_id))
    assert texts(wire.client.updates()) == ["other"]


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


@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "session_info_update"},
        {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"},
        {"sessionUpdate": "tool_call_update", "toolCallId": "t"},
    ],
    ids=lambda update: update["sessionUpdate"],
)
def test_meta_replaces_the_earlier_meta(update: Json) -> None:
    wire = with_session()
    for meta in ({}, {"a": 1, "b": 1}, {"b": 2, "c": 2}, {}):
        wire.agent.update(**update, _meta=meta)
    metas = [update["_meta"] for update in wire.client.updates()]
    assert metas == [{}, {"a": 1, "b": 1}, {"a": None, "b": 2, "c": 2}, None]


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


# --- questions ----------------------------------------------------------------------------------


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
    wire.client.request("auth/logout")  # does not reach the agent
    opening = wire.client.request("session/new", cwd="/w")
    asked = wire.agent.take("session/new")
    assert asked["id"] != opening
    id_ = wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    question = wire.client.take("elicitation/create")
    assert question["params"] == {**FORM, "requestId": opening}
    wire.client.answer(question, {"action": "decline"})
    assert wire.agent.answers[id_] == {"action": "decline"}
    wire.agent.answer(asked, {"sessionId": "s"})
    id_ = wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    error = {"code": -32602, "message": "the request already has a response"}
    assert wire.agent.answers[id_] == error


def test_elicitation_for_a_prompt_is_of_its_session() -> None:
    wire = with_session()
    asked = begin(wire)
    wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    params = wire.client.take("elicitation/create")["params"]
    assert params == {**FORM, "sessionId": "s"}
    wire.agent.answer(asked, {"stopReason": "end_turn"})
    id_ = wire.agent.request("elicitation/create", requestId=asked["id"], **FORM)
    assert wire.agent.answers[id_]["code"] == -32602
