"""Verdicts as plain data, and in the forms that people and services read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from acpgen.common import paths
from acpgen.common.display import printable
from acpgen.common.junit import Case, as_xml
from acpgen.diff.changes import Change
from acpgen.diff.ci.judging import Judgement, Outcome, Verdict
from acpgen.diff.report import as_html, as_markdown

_LEVELS: dict[Outcome, str] = {"fails": "error", "excepted": "notice"}


def as_json(judgement: Judgement) -> dict[str, Any]:
    """The changes and the verdicts on them as plain data."""
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


def as_github(judgement: Judgement) -> str:
    """Workflow commands, which GitHub shows at the lines of a pull request."""
    return "".join(f"{line}\n" for line in _github(judgement))


def _github(judgement: Judgement) -> Iterator[str]:
    for verdict in _worst_first(judgement):
        properties = {"title": f"{verdict.change.surface}: {verdict.change.name}"}
        if verdict.use is not None:
            properties |= {"file": verdict.use.path, "line": str(verdict.use.lineno)}
        listed = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
        yield f"::{_LEVELS[verdict.outcome]} {listed}::{_escaped(_message(verdict))}"


def _escaped(text: str, separators: str = "") -> str:
    """Text in a workflow command, which nothing in it can end."""
    escaped = "".join(
        f"%{ord(char):02X}" if char in f"%\r\n{separators}" else char for char in text
    )
    return printable(escaped)


def as_gitlab(judgement: Judgement) -> str:
    """A report of code quality, which GitLab shows in a merge request; its entries need a use."""
    entries = [
        {
            "description": printable(_message(verdict)),
            "check_name": f"acpgen diff: {verdict.change.what}",
            "fingerprint": _fingerprint(verdict.change),
            "severity": _severity(verdict),
            "location": {"path": verdict.use.path, "lines": {"begin": verdict.use.lineno}},
        }
        for verdict in _worst_first(judgement)
        if verdict.use is not None
    ]
    return json.dumps(entries, indent=2) + "\n"


def _severity(verdict: Verdict) -> str:
    if verdict.outcome == "excepted":
        return "info"
    return "critical" if verdict.change.wire == "breaking" else "major"


def _fingerprint(change: Change) -> str:
    """The same for the same change, wherever it is used."""
    key = json.dumps([change.surface, change.name, change.what, change.before, change.after])
    return hashlib.sha256(key.encode()).hexdigest()


def as_junit(judgement: Judgement) -> str:
    """JUnit XML: a suite for each surface, a case for each change; one that passes if none."""
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
    return Case(group, name, "failed", _message(verdict), effect(change), text)


def _worst_first(judgement: Judgement) -> list[Verdict]:
    """What fails, then what is excepted: services show no more than the first."""
    return [
        verdict
        for outcome in _LEVELS
        for verdict in judgement.verdicts
        if verdict.outcome == outcome
    ]


def _message(verdict: Verdict) -> str:
    change = verdict.change
    states = " → ".join(state for state in (change.before, change.after) if state is not None)
    reason = f"; {verdict.reason}" if verdict.reason else ""
    return f"{change.name}: {change.what}: {states} ({effect(change)}){reason}"


def effect(change: Change) -> str:
    """The effect of a change, in words."""
    if change.wire == change.python:
        return f"{change.wire} on the wire and in Python"
    return f"{change.wire} on the wire, {change.python} in Python"


# How to write a judgement, by the name of the format.
FORMATS: Mapping[str, Callable[[Judgement], str]] = {
    "markdown": lambda judgement: as_markdown(judgement.report, paths.TEMPLATES),
    "html": lambda judgement: as_html(judgement.report, paths.TEMPLATES),
    "github": as_github,
    "gitlab": as_gitlab,
    "junit": as_junit,
}
