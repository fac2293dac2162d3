"""Print the changes between two revisions of the schema.

A pipe gets every change, one a line. A terminal gets the numbers, then what breaks or fails, by
definition and folded to its width.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.text import Text

from acpgen.cli.output import terminal
from acpgen.cli.output.tables import grid
from acpgen.common.display import printable
from acpgen.diff.changes import Change
from acpgen.diff.policy import Judgement, Outcome, Verdict
from acpgen.diff.report import Report

_STYLES = {"breaking": "bold red", "unknown": "yellow", "compatible": "green", "internal": "dim"}
_OUTCOMES: dict[Outcome, str] = {"fails": "bold red", "excepted": "yellow", "passes": "dim"}
_WORDS: dict[Outcome, str] = {"fails": "fail", "excepted": "excepted", "passes": "pass"}
_OWNER = re.compile(r"[^.\[]*")


def show(judgement: Judgement, *, by_policy: bool) -> None:
    """Print changes.

    Args:
        by_policy: whether to tell which fail, since it does not go without saying.
    """
    report = judgement.report
    if terminal.FOLDS:
        _numbers(report)
        _breaking(judgement.verdicts)
    else:
        _rows(report)
        for label, counts in report.counts().items():
            words = f"{counts['wire']} on the wire, {counts['python']} in Python"
            terminal.line(f"{label}: {words}")
    if by_policy:
        _outcomes(judgement)


def _rows(report: Report) -> None:
    for surface, listed in report.surfaces().items():
        rows: list[tuple[str | Text, ...]] = []
        for change in listed:
            values = (change.name, change.what, change.before or "", change.after or "")
            labels = (Text(label, _STYLES[label]) for label in (change.wire, change.python))
            rows.append((*values, *labels))
        grid(("name", "what", "before", "after", "wire", "Python"), rows, surface)


def _numbers(report: Report) -> None:
    number = len(report.changes)
    words = f"{report.old} → {report.new}: {number} change{'' if number == 1 else 's'}"
    terminal.folded(Text(), Text(printable(words), "bold"))
    rows = [
        (Text(label, _STYLES[label]), str(counts["wire"]), str(counts["python"]))
        for label, counts in report.counts().items()
    ]
    if number:
        grid(("", "on the wire", "in Python"), rows)


def _breaking(verdicts: Iterable[Verdict]) -> None:
    """Print what breaks or fails, in blocks for each definition or method."""
    blocks: dict[str, dict[str, list[Verdict]]] = {}
    for verdict in verdicts:
        if verdict.change.is_breaking or verdict.outcome != "passes":
            of_surface = blocks.setdefault(verdict.change.surface, {})
            of_surface.setdefault(_owner(verdict.change), []).append(verdict)
    for surface, by_owner in blocks.items():
        terminal.line("")
        terminal.folded(Text(), Text(f"{surface}: what breaks, by definition", "bold"))
        for owner, block in by_owner.items():
            head = Text(f"{printable(owner)} ", "bold")
            if len(block) > 1:
                terminal.folded(Text(), head)
                head = Text("  ")
            for verdict in block:
                terminal.folded(Text(), head + _words(verdict.change, owner))
    if blocks:
        terminal.line("")
        terminal.folded(Text(), Text("`--format markdown`, or a pipe, has every change"))


def _owner(change: Change) -> str:
    """The definition or method that a change is part of, by its name."""
    match = _OWNER.match(change.name)
    return match[0] if match else ""


def _words(change: Change, owner: str) -> Text:
    part = change.name.removeprefix(owner).removeprefix(".")
    words = Text(printable(f"{part} " if part else ""), "cyan")
    words.append(change.what)
    states = [state for state in (change.before, change.after) if state is not None]
    words.append(printable(f": {' → '.join(states)}"))
    labels = (("wire", change.wire), ("Python", change.python))
    broken = [name for name, label in labels if label == "breaking"]
    if change.wire == "unknown":
        words.append(" (unchecked by this package; other peers might check it)", "yellow")
    return words.append(f" (breaks {' and '.join(broken)})" if broken else "", "red")


def _outcomes(judgement: Judgement) -> None:
    """Print how many changes fail, and which of them have, or had, an exception."""
    for verdict in judgement.verdicts:
        if verdict.reason:
            head = Text(f"{verdict.outcome}: ", _OUTCOMES[verdict.outcome])
            words = f"{verdict.change.name}: {verdict.change.what}: {verdict.reason}"
            terminal.folded(head, Text(printable(words)))
    numbers = [
        Text(
            f"{sum(verdict.outcome == outcome for verdict in judgement.verdicts)} {words}",
            _OUTCOMES[outcome],
        )
        for outcome, words in _WORDS.items()
    ]
    if judgement.unused:
        numbers.append(Text(f"{judgement.unused} not used"))
    terminal.folded(Text("policy: "), Text(", ").join(numbers))
