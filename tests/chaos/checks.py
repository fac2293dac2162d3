"""What must hold after each scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Broken(AssertionError):
    """Something that must hold does not."""


def check(holds: object, what: str) -> None:
    """Raise `Broken` unless something holds."""
    if not holds:
        raise Broken(what)


def check_log(entries: list[str], allowed: tuple[str, ...]) -> None:
    """Check that nothing else than expected was logged."""
    for entry in entries:
        check(any(each in entry.splitlines()[0] for each in allowed), f"logged: {entry}")


def check_report(path: Path, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Check the report of our agent, and return it."""
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    check_log(report["log"], allowed)
    check(not report["left"], f"left: {report['left']}")
    before, after = report["descriptors"]
    check(before == after, f"descriptors: {before} before, now {report['open']}")
    check(report["ends"] in ([], [1]), f"disconnected {report['ends']} times")
    return report
