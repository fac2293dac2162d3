"""Tests that bridge a turn with every kind of update, request and content in each direction.

The goldens list each message as sent and as received, and each loss. Pass `--update-goldens` to
rewrite them.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.package.bridge.test_conversations import Transcript, compare
from tests.package.bridge.wire import Json, Wire

META: Json = {"_meta": {"note": 1}}
EXTRA: Json = {**META, "custom": True}
INFO: Json = {"name": "someone", "version": "1"}
TEXT: Json = {"type": "text", "text": "Hi"}
LINK: Json = {"type": "resource_link", "uri": "file:///a", "name": "a"}
YES: Json = {"optionId": "y", "name": "Yes", "kind": "allow_once", **META}
NO: Json = {"optionId": "n", "name": "No", "kind": "reject_always"}
ENTRY: Json = {"content": "Read", "priority": "high", "status": "completed"}
OPEN: Json = {"content": "Write", "priority": "low", "status": "pending", **META}
FORM: Json = {
    "mode": "form",
    "message": "Name?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}
PATCH: Json = {"format": "git_patch", "text": "@@ -1 +1 @@\n-a\n+b\n"}
DIFF: Json = {
    "type": "diff",
    "changes": [{"operation": "modify", "path": "/a"}],
    "patch": PATCH,
    **META,
}


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def opened(client: int, agent: int) -> tuple[Wire, Transcript]:
    """Open the session `s` between all capabilities, and start a transcript with losses."""
    wire = Wire()
    transcript = Transcript(wire)
    asking: Json = {"elicitation": {"form": {}, "url": {}}}
    shown: Json = {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}}
    clients: dict[int, Json] = {
        1: {"clientInfo": INFO, "clientCapabilities": {**asking, "session": shown}},
        2: {"info": INFO, "capabilities": asking},
    }
    wire.client.request("initialize", protocolVersion=client, **clients[client])
    able = {"image": True, "audio": True, "embeddedContext": True}
    agents: dict[int, Json] = {
        1: {"agentCapabilities": {"loadSession": True, "promptCapabilities": able}},
        2: {"info": INFO, "capabilities": {"session": {"prompt": {key: {} for key in able}}}},
    }
    wire.agent.answer(wire.agent.take("initialize"), {"protocolVersion": agent, **agents[agent]})
    id_ = "id" if agent == 1 else "configId"
    values = [{"value": "a", "name": "A"}, {"value": "b", "name": "B", **META}]
    options: list[Json] = [
        {id_: "x", "name": "X", "type": "select", "currentValue": "a", "options": values, **META},
        {id_: "y", "name": "Y", "type": "boolean", "currentValue": True},
        {id_: "m", "name": "Mode", "category": "mode", "type": "select", "currentValue": "a"}
        | {"options": values},
    ]
    opening: Json = {"sessionId": "s", "configOptions": options, **EXTRA}
    if agent == 1:
        modes = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code", **META}]
        opening["modes"] = {"currentModeId": "ask", "availableModes": modes}
    for name, side in (("client", wire.client), ("agent", wire.agent)):
        side.on_send = lambda message, name=name: transcript.say(name, message)
    wire.losses.clear()
    wire.client.request("session/new", cwd="/home", mcpServers=[], **EXTRA)
    wire.agent.answer(wire.agent.take("session/new"), opening)
    return wire, transcript


def finish(golden: str, wire: Wire, transcript: Transcript, request: Any) -> None:
    transcript.lines += [
        f"lost: {each.side} {each.method}#{each.pointer}: {each.reason}" for each in wire.losses
    ]
    assert len(transcript.lines) > 80
    compare(golden, transcript, request)


UPDATES_OF_2: list[Json] = [
    {"sessionUpdate": "agent_thought_chunk", "messageId": "h", "content": TEXT, **EXTRA},
    {"sessionUpdate": "agent_thought", "messageId": "h", "content": [TEXT, LINK], **META},
    {"sessionUpdate": "agent_message", "messageId": "m", "content": [TEXT], **EXTRA},
    {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {**LINK, **EXTRA}},
    {"sessionUpdate": "agent_message", "messageId": "m", "content": [LINK]},
    {"sessionUpdate": "user_message_chunk", "messageId": "v", "content": TEXT},
    {"sessionUpdate": "user_message", "messageId": "v", "content": [TEXT, TEXT]},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Run", "kind": "_cook"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "in_progress", **EXTRA}
    | {"locations": [{"path": "/a", "line": 3, **META}], "rawInput": {"a": 1}},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": [DIFF]}
    | {"capabilities": {"cancel": {}}, "name": "run"},
    {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", **META}
    | {"content": {"type": "content", "content": TEXT, **META}},
    {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", **META}
    | {"content": {"type": "terminal", "terminalId": "T"}},
    {"sessionUpdate": "terminal_update", "terminalId": "T", "command": "ls", "cwd": "/", **EXTRA},
    {"sessionUpdate": "terminal_output_chunk", "terminalId": "T", "data": encoded(b"ab"), **META},
    {"sessionUpdate": "terminal_output_chunk", "terminalId": "T", "data": encoded(b"\xff")},
    {"sessionUpdate": "terminal_output_chunk", "terminalId": "T", "data": "?"},
    {"sessionUpdate": "terminal_update", "terminalId": "T", "output": {"data": encoded(b"\xe2")}},
    {"sessionUpdate": "terminal_update", "terminalId": "T"}
    | {"exitStatus": {"exitCode": 3, "signal": "SIGINT", **META}},
    {"sessionUpdate": "terminal_update", "terminalId": "U", "output": {"data": encoded(b"\xe2")}},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
    | {"title": None, "rawOutput": None},
    {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": [ENTRY]}},
    {"sessionUpdate": "plan_update", **EXTRA}
    | {"plan": {"type": "items", "planId": "q", "entries": [ENTRY, OPEN], **EXTRA}},
    {"sessionUpdate": "plan_update", "plan": {"type": "_graph", "planId": "r"}},
    {"sessionUpdate": "available_commands_update", **EXTRA}
    | {"availableCommands": [{"name": "a", "description": "A", "type": "command", **META}]},
    {"sessionUpdate": "config_option_update", **EXTRA}
    | {
        "configOptions": [
            {"configId": "y", "name": "Y", "type": "boolean", "currentValue": False, **META},
            {"configId": "z", "name": "Z", "type": "_dial", "currentValue": 3},
        ]
    },
    {"sessionUpdate": "session_info_update", "title": "About", "updatedAt": None, **EXTRA},
    {"sessionUpdate": "usage_update", "used": 1, "size": 2, **EXTRA}
    | {"cost": {"amount": 0.5, "currency": "EUR", **META}},
    {"sessionUpdate": "notice", "severity": "warning", "title": "Slow", **EXTRA},
    {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress", **EXTRA},
    {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": TEXT, **META},
    {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"}
    | {"summary": [TEXT, LINK]},
    # Updates that change only a part of `_meta`, and one without the cost.
    {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"}
    | {"_meta": {"later": 2}},
    {"sessionUpdate": "session_info_update", "_meta": {"later": 2}},
    {"sessionUpdate": "usage_update", "used": 3, "size": 4},
    {"sessionUpdate": "state_update", "state": "requires_action", **EXTRA},
    {"sessionUpdate": "_own", "custom": True},
]


def test_a_client_of_protocol_1_is_sent_every_kind(request: pytest.FixtureRequest) -> None:
    wire, transcript = opened(1, 2)
    client, agent = wire.client, wire.agent
    client.request("session/set_config_option", sessionId="s", configId="x", value="b", **META)
    taken = agent.take("session/set_config_option")
    option = {"configId": "x", "name": "X", "type": "select", "currentValue": "b", "options": []}
    agent.answer(taken, {"configOptions": [option], **EXTRA})
    client.request("session/set_mode", sessionId="s", modeId="b")
    client.request("session/prompt", sessionId="s", prompt=[TEXT, {**LINK, **META}], **EXTRA)
    agent.answer(agent.take("session/prompt"), {"messageId": "u", **EXTRA})
    agent.update(sessionUpdate="user_message", messageId="u", content=[TEXT, {**LINK, **META}])
    agent.update(sessionUpdate="state_update", state="running")
    for update in UPDATES_OF_2:
        agent.update(**update)
    subjects: list[Json] = [
        {"type": "tool_call", "toolCall": {"toolCallId": "t", "title": "Again"}, **EXTRA},
        {"type": "command", "command": "rm x", "cwd": "/", "toolCallId": "t", **EXTRA},
        {"type": "command", "command": "rm y", "cwd": "/", "toolCallId": "unknown"},
        {"type": "_smell"},
    ]
    for number, subject in enumerate(subjects):
        asked = {"title": "May I?", "description": "Now.", "options": [YES, NO], **EXTRA}
        agent.request("session/request_permission", sessionId="s", subject=subject, **asked)
        outcome: Json = {"outcome": "selected", "optionId": "y"}
        outcome = {"outcome": "cancelled"} if number == 2 else {**outcome, **META}
        client.answer(client.take("session/request_permission"), {"outcome": outcome, **META})
    agent.request("elicitation/create", sessionId="s", **FORM, **EXTRA)
    filled_in = {"action": "accept", "content": {"name": "Ada"}, **EXTRA}
    client.answer(client.take("elicitation/create"), filled_in)
    agent.request("elicitation/create", sessionId="s", mode="_own", message="?")
    client.notify("session/cancel", sessionId="s", **META)
    agent.update(sessionUpdate="state_update", state="idle", stopReason="cancelled", **EXTRA)
    client.request("session/close", sessionId="s", **EXTRA)
    agent.answer(agent.take("session/close"), EXTRA)
    finish("every_kind_to_1.txt", wire, transcript, request)


UPDATES_OF_1: list[Json] = [
    {"sessionUpdate": "user_message_chunk", "content": TEXT, **EXTRA},
    {"sessionUpdate": "agent_thought_chunk", "content": TEXT, **EXTRA},
    {"sessionUpdate": "agent_message_chunk", "content": {**LINK, **EXTRA}},
    {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": TEXT},
    {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Run", "kind": "edit", **EXTRA}
    | {"status": "pending", "locations": [{"path": "/a", "line": 3, **META}], "rawInput": {}},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t", **EXTRA}
    | {"content": [{"type": "diff", "path": "/a", "oldText": "a\n", "newText": "b\n", **META}]},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "failed"}
    | {"content": [{"type": "content", "content": TEXT}, {"type": "terminal", "terminalId": "T"}]},
    {"sessionUpdate": "tool_call_update", "toolCallId": "late", "title": None},
    {"sessionUpdate": "plan", "entries": [ENTRY, OPEN], **EXTRA},
    {"sessionUpdate": "available_commands_update", **EXTRA}
    | {"availableCommands": [{"name": "a", "description": "A", "input": {"hint": "b"}}]},
    {"sessionUpdate": "current_mode_update", "currentModeId": "code", **EXTRA},
    {"sessionUpdate": "config_option_update", **EXTRA}
    | {"configOptions": [{"id": "y", "name": "Y", "type": "boolean", "currentValue": False}]},
    {"sessionUpdate": "session_info_update", "title": "About", **EXTRA},
    {"sessionUpdate": "usage_update", "used": 1, "size": 2, **EXTRA}
    | {"cost": {"amount": 0.5, "currency": "EUR", **META}},
    {"sessionUpdate": "notice", "severity": "warning", "title": "Slow", **EXTRA},
    {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress", **EXTRA},
    {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": TEXT, **META},
    {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"},
]


def test_a_client_of_protocol_2_is_sent_every_kind(request: pytest.FixtureRequest) -> None:
    wire, transcript = opened(2, 1)
    client, agent = wire.client, wire.agent
    chosen = {"configId": "x", "type": "id", "value": "b"}
    client.request("session/set_config_option", sessionId="s", **chosen, **META)
    agent.answer(agent.take("session/set_config_option"), {"configOptions": [], **EXTRA})
    client.request("session/prompt", sessionId="s", prompt=[TEXT, {**LINK, **META}], **EXTRA)
    prompted = agent.take("session/prompt")
    for update in UPDATES_OF_1:
        agent.update(**update)
    for outcome in ({"outcome": "selected", "optionId": "y", **META}, {"outcome": "cancelled"}):
        call = {"toolCallId": "t", "title": "Again", "status": "pending", **EXTRA}
        asked = {"toolCall": call, "options": [YES, NO], **EXTRA}
        agent.request("session/request_permission", sessionId="s", **asked)
        client.answer(client.take("session/request_permission"), {"outcome": outcome, **META})
    agent.request("elicitation/create", sessionId="s", **FORM, **EXTRA)
    filled_in = {"action": "accept", "content": {"name": "Ada"}, **EXTRA}
    client.answer(client.take("elicitation/create"), filled_in)
    client.notify("session/cancel", sessionId="s", **META)
    usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
    agent.answer(prompted, {"stopReason": "cancelled", "usage": usage, **EXTRA})
    start = {"replayFrom": {"type": "start", **EXTRA}, **EXTRA}
    client.request("session/resume", sessionId="s", cwd="/home", **start)
    loading = agent.take("session/load")
    agent.update(sessionUpdate="user_message_chunk", content=TEXT)
    agent.update(sessionUpdate="agent_message_chunk", content=TEXT)
    agent.answer(loading, EXTRA)
    finish("every_kind_to_2.txt", wire, transcript, request)
