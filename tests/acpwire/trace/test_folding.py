"""Tests that `acpgen trace` shows consecutive chunks as one message."""

from __future__ import annotations

from typing import Any

from acpwire.recording.reading import read_lines
from acpwire.rules.checker import follow
from acpwire.trace.folding import fold

from tests.package.jsonrpc.wire import initialize, line, tell


def chunk(text: str, message: str = "m", **more: Any) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "messageId": message, "content": content}
    return tell("session/update", sessionId="s", update={**update, **more})


def counts(*messages: Any) -> list[tuple[int, int]]:
    """Return the line number and the number of messages of each entry after `initialize`."""
    lines = line(initialize(2), *messages).splitlines(keepends=True)
    return [(each.line, count) for each, count in fold(follow(read_lines(lines)).entries)][1:]


def test_chunks_of_one_message_are_folded() -> None:
    messages = (chunk("a "), chunk("b", _meta={"x": 1}), chunk("c", "n"), chunk("d"))
    assert counts(*messages) == [(2, 2), (4, 1), (5, 1)]
    lines = line(initialize(2), *messages).splitlines(keepends=True)
    [_, (first, _), *_] = fold(follow(read_lines(lines)).entries)
    assert first.value["update"]["content"] == {"type": "text", "text": "a b"}


def test_other_updates_are_not_folded() -> None:
    update = {"sessionUpdate": "state_update", "state": "running"}
    state = tell("session/update", sessionId="s", update=update)
    assert counts(state, state) == [(2, 1), (3, 1)]


def test_chunks_with_a_list_are_not_folded() -> None:
    annotations = {"audience": ["user"]}
    content = {"type": "text", "text": "a", "annotations": annotations}
    listed = chunk("", content=content)
    assert counts(listed, listed) == [(2, 1), (3, 1)]


def test_messages_that_are_no_chunks_are_not_folded() -> None:
    for message in (tell("_log", level=3, text="a"), tell("_log", text="a"), {"method": "_log"}):
        assert counts(message, message) == [(2, 1), (3, 1)]


def test_chunks_with_a_problem_are_not_folded() -> None:
    bad = chunk("a", messageId=5)
    assert counts(bad, bad) == [(2, 1), (3, 1)]
