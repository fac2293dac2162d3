"""Tests of the problems reported for messages about sessions that aren't open."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.rules import sessions

from tests.acpwire.rules.opened import CLOSED, OPENED, PROMPT, call, chunk
from tests.package.jsonrpc.wire import ask, initialize, tell
from tests.support.traced import ABLE, agreed, answer, bare, problems


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([chunk(session="other")] * 2, [(5, 'session "other" was not opened')]),
        ([ask(2, "session/prompt", sessionId="x", prompt=[])], [(5, 'session "x" was not opened')]),
        ([CLOSED[0], chunk(), CLOSED[1], chunk()], [(8, 'session "s" was closed on line 7')]),
        ([CLOSED[0], PROMPT, CLOSED[1]], [(6, 'session "s" was closed on line 5')]),
        ([*CLOSED, ask(9, "session/resume", sessionId="s", cwd="/"), chunk()], []),
        ([ask(3, "session/new", cwd="/", mcpServers=[]), chunk(session="early")], []),
        (
            [
                ask(3, "session/new", cwd="/", mcpServers=[]),
                {"id": 3, "error": {"code": -32000, "message": "sign in"}},
                chunk(session="x"),
            ],
            [(7, 'session "x" was not opened')],
        ),
        ([tell("session/cancel", sessionId="x")], [(5, 'session "x" was not opened')]),
        (
            [ask(3, "session/set_mode", sessionId="x", modeId="m")],
            [(5, 'session "x" was not opened')],
        ),
        ([ask(3, "session/delete", sessionId="stored")], []),
    ],
)
def test_messages_of_sessions_that_are_not_open(messages: Any, found: Any) -> None:
    expected = [(number, "/params/sessionId", text) for number, text in found]
    assert problems(bare(*OPENED[1], *messages)) == expected


def test_a_recording_that_begins_within_a_conversation_knows_no_sessions() -> None:
    assert problems(bare(chunk(), PROMPT, call())) == []


def test_a_call_before_initialize() -> None:
    conversation = bare(PROMPT, initialize(1), answer(0, protocolVersion=1, **ABLE[1]))
    assert problems(conversation) == [(1, "/method", "arrives before initialize")]
    assert problems(bare(chunk(), PROMPT, *agreed(1))) == []


@pytest.mark.parametrize("limit", [1, 2])
def test_over_the_limit_sessions_need_not_be_known(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_MOST", limit)
    fork = [ask(3, "session/fork", sessionId="s", cwd="/"), answer(3, sessionId="other")]
    late = [chunk(session=name, messageId="m") for name in ("unknown", "s")]
    unknown = [text for _, _, text in problems(bare(*OPENED[2], *fork, *late))]
    # Once a session has been forgotten, an unknown session id might belong to it.
    assert unknown == (['session "unknown" was not opened'] if limit == 2 else [])


def test_some_stray_messages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_MOST", 2)
    stray = [chunk(session=f"x{number}") for number in range(5)]
    assert len(problems(bare(*OPENED[1], *stray))) == 2
