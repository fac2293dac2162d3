"""Tests of the rules for session updates and for the turns and tool calls that they report."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from acp_bindings.runtime.session.turn_phases import Habits
from acpwire.recording.reading import read_lines
from acpwire.rules import updates
from acpwire.rules.checker import follow
from acpwire.rules.updates import Stream

from tests.acpwire.rules.opened import CLOSED, OPENED, OPTION, PROMPT, call, chunk, update
from tests.package.jsonrpc.wire import ask, line, tell
from tests.support.traced import agreed, answer, bare, notes, problems

DONE = answer(2, stopReason="end_turn")
ERROR = {"code": -32000, "message": "sign in"}


def test_an_update_of_a_tool_call_that_was_not_announced() -> None:
    text = '"t" was not reported by an earlier update'
    assert problems(bare(*OPENED[1], call())) == [(5, "/params/update/toolCallId", text)]
    assert problems(bare(*OPENED[1], call("tool_call"), call())) == []
    question = {"toolCall": {"toolCallId": "t"}, "options": [OPTION]}
    asked = ask(5, "session/request_permission", sessionId="s", **question)
    assert problems(bare(*OPENED[1], asked, call())) == []
    nested = {"a": {"b": {"toolCallId": "t"}}}  # deeper than a request refers to tool calls
    about = {"toolCall": {"toolCallId": "x", "_meta": nested}, "options": [OPTION]}
    asked = ask(5, "session/request_permission", sessionId="s", **about)
    assert problems(bare(*OPENED[1], asked, call())) == [(6, "/params/update/toolCallId", text)]
    assert problems(bare(*OPENED[2], call())) == []


def test_messages_of_different_roles_may_share_an_id() -> None:
    pair = [chunk("user", messageId="m"), chunk("agent", messageId="m")]
    assert problems(bare(*OPENED[2], *pair)) == []


def test_updates_after_the_response_that_ended_a_turn() -> None:
    text = "arrives after the response on line 6, which ended the turn"
    late = bare(*OPENED[1], PROMPT, answer(2, stopReason="cancelled"), chunk())
    assert problems(late) == [(7, "/params/update", text)]
    late = bare(*OPENED[1], PROMPT, answer(2, stopReason="end_turn"), chunk(), chunk())
    assert (problems(late), notes(late)) == ([], [(7, text)])


def test_a_response_that_ends_no_turn() -> None:
    second = {**PROMPT, "id": 3}
    assert notes(bare(*OPENED[1], PROMPT, second, DONE, chunk(), {**DONE, "id": 3})) == []
    assert notes(bare(*OPENED[1], PROMPT, {"id": 2, "error": ERROR}, chunk())) == []


@pytest.mark.parametrize(("depth", "count"), [(1, 0), (2, 1)])
def test_a_tool_call_that_a_question_names_at_some_depth(depth: int, count: int) -> None:
    inner: Any = {"toolCallId": "deep"}
    for _ in range(depth):
        inner = {"inner": inner}
    tool_call = {"toolCallId": "t", "_meta": inner}
    asked = ask(
        5, "session/request_permission", sessionId="s", toolCall=tool_call, options=[OPTION]
    )
    later = update("tool_call_update", toolCallId="deep")
    assert len(problems(bare(*OPENED[1], asked, later))) == count


def test_output_of_an_agent_that_is_idle() -> None:
    idle = update("state_update", state="idle")
    busy = update("state_update", state="running")
    said = [idle, chunk(messageId="m"), chunk(messageId="m"), busy, chunk(messageId="m")]
    found = bare(*OPENED[2], *said)
    assert (problems(found), notes(found)) == (
        [],
        [(6, "arrives while the agent is idle, according to its last state")],
    )


def test_content_of_a_tool_call_that_was_not_reported() -> None:
    content = {"type": "content", "content": {"type": "text", "text": "Hi"}}
    added = update("tool_call_content_chunk", toolCallId="t", content=content)
    unknown, known = (bare(*OPENED[2], *before, added, added) for before in ([], [call()]))
    text = 'the toolCallId "t" was not reported by an earlier update'
    assert (problems(unknown), notes(unknown)) == ([], [(5, text)])
    assert (problems(known), notes(known)) == ([], [])


def test_what_is_missing_in_a_recording_is_no_problem() -> None:
    gap = b'{"time": 1.0, "event": "skipped", "direction": "sent", "bytes": 9}\n'
    data = line(*OPENED[1]) + gap + line(answer(7), chunk(session="x"), call())
    found = follow(read_lines(data.splitlines(keepends=True)))
    assert problems(found) == []
    assert (6, "responds to an unknown request") in notes(found)


# --- each with the id of its requirement ----------------------------------------------------------


def broken(version: int, *messages: Any) -> list[tuple[int, str]]:
    """Return the line and the requirement of each violation.

    Line 1 is the first message after the session is opened.
    """
    entries = bare(*OPENED[version], *messages).entries
    return [(entry.line - 4, each.requirement) for entry in entries for each in entry.problems]


def state(name: str, **more: Any) -> dict[str, Any]:
    return update("state_update", state=name, **more)


def tool(status: str | None = None, kind: str = "tool_call_update", **more: Any) -> dict[str, Any]:
    return update(kind, toolCallId="t", **({"status": status} if status else {}), **more)


def compaction(status: str) -> dict[str, Any]:
    return update("compaction_update", compactionId="t", status=status)


def question(*options: dict[str, Any]) -> dict[str, Any]:
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t"}}
    about = {"title": "Tea?", "subject": subject, "options": list(options)}
    return ask(5, "session/request_permission", sessionId="s", **about)


ALLOWED = answer(5, outcome={"outcome": "selected", "optionId": "yes"})
INSERTED = answer(2, messageId="u")
TURN = [{**PROMPT, "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]}}]
ACCEPTED = [*TURN, INSERTED, chunk("user", messageId="u"), state("running")]
CANCEL = tell("session/cancel", sessionId="s")
CANCELLED = [*ACCEPTED, CANCEL, state("idle", stopReason="cancelled")]
RESUME = ask(8, "session/resume", sessionId="s", cwd="/")
LOCATION = [{"path": "main.py"}]
ANNOUNCED = update("tool_call", toolCallId="t", title="Tea", status="completed")


@pytest.mark.parametrize(
    ("version", "messages", "found"),
    [
        (1, [ANNOUNCED, tool("in_progress")], [(2, "final-status")]),
        (1, [ANNOUNCED, tool("completed")], []),
        (1, [tool("pending")], [(1, "reported-calls")]),
        (2, [question(OPTION, OPTION)], [(1, "permission-options")]),
        (1, [tool(kind="tool_call", title="Tea", locations=LOCATION)], [(1, "absolute-paths")]),
        (2, [tool(locations=[{"path": "C:\\tea"}])], []),
        (
            1,
            [chunk(content={"type": "image", "mimeType": "image/png", "data": "?"})],
            [(1, "base64")],
        ),
        *(
            (2, [update("terminal_output_chunk", terminalId="t", data=data)], found)
            for data, found in [
                ("***", [(1, "base64")]),
                ("aGk=\n", [(1, "base64")]),
                ("a Gk=", [(1, "base64")]),
                ("aGk=", []),
            ]
        ),
        (2, [update("terminal_update", terminalId="t", output={"data": "?"})], [(1, "base64")]),
        (2, [tool(kind="tool_call_update", title="Tea")], []),
        # A compaction can have the id of a tool call.
        (2, [compaction("completed"), tool("in_progress"), compaction("in_progress")], []),
        (2, [state("idle", stopReason="tired")], [(1, "custom-values")]),
        (2, [update("tool_call_update", toolCallId="t", kind="cook")], [(1, "custom-values")]),
        (2, [update("tool_call_update", toolCallId="t", kind="_cook")], []),
        # After the user's decision, the agent must report the state `running`.
        (
            2,
            [
                tool("pending"),
                question(OPTION),
                state("requires_action"),
                ALLOWED,
                tool("in_progress"),
            ],
            [(5, "resumes-running")],
        ),
        (
            2,
            [
                tool("pending"),
                question(OPTION),
                state("requires_action"),
                ALLOWED,
                state("running"),
                tool("in_progress"),
            ],
            [],
        ),
        # The agent need not report `running` while it waits for another decision, or if it never
        # reported `requires_action`.
        (
            2,
            [
                tool("pending"),
                question(OPTION),
                {**question(OPTION), "id": 6},
                state("requires_action"),
                ALLOWED,
                tool("in_progress"),
            ],
            [],
        ),
        (2, [tool("pending"), question(OPTION), ALLOWED, tool("in_progress")], []),
        # Ids of other entries are not ids of tool calls.
        (
            2,
            [
                update("compaction_update", compactionId="t", status="completed"),
                tool("in_progress"),
            ],
            [],
        ),
        # Neither an idle state before the prompt's echo nor a repeated idle state ends the turn.
        (
            2,
            [
                *TURN,
                CANCEL,
                state("running"),
                state("idle", stopReason="cancelled"),
                INSERTED,
                chunk("user", messageId="u"),
                state("running"),
                chunk(messageId="a"),
            ],
            [],
        ),
        (2, [*CANCELLED, chunk(messageId="a")], [(7, "updates-before-end")]),
        (2, [*CANCELLED, tool("failed")], [(7, "updates-before-end")]),
        # If the turn has no other update, only an idle state with a stop reason ends the turn.
        *(
            (2, [*TURN, INSERTED, CANCEL, state("idle", **more), chunk(messageId="a")], found)
            for more, found in [
                ({"stopReason": "cancelled"}, [(5, "updates-before-end")]),
                ({}, []),
            ]
        ),
        (2, [*CANCELLED, state("running"), chunk(messageId="a")], []),
        # Updates between `session/resume` and its response are part of the replay.
        (
            2,
            [
                *CANCELLED,
                RESUME,
                chunk(messageId="a"),
                tool("completed"),
                tool("pending"),
                state("idle"),
                answer(8),
            ],
            [],
        ),
        (
            1,
            [
                ANNOUNCED,
                *TURN,
                answer(2, stopReason="cancelled"),
                ask(8, "session/load", sessionId="s", cwd="/", mcpServers=[]),
                chunk(),
                tool("pending"),
                ANNOUNCED,
                answer(8),
            ],
            [],
        ),
        (2, [RESUME, answer(8)], [(2, "resume-state")]),
        (2, [*ACCEPTED, CLOSED[0], CLOSED[1]], [(6, "close-cancels")]),
        (2, [*ACCEPTED, CLOSED[0], state("idle", stopReason="cancelled"), CLOSED[1]], []),
    ],
)
def test_rules_between_messages(version: int, messages: Any, found: Any) -> None:
    assert broken(version, *messages) == found


@pytest.mark.parametrize(
    ("version", "messages", "pointer", "text"),
    [
        (
            1,
            [ANNOUNCED, tool("in_progress")],
            "/params/update/status",
            '"t" was already completed, which is final',
        ),
        (
            2,
            [question(OPTION), state("requires_action"), ALLOWED, tool("in_progress")],
            "/params/update/status",
            "the tool runs after the decision, although the state is still requires_action",
        ),
        (
            2,
            [RESUME, answer(8)],
            "/result",
            "arrives before the agent reported its current state",
        ),
        (
            2,
            [*ACCEPTED, *CLOSED],
            "/result",
            "arrives before the idle report that ends the cancelled turn",
        ),
        (
            2,
            [*CANCELLED, chunk(messageId="a")],
            "/params/update",
            "arrives after the update on line 10, which ended the turn",
        ),
    ],
)
def test_problem_says_what_came_too_early_or_too_late(
    version: int, messages: Any, pointer: str, text: str
) -> None:
    [(_, found, message)] = problems(bare(*OPENED[version], *messages))
    assert (found, message) == (pointer, text)


def test_tools_in_the_background_can_continue_after_a_cancelled_turn() -> None:
    background = [{"type": "tool_call", "toolCallId": "t"}]
    end = state("idle", stopReason="cancelled", background=background)
    messages = [*ACCEPTED, tool("in_progress"), CANCEL, end, tool("completed")]
    assert broken(2, *messages) == []
    assert broken(2, *messages[:-2], state("idle", stopReason="cancelled"), messages[-1]) == [
        (8, "updates-before-end")
    ]


def test_initialize_comes_first_and_once_in_a_recording_of_one_connection() -> None:
    started = b'{"time": 1.0, "event": "started", "command": ["a"], "side": "client"}\n'
    early = ask(1, "session/new", cwd="/", mcpServers=[])
    hello, hi = agreed(1)
    sent = [("sent", hello), ("sent", early), ("received", hi), ("sent", hello)]
    lines = "".join(
        json.dumps({"time": 2.0, "direction": way, "message": {"jsonrpc": "2.0", **message}}) + "\n"
        for way, message in sent
    )
    found = follow(read_lines((started + lines.encode()).splitlines(keepends=True)))
    assert [
        (entry.line, each.requirement) for entry in found.entries for each in entry.problems
    ] == [
        (3, "initialize-first"),
        (5, "initialize-first"),
    ]


@pytest.mark.parametrize("value", [None, True, 7, "x", [], [[]], {}, {"a": [1]}])
def test_odd_values_are_no_errors_of_the_rules(value: Any) -> None:
    about = {"sessionId": "s", "options": value, "toolCall": value, "subject": value}
    messages = [
        ask(5, "session/request_permission", **about),
        {"id": 5, "result": value},
        *CANCELLED,
        chunk(messageId="a", toolCallId=value),
        state("idle", background=value, stopReason=value),
        update("tool_call_update", toolCallId=value, status=value),
        tell("session/update", sessionId=value, update=value),
        {"id": 2, "method": "session/prompt", "params": value},
        {"id": 2, "result": value},
        {"id": value, "method": value},
        {"id": value, "error": value},
    ]
    for version in (1, 2):
        assert len(bare(*OPENED[version], *messages).entries) == 4 + len(messages)


@pytest.mark.parametrize(("ids", "followed"), [(range(1_500), 1_000), ([1] * 1_500, 1)])
def test_turns_that_never_end_are_not_followed_forever(ids: Any, followed: int) -> None:
    offers: Any = None  # prompts need none
    stream = Stream(Habits(), offers, has_past=False)
    for id_ in ids:
        request: Any = SimpleNamespace(id=id_, surface="v2")
        stream.prompt(request)
    assert len(stream._foreground._open) == followed


@pytest.mark.parametrize(("limit", "count"), [(3, 0), (2, 0), (1, 0)])
def test_tool_calls_over_the_limit_need_not_be_announced(
    limit: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "_MOST", limit)
    announced = [update("tool_call", toolCallId=f"t{n}", title="Tea") for n in range(3)]
    late = [update("tool_call_update", toolCallId=f"t{n}", title="Tea") for n in range(3)]
    assert len(problems(bare(*OPENED[1], *announced, *late))) == count


@pytest.mark.parametrize(("limit", "count"), [(3, 1), (2, 0)])
def test_unknown_tool_calls_are_problems_while_all_are_remembered(
    limit: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "_MOST", limit)
    announced = [update("tool_call", toolCallId=f"t{n}", title="Tea") for n in range(3)]
    unknown = update("tool_call_update", toolCallId="x", title="Tea")
    assert len(problems(bare(*OPENED[1], *announced, unknown))) == count
