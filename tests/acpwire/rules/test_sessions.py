"""Messages of sessions that are not open."""

from __future__ import annotations

from typing import Any

import pytest

from tests.acpwire.rules.opened import CLOSED, OPENED, PROMPT, call, chunk
from tests.package.jsonrpc.wire import ask, initialize, tell
from tests.support.traced import ABLE, agreed, answer, bare, problems


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([chunk(session="other")] * 2, [(5, 'session "other" was not opened')]),
        ([ask(2, "session/prompt", sessionId="x", prompt=[])], [(5, 'session "x" was not opened')]),
        ([CLOSED[0], chunk(), CLOSED[1], chunk()], [(8, 'session "s" was closed in line 7')]),
        ([CLOSED[0], PROMPT, CLOSED[1]], [(6, 'session "s" was closed in line 5')]),
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
    assert problems(conversation) == [(1, "/method", "comes before initialize")]
    assert problems(bare(chunk(), PROMPT, *agreed(1))) == []
