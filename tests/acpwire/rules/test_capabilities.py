"""Tests of the problems reported for messages that require unadvertised capabilities."""

from __future__ import annotations

from typing import Any

import pytest

from tests.acpwire.rules.opened import OPENED
from tests.package.jsonrpc.wire import ask, initialize
from tests.support.traced import answer, bare, problems


@pytest.mark.parametrize(
    ("message", "pointer", "text"),
    [
        (ask(3, "session/set_title", sessionId="s", title="T"), "/method", "/title"),
        (
            ask(3, "fs/read_text_file", sessionId="s", path="/a"),
            "/method",
            "needs /clientCapabilities/fs/readTextFile, which the client did not advertise",
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


def test_call_without_its_capability_is_one_problem() -> None:
    hello = [initialize(1), answer(0, protocolVersion=1, agentCapabilities={})]
    server = {"type": "http", "name": "n", "url": "http://localhost/", "headers": []}
    load = ask(1, "session/load", sessionId="s", cwd="/", mcpServers=[server])
    [(number, pointer, text)] = problems(bare(*hello, load))
    assert (number, pointer) == (3, "/method")
    assert "loadSession" in text
