"""The invariants of a connection, whatever it receives, checked against a separate ledger.

It raises documented exceptions only; it replies exactly once to each request, with its id; never
to a notification or a response; nothing is pending at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime.jsonrpc import (
    Connection,
    Event,
    Failure,
    Ignored,
    Request,
    RequestError,
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

    def __init__(self, side: str, pending: Iterable[int] = ()) -> None:
        self._side = side
        self._pending: set[Any] = set(pending)
        self.single: list[Any] = []
        self.arrays: list[list[Any]] = []

    def line(self, line: bytes, takes_arrays: bool, is_last: bool = False) -> None:
        """Enter the replies that a line makes due; the last line may be incomplete."""
        if not line.strip() or (is_last and line.rstrip()[-1:] not in (b"}", b"]")):
            return
        try:
            value = jsontext.parse(line)
        except ValueError:
            if self._side == "agent" or line.lstrip()[:1] in (b"{", b"["):
                self.single.append(None)
            return
        if type(value) is list and value and takes_arrays:
            due = [id_ for entry in value for id_ in self._due(entry)]
            if due:
                self.arrays.append(due)
        else:
            self.single += self._due(value)

    def _due(self, value: Any) -> list[Any]:
        if type(value) is not dict:
            return [None]
        id_ = value.get("id")
        is_integer = type(id_) is int or (type(id_) is float and id_.is_integer())
        is_id = is_integer or type(id_) in (str, type(None))
        answers = "result" in value or "error" in value
        if "method" not in value:
            if is_id and id_ in self._pending:
                self._pending.remove(id_)
                return []
            return [] if answers else [id_ if is_id else None]
        if type(value["method"]) is str and "id" not in value:
            return []
        return [id_ if is_id else None]

    def settle(self, written: bytes) -> None:
        """Compare with the messages written, except requests and notifications of our own."""
        assert written == b"" or written.endswith(b"\n")
        messages = [json.loads(text) for text in written.split(b"\n")[:-1]]
        single = [_reply(m) for m in messages if type(m) is dict and "method" not in m]
        arrays = [[_reply(entry) for entry in m] for m in messages if type(m) is list]
        assert _sorted(single) == _sorted(self.single)
        assert _sorted(map(_sorted, arrays)) == _sorted(map(_sorted, self.arrays))


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

    # The version chosen before a line decides how the line is read.
    pieces = chunks if surface else b"".join(chunks).splitlines(keepends=True)
    for chunk in pieces:
        *lines, buffered = (buffered + chunk).split(b"\n")
        for line in lines:
            ledger.line(line, takes_arrays(connection))
        take(connection.receive(chunk))
    ledger.line(buffered, takes_arrays(connection), is_last=True)
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
