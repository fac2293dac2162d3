"""What the fake agent does for each prompt, see `fake_agent.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Step = dict[str, Any]
SESSION = "s-1"
END: Step = {"result": {"stopReason": "end_turn"}}
LINK = {"type": "resource_link", "name": "notes", "uri": "file:///notes.md"}
TEXT_FILE = {"uri": "file:///a.txt", "text": "embedded text"}
BINARY_FILE = {"uri": "file:///b.bin", "blob": "AAAA"}
CONTENT: list[dict[str, Any]] = [
    {"type": "text", "text": "some text"},
    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    LINK,
    {**LINK, "uri": "", "name": ""},
    {"type": "resource", "resource": TEXT_FILE},
    {"type": "resource", "resource": BINARY_FILE},
    {"type": "resource", "resource": {**BINARY_FILE, "blob": ""}},
]
ENTRIES = [
    {"content": "look", "priority": "high", "status": "in_progress"},
    {"content": "leap", "priority": "low", "status": "pending"},
]
CHANGES = [
    {"type": "diff", "path": "/a.txt", "oldText": "a", "newText": "b"},
    {"type": "terminal", "terminalId": "term-1"},
    {"type": "content", "content": CONTENT[0]},
]
UPDATES: list[dict[str, Any]] = [
    *[{"sessionUpdate": "agent_message_chunk", "content": each} for each in CONTENT],
    {"sessionUpdate": "agent_thought_chunk", "content": CONTENT[0]},
    {"sessionUpdate": "user_message_chunk", "content": CONTENT[0]},
    {"sessionUpdate": "plan", "entries": ENTRIES},
    {"sessionUpdate": "tool_call", "toolCallId": "t-1", "title": "Edit", "status": "completed"},
    {"sessionUpdate": "tool_call", "toolCallId": "t-2", "title": "Run"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t-2"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t-2", "status": "failed"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t-1", "content": CHANGES},
    {"sessionUpdate": "current_mode_update", "currentModeId": "fast"},
    {"sessionUpdate": "available_commands_update", "availableCommands": []},
    {"sessionUpdate": "session_info_update", "title": "A session"},
    {"sessionUpdate": "usage_update", "used": 1, "size": 2},
]
FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
QUESTIONS: list[dict[str, Any]] = [
    {"mode": "form", "message": "Who?", "requestedSchema": FORM, "sessionId": SESSION},
    {"mode": "form", "message": "Where?", "requestedSchema": FORM, "requestId": 1},
    {
        "mode": "url",
        "message": "Sign in",
        "url": "https://example.com/",
        "elicitationId": "e-1",
        "sessionId": SESSION,
    },
]
OPTIONS = [
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
    {"optionId": "once", "name": "Once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
]


def updates() -> list[Step]:
    """All kinds of updates."""
    return [_note("session/update", {"update": each}) for each in UPDATES]


def plans_with_ids() -> list[Step]:
    """The update of a plan with an id, and its end."""
    plan = {"type": "items", "planId": "p-1", "entries": ENTRIES}
    changes: list[Step] = [
        {"sessionUpdate": "plan_update", "plan": plan},
        {"sessionUpdate": "plan_removed", "planId": "p-1"},
    ]
    return [_note("session/update", {"update": each}) for each in changes]


def permission(options: list[dict[str, Any]], **call: Any) -> list[Step]:
    """A request for a permission."""
    params = {"toolCall": {"toolCallId": "t-1", **call}, "options": options}
    return _requests(("session/request_permission", params))


def files(folder: Path) -> list[Step]:
    """Requests that write a file below a folder, and read it in various ways."""
    path = str(folder / "sub" / "file.txt")
    slices: list[dict[str, Any]] = [
        {},
        {"line": 2},
        {"line": 2, "limit": 2},
        {"limit": 1},
        {"line": 0, "limit": 0},
        {"line": 9},
        {"line": None, "limit": None},
    ]
    return _requests(
        ("fs/write_text_file", {"path": path, "content": "one\ntwo\nthree\nfour\n"}),
        *[("fs/read_text_file", {"path": path, **each}) for each in slices],
    )


def relative_files() -> list[Step]:
    """Requests for files by paths that are not absolute."""
    return _requests(
        ("fs/write_text_file", {"path": "file.txt", "content": ""}),
        ("fs/read_text_file", {"path": "file.txt"}),
    )


def terminals() -> list[Step]:
    """Requests about a terminal."""
    one = {"terminalId": "term-1"}
    return _requests(
        ("terminal/create", {"command": "ls"}),
        ("terminal/create", {"command": "ls", "args": ["-l", "a b"], "cwd": "/tmp"}),
        ("terminal/output", one),
        ("terminal/wait_for_exit", one),
        ("terminal/kill", one),
        ("terminal/release", one),
    )


def elicitations() -> list[Step]:
    """Questions to the user, and the end of one."""
    asked: list[Step] = [
        {"id": f"e-{number}", "method": "elicitation/create", "params": params}
        for number, params in enumerate(QUESTIONS)
    ]
    return [*asked, {"method": "elicitation/complete", "params": {"elicitationId": "e-1"}}]


def extension_request() -> list[Step]:
    """A request that the protocol does not have."""
    return _requests(("_example/count", {"a": 1}))


def extension_notification() -> list[Step]:
    """A notification that the protocol does not have."""
    return [_note("_example/note", {"a": 1})]


def script(*prompts: list[Step], **answers: Step) -> str:
    """The script of an agent, as JSON."""
    return json.dumps({"prompts": prompts, "answers": answers})


def _note(method: str, params: dict[str, Any]) -> Step:
    return {"method": method, "params": {"sessionId": SESSION, **params}}


def _requests(*calls: tuple[str, dict[str, Any]]) -> list[Step]:
    return [
        {"id": f"{method}-{number}", **_note(method, params)}
        for number, (method, params) in enumerate(calls)
    ]
