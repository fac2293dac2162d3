"""Tests of exit codes that correspond to an agent's exit, and of URLs as agent commands."""

from __future__ import annotations

import pytest
from acp_bindings.runtime.aio import Exit
from acpwire.processes import as_program, exit_code


@pytest.mark.parametrize(
    ("exit", "code"),
    [
        (None, 1),
        (Exit(), 0),
        (Exit(0), 0),
        (Exit(4), 4),
        (Exit(signal="SIGTERM"), 143),
        (Exit(signal="signal 40"), 168),
    ],
)
def test_exit_codes(exit: Exit | None, code: int) -> None:
    assert exit_code(exit) == code


@pytest.mark.parametrize(
    ("command", "is_remote"),
    [
        (["http://host/acp"], True),
        (["WSS://host"], True),
        (["http://host/acp", "--option"], False),
        (["agent"], False),
    ],
)
def test_a_url_is_a_command(command: list[str], is_remote: bool) -> None:
    assert (as_program(command) != command) is is_remote
