"""Invariants of connections for any input, checked against an independent ledger.

The connection raises only documented exceptions. It responds to each request exactly once, with the
request's id, and never to a notification or a response. No request is pending at the end.
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.jsonrpc import (
    Connection,
    Event,
    Failure,
    Ignored,
    Request,
    Response,
    classify,
    pick_version,
)
from acp_bindings.runtime.values import jsontext

SURFACES: tuple[Any, ...] = (v1, v1_unstable, v2, v2_unstable)
BY_VERSION: dict[int, Any] = {1: v1, 2: v2}
SIDES: tuple[Any, ...] = ("agent", "client")

Decide = Callable[[int], int]
"""Picks a number below the one it is given."""


def choose(version: int) -> Any:
    """Return the surface that an agent for both versions chooses for a requested version."""
    return BY_VERSION[pick_version(version, BY_VERSION)]


class Ledger:
    """The required replies, according to an independent implementation of JSON-RPC 2.0."""

    def __init__(self, side: str, pending: Iterable[Any] = ()) -> None:
        self._side = side
        self._pending: set[Any] = set(pending)
        self.single: list[Any] = []
        self.arrays: list[list[Any]] = []

    def line(self, line: bytes, takes_arrays: bool, is_last: bool = False) -> None:
        """Record the replies that a line requires. The last line can be incomplete."""
        if not line.strip() or (is_last and _is_cut_off(line) and spoken(line) is None):
            return
        try:
            self._value(jsontext.parse(line), takes_arrays)
        except (ValueError, RecursionError):
            values = spoken(line)
            for value in values or ():
                self._value(value, takes_arrays)
            if values is None:
                self._unreadable(line, takes_arrays)

    def _value(self, value: Any, takes_arrays: bool) -> None:
        if type(value) is list and value and not takes_arrays:
            for entry in value:  # a response in the array fails its call
                if _is_response(entry):
                    self._settle(entry)
            if self._side == "agent" or any(type(e) is dict and _is_meant(e) for e in value):
                self.single.append(None)
        elif type(value) is list and value:
            due = [id_ for entry in value for id_ in self._due(entry)]
            if due:
                self.arrays.append(due)
        else:
            self.single += self._due(value)

    def _unreadable(self, line: bytes, takes_arrays: bool) -> None:
        """Record the replies required by a line that isn't JSON."""
        due: list[Any] = []
        is_settled = False
        messages = legible(line)
        for message in messages or ():
            id_ = message.get("id")
            has_outcome = "result" in message or "error" in message
            if "method" in message:
                due += [] if id_ is None else [id_]
            elif has_outcome or "jsonrpc" in message:
                # A response without a pending call is only logged and gets no reply.
                is_settled |= self._settle(message) or has_outcome
        if due and takes_arrays and _is_array(line):
            self.arrays.append(due)
        else:
            self.single += due
        # Text that an agent prints by accident gets no response.
        is_stray = self._side == "client" and messages is None
        if not due and not is_settled and not is_stray:
            self.single.append(None)

    def _due(self, value: Any) -> list[Any]:
        if type(value) is not dict or not _is_meant(value) or "method" not in value:
            if _is_response(value):
                self._settle(value)
                return []
            # JSON that an agent prints by accident gets no response either.
            return [] if self._side == "client" else [None]
        id_ = value.get("id")
        if type(value["method"]) is str and "id" not in value:
            return []
        return [id_ if is_id(id_) else None]

    def _settle(self, message: dict[str, Any]) -> bool:
        """Remove a call that received its response, and return whether it was pending."""
        id_ = message.get("id")
        found = [each for each in self._pending if is_id(id_) and (each == id_ or str(each) == id_)]
        self._pending.difference_update(found)
        return bool(found)

    def settle(self, written: bytes) -> None:
        """Check that the written replies match the required replies exactly."""
        assert written == b"" or written.endswith(b"\n")
        messages = [json.loads(text) for text in written.split(b"\n")[:-1]]
        single = [_reply(m) for m in messages if type(m) is dict and "method" not in m]
        arrays = [[_reply(entry) for entry in m] for m in messages if type(m) is list]
        assert _sorted(single) == _sorted(self.single)
        assert _sorted(map(_sorted, arrays)) == _sorted(map(_sorted, self.arrays))


# --- lines that are not JSON -----------------------------------------------------------------

SPACE = b" \t\n\r\f\v"
BLANKS = SPACE.decode()
MEMBERS = {"jsonrpc", "id", "method", "params", "result", "error"}
NAMES = (b'"jsonrpc"', b'"method"')
LONGEST = 1024  # maximum size of an id or a method name in bytes


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _finite(text: str) -> float:
    return float(text) if math.isfinite(float(text)) else _refuse(text)


DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def _is_meant(value: dict[str, Any]) -> bool:
    return "jsonrpc" in value or not value.keys() - MEMBERS


def _is_response(value: Any) -> bool:
    if type(value) is not dict or "method" in value or not _is_meant(value):
        return False
    return "result" in value or "error" in value


def _beginnings(text: str) -> list[int]:
    """Return the positions where a message or a batch seems to begin in text that isn't JSON."""
    return [
        at
        for at, char in enumerate(text)
        if char in "[{" and (text[at:] if char == "{" else text[at + 1 :].lstrip(BLANKS))[:1] == "{"
        if any(_names(text[at:], name) for name in MEMBERS)
    ]


def _names(text: str, name: str) -> bool:
    """Return whether text begins with an object whose first field is `name`.

    The object can be the first item of an array.
    """
    rest = text.removeprefix("[").lstrip(BLANKS).removeprefix("{").lstrip(BLANKS)
    return rest.startswith(f'"{name}"') and rest[len(name) + 2 :].lstrip(BLANKS)[:1] == ":"


def spoken(line: bytes) -> list[Any] | None:
    """Return the messages in a line that also contains other text, or None if it is ambiguous."""
    text = line.decode("utf-8", "surrogateescape")
    beginnings = _beginnings(text)
    if not beginnings:
        return None
    before = text[: beginnings[0]].strip(" \t\r")
    head = before.encode(errors="replace")
    if _begins_as_message(head) and _is_cut_off(head):
        return None
    found: list[Any] = []
    end = beginnings[0]
    while end in beginnings:
        start = end
        try:
            value, end = DECODER.raw_decode(text, start)
            text[start:end].encode()
        except (ValueError, RecursionError):
            return None
        parts = value if type(value) is list else [value]
        if any(classify(part) in ("batch", "invalid") for part in parts):
            return None
        found.append(value)
        end += len(text[end:]) - len(text[end:].lstrip(" \t\r"))
    after = text[end:]
    if (before and after) or any(at >= end for at in beginnings):
        return None
    return found if before or after or len(found) > 1 else None


def legible(line: bytes) -> list[dict[str, Any]] | None:
    """Recover the readable fields of messages from a line that isn't JSON.

    Brackets in strings are ignored. Return None if nothing looks like a message.
    """
    if _begins_as_message(line):
        found = _objects(line)
        kept = [message for message in found if _is_meant(message)]
        return _known(kept) if kept or not found else None
    beginnings = _beginnings(line.decode("latin-1"))
    found = _objects(line[beginnings[0] :]) if beginnings else []
    return _known([message for message in found if "jsonrpc" in message]) or None


