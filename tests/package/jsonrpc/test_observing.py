"""Observers: what they see of a connection, and that they cannot hurt it."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime.aio import Observation, Peer, connect_stdio, log_to
from acp_bindings.runtime.jsonrpc import Connection, Request
from package.jsonrpc.loop import handler, pair, run
from package.jsonrpc.wire import ask, batch, line, marked, tell

AGENT = Path(__file__).with_name("stdio_agent.py")
ECHO = v1.EXTENSIONS["agent", "request"].named("_echo")


async def echo(peer: Peer, method: str, params: Any) -> Any:
    return params


def watched(surface: Any = v1, side: Any = "agent", **more: Any) -> tuple[Connection, list[Any]]:
    """A connection, and what is seen of it: the direction, the line and the message."""
    seen: list[tuple[str, bytes, Any]] = []

    def observe(each: Observation) -> None:
        assert abs(each.time - time.time()) < 60
        seen.append((each.direction, each.line, each.message))

    return Connection(side, surface, observe=observe, **more), seen


def test_requests_and_responses_are_seen_in_their_order() -> None:
    connection, seen = watched()
    events = connection.receive(line(ask(1, "_echo", a=1), tell("_note")))
    connection.respond(next(each for each in events if isinstance(each, Request)), [2])
    call = connection.request(v1.EXTENSIONS["client", "request"].named("_ask"), {"b": 1})
    connection.notify(v1.EXTENSIONS["client", "notification"].named("_tell"), None)
    assert [message for _, _, message in seen] == [
        marked(ask(1, "_echo", a=1)),
        marked(tell("_note")),
        marked({"id": 1, "result": [2]}),
        marked({"id": call, "method": "_ask", "params": {"b": 1}}),
        marked({"method": "_tell", "params": None}),
    ]
    assert [direction for direction, _, _ in seen] == ["received"] * 2 + ["sent"] * 3
    sent = b"".join(text + b"\n" for direction, text, _ in seen if direction == "sent")
    assert connection.data_to_send() == sent


def test_a_batch_is_one_line() -> None:
    connection, seen = watched(v2)
    for event in connection.receive(batch(ask(1, "_echo"), ask(2, "_echo"))):
        assert isinstance(event, Request)
        connection.respond(event, None)
    assert [(way, len(message)) for way, _, message in seen] == [("received", 2), ("sent", 2)]


@pytest.mark.parametrize(
    "text", [b"Hello", b'{"a": 1e999}', b"\xff", b'{"id": 1, "method": "\xff"}']
)
def test_what_is_not_json_is_seen_as_a_line(text: bytes) -> None:
    connection, seen = watched()
    connection.receive(text + b"\n")
    assert seen[0] == ("received", text, None)
    assert [way for way, _, _ in seen[1:]] == ["sent"]  # the refusal


def test_of_a_line_that_is_too_long_the_ends_are_seen() -> None:
    connection, seen = watched(max_line=100)
    connection.receive(line(ask(1, "_echo", a="x" * 200)))
    [(way, text, _), _] = seen
    assert way == "received"
    assert text.startswith(b'{"jsonrpc"')


def test_an_observer_that_fails_is_logged_and_does_no_harm(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(seen: Observation) -> None:
        raise RuntimeError("no disk")

    async def main() -> None:
        async with pair(handler(v1.AgentHandler, ext_request=echo), observe=fail) as peer:
            assert await peer.request(ECHO, 1) == 1

    run(main())
    assert caplog.text.count("the observer of a connection failed") >= 2
    assert "no disk" in caplog.text


def test_a_log_has_a_line_for_each_line() -> None:
    file = io.StringIO()

    async def main() -> None:
        command = [sys.executable, str(AGENT)]
        async with connect_stdio(command, handler(v1.ClientHandler), observe=log_to(file)) as peer:
            assert await peer.request(ECHO, "\u2028 é") == "\u2028 é"

    run(main())
    entries = [json.loads(each) for each in file.getvalue().split("\n") if each]
    [sent, received] = [each for each in entries if "message" in each]
    assert (sent["direction"], received["direction"]) == ("sent", "received")
    assert sent["message"]["params"] == received["message"]["result"] == "\u2028 é"
    assert sent["time"] <= received["time"]
    assert [each["line"] for each in entries if "line" in each] == ["printed early"]


def test_a_log_has_text_for_what_is_not_json() -> None:
    file = io.StringIO()
    connection = Connection("client", v1, observe=log_to(file))
    connection.receive(b"Hello \xff\n")
    [entry] = map(json.loads, file.getvalue().splitlines())
    assert entry.pop("time") > 0
    assert entry == {"direction": "received", "line": "Hello \\xff"}
