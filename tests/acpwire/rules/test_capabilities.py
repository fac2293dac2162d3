"""Tests of the problems reported for messages that require unadvertised capabilities."""

from __future__ import annotations

from typing import Any

import pytest

from tests.acpwire.rules.opened import OPENED
from tests.package.jsonrpc.wire import ask, initialize
from tests.support.traced import answer, bare, problems


@pytest.mark.parametrize(
    ("message", "pointer", "text", "requirement"),
    [
        (
            ask(3, "session/fork", sessionId="s", cwd="/"),
            "/method",
            "needs /agentCapabilities/sessionCapabilities/fork, which the agent did not advertise",
            "agent-capabilities",
        ),
        (
            ask(3, "fs/read_text_file", sessionId="s", path="/a"),
            "/method",
            "needs /clientCapabilities/fs/readTextFile, which the client did not advertise",
            "client-capabilities",
        ),
        (
            ask(
                3,
                "session/prompt",
                sessionId="s",
                prompt=[{"type": "image", "data": "", "mimeType": "image/png"}],
            ),
            "/params",
            "ImageContent needs /agentCapabilities/promptCapabilities/image,"
            " which the agent did not advertise",
            "prompt-content",
        ),
    ],
)
def test_capability_that_the_other_side_has_not_advertised(
    message: Any, pointer: str, text: str, requirement: str
) -> None:
    hello, response, *opened = OPENED[1]
    capabilities = {"sessionCapabilities": {}}
    response = answer(0, protocolVersion=1, agentCapabilities=capabilities)
    found = bare(hello, response, *opened, message)
    assert problems(found) == [(5, pointer, text)]
    assert [each.requirement for each in found.entries[4].problems] == [requirement]
    assert found.entries[4].judged >= {requirement}


def test_advertised_capabilities_are_judged_too() -> None:
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    hello, _, *opened = OPENED[1]
    capabilities = {"promptCapabilities": {"image": True}}
    response = answer(0, protocolVersion=1, agentCapabilities=capabilities)
    prompt = ask(3, "session/prompt", sessionId="s", prompt=[image])
    found = bare(hello, response, *opened, prompt)
    assert problems(found) == []
    assert "prompt-content" in found.entries[4].judged
    assert "agent-capabilities" not in found.entries[4].judged


def test_capabilities_are_those_of_the_current_connection() -> None:
    fork = ask(1, "session/fork", sessionId="s", cwd="/")
    poor = [initialize(1), answer(0, protocolVersion=1, agentCapabilities={})]
    rich = OPENED[1][:2]
    assert problems(bare(*poor, *rich, fork)) == []
    assert [pointer for _, pointer, _ in problems(bare(*rich, *poor, fork))] == ["/method"]
    unknown = [initialize(1), fork]
    found = bare(*rich, *unknown)  # the agent of the second connection has not responded yet
    assert problems(found) == []


def test_call_without_its_capability_is_one_problem() -> None:
    hello = [initialize(1), answer(0, protocolVersion=1, agentCapabilities={})]
    server = {"type": "http", "name": "n", "url": "http://localhost/", "headers": []}
    load = ask(1, "session/load", sessionId="s", cwd="/", mcpServers=[server])
    [(number, pointer, text)] = problems(bare(*hello, load))
    assert (number, pointer) == (3, "/method")
    assert "loadSession" in text
