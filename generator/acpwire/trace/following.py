"""Functions that read recordings, finished or in progress, and describe them as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from acpgen.common.problems import InputError, Problem

from acpwire.recording.reading import read_lines, tail
from acpwire.rules.checker import Checker, Conversation, follow
from acpwire.rules.entry import Entry

_COUNTED: tuple[str, ...] = ("messages", "requests", "unanswered", "problems")


def trace(file: Iterable[bytes], name: str, surface: str | None = None) -> Conversation:
    """Read and check a recording.

    Raises:
        InputError: If the recording contains no message.
    """
    conversation = follow(read_lines(file), surface)
    for entry in conversation.entries:  # some lines might not be messages
        if entry.direction is not None or entry.kind not in ("invalid", "unreadable"):
            return conversation
    message = "contains no message; pass a log_to recording, or JSON-RPC messages, one per line"
    raise InputError([Problem(name, "", "no-messages", message)])


class Following:
    """A reader for a recording in progress."""

    def __init__(self, surface: str | None = None) -> None:
        self._checker = Checker(surface)
        self.counts = dict.fromkeys(_COUNTED, 0)

    def entries(self, source: Path | Iterable[bytes]) -> Iterator[Entry]:
        """Yield entries as they are recorded until the recording or its source ends."""
        for line in tail(source) if isinstance(source, Path) else read_lines(source):
            for entry in self._checker.read(line):
                _count(entry, self.counts)
                yield entry
                entry.value = None  # to save memory, since the checker keeps pending requests
            if self._checker.has_ended:
                return

    def end(self) -> list[Entry]:
        """Finish reading and return the requests that have no response."""
        left = self._checker.end()
        self.counts["unanswered"] = len(left)
        return left


def counts(conversation: Conversation) -> dict[str, int]:
    """Count the messages, requests, requests without a response, and problems."""
    total = dict.fromkeys(_COUNTED, 0)
    for entry in conversation.entries:
        _count(entry, total)
    return {**total, "unanswered": len(conversation.unanswered)}


def _count(entry: Entry, total: dict[str, int]) -> None:
    total["messages"] += entry.kind not in ("unreadable", "event")
    total["requests"] += entry.kind == "request"
    total["problems"] += len(entry.problems)


def as_json(conversation: Conversation) -> dict[str, Any]:
    """Describe a recording as JSON values, omitting params and results."""
    return {"entries": list(map(entry_as_json, conversation.entries)), **counts(conversation)}


def entry_as_json(entry: Entry) -> dict[str, Any]:
    """Describe an entry as JSON values, omitting params and results."""
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
        **({"event": entry.value} if entry.kind == "event" else {}),
        "error": _error(entry),
        "problems": [asdict(problem) for problem in entry.problems],
        "notes": entry.notes,
    }


def _error(entry: Entry) -> dict[str, Any] | None:
    if not entry.is_error or type(entry.value) is not dict:
        return None
    members = {name: entry.value.get(name) for name in ("code", "message")}
    scalars = (type(value) not in (dict, list) for value in members.values())
    return members if all(scalars) else None
