"""Helpers for tests of `acpgen trace`: conversations, and the findings in a conversation."""

from __future__ import annotations

from typing import Any

from acpwire.recording.reading import read_lines
from acpwire.rules.checker import Conversation, follow

from tests.package.jsonrpc.wire import initialize, line

INFO = {"name": "test", "version": "1"}
# The `initialize` result of an agent that supports all methods called here.
MANY = ("close", "list", "resume", "fork", "delete")
ABLE: dict[int, Any] = {
    1: {
        "agentCapabilities": {
            "loadSession": True,
            "auth": {"logout": {}},
            "sessionCapabilities": {name: {} for name in MANY},
        }
    },
    2: {
        "info": INFO,
        "capabilities": {"session": {"fork": {}}},
        "authMethods": [{"type": "agent", "methodId": "a", "name": "A"}],
    },
}


def answer(id_: Any, **result: Any) -> dict[str, Any]:
    return {"id": id_, "result": result}


def agreed(version: int) -> list[dict[str, Any]]:
    """Return an `initialize` request and its response."""
    return [initialize(version), answer(0, protocolVersion=version, **ABLE.get(version, {}))]


def bare(*messages: Any, surface: str | None = None) -> Conversation:
    """Check messages without a recorded direction."""
    return follow(read_lines(line(*messages).splitlines(keepends=True)), surface)


def problems(conversation: Conversation) -> list[tuple[int, str, str]]:
    return [
        (entry.line, each.pointer, each.message)
        for entry in conversation.entries
        for each in entry.problems
    ]


def notes(conversation: Conversation) -> list[tuple[int, str]]:
    return [(entry.line, note) for entry in conversation.entries for note in entry.notes]
