"""Programs that commands start, and remote agents, which a program stands in for."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from acpgen.common.problems import InputError, Problem

_SCHEMES = ("http://", "https://", "ws://", "wss://")


def is_url(word: str) -> bool:
    """Return whether an argument is the URL of a remote agent."""
    return word.lower().startswith(_SCHEMES)


def as_program(command: Sequence[str]) -> Sequence[str]:
    """Return a command that is a URL as the program that connects to it, others unchanged."""
    if len(command) == 1 and is_url(command[0]):
        return [sys.executable, "-m", "acpgen", "connect", command[0]]
    return command


def cannot_start(program: str, error: OSError, owner: str = "an agent") -> InputError:
    """Return the problem with a program that cannot be started."""
    reason = f"cannot be started ({error.strerror or error}); give the program of {owner}"
    return InputError([Problem(program, "", "io", reason)])
