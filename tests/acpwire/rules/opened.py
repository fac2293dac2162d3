"""Test messages for an open session, and the traffic that opens it."""

from __future__ import annotations

from typing import Any

from tests.package.jsonrpc.wire import ask, tell
from tests.support.traced import agreed, answer

OPENED: dict[int, list[Any]] = {
    version: [
        *agreed(version),
        ask(1, "session/new", cwd="/", **({"mcpServers": []} if version == 1 else {})),
        answer(1, sessionId="s"),
    ]
    for version in (1, 2)
}
OPTION = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
PROMPT = ask(2, "session/prompt", sessionId="s", prompt=[])
CLOSED = [ask(8, "session/close", sessionId="s"), answer(8)]


def update(kind: str, session: str = "s", /, **members: Any) -> dict[str, Any]:
    return tell("session/update", sessionId=session, update={"sessionUpdate": kind, **members})


def chunk(role: str = "agent", *, session: str = "s", **members: Any) -> dict[str, Any]:
    content = {"content": {"type": "text", "text": "Hi"}}
    return update(f"{role}_message_chunk", session, **{**content, **members})


def call(kind: str = "tool_call_update", **members: Any) -> dict[str, Any]:
    return update(kind, toolCallId="t", title="Tea", **members)
