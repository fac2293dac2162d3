"""Each agent with a client that plays from a script, in all that the agent can do."""

from __future__ import annotations

from typing import Any

import pytest

from migration import originals
from migration.holding import Conversation, ask
from migration.originals import OURS, VERSIONS
from migration.scripts import CONTENT

Message = dict[str, Any]


def request(id_: int | str, method: str, **params: Any) -> Message:
    return {"id": id_, "method": method, "params": params}


def initialize(version: int = 1) -> Message:
    return request(0, "initialize", protocolVersion=version)


def new(id_: int) -> Message:
    return request(id_, "session/new", cwd="/", mcpServers=[])


def prompt(id_: int, session_id: str, blocks: list[dict[str, Any]]) -> Message:
    return request(id_, "session/prompt", sessionId=session_id, prompt=blocks)


def cancel(session_id: str) -> Message:
    return {"method": "session/cancel", "params": {"sessionId": session_id}}


def answer(held: Conversation) -> Any:
    """What the last request was answered with: a result, or the code of an error."""
    message = held.agent[-1]
    return message["error"] if "error" in message else message["result"]


CALLS: dict[str, tuple[str, list[Message]]] = {
    "agent: sessions": (
        "agent",
        [
            initialize(),
            request("a", "authenticate", methodId="key"),
            new(1),
            new(2),
            request(3, "session/load", cwd="/", mcpServers=[], sessionId="9"),
            request(4, "session/set_mode", sessionId="1", modeId="fast"),
        ],
    ),
    "agent: prompts": (
        "agent",
        [
            initialize(),
            new(1),
            prompt(2, "0", CONTENT),
            cancel("0"),
            prompt(3, "elsewhere", CONTENT[:1]),
            cancel("nowhere"),
            # Answered in order, so that the notifications before it are handled.
            new(4),
        ],
    ),
    "agent: extensions": (
        "agent",
        [
            initialize(),
            {"method": "_example/note", "params": {"a": 1}},
            request(1, "_example/count", a=1),
            new(2),
        ],
    ),
    "agent: protocol 2": ("agent", [initialize(2), new(1)]),
    "agent: protocol 0": ("agent", [initialize(0), new(1)]),
    "echo_agent: sessions": ("echo_agent", [initialize(), new(1), new(2)]),
}
# name -> (why, agent, messages, the last answer of the original, and that of ours)
DIFFERENT: dict[str, tuple[str, str, list[Message], Any, Any]] = {
    "agent: a method that it does not have": (
        "the base class of the original answers null to it",
        *("agent", [initialize(), request(1, "session/list")], None, -32601),
    ),
    "agent: too early": (
        "ours takes no request before initialize",
        *("agent", [new(1)], {"sessionId": "0"}, -32600),
    ),
    "echo_agent: loading": (
        "the base class of the original says that it loads any session",
        "echo_agent",
        [initialize(), request(1, "session/load", cwd="/", mcpServers=[], sessionId="9")],
        {},
        -32601,
    ),
    "echo_agent: a session that it has not opened": (
        "ours keeps its sessions, and answers to no others",
        *(
            "echo_agent",
            [initialize(), prompt(1, "9", CONTENT)],
            {"stopReason": "end_turn"},
            -32002,
        ),
    ),
    "echo_agent: protocol 2": (
        "the original speaks protocol 1 whatever it says, ours says what it speaks",
        *("echo_agent", [initialize(2)], {"protocolVersion": 2}, {"protocolVersion": 1}),
    ),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", CALLS)
def test_it_answers_as_the_original(version: str, name: str) -> None:
    agent, messages = CALLS[name]
    theirs, ours = (ask(originals.command(who, agent), *messages) for who in (version, OURS))
    requests = [message for message in messages if "id" in message]
    assert len([message for message in theirs.agent if "id" in message]) == len(requests)
    assert ours.agent == theirs.agent
    assert sorted(ours.errors) == sorted(theirs.errors)  # the log, whose order is that of tasks
    assert ours.exit == theirs.exit == 0


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", DIFFERENT)
def test_it_differs_for_a_reason(version: str, name: str) -> None:
    """If the original does better one day, this fails, and the calls belong to the others."""
    why, agent, messages, *expected = DIFFERENT[name]
    held = [ask(originals.command(who, agent), *messages) for who in (version, OURS)]
    assert why
    assert [answer(each) for each in held] == expected
