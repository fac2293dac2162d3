"""Judge a program as a process, and describe the verdicts as plain data."""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.reading import load_overlay

from acpwire.conform.agent import AGENT
from acpwire.conform.baseline import read_baseline, with_baseline
from acpwire.conform.client.starting import QUOTED, WORDS, opener
from acpwire.conform.judging import NotSpoken, OnProbe, Side, Task, judge
from acpwire.conform.verdicts import Report, Verdict, count
from acpwire.programs import as_program, cannot_start


def conform(
    task: Task,
    versions: Sequence[int],
    baseline: Path | None = None,
    side: Side = AGENT,
    on_probe: OnProbe = lambda name, count: None,
) -> Report:
    """Judge a program.

    Raises:
        InputError: the program cannot be started or does not speak the version, the baseline cannot
            be used, or there is no such requirement.
    """
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of(side.name)
    known = {name for demand in requirements for name in (demand.id, demand.area)}
    problems = [
        Problem("--only", "", "usage", f"unknown requirement {name!r}; use an id or an area")
        for name in task.only
        if name not in known
    ]
    if problems:
        raise InputError(problems)
    expected = read_baseline(baseline, requirements) if baseline is not None else {}
    program = task.command[0]
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            started = replace(task, command=tuple(as_program(task.command)), folder=folder)
            report = asyncio.run(judge(side, started, requirements, versions, on_probe))
    except OSError as error:
        raise cannot_start(program, error, f"the {side.name}") from error
    except NotSpoken as error:
        spoken = " and ".join(map(str, error.spoken))
        message = f"speaks protocol {spoken} only; judge it with --protocol {error.spoken[0]}"
        raise InputError([Problem(program, "", "not-spoken", message)]) from error
    return with_baseline(replace(report, command=task.command), expected)


def task_of_client(task: Task, typed: Sequence[str]) -> Task:
    """Return the task to judge a client, to which a person types lines.

    Raises:
        InputError: its command has no place for the agent, or the task has prompts.
    """
    if task.prompts:
        message = "is for agents; give a client what a person types with --stdin"
        raise InputError([Problem("--prompt", "", "usage", message)])
    if not any(QUOTED in word or word == WORDS for word in task.command):
        message = f"names no agent to start; put {QUOTED} or {WORDS} where its command belongs"
        raise InputError([Problem(shlex.join(task.command), "", "usage", message)])
    return replace(task, open=opener(typed))


def as_json(report: Report) -> dict[str, Any]:
    """Describe a report as plain JSON."""
    return {
        "command": list(report.command),
        "protocols": list(report.versions),
        "notSpoken": list(report.unspoken),
        "conforms": report.conforms,
        "errors": dict(report.errors),
        "counts": dict(count(report.verdicts)),
        "verdicts": list(map(_verdict, report.verdicts)),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    demand = verdict.requirement
    return {
        "protocol": verdict.version,
        "area": demand.area,
        "id": demand.id,
        "level": demand.level,
        "words": demand.words,
        "page": demand.page(verdict.version),
        "status": verdict.status,
        "reason": verdict.reason or None,
        "failures": [asdict(failure) for failure in verdict.failures],
    }