def _known(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop unknown fields from messages, and unreadable fields other than `result` and `error`."""
    return [
        {
            name: value
            for name, value in message.items()
            if name in MEMBERS and (value is not ... or name in ("result", "error"))
        }
        for message in messages
    ]


def _objects(line: bytes) -> list[dict[str, Any]]:
    level = 2 if _is_array(line) else 1
    found: list[dict[str, Any]] = [{}]
    depth = at = 0
    while at < len(line):
        end = at + 1
        char = line[at:end]
        if char == b'"':
            end = _end_of_string(line, at)
            if depth == level:
                _read_member(found[-1], line[at:end], line[end:])
        elif char in (b"[", b"{"):
            depth += 1
        elif char in (b"]", b"}"):
            if depth == level:
                found.append({})
            depth -= 1
        at = end
    return [message for message in found if message]


def _is_array(line: bytes) -> bool:
    return line.lstrip(SPACE)[:1] == b"["


def _is_cut_off(line: bytes) -> bool:
    """Return whether a line ends inside an object, an array or a string."""
    depth = at = 0
    while at < len(line):
        char, end = line[at : at + 1], at + 1
        if char == b'"':
            end = _end_of_string(line, at)
        depth += (char in (b"[", b"{")) - (char in (b"]", b"}"))
        at = end
    return depth > 0 or line.rstrip()[-1:] not in (b"}", b"]")


def _begins_as_message(line: bytes) -> bool:
    rest = line.lstrip(SPACE)
    if rest[:1] == b"[":
        rest = rest[1:].lstrip(SPACE)
    return rest[:1] == b"{" and rest[1:].lstrip(SPACE)[:1] in (b'"', b"}", b"")


def _end_of_string(text: bytes, at: int) -> int:
    """Return the end of the string that begins at `at`, or the end of the text."""
    at += 1
    while at < len(text) and text[at : at + 1] != b'"':
        at += 2 if text[at : at + 1] == b"\\" else 1
    return min(at + 1, len(text))


def _end_of_value(text: bytes) -> int:
    """Return the end of the string, number or name that follows the colon at the start of text."""
    at = 1
    while text[at : at + 1] and text[at] in SPACE:
        at += 1
    if text[at : at + 1] == b'"':
        at = _end_of_string(text, at)
    while at < len(text) and text[at] not in SPACE + b",}]":
        at += 1
    return at


def _read_member(message: dict[str, Any], name: bytes, rest: bytes) -> None:
    """Store a field in a message, with `...` for a value that is unreadable or irrelevant."""
    rest = rest.lstrip(SPACE)
    if rest[:1] != b":":
        return
    text = rest[1 : _end_of_value(rest)].lstrip(SPACE)
    value: Any = ...
    try:
        if len(text) <= LONGEST:
            value = json.loads(text.decode())
    except ValueError:
        value = ...
    is_read = is_id(value) if name == b'"id"' else name in NAMES and type(value) is str
    key = name[1:-1].decode("ascii", "replace")
    message[key] = value if is_read else message.get(key, ...)


def is_id(value: Any) -> bool:
    """Return whether a JSON value is valid as a request id."""
    is_integer = type(value) is int or (type(value) is float and value.is_integer())
    return is_integer or type(value) in (str, type(None))


# --- replies ---------------------------------------------------------------------------------


def _reply(message: dict[str, Any]) -> Any:
    assert message["jsonrpc"] == "2.0"
    if "result" in message:
        assert set(message) == {"jsonrpc", "id", "result"}
    else:
        assert set(message) == {"jsonrpc", "id", "error"}
        assert set(message["error"]) <= {"code", "message", "data"}
        assert type(message["error"]["code"]) is int
        assert type(message["error"]["message"]) is str
    return message["id"]


def _sorted(values: Iterable[Any]) -> list[str]:
    return sorted(repr(value) for value in values)


def check_connection(
    side: Any, surface: Any, chunks: Iterable[bytes], calls: int, decide: Decide
) -> None:
    """Feed data to a connection, respond to its requests, close it, and check the invariants.

    Args:
        surface: one of `SURFACES`, or None for an agent that chooses its surface by version.
        calls: the number of requests that the connection has sent.
        decide: a function that returns a number below its argument, used to decide when and how
            to respond.
    """
    connection = Connection(side, surface or choose)
    if surface is not None:
        other = "client" if side == "agent" else "agent"
        method = surface.EXTENSIONS[(other, "request")].named("_x")
        for _ in range(calls):
            connection.request(method, None)
        connection.data_to_send()
    failed = set(connection.pending)
    ledger = Ledger(side, connection.pending)
    written: list[bytes] = []
    waiting: list[Request] = []
    buffered = b""

    def take(events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Request):
                waiting.append(event)
            elif isinstance(event, (Response, Failure)):
                failed.remove(event.id)  # each call has one outcome
            elif isinstance(event, Ignored):
                assert event.reason
        assert set(connection.requests) == set(waiting)
        while waiting and decide(3) == 0:
            answer(connection, waiting.pop(decide(len(waiting))), decide)
        written.append(connection.data_to_send())

    mark = codecs.BOM_UTF8  # only the first line can begin with a byte-order mark
    # If no surface is given, feed one line at a time, since the version chosen by one line affects
    # how the next line is read.
    pieces = chunks if surface else b"".join(chunks).splitlines(keepends=True)
    for chunk in pieces:
        *lines, buffered = (buffered + chunk).split(b"\n")
        for line in lines:
            ledger.line(line.removeprefix(mark), takes_arrays(connection))
            mark = b""
        take(connection.receive(chunk))
    ledger.line(buffered.removeprefix(mark), takes_arrays(connection), is_last=True)
    take(connection.receive_eof())
    assert not connection.pending
    assert not failed
    for request in waiting:
        answer(connection, request, decide)
    assert connection.requests == ()
    written.append(connection.data_to_send())
    ledger.settle(b"".join(written))
    assert connection.receive_eof() == []


def takes_arrays(connection: Connection) -> bool:
    return connection.surface is not None and connection.surface.SCHEMA.protocol_version == 2


def answer(connection: Connection, request: Request, decide: Decide) -> None:
    """Respond to a request with a result or an error, as chosen by `decide`."""
    match decide(4):
        case 0 if request.method.is_extension:
            connection.respond(request, {"params": request.params})
        case 1:
            connection.fail(request, RequestError(decide(100), "no", request.params))
        case 2:
            connection.fail(request, RequestError(-1, "no", object()))
        case _:
            connection.fail(request, ValueError("hidden"))
