"""Tests of printed reports: counts by area, failures, and requirements without a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acpgen.cli.output import terminal
from acpgen.inputs.overlay.requirements import Requirement
from acpwire.conform.printing import show
from acpwire.conform.report import Failure, Report, Status, Verdict

PAGES = {1: "one", 2: "two"}
META = Requirement("meta", "agent", "messages", "MUST", "Accept _meta.", PAGES)
CLOSE = Requirement("close", "agent", "sessions", "SHOULD", "Close sessions.", PAGES)
FAILURE = Failure("probe", "sent\x1b", "received\x1b", "expected", ("> sent",))


def verdict(requirement: Requirement, status: Status, reason: str = "") -> Verdict:
    failures = (FAILURE, replace(FAILURE, received="more")) if status == "failed" else ()
    return Verdict(requirement, 2, status, reason, failures)


def printed(
    report: Report, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.setattr(terminal, "FOLDS", False)
    show(report)
    return capsys.readouterr().out


def test_a_report_has_counts_then_failures_then_what_was_not_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    verdicts = (
        verdict(META, "passed"),
        verdict(CLOSE, "skipped", "no session\x1b"),
        verdict(replace(CLOSE, id="list"), "skipped", "no session\x1b"),
        verdict(replace(CLOSE, id="load"), "not reached", "it exited"),
        verdict(replace(META, id="ids"), "expected", "not yet\x1b"),
        verdict(replace(META, id="json"), "stale", "passes now"),
        verdict(replace(META, id="batches"), "failed"),
    )
    errors = {"takes_meta": "internal error\x1b"}
    report = Report(("my agent", "--acp"), (2,), (1,), verdicts, errors)
    assert printed(report, monkeypatch, capsys) == r"""protocol 2
  messages  1 passed, 1 failed, 1 expected, 1 stale
  sessions  2 skipped, 1 not reached
failed batches (MUST) Accept _meta.
      sent:     sent\x1b
      received: received\x1b
      expected: expected
      page:     protocol/v2/two
stale json (MUST) Accept _meta.
      passes now
expected ids (MUST) Accept _meta.
      not yet\x1b
  not reached load: it exited
  skipped close, list: no session\x1b
  takes meta: internal error\x1b
protocol 1: not supported by the program
'my agent' --acp does not conform: 1 passed, 1 failed, 1 expected, 1 stale, 2 skipped, 1 not reached
"""


def test_a_program_that_conforms_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report(("agent",), (2,), (), (verdict(META, "passed"),))
    expected = "protocol 2\n  messages  1 passed\nagent conforms: 1 passed\n"
    assert printed(report, monkeypatch, capsys) == expected
