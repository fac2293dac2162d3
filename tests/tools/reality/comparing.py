"""Comparison of our client's session states with the recording of the agent's messages.

Recordings of protocol 1 are read without `acp_bindings`. Recorded updates of protocol 2 are applied
to a new session state.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acp_bindings import v1, v2
from acpwire.recording.reading import read_lines
from acpwire.rules.checker import follow
from acpwire.rules.entry import Entry

# The tool call fields that both protocol versions share.
_FIELDS = ("title", "kind", "status")
# The id and category of the option to which the bridge converts protocol 1 modes.
_MODE = ("mode", "mode")


def entries_of(recording: Path) -> list[Entry]:
    """Return the entries of a recording, or none if the agent never started."""
    if not recording.exists():
        return []
    with recording.open("rb") as file:
        return list(follow(read_lines(file)).entries)


def violations(recording: Path) -> set[str]:
    """Return the protocol violations in a recording, each with its sender and method."""
    return {
        f"{entry.sender}: {entry.method}: {problem.message}"
        for entry in entries_of(recording)
        for problem in entry.problems
    }


def differences(recording: Path, sessions: Iterable[Any], mode: str) -> list[str]:
    """Return the differences between session states and the recording of their connection."""
    entries = entries_of(recording)
    left = _leaving(entries)
    read = _recorded_v2 if version_of(entries) == 2 else _recorded_v1
    found: list[str] = []
    for session in sessions:
        v, own = session.client.v, [e for e in entries if _session(e) == session.session_id]
        held, recorded = _view(session.state, v), read(own, v)
        early = read([each for each in own if each.line <= left], v)
        for call_id, call in held["calls"].items():
            # When our client cancels a turn, it marks unfinished tool calls as cancelled. Updates
            # don't report this change.
            if call["status"] == "cancelled" and call_id in recorded["calls"]:
                call["status"] = recorded["calls"][call_id]["status"]
        found += [
            f"state: {mode} {name} is {held[name]!r}, but recorded {recorded[name]!r}"
            for name in recorded
            if held[name] not in (recorded[name], early[name])
        ]
    return found


def _leaving(entries: list[Entry]) -> int:
    """Return the line of the agent's last response. Our client might not read later lines."""
    answers = (each for each in entries if (each.kind, each.sender) == ("response", "agent"))
    return max((each.line for each in answers), default=0)


def version_of(entries: Iterable[Entry]) -> int:
    """Return the protocol version that the agent speaks, or 0 if it never responded.

    The version in the response is ignored, since some protocol 1 agents merely repeat the request's
    version.
    """
    results = [entry.value for entry in entries if _introduces(entry)]
    return next((2 if "info" in each else 1 for each in results if isinstance(each, dict)), 0)


def _introduces(entry: Entry) -> bool:
    return entry.method == "initialize" and entry.kind == "response" and not entry.is_error


def _session(entry: Entry) -> str | None:
    """Return the session id of a message, even if only the message's result contains it."""
    session: str | None = entry.session
    if session is None and isinstance(entry.value, dict):
        session = entry.value.get("sessionId")
    return session


def _recorded_v1(entries: list[Entry], v: Any) -> dict[str, Any]:
    view: dict[str, Any] = {"said": "", "thought": "", "calls": {}, "plan": [], "options": {}}
    view |= {"commands": []} if v is v2 else {"commands": [], "mode": None}
    for entry in entries:
        if entry.is_error or not isinstance(entry.value, dict):
            continue
        if entry.method == "session/update":
            _apply(view, entry.value.get("update") or {})
        elif entry.method == "session/request_permission" and entry.kind == "request":
            # A permission request also updates its tool call.
            _apply(view, {**entry.value["toolCall"], "sessionUpdate": "tool_call_update"})
        elif entry.kind == "response":
            _take_result(view, entry)
    return view


