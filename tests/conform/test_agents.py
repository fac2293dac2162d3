"""`acpgen conform` judges agents: ours conform, and each planted fault fails what it breaks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from acpgen.commands.running.conform import conform
from acpgen.wire.conform.judging import Task
from acpgen.wire.conform.verdicts import Report, Status
from conform.faults import FAULTS

HERE = Path(__file__).parent
PYTHON = (sys.executable, "-I", "-S")
PATIENCE = 3.0  # seconds; what hangs is waited for so long


def ids(report: Report, status: Status) -> set[str]:
    return {each.requirement.id for each in report.verdicts if each.status == status}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_fails_what_it_breaks(name: str) -> None:
    version, breaks, _ = FAULTS[name]
    command = (*PYTHON, str(HERE / "faults.py"), name)
    report = conform(Task(command, PATIENCE, ("tool",)), (version,))
    assert ids(report, "failed") == breaks
