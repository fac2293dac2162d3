"""Tests that permitted behavior of clients isn't reported as a failure."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.conform.judging import NotSpoken
from acpwire.conform.report import Report

from tests.acpwire.conform.client_by_hand import HELLO, Client
from tests.acpwire.conform.here import report_on


def statuses(report: Report) -> dict[str, str]:
    return {each.requirement.id: each.status for each in report.verdicts}


def failed(report: Report) -> set[str]:
    return {name for name, status in statuses(report).items() if status == "failed"}


class AsksForALaterVersion(Client):  # type: ignore[misc]
    def introduce(self) -> None:
        self.call("initialize", {"protocolVersion": 2, **HELLO[2]})


def test_client_may_ask_for_a_later_version_than_it_accepts() -> None:
    report = report_on("client", 1, program=AsksForALaterVersion)
    assert failed(report) == set()


def test_client_that_ends_because_of_an_earlier_version_does_not_speak_it() -> None:
    class Strict(AsksForALaterVersion):
        def take_response(self, id: Any, result: Any) -> None:
            if id != 1 or result["protocolVersion"] == 2:
                super().take_response(id, result)

    with pytest.raises(NotSpoken) as raised:
        report_on("client", 1, program=lambda version, *files: Strict(2, *files))
    assert raised.value.spoken == [2]


def test_client_may_exit_on_an_interrupt_after_it_cancelled_the_turn() -> None:
    class Exiting(Client):  # type: ignore[misc]
        def interrupt(self) -> None:
            super().interrupt()
            raise KeyboardInterrupt

    report = report_on("client", 1, program=Exiting)
    reached = statuses(report)
    assert failed(report) == set()
    assert (reached["cancel-answers"], reached["late-updates"]) == ("passed", "skipped")
