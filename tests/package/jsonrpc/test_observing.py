"""Tests of connection observers, log messages, and debug mode."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, RequestError
from acp_bindings.runtime.aio import Observation, Peer, connect_memory, connect_stdio, log_to
from acp_bindings.runtime.jsonrpc import Connection, Request

from tests.package.aio.sides import ASK, agent, client, done, raising
from tests.package.jsonrpc.wire import ask, batch, calling, line, marked, tell
from tests.package.session.scripted import V1, V2, begun, prompt
from tests.package.session.scripted import agent as session_agent
from tests.support.paths import PACKAGE

AGENT = Path(__file__).parents[1] / "aio" / "stdio_agent.py"
ECHO = v1.EXTENSIONS["agent", "request"].named("_echo")

# --- observers -------------------------------------------------------------------------------


def watched(surface: Any = v1, **more: Any) -> tuple[Connection, list[Any]]:
    """Return a connection and a list of each observation's direction, line and message."""
    seen: list[tuple[str, bytes, Any]] = []

    def observe(each: Observation) -> None:
        assert abs(each.time - time.time()) < 60
        seen.append((each.direction, each.line, each.message))

    return Connection("agent", surface, observe=observe, **more), seen


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


async def test_a_log_has_a_line_for_each_line() -> None:
    file = io.StringIO()
    command = [sys.executable, str(AGENT)]
    async with connect_stdio(command, client(), observe=log_to(file)) as peer:
        assert await peer.request(ECHO, "\u2028 é") == "\u2028 é"
    entries = [json.loads(each) for each in file.getvalue().split("\n") if each]
    [sent, received] = [each for each in entries if "message" in each]
    assert (sent["direction"], received["direction"]) == ("sent", "received")
    assert sent["message"]["params"] == received["message"]["result"] == "\u2028 é"
    assert sent["time"] <= received["time"]
    assert [each["line"] for each in entries if "line" in each] == ["printed early"]


def test_a_log_has_text_for_what_is_not_json() -> None:
    file = io.StringIO()
    calling("client", observe=log_to(file), count=0).receive(b"Hello \xff\n")
    [entry] = map(json.loads, file.getvalue().splitlines())
    assert entry.pop("time") > 0
    assert entry == {"direction": "received", "line": "Hello \\xff"}


# --- logs ------------------------------------------------------------------------------------

# A program in which the runtime logs failures before and after logging is configured. The program
# uses a copy of the runtime under another package name.
PROGRAM = """
import logging
from mine.vendored.acp.runtime.session.state import Change, Subscribers

def fail(change):
    raise OSError("no disk")

subscribers = Subscribers()
subscribers.add(fail)
subscribers.tell(Change("added", "messages", None, None))
logging.getLogger("other").warning("this much")
logging.basicConfig()
subscribers.tell(Change("added", "messages", None, None))
"""


def test_a_program_decides_whether_entries_are_printed(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE / "runtime", tmp_path / "mine" / "vendored" / "acp" / "runtime")
    command = [sys.executable, "-B", "-c", PROGRAM]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    before, after = ended.stderr.split("this much\n")
    assert before == ""
    assert after.startswith("ERROR:mine.vendored.acp.runtime.")
    assert "no disk" in after


# --- debug mode ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "debug", "is_on"),
    [
        (None, None, False),
        (None, True, True),
        (None, False, False),
        ("1", None, True),
        ("1", False, False),
        ("0", None, False),
        ("", None, False),
    ],
)
async def test_an_internal_error_has_a_traceback_in_debug_mode(
    variable: str | None, debug: bool | None, is_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable is not None:
        monkeypatch.setenv("ACP_DEBUG", variable)
    made = agent(ext_request=raising(ValueError("the reason")))
    async with connect_memory(made, client(), debug=debug) as peer:
        with pytest.raises(RequestError) as caught:
            await peer.request(ASK, None)
    data = caught.value.data
    if is_on:
        assert list(data) == ["traceback"]
        assert data["traceback"].startswith("Traceback (most recent call last):\n")
        assert data["traceback"].endswith("ValueError: the reason\n")
    else:
        assert data is UNSET


@pytest.mark.parametrize("version", [V1, V2])
async def test_a_turn_that_fails_has_a_traceback(
    version: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_DEBUG", "1")
    async with session_agent(version, raising(ValueError("the reason"))) as (script, _):
        script.write(prompt(1))
        await begun(version, script, 1)
        last = await script.read()
        error = last.get("error") or last["params"]["update"]["error"]
        assert error["data"]["traceback"].endswith("ValueError: the reason\n")


NOTE = v1.EXTENSIONS["client", "notification"]


class Attentive(v1.ClientHandler):
    """A client that defines the hook for received messages."""

    def received(self, method: Any, params: Any) -> None:
        """Ignore the message."""


class Opening(v1.SessionClient):
    """A client that registers the session `s` when it connects."""

    def connected(self, peer: Any) -> None:
        super().connected(peer)
        self.session("s")


@pytest.mark.parametrize(
    ("handler", "debug", "logged"),
    [
        (
            client(),
            True,
            ["no handler for 'session/update': TestHandler does not define session_update"],
        ),
        (client(), False, []),
        (client(session_update=done), True, []),
        (Attentive, True, []),
        (Opening, True, []),
    ],
)
async def test_updates_that_nobody_handles_are_told_once_in_debug_mode(
    handler: Any, debug: bool, logged: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    async def tell(peer: Peer, method: str, params: Any) -> Any:
        chunk = v1.AgentMessageChunk(content=v1.TextContent(text="a"))
        note = v1.SessionNotification(session_id="s", update=chunk)
        for _ in range(2):
            await peer.notify(v1.CLIENT_METHODS["session/update"], note)

    async with connect_memory(agent(ext_request=tell), handler, debug=debug) as peer:
        await peer.request(ASK, None)
    assert caplog.messages == logged


async def test_names_of_unhandled_notifications_have_a_limit_in_debug_mode(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def tell(peer: Peer, method: str, params: Any) -> Any:
        for number in range(150):
            await peer.notify(NOTE.named(f"_{number}\n{'x' * 10_000}"), None)

    async with connect_memory(agent(ext_request=tell), client(), debug=True) as peer:
        await peer.request(ASK, None)
        kept = peer._handling._unhandled
    assert len(kept) == 100
    assert max(map(len, kept)) < 300
    assert len(caplog.messages) == 101
    assert max(map(len, caplog.messages)) < 400
    assert caplog.messages[-1] == "100 notifications have no handler; not logging others"
