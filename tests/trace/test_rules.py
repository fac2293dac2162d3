"""What `acpgen trace` checks between messages: capabilities, sessions, streams."""

from __future__ import annotations

from typing import Any

import pytest
from acpgen.wire.recording.reading import read_lines
from acpgen.wire.trace.conversation import follow
from package.jsonrpc.wire import ask, initialize, line, tell
from support.traced import ABLE, agreed, answer, bare, notes, problems

OPENED: dict[int, list[Any]] = {
    version: [
        *agreed(version),
        ask(1, "session/new", cwd="/", **({"mcpServers": []} if version == 1 else {})),
        answer(1, sessionId="s"),
    ]
    for version in (1, 2)
}
PROMPT = ask(2, "session/prompt", sessionId="s", prompt=[])
CLOSED = [ask(8, "session/close", sessionId="s"), answer(8)]


def update(kind: str, session: str = "s", **members: Any) -> dict[str, Any]:
    return tell("session/update", sessionId=session, update={"sessionUpdate": kind, **members})


def chunk(role: str = "agent", session: str = "s", **members: Any) -> dict[str, Any]:
    content = {"type": "text", "text": "Hi"}
    return update(f"{role}_message_chunk", session, content=content, **members)


def call(kind: str = "tool_call_update", **members: Any) -> dict[str, Any]:
    return update(kind, toolCallId="t", title="Tea", **members)


# --- capabilities ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "pointer", "text"),
    [
        (ask(3, "session/set_title", sessionId="s", title="T"), "/method", "/title"),
        (
            ask(3, "fs/read_text_file", sessionId="s", path="/a"),
            "/method",
            "needs /clientCapabilities/fs/readTextFile, which the client has not advertised",
        ),
        (
            ask(
                3,
                "session/prompt",
                sessionId="s",
                prompt=[{"type": "image", "data": "", "mimeType": "image/png"}],
            ),
            "/params",
            "ImageContent needs /agentCapabilities/promptCapabilities/image",
        ),
    ],
)
def test_what_the_other_side_has_not_advertised(message: Any, pointer: str, text: str) -> None:
    [(number, where, found)] = problems(bare(*OPENED[1], message))
    assert (number, where) == (5, pointer)
    assert text in found


# --- sessions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([chunk(session="other")] * 2, [(5, 'session "other" was not opened')]),
        ([ask(2, "session/prompt", sessionId="x", prompt=[])], [(5, 'session "x" was not opened')]),
        ([CLOSED[0], chunk(), CLOSED[1], chunk()], [(8, 'session "s" was closed in line 7')]),
        ([CLOSED[0], PROMPT, CLOSED[1]], [(6, 'session "s" was closed in line 5')]),
        ([*CLOSED, ask(9, "session/resume", sessionId="s", cwd="/"), chunk()], []),
        ([ask(3, "session/new", cwd="/", mcpServers=[]), chunk(session="early")], []),
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


# --- streams -----------------------------------------------------------------------------------


def test_an_update_of_a_tool_call_that_was_not_announced() -> None:
    text = '"t" was not announced by an update before'
    assert problems(bare(*OPENED[1], call())) == [(5, "/params/update/toolCallId", text)]
    assert problems(bare(*OPENED[1], call("tool_call"), call())) == []
    question = {"toolCall": {"toolCallId": "t"}, "options": []}
    asked = ask(5, "session/request_permission", sessionId="s", **question)
    assert problems(bare(*OPENED[1], asked, call())) == []
    assert problems(bare(*OPENED[2], call())) == []


def test_a_chunk_of_another_ones_message() -> None:
    pair = [chunk("user", messageId="m"), chunk("agent", messageId="m")]
    text = '"m" is the id of a message of the user'
    assert problems(bare(*OPENED[2], *pair)) == [(6, "/params/update/messageId", text)]


def test_updates_after_the_response_that_ended_a_turn() -> None:
    text = "comes after the response in line 6, which ended the turn"
    late = bare(*OPENED[1], PROMPT, answer(2, stopReason="cancelled"), chunk())
    assert problems(late) == [(7, "/params/update", text)]
    late = bare(*OPENED[1], PROMPT, answer(2, stopReason="end_turn"), chunk(), chunk())
    assert (problems(late), notes(late)) == ([], [(7, text)])


def test_output_of_an_agent_that_is_idle() -> None:
    idle = update("state_update", state="idle")
    busy = update("state_update", state="running")
    said = [idle, chunk(messageId="m"), chunk(messageId="m"), busy, chunk(messageId="m")]
    found = bare(*OPENED[2], *said)
    assert (problems(found), notes(found)) == (
        [],
        [(6, "comes while the agent is idle, as it has told")],
    )


def test_what_is_missing_in_a_recording_is_no_problem() -> None:
    gap = b'{"time": 1.0, "event": "skipped", "direction": "sent", "bytes": 9}\n'
    data = line(*OPENED[1]) + gap + line(answer(7), chunk(session="x"), call())
    found = follow(read_lines(data.splitlines(keepends=True)))
    assert problems(found) == []
    assert (6, "answers a request that is not known here") in notes(found)
