"""Tests of the traffic copies for the `acpgen wrap` monitor. Excess copies are dropped."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from acpwire.wrap import copies

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")

PATIENCE = 60.0  # timeout in seconds


def recorded(log: Path) -> copies.Copies:
    """Return an object that records traffic in a log."""
    options = {"time": 1.0, "command": [], "log": str(log), "max_size": 10**6, "keep": 1}
    return copies.Copies({**options, "quiet": True})


def test_copies_are_recorded_at_once(tmp_path: Path) -> None:
    log = tmp_path / "acp.log"
    copying = recorded(log)
    try:
        copying.put("sent", b'{"method": "_x"}\n')
        end = time.monotonic() + PATIENCE
        while not (log.exists() and "_x" in log.read_text("utf-8")):
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        copying.end(0)


def test_a_line_over_the_limit_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_MOST", 10_000)
    log = tmp_path / "acp.log"
    copying = recorded(log)
    copying.put("received", b"x" * 20_000 + b"\n")
    copying.end(0)
    *_, skipped, _ = [json.loads(each) for each in log.read_text("utf-8").splitlines()]
    assert (skipped["event"], skipped["lines"], skipped["bytes"]) == ("skipped", 1, 20_001)


def test_lines_over_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_MOST", 10_000)
    log = tmp_path / "acp.log"
    copying = recorded(log)
    for number in range(1_000):
        if number == 999:
            copying.put("sent", b"cut off")
        copying.put("received", b'{"method": "_x"}\n')
    copying.end(0)
    *_, skipped, ended = entries = [
        json.loads(each) for each in log.read_text("utf-8").splitlines()
    ]
    assert (skipped["event"], ended["event"]) == ("skipped", "ended")
    missing = sum(each.get("lines", 0) for each in entries)
    assert missing + sum("message" in each for each in entries) == 1_000
    assert sum(each.get("bytes", 0) for each in entries) == 17 * missing + len("cut off")
