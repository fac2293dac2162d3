"""The messages to measure, in the format of each protocol version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

CHUNK = "text chunk"
TOOL_CALL = "tool call with a diff"
SESSIONS = "200 sessions"
NAMES = (CHUNK, TOOL_CALL, SESSIONS)

PROTOCOLS = ("v1", "v2")


@dataclass(frozen=True)
class Message:
    protocol: str  # `v1` or `v2`
    name: str  # one of `NAMES`
    type_name: str  # the name of the definition and of the official SDK's class
    value: dict[str, Any]  # the JSON value
    probe: tuple[str | int, ...]  # the path to a field: attribute names and indexes
    expected: str  # the value at the path `probe`

    @property
    def text(self) -> str:
        return json.dumps(self.value, separators=(",", ":"), ensure_ascii=False)


def follow(value: Any, probe: tuple[str | int, ...]) -> Any:
    """Return the value at the end of a path through objects, dictionaries and lists."""
    for step in probe:
        if isinstance(step, int):
            value = value[step]
        elif value.__class__ is dict:
            value = value[_wire_name(step)]
        else:
            value = getattr(value, step)
    return value


def _wire_name(attribute: str) -> str:
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


_SESSION_ID = "sess_8f14e45f-ceea-467f-9a0c-51d2b6a4e7c1"
_CHUNK_TEXT = "I have read the configuration and will now "
_PATH = "/home/user/project/src/settings.py"
_OLD_TEXT = "".join(f"OPTION_{number} = {number}\n" for number in range(20))
_NEW_TEXT = _OLD_TEXT.replace("OPTION_7 = 7", "OPTION_7 = 70")
_PATCH = (
    "diff --git a/src/settings.py b/src/settings.py\n--- a/src/settings.py\n"
    "+++ b/src/settings.py\n@@ -5,7 +5,7 @@\n OPTION_4 = 4\n OPTION_5 = 5\n OPTION_6 = 6\n"
    "-OPTION_7 = 7\n+OPTION_7 = 70\n OPTION_8 = 8\n OPTION_9 = 9\n OPTION_10 = 10\n"
)
_DIFF: dict[str, dict[str, Any]] = {
    "v1": {"type": "diff", "path": _PATH, "oldText": _OLD_TEXT, "newText": _NEW_TEXT},
    "v2": {
        "type": "diff",
        "changes": [
            {"operation": "modify", "path": _PATH, "fileType": "text", "mimeType": "text/x-python"}
        ],
        "patch": {"format": "git_patch", "text": _PATCH},
    },
}
_UPDATE_TYPE = {"v1": "SessionNotification", "v2": "UpdateSessionNotification"}


def _chunk(protocol: str) -> Message:
    # The message id is optional in v1 and required in v2. Including it makes the JSON the same in
    # both versions.
    update = {
        "sessionUpdate": "agent_message_chunk",
        "messageId": "msg_0b7e1c52",
        "content": {"type": "text", "text": _CHUNK_TEXT},
    }
    return Message(
        protocol,
        CHUNK,
        _UPDATE_TYPE[protocol],
        {"sessionId": _SESSION_ID, "update": update},
        ("update", "content", "text"),
        _CHUNK_TEXT,
    )


def _tool_call(protocol: str) -> Message:
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "call_3d1f",
        "title": "Edit settings.py",
        "kind": "edit",
        "status": "completed",
        "content": [_DIFF[protocol]],
        "locations": [{"path": _PATH, "line": 8}],
    }
    inside = ("new_text",) if protocol == "v1" else ("patch", "text")
    return Message(
        protocol,
        TOOL_CALL,
        _UPDATE_TYPE[protocol],
        {"sessionId": _SESSION_ID, "update": update},
        ("update", "content", 0, *inside),
        _NEW_TEXT if protocol == "v1" else _PATCH,
    )


def _sessions(protocol: str) -> Message:
    sessions = [
        {
            "sessionId": f"sess_{number:08x}",
            "cwd": f"/home/user/project_{number}",
            "additionalDirectories": ["/home/user/shared"],
            "title": f"Session number {number}",
            "updatedAt": f"2026-01-{number % 28 + 1:02}T12:34:56Z",
        }
        for number in range(200)
    ]
    return Message(
        protocol,
        SESSIONS,
        "ListSessionsResponse",
        {"sessions": sessions, "nextCursor": "page_2"},
        ("sessions", 199, "title"),
        "Session number 199",
    )


MESSAGES = tuple(
    make(protocol) for protocol in PROTOCOLS for make in (_chunk, _tool_call, _sessions)
)
