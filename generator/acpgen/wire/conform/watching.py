"""Look at each message that a program sends: is it one, and is it as the schema says?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acpgen.wire.conform.conversation import Conversation, Message
from acpgen.wire.conform.wire import Line, NotJson
from acpgen.wire.trace.checking import Call, Part, check
from acpgen.wire.trace.envelope import Finding, check_envelope, find_kind
from acpgen.wire.trace.surfaces import VERSIONS, Side, other, surfaces_of

# The requirements that a watcher judges, on either side.
WATCHED = (
    "json-lines",
    "jsonrpc-member",
    "message-shape",
    "response-ids",
    "request-ids",
    "known-methods",
    "valid-params",
    "valid-results",
)
_BATCHES_SINCE = 2  # the first protocol version that has them
_INITIALIZE = "initialize"


class Watcher:
    """Judges the messages of one conversation, as they come."""

    def __init__(self, talk: Conversation, sender: Side) -> None:
        """Start to watch.

        Args:
            talk: the conversation, which hears of each message afterwards.
            sender: the side of the program.
        """
        self._talk = talk
        self._sender: Side = sender
        self._sent: dict[tuple[type, Any], str] = {}  # the methods of requests without a response
        self._scanned = 0
        self._version = talk.version  # in which the messages are

    def see(self, line: Line) -> None:
        """Judge a line that the program has printed."""
        for message in self._messages(line):
            findings = check_envelope(message)
            version = [each for each in findings if each.pointer == "/jsonrpc"]
            shape = [each for each in findings if each.pointer != "/jsonrpc"]
            self._judge("jsonrpc-member", version, line)
            self._judge("message-shape", shape, line)
            if not shape:
                self._follow(message, line)
                self._talk.hear(message, line)

    def _messages(self, line: Line) -> Iterator[Message]:
        """The messages of a line: one, or those of a batch."""
        judge, value = self._talk.judge, line.message
        expected = "a JSON object in UTF-8, and then a line break"
        if not judge("json-lines", line.whole and not isinstance(value, NotJson), expected, line):
            return
        is_batch = type(value) is list and value and self._talk.version >= _BATCHES_SINCE
        for message in value if is_batch else [value]:
            if judge("json-lines", type(message) is dict, expected, line):
                yield message

    def _follow(self, message: Message, line: Line) -> None:
        kind = find_kind(message)
        if kind == "response":
            self._follow_response(message, line)
            return
        if kind == "request":
            key = type(message["id"]), message["id"]
            waiting = {(type(each["id"]), each["id"]) for each in self._talk.asked}
            expected = "an id that no other request has that waits for a response"
            self._talk.judge("request-ids", key not in waiting, expected, line)
        call = Call(
            message["method"],
            "request" if kind == "request" else "notification",
            other(self._sender),
        )
        params = message.get("params")
        asked = params.get("protocolVersion") if type(params) is dict else None
        if call.method == _INITIALIZE and asked in VERSIONS:
            problems = check((surfaces_of(asked),), call, "params", params).problems
        else:
            problems = self._check(call, "params", params)
        unknown = [each for each in problems if each.pointer == "/method"]
        self._judge("known-methods", unknown, line)
        if not unknown:
            self._judge("valid-params", problems, line)

    def _follow_response(self, message: Message, line: Line) -> None:
        self._scan()
        id = message["id"]
        if id is None:  # a message that could not be read was answered
            return
        method = self._sent.pop((type(id), id), None)
        expected = "the id of a request that has no response yet"
        known = self._talk.judge("response-ids", method is not None, expected, line)
        if not known or method is None or "result" not in message:
            return
        result = message["result"]
        if method == _INITIALIZE and type(result) is dict:
            said = result.get("protocolVersion")
            self._version = said if said in VERSIONS else self._version
        problems = self._check(Call(method, "request", self._sender), "result", result)
        self._judge("valid-results", problems, line)

    def _scan(self) -> None:
        """Note the requests that were sent since the last time."""
        lines = self._talk.wire.lines
        for line in lines[self._scanned :]:
            batch = line.message if type(line.message) is list else [line.message]
            for message in batch if line.sent else ():
                if type(message) is dict and "id" in message and "method" in message:
                    id, method = message["id"], message["method"]
                    self._sent[type(id), id] = method if type(method) is str else ""
        self._scanned = len(lines)

    def _check(self, call: Call, part: Part, value: Any) -> tuple[Finding, ...]:
        return check((surfaces_of(self._version),), call, part, value).problems

    def _judge(self, requirement: str, findings: Any, line: Line) -> None:
        expected = "; ".join(f"at {each.pointer or '/'}: {each.message}" for each in findings)
        self._talk.judge(requirement, not findings, expected, line)
