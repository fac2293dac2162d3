"""Tests of verdicts: the precedence of results, recorded failures, and the overall result."""

from __future__ import annotations

import pytest
from acpgen.inputs.overlay.requirements import Requirement
from acpwire.conform.report import Failure, Ledger, Report, Status, Verdict, count

REQUIREMENT = Requirement("meta", "agent", "messages", "MUST", "Accept _meta.", {1: "meta"})
FAILURE = Failure("probe", "sent", "received", "expected")


def test_the_first_failures_of_a_requirement_are_kept() -> None:
    ledger = Ledger()
    made: list[int] = []

    def failure() -> Failure:
        made.append(1)
        return FAILURE

    for _ in range(10):
        ledger.fail("meta", failure)
    assert len(ledger.failures["meta"]) == len(made) == 3


def test_a_failure_counts_more_than_a_pass_and_that_more_than_a_reason() -> None:
    ledger = Ledger()

    def found() -> tuple[Status, str]:
        verdict = ledger.verdict(REQUIREMENT, 1)
        return verdict.status, verdict.reason

    assert found() == ("skipped", "not tested by any probe")
    ledger.unreached["meta"] = "the program exited"
    assert found() == ("not reached", "the program exited")
    ledger.skipped["meta"] = "not advertised"
    assert found() == ("skipped", "not advertised")
    ledger.passed.add("meta")
    assert found() == ("passed", "")
    ledger.fail("meta", lambda: FAILURE)
    assert found() == ("failed", "")


@pytest.mark.parametrize(
    ("statuses", "conforms"),
    [
        (("passed", "skipped"), True),
        (("passed", "failed"), False),
        (("passed", "stale"), False),
        (("passed", "expected"), True),
        (("passed", "not reached"), False),
        (("expected", "not reached"), True),
    ],
)
def test_a_program_conforms_unless_a_failure_was_unexpected(
    statuses: tuple[Status, ...], conforms: bool
) -> None:
    verdicts = tuple(Verdict(REQUIREMENT, 1, status) for status in statuses)
    report = Report(("agent",), (1,), (), verdicts)
    assert report.conforms is conforms
    assert sum(count(verdicts).values()) == len(statuses)
    assert not Report(("agent",), (1,), (), verdicts, {"probe": "internal error"}).conforms
