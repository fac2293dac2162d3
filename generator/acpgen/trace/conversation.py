"""Follow a conversation: who sends each message, what it answers, and what is wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acp_bindings.runtime.jsonrpc.messages import INITIALIZE, as_integer, is_id
from acp_bindings.runtime.jsonrpc.method import Kind

from acpgen.trace.checking import Call, Verdict, check
from acpgen.trace.envelope import EntryKind, Finding, check_envelope, find_kind
from acpgen.trace.excerpts import quote_id
from acpgen.trace.reading import Direction, Line
from acpgen.trace.surfaces import Side, Spoken, find_receiver, load, other

# Who sends: a side, or the direction in a log if it is not known which side kept it.
Sender: TypeAlias = "Side | Direction | None"

_OPPOSITE: dict[Sender, Sender] = {
    "client": "agent",
    "agent": "client",
    "sent": "received",
    "received": "sent",
}
_INTEGER = re.compile(r"-?[0-9]{1,18}")


@dataclass(slots=True)
class Entry:
    """A message of the conversation, or a line that holds none.

    Attributes:
        line: the number of its line, from 1.
        kind: what it is.
        time: when it was seen, in seconds since the epoch; None if nothing says so.
        direction: which way it went in a log; None if it was bare.
        sender: who sent it; None if it cannot be known.
        method: what it calls, or what the request called that it answers.
        id: the id of the request.
        request: for a response, what it answers.
        surface: the surface that it was checked against.
        value: its params, result or error; of an unreadable line, its beginning.
        is_error: whether it is a response with an error.
        problems: what is wrong with it.
        notes: what a person may want to know, and is not wrong.
    """

    line: int
    kind: EntryKind
    time: float | None = None
    direction: Direction | None = None
    sender: Side | None = None
    method: str | None = None
    id: str | int | float | None = None
    request: Entry | None = None
    surface: str | None = None
    value: Any = None
    is_error: bool = False
    problems: list[Finding] = field(default_factory=list[Finding])
    notes: list[str] = field(default_factory=list[str])

    @property
    def receiver(self) -> Side | None:
        """The side that it was sent to."""
        return other(self.sender) if self.sender else None

    @property
    def seconds(self) -> float | None:
        """For a response, the time since its request."""
        if self.request is None or self.request.time is None or self.time is None:
            return None
        return self.time - self.request.time


@dataclass(frozen=True, slots=True)
class Conversation:
    """All entries in the order of their lines, and the requests that have no response."""

    entries: list[Entry]
    unanswered: list[Entry]


def follow(lines: Iterable[Line], surface: str | None = None) -> Conversation:
    """Follow a conversation.

    Args:
        lines: its lines.
        surface: the surface to check against; None for that of the version it agrees on.
    """
    lines = list(lines)
    follower = _Follower(Spoken(surface), find_keeper(lines))
    for line in lines:
        follower.read(line)
    return Conversation(follower.entries, follower.end())


def find_keeper(lines: Iterable[Line]) -> Side | None:
    """Find the side that kept the log, by who calls `initialize`, or else what one side handles."""
    first: Side | None = None
    for line in lines:
        if line.direction is None:
            continue
        for message in line.messages:
            kind = find_kind(message)
            if kind not in ("request", "notification") or (
                first and message["method"] != INITIALIZE
            ):
                continue
            receiver = find_receiver(message["method"], kind)
            if receiver is not None:
                first = other(receiver) if line.direction == "sent" else receiver
                if message["method"] == INITIALIZE:
                    return first
    return first


class _Follower:
    """Reads line by line. Requests are found by who sent them and their id."""

    def __init__(self, spoken: Spoken, keeper: Side | None) -> None:
        self.entries: list[Entry] = []
        self._spoken = spoken
        self._keeper = keeper
        self._is_begun = False
        self._unanswered: list[Entry] = []
        self._open: dict[Sender, dict[Any, list[Entry]]] = {}
        self._answered: dict[tuple[Sender, Any], Entry] = {}
        # Ids that both sides had in use, once the first response came that could be to either.
        self._doubtful: Counter[Any] = Counter()

    def read(self, line: Line) -> None:
        """Read one line."""
        if line.problem is not None:
            finding = Finding("", line.problem)
            entry = Entry(line.number, "unreadable", line.time, line.direction, value=line.text)
            entry.sender = self._side(line.direction)
            entry.problems.append(finding)
            self.entries.append(entry)
            return
        first = len(self.entries)
        for message in line.messages:
            self._read_message(line, message)
        if type(line.message) is list:
            self._check_batch(line, first)

    def _check_batch(self, line: Line, first: int) -> None:
        if first == len(self.entries):
            entry = Entry(line.number, "invalid", line.time, line.direction)
            self.entries.append(entry)
            entry.problems.append(Finding("", "expected messages, found an empty batch"))
        elif self._spoken.version == 1:
            message = "a batch, which protocol version 1 does not have"
            self.entries[first].problems.insert(0, Finding("", message))

    def _read_message(self, line: Line, message: Any) -> None:
        kind = find_kind(message)
        entry = Entry(line.number, kind, line.time, line.direction)
        entry.sender = self._side(line.direction)
        self.entries.append(entry)
        entry.problems += check_envelope(message)
        if type(message) is dict and is_id(message.get("id")):
            entry.id = message.get("id")
        if kind == "response":
            self._read_response(entry, message)
        elif kind in ("request", "notification"):
            self._read_call(entry, message)

    def _side(self, direction: Direction | None) -> Side | None:
        """The side that sends in a direction."""
        if direction is None or self._keeper is None:
            return None
        return self._keeper if direction == "sent" else other(self._keeper)

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
        verdict = check(self._spoken.ladders, call, "params", entry.value)
        entry.surface = verdict.surface
        entry.problems += verdict.problems
        entry.notes += verdict.notes
        if kind == "request":
            self._open_request(entry, message)

    def _begin(self, entry: Entry) -> None:
        """Take the protocol version that the client asks for, until the agent decides."""
        if any(requests for by_id in self._open.values() for requests in by_id.values()):
            entry.notes.append("a new connection: older requests get no response")
        self._forget_requests()
        self._is_begun = True
        self._spoken.forget()
        self._agree(entry)

    def _agree(self, entry: Entry) -> bool:
        value = entry.value
        version = as_integer(value.get("protocolVersion")) if type(value) is dict else None
        return version is None or self._spoken.agree(version)

    def _open_request(self, entry: Entry, message: dict[str, Any]) -> None:
        if not is_id(message["id"]):
            return
        if entry.id is None and self._refuses_null_ids():
            entry.problems.append(Finding("/id", "expected string or integer, found null"))
        same_id = self._open.setdefault(_key(entry), {}).setdefault(entry.id, [])
        if same_id:
            first = same_id[0]
            message_ = (
                f"{quote_id(entry.id)} is the id of {_name(first)}, which has no response yet"
            )
            entry.problems.append(Finding("/id", message_))
        same_id.append(entry)

    def _refuses_null_ids(self) -> bool:
        names = [names[0] for names in self._spoken.ladders]
        return bool(names) and not any(load(name).NULL_ID for name in names)

    # --- responses ---------------------------------------------------------------------------

    def _read_response(self, entry: Entry, message: dict[str, Any]) -> None:
        entry.is_error = "error" in message and "result" not in message
        entry.value = message.get("error" if entry.is_error else "result")
        if not is_id(message.get("id", ...)):
            return
        self._find_request(entry, has_result="result" in message)
        request = entry.request
        if request is None or request.method is None:
            return
        entry.method = request.method
        if entry.sender is None and request.sender is not None:
            entry.sender = other(request.sender)
        if "result" not in message:
            return
        if request.method == INITIALIZE and not self._agree(entry):
            entry.notes.append(
                "this protocol version is not known here: nothing is checked from now on"
            )
        verdict = self._check_result(entry, request)
        entry.surface = verdict.surface
        entry.problems += verdict.problems
        entry.notes += verdict.notes

    def _check_result(self, entry: Entry, request: Entry) -> Verdict:
        call = Call(request.method or "", "request", request.receiver)
        return check(self._spoken.ladders, call, "result", entry.value)

    def _find_request(self, entry: Entry, *, has_result: bool) -> None:
        """Find the request that a response answers, and close it."""
        askers = self._askers(entry)
        if len(askers) > 1 and has_result:
            fitting = [
                each
                for each in askers
                if not self._check_result(entry, self._open[each][entry.id][0]).problems
            ]
            askers = fitting if len(fitting) == 1 else askers
        requests = [self._open[each][entry.id].pop(0) for each in askers]
        for each in requests:
            self._answered[_key(each), entry.id] = entry
        if len(requests) == 1:
            entry.request = requests[0]
        elif requests:
            self._doubtful[entry.id] += len(requests) - 1
            names = " or ".join(_name(each) for each in requests)
            entry.notes.append(
                f"answers {names}: both have this id, and both can have this response"
            )
        elif self._doubtful[entry.id]:
            self._doubtful[entry.id] -= 1
            entry.notes.append("answers one of two requests that had this id")
        elif entry.id is None and entry.is_error:
            entry.notes.append("answers a message that could not be read")
        else:
            entry.problems.append(Finding("/id", self._explain_stray(entry)))

    def _askers(self, entry: Entry) -> list[Sender]:
        """Who has an open request with the id of a response, and can get it."""
        sender = _key(entry)
        return [
            asker
            for asker, requests in self._open.items()
            if requests.get(entry.id)
            and (sender is None or asker is None or asker == _OPPOSITE[sender])
        ]

    def _explain_stray(self, entry: Entry) -> str:
        sender, id_ = _key(entry), quote_id(entry.id)
        for asker in (_OPPOSITE[sender],) if sender else tuple(self._open):
            if (asker, entry.id) in self._answered:
                earlier = self._answered[asker, entry.id]
                return f"request {id_} has a response already, in line {earlier.line}"
            twin = _twin(entry.id)
            if self._open.get(asker, {}).get(twin):
                return f"no request has the id {id_}; {quote_id(twin)} is another one"
        return f"no request has the id {id_}"

    # --- the end -----------------------------------------------------------------------------

    def _forget_requests(self) -> None:
        self._unanswered += [
            entry
            for by_id in self._open.values()
            for requests in by_id.values()
            for entry in requests
        ]
        self._open.clear()
        self._answered.clear()
        self._doubtful.clear()

    def end(self) -> list[Entry]:
        """End the conversation, and return the requests that have no response."""
        self._forget_requests()
        for entry in self._unanswered:
            entry.notes.append("has no response")
        return sorted(self._unanswered, key=lambda entry: entry.line)


def _key(entry: Entry) -> Sender:
    return entry.sender or entry.direction


def _twin(id_: Any) -> Any:
    """The id that looks the same and is of the other type: some SDKs mix up 1 and "1"."""
    if type(id_) is str:
        return int(id_) if _INTEGER.fullmatch(id_) else None
    return str(id_)


def _name(entry: Entry) -> str:
    return f"{entry.method} in line {entry.line}"
