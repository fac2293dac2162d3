"""The invariants of a connection, whatever it receives, checked against a separate ledger.

It raises documented exceptions only; it replies exactly once to each request, with its id; never
to a notification or a response; nothing is pending at the end.
"""

from __future__ import annotations

import codecs
import json
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
    pick_version,
)
from acp_bindings.runtime.values import jsontext

SURFACES: tuple[Any, ...] = (v1, v1_unstable, v2, v2_unstable)
BY_VERSION: dict[int, Any] = {1: v1, 2: v2}
SIDES: tuple[Any, ...] = ("agent", "client")

Decide = Callable[[int], int]
"""Picks a number below the one it is given."""


def choose(version: int) -> Any:
    """The surface of an agent that speaks both versions."""
    return BY_VERSION[pick_version(version, BY_VERSION)]


class Ledger:
    """The replies that are due, by an independent reading of JSON-RPC 2.0."""

    def __init__(self, side: str, pending: Iterable[Any] = ()) -> None:
        self._side = side
        self._pending: set[Any] = set(pending)
        self.single: list[Any] = []
        self.arrays: list[list[Any]] = []

    def line(self, line: bytes, takes_arrays: bool, is_last: bool = False) -> None:
        """Enter the replies that a line makes due; the last line may be incomplete."""
        if not line.strip() or (is_last and _is_cut_off(line)):
            return
        try:
            value = jsontext.parse(line)
        except (ValueError, RecursionError):
            self._unreadable(line, takes_arrays)
            return
        if type(value) is list and not takes_arrays:
            for entry in value:  # the calls that it answers fail
                if type(entry) is dict and "method" not in entry and is_id(entry.get("id")):
                    self._pending.discard(entry.get("id"))
            self.single.append(None)
        elif type(value) is list and value:
            due = [id_ for entry in value for id_ in self._due(entry)]
            if due:
                self.arrays.append(due)
        else:
            self.single += self._due(value)

    def _unreadable(self, line: bytes, takes_arrays: bool) -> None:
        """Enter the replies that a line makes due which is not JSON."""
        due: list[Any] = []
        is_settled = False
        for message in legible(line):
            id_ = message.get("id")
            if "method" in message:
                due += [] if id_ is None else [id_]
            elif id_ in self._pending:
                self._pending.remove(id_)
                is_settled = True
            elif "result" in message or "error" in message:
                is_settled = True  # of a call that nobody waits for
        if due and takes_arrays and _is_array(line):
            self.arrays.append(due)
        else:
            self.single += due
        # Text that an agent prints by accident is not answered.
        is_stray = self._side == "client" and not _begins_as_message(line)
        if not due and not is_settled and not is_stray:
            self.single.append(None)

    def _due(self, value: Any) -> list[Any]:
        if type(value) is not dict:
            return [None]
        id_ = value.get("id")
        answers = "result" in value or "error" in value
        if "method" not in value:
            if is_id(id_) and id_ in self._pending:
                self._pending.remove(id_)
                return []
            return [] if answers else [id_ if is_id(id_) else None]
        if type(value["method"]) is str and "id" not in value:
            return []
        return [id_ if is_id(id_) else None]

    def settle(self, written: bytes) -> None:
        """Compare with the messages written, except requests and notifications of our own."""
        assert written == b"" or written.endswith(b"\n")
        messages = [json.loads(text) for text in written.split(b"\n")[:-1]]
        single = [_reply(m) for m in messages if type(m) is dict and "method" not in m]
        arrays = [[_reply(entry) for entry in m] for m in messages if type(m) is list]
        assert _sorted(single) == _sorted(self.single)
        assert _sorted(map(_sorted, arrays)) == _sorted(map(_sorted, self.arrays))


# --- lines that are not JSON -----------------------------------------------------------------

SPACE = b" \t\n\r\f\v"
NAMES = (b'"jsonrpc"', b'"method"')
LONGEST = 1024  # bytes of an id or the name of a method


def legible(line: bytes) -> list[dict[str, Any]]:
    """What can be read of the messages on a line that is not JSON, one character after another.

    Brackets count outside of strings only.
    """
    if not _begins_as_message(line):
        return []
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
    """Whether a line without a line end stops within an object, an array or a string."""
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
    """Where a string ends that begins there; the end of the text if it has no end."""
    at += 1
    while at < len(text) and text[at : at + 1] != b'"':
        at += 2 if text[at : at + 1] == b"\\" else 1
    return min(at + 1, len(text))


def _end_of_value(text: bytes) -> int:
    """Where the value ends of a text that begins with a colon and a string, a number or a name."""
    at = 1
    while text[at : at + 1] and text[at] in SPACE:
        at += 1
    if text[at : at + 1] == b'"':
        at = _end_of_string(text, at)
    while at < len(text) and text[at] not in SPACE + b",}]":
        at += 1
    return at


def _read_member(message: dict[str, Any], name: bytes, rest: bytes) -> None:
    """Add a member to a message if its name says so and its value, at the beginning, is legible."""
    rest = rest.lstrip(SPACE)
    if rest[:1] != b":":
        return
    text = rest[1 : _end_of_value(rest)].lstrip(SPACE)
    value: Any = ...
    try:
        if len(text) <= LONGEST:
            value = json.loads(text.decode())
            str(value).encode()  # half of a surrogate pair is no text
    except ValueError:
        value = ...
    if name in (b'"result"', b'"error"'):
        message[name.strip(b'"').decode()] = None
    elif is_id(value) if name == b'"id"' else name in NAMES and type(value) is str:
        message[name.strip(b'"').decode()] = value


def is_id(value: Any) -> bool:
    """Whether a value in JSON can be the id of a request."""
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
    """Feed a connection, answer its requests, end it, and compare.

    Args:
        surface: one of `SURFACES`, or None for an agent that chooses by version.
        calls: the number of our own pending requests.
        decide: makes the choices: when to answer which request, and how.
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
                failed.remove(event.id)  # each of them is reported once
            elif isinstance(event, Ignored):
                assert event.reason
        assert set(connection.requests) == set(waiting)
        while waiting and decide(3) == 0:
            answer(connection, waiting.pop(decide(len(waiting))), decide)
        written.append(connection.data_to_send())

    mark = codecs.BOM_UTF8  # only the first line may begin with it
    # The version chosen before a line decides how the line is read.
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
    """Answer a request in one of the possible ways."""
    match decide(4):
        case 0 if request.method.is_extension:
            connection.respond(request, {"params": request.params})
        case 1:
            connection.fail(request, RequestError(decide(100), "no", request.params))
        case 2:
            connection.fail(request, RequestError(-1, "no", object()))
        case _:
            connection.fail(request, ValueError("hidden"))
