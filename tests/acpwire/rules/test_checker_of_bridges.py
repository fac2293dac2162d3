"""Tests of `acpgen trace` with a bridge's recording, where the sides' protocol versions differ."""

from __future__ import annotations

import io
import json
from typing import Any

from acp_bindings.runtime.jsonrpc import log_to
from acp_bindings.runtime.jsonrpc.observing import Observation
from acpwire.recording.reading import read_lines
from acpwire.rules.checker import Conversation, follow
from acpwire.trace.folding import fold

from tests.package.jsonrpc.wire import ask, initialize, marked, tell

INFO = {"name": "test", "version": "1"}
OLDER = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"list": {}}}}
NEWER = {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}}


def bridged(*messages: tuple[str, str, Any], surface: str | None = None) -> Conversation:
    """Record a bridge's messages, given as (side, direction, message), and check the recording."""
    file = io.StringIO()
    write = log_to(file)
    for index, (side, direction, message) in enumerate(messages):
        way: Any = direction
        write(Observation(way, b"", marked(message), 100.0 + index, side == "far"))
    return follow(read_lines(text.encode() for text in file.getvalue().splitlines(True)), surface)


def result(id_: Any, result: Any) -> dict[str, Any]:
    return {"id": id_, "result": result}


# A protocol 1 client initializes a protocol 2 agent. The agent records both sides of its bridge.
AGREED = (
    ("far", "received", initialize(1)),
    ("near", "received", initialize(2, 1)),
    ("near", "sent", result(1, NEWER)),
    ("far", "sent", result(0, OLDER)),
)


def chunk(text: str) -> Any:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content}
    return tell("session/update", sessionId="s", update=update)


def names(found: Conversation) -> list[tuple[str | None, str | None]]:
    return [(entry.name(entry.sender), entry.name(entry.receiver)) for entry in found.entries]


def problems(found: Conversation) -> list[tuple[int, str]]:
    return [(entry.line, each.message) for entry in found.entries for each in entry.problems]


def test_the_bridge_stands_between_both_sides() -> None:
    found = bridged(*AGREED)
    assert names(found) == [
        ("client", "bridge"),
        ("bridge", "agent"),
        ("agent", "bridge"),
        ("bridge", "client"),
    ]


def test_a_client_that_keeps_the_log_is_on_the_near_side() -> None:
    found = bridged(("near", "sent", initialize(2)), ("far", "sent", initialize(2, 1)))
    assert names(found) == [("client", "bridge"), ("bridge", "agent")]


def test_each_side_is_checked_against_its_version() -> None:
    found = bridged(
        *AGREED,
        ("far", "received", ask(7, "session/set_mode", sessionId="s", modeId="m")),
        ("near", "received", ask(7, "session/set_mode", sessionId="s", modeId="m")),
    )
    assert [entry.version for entry in found.entries] == [1, 2, 2, 1, 1, 2]
    assert problems(found) == [(6, "no such method; did you mean session/set_title?")]


def test_ids_are_those_of_each_side() -> None:
    found = bridged(
        *AGREED,
        ("far", "received", ask(5, "session/list")),
        ("near", "received", ask(5, "session/list")),
        ("near", "sent", result(5, {"sessions": []})),
    )
    assert problems(found) == []
    assert [entry.line for entry in found.unanswered] == [5]


def test_a_chosen_surface_is_for_the_side_that_speaks_its_version() -> None:
    found = bridged(*AGREED, surface="v2_unstable")
    assert [entry.surface for entry in found.entries] == ["v1", "v2_unstable", "v2_unstable", "v1"]


def test_chunks_of_each_side_are_folded() -> None:
    texts = ("a", "b", "c")
    updates = [(side, "sent", chunk(text)) for text in texts for side in ("near", "far")]
    *_, near, far = fold(bridged(*AGREED, *updates).entries)
    assert [json.dumps(entry.value).count("abc") for entry, _ in (near, far)] == [1, 1]
    assert (near[1], far[1]) == (3, 3)
