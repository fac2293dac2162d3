"""Tests of printed reports: counts by area, failures, and requirements without a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from acpgen.inputs.overlay.requirements import Requirement
from acpwire.conform.printing import show
from acpwire.conform.report import Failure, Report, Status, Verdict

from tests.support.styled import styled_lines

PAGES = {1: "one", 2: "two"}
META = Requirement("meta", "agent", "messages", "MUST", "Accept _meta.", PAGES)
CLOSE = Requirement("close", "agent", "sessions", "SHOULD", "Close sessions.", PAGES)
FAILURE = Failure("probe", "sent\x1b", "received\x1b", "expected", ("> sent",))


def verdict(requirement: Requirement, status: Status, reason: str = "") -> Verdict:
    failures = (FAILURE, replace(FAILURE, received="more")) if status == "failed" else ()
    return Verdict(requirement, 2, status, reason, failures)


def test_a_report_has_counts_then_failures_then_what_was_not_judged(
    monkeypatch: pytest.MonkeyPatch,
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
    lines = styled_lines(monkeypatch)
    show(report)
    assert lines == [
        "[bold]protocol 2[/]",
        "  messages  [green]1 passed[/], [bold red]1 failed[/], [yellow]1 expected[/], "
        "[bold red]1 stale[/]",
        "  sessions  [dim]2 skipped[/], [yellow]1 not reached[/]",
        "[bold red]failed [/][bold]batches [/](MUST) Accept _meta.",
        r"[dim]      sent:     [/]sent\x1b",
        r"[dim]      received: [/]received\x1b",
        "[dim]      expected: [/]expected",
        "[dim]      page:     [/]protocol/v2/two",
        "[bold red]stale [/][bold]json [/](MUST) Accept _meta.",
        "      passes now",
        "[yellow]expected [/][bold]ids [/](MUST) Accept _meta.",
        r"      not yet\x1b",
        "  [yellow]not reached [/][bold]load[/][dim]: it exited[/]",
        r"  [dim]skipped [/][bold]close, list[/][dim]: no session\x1b[/]",
        r"  [bold red]takes meta: internal error\x1b[/]",
        "[bold]protocol 1: not supported by the program[/]",
        "[bold red]'my agent' --acp does not conform: [/][bold red green]1 passed[/][bold red], [/]"
        "[bold red bold red]1 failed[/][bold red], [/][bold red yellow]1 expected[/]"
        "[bold red], [/][bold red bold red]1 stale[/][bold red], [/][bold red dim]2 skipped[/]"
        "[bold red], [/][bold red yellow]1 not reached[/]",
    ]


def test_a_program_that_conforms_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = styled_lines(monkeypatch)
    show(Report(("agent",), (2,), (), (verdict(META, "passed"),)))
    assert lines == [
        "[bold]protocol 2[/]",
        "  messages  [green]1 passed[/]",
        "[bold green]agent conforms: [/][bold green green]1 passed[/]",
    ]
