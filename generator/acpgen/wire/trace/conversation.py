"""Follow a conversation: who sends each message, what it answers, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_bindings.runtime.jsonrpc.messages import as_integer, is_id
from acp_bindings.runtime.jsonrpc.method import INITIALIZE, Kind

from acpgen.wire.trace.checking import Call, Verdict, check
from acpgen.wire.trace.entry import Entry
from acpgen.wire.trace.envelope import EntryKind, Finding, check_envelope, find_kind, outcomes
from acpgen.wire.trace.pairing import Requests
from acpgen.wire.trace.reading import Direction, Line
from acpgen.wire.trace.recorder import find_recorder
from acpgen.wire.trace.surfaces import Side, Spoken, find_receiver, load, other


@dataclass(frozen=True, slots=True)
class Conversation:
    """All entries in the order of their lines, and the requests that have no response.

    A log of a bridge has both its sides: two conversations, each of which is followed by itself.
    """

    entries: list[Entry]
    unanswered: list[Entry]
    is_bridged: bool = False


def follow(lines: Iterable[Line], surface: str | None = None) -> Conversation:
    """Follow a conversation.

    Args:
        lines: its lines.
        surface: the surface to check against; None for the one that the version leads to.
    """
    lines = list(lines)
    if not any(line.is_far for line in lines):
        return _merge(lines, {False: _Follower(Spoken(surface), find_recorder(lines))})
    followers: dict[bool, _Follower] = {}
    for is_far in (False, True):
        side = [line for line in lines if line.is_far == is_far]
        recorder = find_recorder(side)
        bridge = recorder if is_far or recorder is None else other(recorder)
        chosen = surface if surface and _agrees_on(side, surface) else None
        followers[is_far] = _Follower(Spoken(chosen), recorder, bridge)
    return _merge(lines, followers)


def _agrees_on(lines: Iterable[Line], surface: str) -> bool:
    """Whether an answer in these lines agrees on the version of a surface."""
    version = load(surface).SCHEMA.protocol_version
    results = [
        message.get("result")
        for line in lines
        for message in line.messages
        if type(message) is dict
    ]
    return any(
        type(result) is dict and as_integer(result.get("protocolVersion")) == version
        for result in results
    )


def _merge(lines: list[Line], followers: Mapping[bool, _Follower]) -> Conversation:
    entries: list[Entry] = []
    for line in lines:
        entries += followers[line.is_far].read(line)
    left = [entry for follower in followers.values() for entry in follower.end()]
    left.sort(key=lambda entry: entry.line)
    return Conversation(entries, left, is_bridged=len(followers) > 1)


class _Follower:
    """Reads line by line. Requests are found by who sent them and their id."""

    def __init__(self, spoken: Spoken, recorder: Side | None, bridge: Side | None = None) -> None:
        self._entries: list[Entry] = []  # of the line being read
        self._spoken = spoken
        self._recorder = recorder
        self._bridge = bridge
        self._is_begun = False
        self._unanswered: list[Entry] = []
        self._requests = Requests()

    def read(self, line: Line) -> list[Entry]:
        """Read one line; return its entries."""
        self._entries = []
        if line.problem is not None:
            entry = self._add(line, "unreadable")
            entry.value = line.text
            entry.problems.append(Finding("", line.problem))
        for message in line.messages:
            self._read_message(line, message)
        if line.problem is None and type(line.message) is list:
            self._check_batch(line)
        for entry in self._entries:
            entry.version = self._spoken.version
        return self._entries

    def _check_batch(self, line: Line) -> None:
        if not self._entries:
            entry = self._add(line, "invalid")
            entry.problems.append(Finding("", "expected messages, found an empty batch"))
        elif self._spoken.version == 1:
            message = "a batch, which protocol version 1 does not have"
            self._entries[0].problems.insert(0, Finding("", message))

    def _read_message(self, line: Line, message: Any) -> None:
        kind = find_kind(message)
        entry = self._add(line, kind)
        entry.problems += check_envelope(message)
        if type(message) is dict and is_id(message.get("id")):
            entry.id = message.get("id")
        if kind == "response":
            self._read_response(entry, message)
        elif kind in ("request", "notification"):
            self._read_call(entry, message)

    def _add(self, line: Line, kind: EntryKind) -> Entry:
        sender = self._side(line.direction)
        entry = Entry(line.number, kind, line.time, line.direction, sender, self._bridge)
        self._entries.append(entry)
        return entry

    def _side(self, direction: Direction | None) -> Side | None:
        """The side that sends in a direction."""
        if direction is None or self._recorder is None:
            return None
        return self._recorder if direction == "sent" else other(self._recorder)

    # --- requests and notifications ----------------------------------------------------------

    def _read_call(self, entry: Entry, message: dict[str, Any]) -> None:
        kind: Kind = "request" if entry.kind == "request" else "notification"
        entry.method, entry.value = message["method"], message.get("params")
        if entry.sender is None and entry.direction is None:
            receiver = find_receiver(message["method"], kind)
            entry.sender = other(receiver) if receiver else None
        call = Call(message["method"], kind, entry.receiver)
        if call.method == INITIALIZE and kind == "request" and entry.receiver != "client":
            self._begin(entry)
        elif not self._is_begun and not call.is_extension:
            self._is_begun = True
            entry.notes.append("comes before initialize")
        _record(entry, check(self._spoken.candidates, call, "params", entry.value))
        if kind == "request" and is_id(message["id"]):
            if entry.id is None and self._refuses_null_ids():
                entry.problems.append(Finding("/id", "expected string or integer, found null"))
            self._requests.add(entry)

    def _begin(self, entry: Entry) -> None:
        """Take the protocol version that the client asks for, until the agent decides."""
        left = self._requests.clear()
        if left:
            entry.notes.append("a new connection: older requests get no response")
        self._unanswered += left
        self._is_begun = True
        self._spoken.forget()
        self._agree(entry)

    def _agree(self, entry: Entry) -> bool:
        value = entry.value
        version = as_integer(value.get("protocolVersion")) if type(value) is dict else None
        return version is None or self._spoken.agree(version)

    def _refuses_null_ids(self) -> bool:
        names = [names[0] for names in self._spoken.candidates]
        return bool(names) and not any(load(name).NULL_ID for name in names)

    # --- responses ---------------------------------------------------------------------------

    def _read_response(self, entry: Entry, message: dict[str, Any]) -> None:
        has = outcomes(message)
        entry.notes += [
            f"the {name} is null instead of absent"
            for name in ("result", "error")
            if name in message and name not in has
        ]
        entry.is_error = has == ["error"]
        entry.value = message.get("error" if entry.is_error else "result")
        if not is_id(message.get("id", ...)):
            return
        has_result = "result" in has
        self._requests.close(entry, lambda candidate: has_result and self._fits(entry, candidate))
        request = entry.request
        if request is None:
            return
        entry.method = request.method
        if entry.sender is None and request.sender is not None:
            entry.sender = other(request.sender)
        if not has_result:
            return
        if request.method == INITIALIZE and not self._agree(entry):
            entry.notes.append(
                "this protocol version is not known here: nothing is checked from now on"
            )
        _record(entry, self._check_result(entry, request))

    def _fits(self, entry: Entry, request: Entry) -> bool:
        return not self._check_result(entry, request).problems

    def _check_result(self, entry: Entry, request: Entry) -> Verdict:
        call = Call(request.method or "", "request", request.receiver)
        return check(self._spoken.candidates, call, "result", entry.value)

    # --- the end -----------------------------------------------------------------------------

    def end(self) -> list[Entry]:
        """End the conversation, and return the requests that have no response."""
        self._unanswered += self._requests.clear()
        for entry in self._unanswered:
            entry.notes.append("has no response")
        return self._unanswered


def _record(entry: Entry, verdict: Verdict) -> None:
    entry.surface = verdict.surface
    entry.problems += verdict.problems
    entry.notes += verdict.notes