def _take_result(view: dict[str, Any], entry: Entry) -> None:
    """Apply the options and the mode that a response reports or confirms."""
    if entry.value.get("configOptions"):
        _set_options(view, entry.value["configOptions"])
    if entry.value.get("modes"):
        _set_mode(view, entry.value["modes"]["currentModeId"])
    if entry.method == "session/set_mode" and entry.request is not None:
        _set_mode(view, entry.request.value["modeId"])


def _set_options(view: dict[str, Any], options: list[dict[str, Any]]) -> None:
    """Set the options, but keep the bridge's option for modes if no new option replaces it."""
    old, new = view["options"], _values(options)
    has_mode = any(category == "mode" for _, category in new)
    view["options"] = new if has_mode or _MODE not in old else {_MODE: old[_MODE], **new}


def _set_mode(view: dict[str, Any], mode: str) -> None:
    """Set the mode or, in protocol 2, the option for modes, adding that option if necessary."""
    if "mode" in view:
        view["mode"] = mode
    else:
        keys = (key for key in view["options"] if key[1] == "mode")
        view["options"][next(keys, _MODE)] = mode


def _recorded_v2(entries: list[Entry], v: Any) -> dict[str, Any]:
    state = v2.SessionState()
    for entry in entries:
        if entry.is_error or not isinstance(entry.value, dict):
            continue
        if entry.method == "session/update":
            state.apply(v2.decode(v2.SessionUpdate, entry.value["update"]))
        elif entry.kind == "response" and entry.method in v2.AGENT_METHODS and entry.request:
            method = v2.AGENT_METHODS[entry.method]
            params = v2.decode(method.params, entry.request.value)
            state.apply_response(method.name, params, v2.decode(method.result, entry.value))
    return _view(state, v)


def _apply(view: dict[str, Any], update: dict[str, Any]) -> None:
    match update.get("sessionUpdate"):
        case "agent_message_chunk":
            view["said"] += update["content"].get("text", "")
        case "agent_thought_chunk":
            view["thought"] += update["content"].get("text", "")
        case "tool_call" | "tool_call_update" as kind:
            is_new = kind == "tool_call"
            old = {} if is_new else view["calls"].get(update["toolCallId"], {})
            said = {name: update[name] for name in _FIELDS if update.get(name) is not None}
            defaults = {"title": None, "kind": "other", "status": "pending"}
            view["calls"][update["toolCallId"]] = {**defaults, **old, **said}
        case "plan":
            view["plan"] = [(each["content"], each["status"]) for each in update["entries"]]
        case "current_mode_update":
            _set_mode(view, update["currentModeId"])
        case "config_option_update":
            _set_options(view, update["configOptions"])
        case "available_commands_update":
            view["commands"] = [each["name"] for each in update["availableCommands"]]
        case _:
            pass


def _values(options: list[dict[str, Any]]) -> dict[tuple[str, str], Any]:
    """Return the values of options, by id and category."""
    return {
        (each.get("configId") or each["id"], each.get("category") or ""): each.get("currentValue")
        for each in options
    }


def _view(state: Any, v: Any) -> dict[str, Any]:
    """Return the content of a state in a form that both protocol versions share."""
    encode = v.encode
    calls = {id_: encode(call) for id_, call in state.tool_calls.items()}
    options, commands = state.config_options, state.available_commands
    view: dict[str, Any] = {
        "said": "".join(each.text for each in state.messages if each.role == "agent"),
        "thought": "".join(each.text for each in state.messages if each.role == "thought"),
        "calls": {
            id_: {
                "title": call.get("title"),
                "kind": call.get("kind") or "other",
                "status": call.get("status") or "pending",
            }
            for id_, call in calls.items()
        },
        "plan": [
            (each["content"], each["status"])
            for plan in map(encode, state.plans.values())
            for each in plan.get("plan", plan).get("entries", [])
        ],
        "options": _values(encode(options)["configOptions"]) if options else {},
        "commands": [each.name for each in commands.available_commands] if commands else [],
    }
    if v is v1:
        view["mode"] = state.current_mode.current_mode_id if state.current_mode else None
    return view
