"""The exit codes of `acpgen diff`, besides 2 for an error."""

from __future__ import annotations

from acpgen.diff.policy import Judgement

SAME, CHANGED, FAILS = 0, 1, 3


def exit_code(judgement: Judgement, *, has_policy: bool) -> int:
    """Return the exit code for a comparison. Changes that a given policy allows do not count."""
    if judgement.fails:
        return FAILS
    return SAME if has_policy or not judgement.report.changes else CHANGED
