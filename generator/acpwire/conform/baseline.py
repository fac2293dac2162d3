"""Baselines: the requirements that a program is expected to fail, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from acpgen.common import toml
from acpgen.common.display import display_path
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.requirements import Requirement

from acpwire.conform.report import Report, Verdict

# Reasons by protocol version and requirement id.
Baseline: TypeAlias = Mapping[tuple[int, str], str]


def read_baseline(path: Path, requirements: Iterable[Requirement]) -> Baseline:
    """Read a baseline file with a table of reasons for each protocol version, such as `[v1]`.

    Raises:
        InputError: If the file is not valid TOML, or if an entry has an unknown id or no reason.
    """
    try:
        table = toml.loads(path.read_text("utf-8"))
    except toml.TOMLDecodeError as error:
        message = f"is not valid TOML ({error}); fix the file"
        raise InputError([Problem(display_path(path), "", "baseline", message)]) from error
    known = {(f"v{version}", demand.id) for demand in requirements for version in demand.versions}
    baseline: dict[tuple[int, str], str] = {}
    problems: list[Problem] = []
    for version, entries in table.items():
        for name, reason in entries.items() if type(entries) is dict else [("", entries)]:
            message = ""
            if (version, name) not in known:
                message = "unknown requirement; use [v1] or [v2] and an id from a report"
            elif type(reason) is not str or not reason.strip():
                message = "has no reason; add a string that explains why the failure is expected"
            if message:
                problem = Problem(display_path(path), pointer(version, name), "baseline", message)
                problems.append(problem)
            else:
                baseline[int(version[1:]), name] = reason
    if problems:
        raise InputError(problems)
    return baseline


def with_baseline(report: Report, baseline: Baseline) -> Report:
    """Mark the expected failures, and the passes that make a baseline entry stale."""
    return replace(report, verdicts=tuple(_mark(each, baseline) for each in report.verdicts))


def _mark(verdict: Verdict, baseline: Baseline) -> Verdict:
    reason = baseline.get((verdict.version, verdict.requirement.id))
    if reason is None:
        return verdict
    if verdict.status == "failed":
        return replace(verdict, status="expected", reason=reason)
    if verdict.status == "passed":
        text = f"passes now; remove it from the baseline (reason given there: {reason})"
        return replace(verdict, status="stale", reason=text)
    return verdict
