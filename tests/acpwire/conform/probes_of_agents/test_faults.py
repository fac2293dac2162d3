"""Tests that an agent with a fault fails exactly the requirements that the fault violates.

The reports must explain the failures as in `explanations.toml`. Most faults can also be planted in
this process. Then only the requirements that they violate are checked, which is fast.
"""

from __future__ import annotations

import asyncio
import sys

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpwire.conform.judging import judge
from acpwire.conform.player import Task
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.report import Report

from tests.acpwire.conform.explanations import explanations_in, explanations_of
from tests.acpwire.conform.faults import FAULTS, Agent, planted
from tests.acpwire.conform.here import report_on

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="agents are forked")

PATIENCE = 5.0  # how long to wait for each message before giving up on an agent, in seconds
AT_ONCE = 12
# Faults in the process itself, in its bytes, or in its timing.
IN_A_PROCESS = {
    "crashes_at_the_start",
    "hangs_at_the_start",
    "prints_garbage",
    "prints_json_over_lines",
    "floods",
    "floods_one_line",
    "ends_within_a_line",
    "outlives_its_input",
    "speaks_a_moment_after_the_end",
    "speaks_a_moment_after_the_end_in_protocol_2",
    "reports_tools_a_moment_after_the_end",
}


def failed(report: Report) -> set[str]:
    return {each.requirement.id for each in report.verdicts if each.status == "failed"}


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - IN_A_PROCESS))
def test_a_fault_in_this_process_fails_what_it_breaks(name: str) -> None:
    fault = FAULTS[name]
    with planted(fault):
        report = report_on("agent", fault.version, program=Agent, only=fault.breaks)
    assert failed(report) == fault.breaks
    assert report.errors == {}
    expected = explanations_of("agent")
    for requirement, texts in explanations_in([report]).items():
        assert set(texts) <= set(expected[requirement])


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
def test_each_fault_fails_what_it_breaks() -> None:
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("agent")
    at_once = asyncio.Semaphore(AT_ONCE)

    async def judged(name: str) -> Report:
        task = Task((name,), PATIENCE, ("tool",), folder="/work")
        async with at_once:
            return await judge(PlayedClient, task, requirements, [FAULTS[name].version])

    async def judge_all() -> dict[str, Report]:
        return dict(zip(FAULTS, await asyncio.gather(*map(judged, FAULTS)), strict=True))

    assert len(FAULTS) > 40
    reports = asyncio.run(judge_all())
    found = {name: failed(report) for name, report in reports.items()}
    expected = {name: set(fault.breaks) for name, fault in FAULTS.items()}
    wrong = {name: ids for name, ids in found.items() if ids != expected[name]}
    assert wrong == {}, wrong
    assert [report.errors for report in reports.values() if report.errors] == []
    assert explanations_in(reports.values()) == explanations_of("agent")
