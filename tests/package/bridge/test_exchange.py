"""Tests of the log of losses, which has one entry for each kind and uses bounded memory."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from acp_bindings.runtime.aio import Loss
from acp_bindings.runtime.bridge.exchange import Losses


def test_kinds_of_losses_are_cut(caplog: pytest.LogCaptureFixture) -> None:
    found: list[Any] = []
    losses = Losses(found.append)
    for number in range(2_000):
        reason = f"no plan {number} \x1b\n{'x' * 10_000}"
        losses.add(Loss(f"_{'y' * 10_000}", "", reason, "agent"))
    assert len(caplog.messages) == 1_000
    assert max(map(len, caplog.messages)) < 600
    assert all(each.isprintable() for each in caplog.messages)
    assert sum(len(part) for kind in losses._logged for part in kind) < 500_000
    assert len(found) == 2_000
    assert len(found[-1].reason) > 10_000  # the callback receives the entire reason


@pytest.mark.parametrize(
    ("pointer", "level"),
    [
        ("/update/capabilities", logging.INFO),
        ("/clientCapabilities/fs", logging.INFO),
        ("/capabilities/session/prompt/audio/_meta", logging.INFO),
        ("/update/cwd", logging.WARNING),
        ("", logging.WARNING),
    ],
)
def test_a_lost_capability_is_not_a_warning(
    pointer: str, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    Losses(None).add(Loss("m", pointer, "not defined", "agent"))
    assert [record.levelno for record in caplog.records] == [level]


def test_a_failure_of_the_callback_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    Losses(lambda loss: 1 / 0).add(Loss("m", "", "not defined", "agent"))
    assert caplog.messages == ["m of the agent: not defined", "the callback for losses failed"]


def test_a_lost_capability_does_not_hide_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    losses = Losses(None)
    for pointer in ("/update/capabilities", "/update/cwd", "/update/size"):
        losses.add(Loss("m", pointer, "only text", "agent"))
    assert caplog.messages == ["m of the agent at '/update/cwd': only text"]
