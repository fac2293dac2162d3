"""Tests of baselines of expected failures. `test_cli` contains the tests of baseline files."""

from __future__ import annotations

import pytest
from acpgen.inputs.overlay.requirements import Requirement
from acpwire.conform.baseline import with_baseline
from acpwire.conform.report import Report, Status, Verdict

REQUIREMENT = Requirement("meta", "agent", "messages", "MUST", "Accept _meta.", {2: "meta"})
STALE = "passes now; remove it from the baseline (reason given there: not yet)"


@pytest.mark.parametrize(
    ("status", "marked", "reason"),
    [
        ("failed", "expected", "not yet"),
        ("passed", "stale", STALE),
        ("skipped", "skipped", "why"),
        ("not reached", "not reached", "why"),
    ],
)
def test_only_failures_and_passes_are_marked(status: Status, marked: Status, reason: str) -> None:
    report = Report(("agent",), (2,), (), (Verdict(REQUIREMENT, 2, status, "why"),))
    [verdict] = with_baseline(report, {(2, "meta"): "not yet"}).verdicts
    assert (verdict.status, verdict.reason) == (marked, reason)


@pytest.mark.parametrize("entry", [(1, "meta"), (2, "batches")])
def test_a_baseline_is_about_a_version_and_a_requirement(entry: tuple[int, str]) -> None:
    report = Report(("agent",), (2,), (), (Verdict(REQUIREMENT, 2, "failed"),))
    assert with_baseline(report, {entry: "not yet"}) == report
