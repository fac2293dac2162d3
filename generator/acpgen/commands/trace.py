"""Follow a recorded conversation, and describe it as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from acpgen.common.problems import InputError, Problem

if TYPE_CHECKING:
    from acpgen.wire.trace.conversation import Conversation
    from acpgen.wire.trace.entry import Entry


def trace(file: Iterable[bytes], name: str, surface: str | None = None) -> Conversation:
    """Read a recording and follow the conversation in it.

    Args:
        file: its lines.
        name: what the user calls it.
        surface: the surface to check against; None for the one that the version leads to.

    Raises:
        InputError: it holds no message, or the generated package is missing.
    """
    try:
        from acpgen.wire.trace.conversation import follow
        from acpgen.wire.recording.reading import read_lines

        conversation = follow(read_lines(file), surface)
    except ImportError as error:
        message = f"cannot be imported ({error}); pip install 'acp-bindings[generator]'"
        raise InputError([Problem("acp_bindings", "", "missing-package", message)]) from error
    if not any(_is_part(entry) for entry in conversation.entries):
        message = (
            "holds no message; give a file that log_to wrote, or JSON-RPC messages, one a line"
        )
        raise InputError([Problem(name, "", "no-messages", message)])
    return conversation


def _is_part(entry: Entry) -> bool:
    """Whether an entry shows that the file is a recording: junk in a log does."""
    return entry.direction is not None or entry.kind not in ("invalid", "unreadable")


def counts(conversation: Conversation) -> dict[str, int]:
    """Count the messages, requests, requests without a response, and problems."""
    entries = conversation.entries
    return {
        "messages": sum(entry.kind != "unreadable" for entry in entries),
        "requests": sum(entry.kind == "request" for entry in entries),
        "unanswered": len(conversation.unanswered),
        "problems": sum(len(entry.problems) for entry in entries),
    }


def as_json(conversation: Conversation) -> dict[str, Any]:
    """Describe a conversation as plain JSON, without the params and results."""
    return {"entries": list(map(_entry, conversation.entries)), **counts(conversation)}


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "line": entry.line,
        "time": entry.time,
        "direction": entry.direction,
        "from": entry.name(entry.sender),
        "to": entry.name(entry.receiver),
        "version": entry.version,
        "kind": entry.kind,
        "method": entry.method,
        "id": entry.id,
        "request": entry.request and entry.request.line,
        "seconds": entry.seconds,
        "surface": entry.surface,
        "error": _error(entry),
        "problems": [
            {"pointer": problem.pointer, "message": problem.message} for problem in entry.problems
        ],
        "notes": entry.notes,
    }


def _error(entry: Entry) -> dict[str, Any] | None:
    if not entry.is_error or type(entry.value) is not dict:
        return None
    members = {name: entry.value.get(name) for name in ("code", "message")}
    scalars = (type(value) not in (dict, list) for value in members.values())
    return members if all(scalars) else None
