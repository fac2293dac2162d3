"""Programs that commands start in the place of a client."""

from __future__ import annotations

from acpgen.common.problems import InputError, Problem


def cannot_start(program: str, error: OSError) -> InputError:
    """The problem with a program that cannot be started."""
    reason = f"cannot be started ({error.strerror or error}); give the program of an agent"
    return InputError([Problem(program, "", "io", reason)])
