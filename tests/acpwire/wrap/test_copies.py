"""Tests of the traffic copies for the `acpgen wrap` monitor. Excess copies are dropped."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from acpwire.wrap import copies

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")


def test_lines_over_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_MOST", 10_000)
    log = tmp_path / "acp.log"
    options = {"time": 1.0, "command": [], "log": str(log), "max_size": 10**6, "keep": 1}
    copying = copies.Copies({**options, "quiet": True})
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
