"""Prints conformance reports: counts for each area, then each failure with its messages.

The program's output is not interpreted as markup, and its control characters are escaped.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from acpgen.cli.output import terminal
from acpgen.common.display import printable
from rich.text import Text

from acpwire.conform.report import BAD, FAILURE_TEXTS, Report, Status, Verdict, count

_STYLES: dict[Status, str] = {
    "passed": "green",
    "failed": "bold red",
    "expected": "yellow",
    "stale": "bold red",
    "skipped": "dim",
    "not reached": "yellow",
}


_UNJUDGED: tuple[Status, ...] = ("not reached", "skipped")


def show(report: Report) -> None:
    """Print a report."""
    for version in report.versions:
        verdicts = [verdict for verdict in report.verdicts if verdict.version == version]
        _heading(f"protocol {version}")
        width = max((len(verdict.requirement.area) for verdict in verdicts), default=0)
        for area in dict.fromkeys(verdict.requirement.area for verdict in verdicts):
            of_area = [verdict for verdict in verdicts if verdict.requirement.area == area]
            terminal.folded(Text(f"  {area:<{width}}  "), _counts(of_area))
        for status in ("failed", "stale", "expected"):
            for verdict in verdicts:
                if verdict.status == status:
                    _show(verdict)
        for status in _UNJUDGED:
            _show_unjudged(status, [each for each in verdicts if each.status == status])
    for name, error in report.errors.items():
        text = f"{name.replace('_', ' ')}: {error}"
        terminal.folded(Text("  "), Text(printable(text), _STYLES["failed"]))
    for version in report.unspoken:
        _heading(f"protocol {version}: not supported by the program")
    words = "conforms" if report.conforms else "does not conform"
    style = "bold green" if report.conforms else "bold red"
    head = Text(f"{printable(shlex.join(report.command))} {words}: ", style)
    terminal.folded(Text(), head.append_text(_counts(report.verdicts)))


def _heading(words: str) -> None:
    terminal.folded(Text(), Text(words, "bold"))


def _counts(verdicts: Iterable[Verdict]) -> Text:
    parts = [
        Text(f"{number} {status}", _STYLES[status])
        for status, number in count(verdicts).items()
        if number
    ]
    return Text(", ").join(parts)


def _show(verdict: Verdict) -> None:
    demand, status = verdict.requirement, verdict.status
    head = Text.assemble((f"{status} ", _STYLES[status]), (f"{demand.id} ", "bold"))
    terminal.folded(Text(), head.append(f"({demand.level}) {demand.words}"))
    if verdict.reason:
        terminal.folded(Text("      "), Text(printable(verdict.reason)))
    for failure in verdict.failures[:1] if status in BAD else ():
        for name in FAILURE_TEXTS:
            value = printable(getattr(failure, name))
            terminal.folded(Text(f"      {name + ':':<10}", "dim"), Text(value))
        page = demand.page(verdict.version)
        terminal.folded(Text("      page:     ", "dim"), Text(page))


def _show_unjudged(status: Status, verdicts: Iterable[Verdict]) -> None:
    by_reason: dict[str, list[str]] = {}
    for verdict in verdicts:
        by_reason.setdefault(verdict.reason, []).append(verdict.requirement.id)
    for reason, names in by_reason.items():
        head = Text.assemble((f"{status} ", _STYLES[status]), (", ".join(names), "bold"))
        terminal.folded(Text("  "), head.append(printable(f": {reason}"), "dim"))
