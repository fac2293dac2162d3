"""The checker, which identifies senders, pairs responses with requests, and records problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_bindings.runtime.jsonrpc.errors import VersionMismatch
from acp_bindings.runtime.jsonrpc.messages import as_version, is_id
from acp_bindings.runtime.jsonrpc.method import INITIALIZE, VERSION, Kind
from acp_bindings.runtime.jsonrpc.versions import read_version

from acpwire.recording import events
from acpwire.recording.reading import Line
from acpwire.rules.capabilities import Capabilities
from acpwire.rules.entry import Entry, EntryKind, Finding
from acpwire.rules.envelope import check_envelope, find_kind, outcomes
from acpwire.rules.pairing import Requests
from acpwire.rules.schema import Call, Verdict, check
from acpwire.rules.sessions import Sessions
from acpwire.rules.updates import Stream
from acpwire.surfaces import OTHER, VERSIONS, Side, Spoken, find_receiver, load, surfaces_of


@dataclass(frozen=True, slots=True)
class Conversation:
    """The entries of a recording, sorted by line, and the requests without a response.

    A bridge's recording contains the messages of two connections, which are checked separately.
    """

    entries: list[Entry]
    unanswered: list[Entry]


def follow(lines: Iterable[Line], surface: str | None = None) -> Conversation:
    """Check a finished recording, by default against the surface of the negotiated version."""
    lines = list(lines)
    sides = sorted({False, *(line.is_far for line in lines if line.event is None)})
    recorders = {
        is_far: _find_recorder(line for line in lines if line.is_far == is_far) for is_far in sides
    }
    checker = Checker(surface, recorders, begins=_begins(lines))
    entries = [entry for line in lines for entry in checker.read(line)]
    return Conversation(entries, checker.end())


def _begins(lines: Iterable[Line]) -> bool:
    """Return whether a recording begins with a message that a client sends before `initialize`.

    Such a recording contains the beginning of the connection. Any other recording might be an
    excerpt that begins later.
    """
    calls = [message for line in lines for message in line.messages]
    names = [message.get("method") for message in calls if type(message) is dict]
    first = names[0] if names else None
    if type(first) is not str or first == INITIALIZE or INITIALIZE not in names:
        return False
    return find_receiver(first, "request") == "agent"


def _find_recorder(lines: Iterable[Line]) -> Side | None:
    """Return the side that made a recording, or None if it is unknown.

    The side is derived from the sender of `initialize`, or else from another message's receiver.
    """
    first: Side | None = None
    for line in lines:
        for message in line.messages if line.direction else ():
            kind = find_kind(message)
            if kind != "request" and kind != "notification":
                continue
            receiver = find_receiver(message["method"], kind)
            if receiver is not None:
                recorder = OTHER[receiver] if line.direction == "sent" else receiver
                if message["method"] == INITIALIZE:
                    return recorder
                first = first or recorder
    return first


class Checker:
    """A checker that reads recorded or live messages line by line.

    The checker's memory use is limited, except for the values of pending requests.
    """

    def __init__(
        self,
        surface: str | None = None,
        recorders: Mapping[bool, Side | None] | None = None,
        *,
        begins: bool = False,
        is_single: bool = False,
    ) -> None:
        """Create a checker that has not read any line.

        Args:
            surface: the surface to check against; by default, the surface of the negotiated
                version.
            recorders: maps the near (False) and the far (True) connection of a bridge to the side
                that makes the recording, or to None if the side is unknown.
            begins: whether the first line is the first message of the connection.
            is_single: whether all lines belong to one connection.
        """
        self.has_ended = False  # whether the event that ends the recording was read
        self._is_single = is_single
        self._repeated = 0  # the number of following lines that are copies from an older file
        self._surface = surface
        self._begins = begins
        self._followers: dict[bool, _Follower] = {}
        for is_far, recorder in (recorders or {}).items():
            self._follower(is_far).recorder = recorder

    def stream(self, session: str) -> Stream | None:
        """Return the updates of a session on the near side, or None if the session is unknown."""
        return self._follower(False).sessions.stream(session)

    def read(self, line: Line) -> list[Entry]:
        """Check a line and return its entries."""
        if line.event is not None:
            return self._take(line)
        follower = self._follower(line.is_far)
        entries = follower.read(line)
        if self._repeated:  # lines that followed this one in the older file are missing
            self._repeated -= 1
            follower.expect_others()
        return entries

    def end(self) -> list[Entry]:
        """Finish checking and return the requests without a response."""
        left = [entry for follower in self._followers.values() for entry in follower.end()]
        return sorted(left, key=lambda entry: entry.line)

    def doubt(self) -> None:
        """Accept references to unknown messages from now on, because some messages are missing."""
        for follower in self._followers.values():
            follower.doubt()

    def _follower(self, is_far: bool) -> _Follower:
        if is_far not in self._followers:
            spoken, begins, is_single = Spoken(self._surface), self._begins, self._is_single
            follower = _Follower(spoken, is_far=is_far, begins=begins, is_single=is_single)
            self._followers[is_far] = follower
            if True in self._followers:
                self._follower(False)
                for each in self._followers.values():
                    each.bridge()
        return self._followers[is_far]

    def _take(self, line: Line) -> list[Entry]:
        assert line.event is not None
        side = line.about.get("side")
        if line.event == events.STARTED:
            self._begins = self._is_single = True
            self._followers.clear()
        elif line.event in (events.CONTINUED, events.SKIPPED):
            self.doubt()
        if side in ("client", "agent"):
            self._follower(False).recorder = side
        self.has_ended = line.event == events.ENDED
        self._repeated = line.repeated or self._repeated
        if line.event == events.PROBLEM:
            return []  # the problem is found again when the message is checked
        words = events.describe(line.event, line.about)
        return [Entry(line.number, "event", line.time, value=words)]


class _Follower:
    """The checker for one connection."""

    def __init__(self, spoken: Spoken, *, is_far: bool, begins: bool, is_single: bool) -> None:
        self.recorder: Side | None = None
        self._capabilities = Capabilities()
        self.sessions = Sessions(self._capabilities)
        self._entries: list[Entry] = []  # the entries of the line being read
        self._spoken = spoken
        self._is_far = is_far
        self._begins = begins
        self._is_single = is_single
        self._is_begun = False
        self._introduction: Entry | None = None  # the last `initialize` without a response
        self._unanswered: list[Entry] = []
        self._requests = Requests()

    def bridge(self) -> None:
        if not self._spoken.is_bridged:
            self._spoken.is_bridged = True
            if not self._is_begun:
                self._spoken.forget()

    def doubt(self) -> None:
        self._is_begun = True
        self._requests.clear()
        self.expect_others()

    def expect_others(self) -> None:
        """Accept references to unknown messages from now on, but keep pending requests."""
        self._requests.doubt()
        self.sessions.doubt()

    def read(self, line: Line) -> list[Entry]:
        self._entries = []
        if self.recorder is None:
            self.recorder = _find_recorder([line])
        if line.problem is not None or (line.size is not None and not line.messages):
            entry = self._add(line, "unreadable")
            entry.value = line.text
            if line.problem is not None:
                entry.judge("json-lines", False, "", line.problem)
        for message in line.messages:
            self._read_message(line, message)
        if line.size is not None:
            self._entries[0].notes.append(f"{line.size} bytes; too long to be checked completely")
        elif line.problem is None and type(line.message) is list:
            self._check_batch(line)
        return self._entries

    def _check_batch(self, line: Line) -> None:
        if not self._entries:
            entry = self._add(line, "invalid")
            entry.judge("json-lines", False, "", "expected messages, found an empty batch")
        elif (version := self._spoken.version) in VERSIONS and not load(
            surfaces_of(version)[0]
        ).BATCHES:
            text = f"a batch, which protocol version {version} does not support"
            self._entries[0].problems.insert(0, Finding("", text, "json-lines"))

    def _read_message(self, line: Line, message: Any) -> None:
        kind = find_kind(message)
        entry = self._add(line, kind)
        if is_whole := line.size is None:
            entry.judged |= {"json-lines", "jsonrpc-member", "message-shape"}
            entry.problems += check_envelope(message)
        if type(message) is dict and is_id(message.get("id")):
            entry.id = message.get("id")
            if kind == "invalid":
                self._requests.refuse(entry)
        if kind == "response":
            self._read_response(entry, message, is_whole)
        elif kind in ("request", "notification"):
            self._read_call(entry, message, is_whole)

    def _add(self, line: Line, kind: EntryKind) -> Entry:
        entry = Entry(line.number, kind, line.time, line.direction, version=self._spoken.version)
        if self.recorder is not None and line.direction is not None:
            entry.sender = self.recorder if line.direction == "sent" else OTHER[self.recorder]
        if self.recorder is not None and self._spoken.is_bridged:
            entry.bridge = self.recorder if self._is_far else OTHER[self.recorder]
        self._entries.append(entry)
        return entry

    # --- requests and notifications ----------------------------------------------------------

    def _read_call(self, entry: Entry, message: dict[str, Any], is_whole: bool) -> None:
        kind: Kind = "request" if entry.kind == "request" else "notification"
        entry.method, entry.value = message["method"], message.get("params")
        if entry.sender is None and entry.direction is None:
            receiver = find_receiver(message["method"], kind)
            entry.sender = OTHER[receiver] if receiver else None
        call = Call(message["method"], kind, entry.receiver)
        if call.method == INITIALIZE and kind == "request" and entry.receiver != "client":
            self._begin(entry)
        elif not call.is_extension:
            self._check_order(entry)
        if is_whole:
            self._check_call(entry, call)
        if kind == "request" and is_id(message["id"]):
            names = [names[0] for names in self._spoken.candidates]
            if entry.id is None and names and not any(load(name).NULL_ID for name in names):
                entry.judge("message-shape", False, "/id", "expected string or integer, found null")
            self._requests.add(entry)

    def _check_call(self, entry: Entry, call: Call) -> None:
        verdict = check(self._spoken.candidates, call, "params", entry.value)
        verdict.record(entry)
        method = verdict.method
        if entry.receiver is None or call.is_extension:
            return
        if call.method == INITIALIZE:
            self._capabilities.introduce("client", entry.value)
        elif method is not None:
            self._capabilities.check(entry, method, verdict.decoded)
        self.sessions.call(entry, method, verdict.decoded)

    def _check_order(self, entry: Entry) -> None:
        if self._is_begun:
            if self._begins and entry.sender == "client":
                text = "arrives before the response to initialize"
                entry.judge("initialize-first", self._introduction is None, "/method", text)
        elif self._begins:
            entry.judge("initialize-first", False, "/method", "arrives before initialize")
        else:
            self._is_begun = True
            entry.notes.append("arrives before initialize")

    def _begin(self, entry: Entry) -> None:
        """Begin a connection. The requested version is used until the agent's response arrives."""
        self._introduction = entry
        if self._is_single and self._is_begun:
            entry.judge("initialize-first", False, "/method", "initializes a second time")
            return
        left = self._requests.clear()
        if left:
            entry.notes.append("begins a new connection; earlier requests will get no response")
        self._unanswered += left
        self._is_begun = True
        self._capabilities.forget()
        self.sessions.begin(is_certain=self._begins)
        self._spoken.forget()
        self._agree(entry)

    def _agree(self, entry: Entry) -> bool:
        value = entry.value
        version = as_version(value.get(VERSION)) if type(value) is dict else None
        is_known = version is None or self._spoken.agree(version)
        entry.version = self._spoken.version
        return is_known

    def _correct_version(self, entry: Entry) -> None:
        """Switch to the version that matches a result's fields if `protocolVersion` is wrong."""
        surfaces = {version: load(surfaces_of(version)[0]) for version in VERSIONS}
        try:
            version, _ = read_version(entry.value, surfaces, max(surfaces))
        except VersionMismatch:
            return
        before = entry.version
        self._spoken.agree(version)
        entry.version = self._spoken.version
        if entry.version != before:
            entry.notes.append(f"from now on, messages are checked against version {version}")

    # --- responses ---------------------------------------------------------------------------

    def _read_response(self, entry: Entry, message: dict[str, Any], is_whole: bool) -> None:
        has = outcomes(message)
        entry.notes += [
            f"the {name} is null instead of absent"
            for name in ("result", "error")
            if name in message and name not in has and is_whole
        ]
        entry.is_error = has == ["error"]
        entry.value = message.get("error" if entry.is_error else "result")
        if not is_id(message.get("id", ...)):
            return
        has_result = "result" in has and is_whole
        self._requests.close(
            entry, lambda each: has_result and not self._check_result(entry, each).problems
        )
        request = entry.request
        if request is None:
            return
        entry.method = request.method
        if request is self._introduction:
            self._introduction = None
        if entry.sender is None and request.sender is not None:
            entry.sender = OTHER[request.sender]
        if not has_result:
            self.sessions.answer(entry, request)
            return
        if request.method == INITIALIZE and not self._agree(entry):
            text = "unknown protocol version; the following messages are not checked"
            entry.notes.append(text)
        verdict = self._check_result(entry, request)
        verdict.record(entry)
        if request.method == INITIALIZE and verdict.problems:
            self._correct_version(entry)
        if request.method == INITIALIZE and entry.sender == "agent":
            self._capabilities.introduce("agent", entry.value)
        self.sessions.answer(entry, request)

    def _check_result(self, entry: Entry, request: Entry) -> Verdict:
        call = Call(request.method or "", "request", request.receiver)
        return check(self._spoken.candidates, call, "result", entry.value)

    def end(self) -> list[Entry]:
        self._unanswered += self._requests.clear()
        for entry in self._unanswered:
            entry.notes.append("has no response")
        return self._unanswered
