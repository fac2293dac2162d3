"""Programs that commands start."""

from __future__ import annotations

from acpgen.common.problems import InputError, Problem


def cannot_start(program: str, error: OSError, owner: str = "an agent") -> InputError:
    """Return the problem with a program that cannot be started."""
    reason = f"cannot be started ({error.strerror or error}); give the program of {owner}"
    return InputError([Problem(program, "", "io", reason)])
