"""Helpers for tests of a protocol 2 client with a protocol 1 agent."""

from __future__ import annotations

from typing import Any

from acp_bindings.runtime.jsonrpc.limits import DEFAULT, Limits

from tests.package.bridge.wire import Json, Wire

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
FORM: Json = {
    "mode": "form",
    "message": "Name?",
    "requestedSchema": {"type": "object", "properties": {}},
}
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
    """Return an initialized bridge to an agent with the given capabilities."""
    wire = Wire(limits=limits)
    info = {"name": "client", "version": "1"}
    wire.client.request("initialize", protocolVersion=2, info=info, capabilities={})
    answer = {"protocolVersion": 1, "agentCapabilities": capabilities}
    wire.agent.answer(wire.agent.take("initialize"), answer)
    return wire


def with_session(wire: Wire | None = None, **answered: Any) -> Wire:
    """Open the session `s`, with the given fields in the agent's response. Return the bridge."""
    wire = wire or introduced()
    open_session(wire, **answered)
    return wire


def open_session(wire: Wire, session_id: str = "s", **answered: Any) -> Json:
    """Open a session and return the response that the client receives."""
    id_ = wire.client.request("session/new", cwd="/w")
    wire.agent.answer(wire.agent.take("session/new"), {"sessionId": session_id, **answered})
    return wire.client.answers[id_]


def prompt(wire: Wire, *blocks: Json) -> int:
    """Send a prompt and return the request id."""
    return wire.client.request("session/prompt", sessionId="s", prompt=list(blocks) or [TEXT])


def begin(wire: Wire, *blocks: Json) -> Json:
    """Send a prompt, discard the client's updates, and return the request that the agent gets."""
    prompt(wire, *blocks)
    wire.client.updates()
    return wire.agent.take("session/prompt")


def resume(wire: Wire, *, replay: bool, session_id: str = "s") -> int:
    start = {"replayFrom": {"type": "start"}} if replay else {}
    return wire.client.request("session/resume", sessionId=session_id, cwd="/w", **start)


def texts(updates: list[Json]) -> list[str]:
    return [u["content"]["text"] for u in updates if u["sessionUpdate"].endswith("_chunk")]


def ask(wire: Wire, **call: Any) -> int:
    call = {"toolCallId": "t", **call}
    return wire.agent.request(
        "session/request_permission", sessionId="s", toolCall=call, options=[YES]
    )
