"""Tests of the problems reported for messages about sessions that aren't open."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.rules import sessions

from tests.acpwire.rules.opened import CLOSED, OPENED, OPTION, PROMPT, call, chunk
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
        # Only a prompt shows that the client treats a session as open.
        (
            [tell("session/cancel", sessionId="x"), chunk(session="x")],
            [(5, 'session "x" was not opened'), (6, 'session "x" was not opened')],
        ),
        (
            [*CLOSED, PROMPT, chunk()],
            [(7, 'session "s" was closed on line 5'), (8, 'session "s" was closed on line 6')],
        ),
    ],
)
def test_messages_of_sessions_that_are_not_open(messages: Any, found: Any) -> None:
    expected = [(number, "/params/sessionId", text) for number, text in found]
    conversation = bare(*OPENED[1], *messages)
    assert problems(conversation) == expected
    judged = [each.requirement for entry in conversation.entries for each in entry.problems]
    assert judged == ["known-sessions"] * len(found)


@pytest.mark.parametrize(
    ("messages", "lines"),
    [
        # The client treats a session as open if it sends a prompt.
        ([ask(2, "session/prompt", sessionId="x", prompt=[]), chunk(session="x")], [5]),
        # Messages other than prompts don't open it.
        ([chunk(session="x"), ask(2, "session/set_mode", sessionId="x", modeId="m")], [5, 6]),
        # An update that reports a nested session.
        ([chunk(sessionId="nested"), chunk(session="nested"), chunk(session="x")], [7]),
        # A session that the agent failed to close is still open.
        ([CLOSED[0], {"id": 8, "error": {"code": 1, "message": "no"}}, PROMPT], []),
        # After a session is opened again, a message after its end is reported again.
        (
            [
                *CLOSED,
                chunk(),
                chunk(),
                ask(9, "session/resume", sessionId="s", cwd="/", mcpServers=[]),
                answer(9),
                *CLOSED,
                chunk(),
            ],
            [7, 13],
        ),
    ],
)
def test_sessions_are_open_until_they_are_closed(messages: Any, lines: list[int]) -> None:
    found = problems(bare(*OPENED[1], *messages))
    assert [number for number, pointer, _ in found if pointer == "/params/sessionId"] == lines


@pytest.mark.parametrize(
    ("options", "found"), [([OPTION, OPTION], '"yes", "yes"'), ([], "none"), ([OPTION], None)]
)
def test_options_of_a_permission_request_differ(options: Any, found: str | None) -> None:
    call_ = {"toolCallId": "t"}
    request = ask(5, "session/request_permission", sessionId="s", toolCall=call_, options=options)
    text = f"expected options with different ids, found {found}"
    expected = [(5, "/params/options", text)] if found else []
    assert problems(bare(*OPENED[1], request)) == expected


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


@pytest.mark.parametrize(
    ("pending", "found"), [([3], []), ([3, 4], ['session "early" was not opened'])]
)
def test_over_the_limit_pending_requests_are_forgotten(
    pending: list[int], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_MOST", 1)
    asked = [ask(id_, "session/new", cwd="/", mcpServers=[]) for id_ in pending]
    refused = [{"id": id_, "error": {"code": 1, "message": "no"}} for id_ in pending[1:]]
    conversation = bare(*OPENED[1], *asked, *refused, chunk(session="early"))
    assert [text for _, _, text in problems(conversation)] == found


def test_some_stray_messages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_MOST", 2)
    stray = [chunk(session=f"x{number}") for number in range(5)]
    assert len(problems(bare(*OPENED[1], *stray))) == 2
