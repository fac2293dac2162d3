"""An agent program for either protocol version, with options for misbehavior.

Its folder contains the sessions of all its processes and a log of the requests. The program reads
and writes plain JSON, so that it can also violate the protocol.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER, OPTIONS = Path(sys.argv[1]), json.loads(sys.argv[2])
IS_NEW = OPTIONS["version"] == 2
MESSAGES = FOLDER / "messages.json"
TOKEN = FOLDER / "token"


def note(name: str, entry: Any) -> None:
    with (FOLDER / name).open("a") as file:
        file.write(json.dumps(entry) + "\n")


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(session_id: str, kind: str, **members: Any) -> None:
    members = {"sessionUpdate": kind, **members}
    send({"method": "session/update", "params": {"sessionId": session_id, "update": members}})


def say(session_id: str, role: str, text: str, message_id: str) -> None:
    update(
        session_id,
        f"{role}_message_chunk",
        content={"type": "text", "text": text},
        **({"messageId": message_id} if IS_NEW else {}),
    )


def saved() -> dict[str, list[Any]]:
    return json.loads(MESSAGES.read_text()) if MESSAGES.exists() else {}


def save(session_id: str, *messages: Any) -> None:
    every = saved()
    every.setdefault(session_id, []).extend(messages)
    MESSAGES.write_text(json.dumps(every))


def capabilities() -> dict[str, Any]:
    if IS_NEW:
        return {"session": {"additionalDirectories": {}}}
    resume = {"resume": {}} if "resume" in OPTIONS["returns"] else {}
    return {
        "loadSession": "load" in OPTIONS["returns"],
        "sessionCapabilities": {"additionalDirectories": {}, **resume},
    }


def prompt(id_: Any, params: Any) -> None:
    session_id, text = params["sessionId"], params["prompt"][0]["text"]
    message_id = f"{os.getpid()}-{id_}"
    if text == "unauthorized":
        fail(id_, -32000, "authentication required")
        return
    if IS_NEW:
        send({"id": id_, "result": {"messageId": message_id}})
        update(session_id, "user_message", messageId=message_id, content=params["prompt"])
        update(session_id, "state_update", state="running")
    if text == "work":
        work(session_id)
        os._exit(3)
    if text == "crash":
        say(session_id, "agent", "half", f"{message_id}a")
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    say(session_id, "agent", f"heard {text}", f"{message_id}a")
    save(session_id, ["user", text, message_id], ["agent", f"heard {text}", f"{message_id}a"])
    if IS_NEW:
        update(session_id, "state_update", state="idle", stopReason="end_turn")
    else:
        send({"id": id_, "result": {"stopReason": "end_turn"}})


def work(session_id: str) -> None:
    """Begin tool calls and terminals, and finish only some of them."""
    statuses = {"waiting": "pending", "running": "in_progress", "done": "completed"}
    for tool_call_id, status in statuses.items():
        kind = "tool_call_update" if IS_NEW else "tool_call"
        update(session_id, kind, toolCallId=tool_call_id, title=tool_call_id, status=status)
    if IS_NEW:
        update(session_id, "terminal_update", terminalId="shell")
        update(session_id, "terminal_update", terminalId="over", exitStatus={"exitCode": 1})


def fail(id_: Any, code: int, message: str) -> None:
    send({"id": id_, "error": {"code": code, "message": message}})


def bring_back(id_: Any, method: str, params: Any) -> None:
    session_id = params["sessionId"]
    if session_id in OPTIONS["refused"]:
        fail(id_, -32002, "no such session")
        return
    if method == "session/load" or OPTIONS["resume_replays"]:
        for role, text, message_id in saved().get(session_id, []):
            say(session_id, role, text, message_id)
    command = {"type": "command", "name": "back", "description": "Says that the session is back."}
    update(session_id, "available_commands_update", availableCommands=[command])
    if OPTIONS["continues"]:
        update(session_id, "state_update", state="running")
    elif IS_NEW and not OPTIONS["silent"]:
        update(session_id, "state_update", state="idle")
    send({"id": id_, "result": {}})
    if OPTIONS["continues"]:
        update(session_id, "tool_call_update", toolCallId="running", status="in_progress")


def serve() -> None:
    starts = FOLDER / "starts"
    number = int(starts.read_text()) + 1 if starts.exists() else 1
    starts.write_text(str(number))
    note("log", ["start", None])
    note("pids", os.getpid())
    note("environment", dict(os.environ))
    if number in OPTIONS["fails_at"]:
        print(f"cannot start {number}", file=sys.stderr, flush=True)
        sys.exit(7)
    had_token = TOKEN.exists()  # like some programs, look for the token only at startup
    for line in sys.stdin:
        message = json.loads(line)
        method, params, id_ = message.get("method"), message.get("params"), message.get("id")
        note("log", [method, params])
        if method == "initialize":
            info = {"name": "brittle", "version": "1"}
            names = ("info", "capabilities") if IS_NEW else ("agentInfo", "agentCapabilities")
            result = {"protocolVersion": OPTIONS["version"], "authMethods": OPTIONS["methods"]}
            send({"id": id_, "result": {**result, names[0]: info, names[1]: capabilities()}})
        elif method in ("authenticate", "auth/login"):
            if OPTIONS["login_fails"]:
                fail(id_, -32603, "wrong password")
                continue
            had_token = True
            TOKEN.touch()
            send({"id": id_, "result": {}})
        elif method.startswith("session/") and OPTIONS["locked"] and not had_token:
            fail(id_, -32000, "authentication required")
        elif method == "session/new":
            session_id = f"s{len(saved()) + 1}"
            save(session_id)
            send({"id": id_, "result": {"sessionId": session_id}})
        elif method in ("session/load", "session/resume"):
            bring_back(id_, method, params)
        elif method == "session/prompt":
            prompt(id_, params)
        elif method == "session/close":
            send({"id": id_, "result": {}})


def log_in() -> None:
    note("log", ["terminal", sys.argv[3:]])
    note("environment", dict(os.environ))
    if OPTIONS["login_fails"]:
        sys.exit(4)
    TOKEN.touch()


if __name__ == "__main__":
    log_in() if sys.argv[3:] else serve()
