"""The output formats of `acpgen diff`: JSON, Markdown, HTML, GitHub, GitLab and JUnit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from acpgen.common import paths
from acpgen.common.display import printable
from acpgen.common.junit import Case, as_xml
from acpgen.diff.changes import Change
from acpgen.diff.policy import Judgement, Outcome, Verdict
from acpgen.diff.report import Report
from acpgen.emit import template_errors
from acpgen.emit.template_environment import environment

_LEVELS: dict[Outcome, str] = {"fails": "error", "excepted": "notice"}


def as_json(judgement: Judgement) -> dict[str, Any]:
    """Return the changes and their verdicts as JSON data."""
    report = judgement.report
    return {
        "old": report.old,
        "new": report.new,
        "counts": report.counts(),
        "unused": judgement.unused,
        "changes": [
            {
                **asdict(verdict.change),
                "outcome": verdict.outcome,
                "reason": verdict.reason,
                "used_in": str(verdict.use) if verdict.use else None,
            }
            for verdict in judgement.verdicts
        ],
    }


def as_markdown(report: Report) -> str:
    """Return the report as Markdown, for a pull request or a changelog."""
    return _render(report, "diff.md.jinja", autoescape=False)


def as_html(report: Report) -> str:
    """Return the report as a self-contained HTML page."""
    return _render(report, "diff.html.jinja", autoescape=True)


def _render(report: Report, name: str, *, autoescape: bool) -> str:
    with template_errors.reported(paths.TEMPLATES, "the report"):
        jinja = environment(paths.TEMPLATES / "report", autoescape=autoescape)
        jinja.filters["cell"] = _cell
        return jinja.get_template(name).render(report=report)


def _cell(text: str) -> str:
    """Format text as code for a cell of a Markdown table, with all markup escaped."""
    plain = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return f"`{plain}`" if plain else ""


def as_github(judgement: Judgement) -> str:
    """Return workflow commands, which GitHub shows as annotations in a pull request."""
    lines: list[str] = []
    for verdict in _worst_first(judgement):
        properties = {"title": f"{verdict.change.surface}: {verdict.change.name}"}
        if verdict.use is not None:
            properties |= {"file": verdict.use.path, "line": str(verdict.use.lineno)}
        listed = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
        lines.append(f"::{_LEVELS[verdict.outcome]} {listed}::{_escaped(_message(verdict))}\n")
    return "".join(lines)


def _escaped(text: str, separators: str = "") -> str:
    """Escape text in a workflow command so that it cannot end the command."""
    escaped = "".join(
        f"%{ord(char):02X}" if char in f"%\r\n{separators}" else char for char in text
    )
    return printable(escaped)


def as_gitlab(judgement: Judgement) -> str:
    """Return a GitLab code quality report about changes to definitions that the project uses."""
    entries = []
    for verdict in _worst_first(judgement):
        change, use = verdict.change, verdict.use
        if use is None:
            continue
        severity = "critical" if change.wire == "breaking" else "major"
        # The fingerprint of a change does not depend on the location of its use.
        key = json.dumps([change.surface, change.name, change.what, change.before, change.after])
        entries.append(
            {
                "description": printable(_message(verdict)),
                "check_name": f"acpgen diff: {change.what}",
                "fingerprint": hashlib.sha256(key.encode()).hexdigest(),
                "severity": "info" if verdict.outcome == "excepted" else severity,
                "location": {"path": use.path, "lines": {"begin": use.lineno}},
            }
        )
    return json.dumps(entries, indent=2) + "\n"


def as_junit(judgement: Judgement) -> str:
    """Return JUnit XML with a suite for each surface and a case for each change.

    If there are no changes, the report contains a single passed case.
    """
    suites: dict[str, list[Case]] = {}
    for verdict in judgement.verdicts:
        suites.setdefault(verdict.change.surface, []).append(_case(verdict))
    return as_xml(suites or {"acpgen diff": [Case("acpgen.diff", "no change", "passed")]})


def _case(verdict: Verdict) -> Case:
    change = verdict.change
    name = f"{change.name}: {change.what}"
    group = f"acpgen.diff.{change.surface}"
    if verdict.outcome == "passes":
        return Case(group, name, "passed")
    if verdict.outcome == "excepted":
        return Case(group, name, "skipped", verdict.reason)
    place = f"used in {verdict.use}\n" if verdict.use else ""
    text = printable(f"schema: {change.pointer}") + f"\n{place}"
    return Case(group, name, "failed", _message(verdict), _effect(change), text)


def _worst_first(judgement: Judgement) -> list[Verdict]:
    """Return the verdicts, failures first, because services show only the first entries."""
    return [each for level in _LEVELS for each in judgement.verdicts if each.outcome == level]


def _message(verdict: Verdict) -> str:
    change = verdict.change
    states = " → ".join(state for state in (change.before, change.after) if state is not None)
    reason = f"; {verdict.reason}" if verdict.reason else ""
    return f"{change.name}: {change.what}: {states} ({_effect(change)}){reason}"


def _effect(change: Change) -> str:
    if change.wire == change.python:
        return f"{change.wire} on the wire and in Python"
    return f"{change.wire} on the wire, {change.python} in Python"


# Maps each format to the function that formats a judgement.
FORMATS: Mapping[str, Callable[[Judgement], str]] = {
    "markdown": lambda judgement: as_markdown(judgement.report),
    "html": lambda judgement: as_html(judgement.report),
    "github": as_github,
    "gitlab": as_gitlab,
    "junit": as_junit,
}
