"""Tests of the traffic copies for the `acpgen wrap` monitor. Excess copies are dropped."""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from acpwire.wrap import copies

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")

PATIENCE = 60.0  # timeout in seconds


def recorded(log: Path) -> copies.Copies:
    """Return an object that records traffic in a log."""
    options = {"time": 1.0, "command": [], "log": str(log), "max_size": 10**6, "keep": 1}
    return copies.Copies({**options, "quiet": True})


class Played:
    """A monitor process played by a test, which stores the frames in a file."""

    def __init__(self, frames: Path) -> None:
        self.stdin = frames.open("wb")
        reading, self._writing = os.pipe()
        self.stdout = os.fdopen(reading, "rb")

    def confirm(self, count: int) -> None:
        os.write(self._writing, b"\n" * count)

    def exit(self) -> None:
        os.close(self._writing)

    def wait(self) -> int:
        return 0


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    monitor = Played(tmp_path / "frames")
    monkeypatch.setattr(copies, "_start", lambda options: monitor)
    return monitor


def test_the_exit_of_the_monitor_is_reported_at_once(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    copying = copies.Copies({})
    played.exit()
    copying._threads[-1].join(PATIENCE)
    failed = "acpgen wrap: recording and checking failed; messages are still forwarded\n"
    assert capsys.readouterr().err == failed
    copying.put("sent", b"{}\n")
    copying.end(0)
    lost = "acpgen wrap: about 1 lines (3 bytes) were not recorded or checked\n"
    assert capsys.readouterr().err == lost


def test_copies_continue_after_frames_are_confirmed(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_MOST", 1_000)
    monkeypatch.setattr(copies, "_PATIENCE", 0.01)
    copying = copies.Copies({})
    copying.put("sent", b"x" * 900)
    copying.put("sent", b"lost\n" * 2)
    played.confirm(1)
    end = time.monotonic() + PATIENCE
    while copying._size:
        assert time.monotonic() < end
        time.sleep(0.001)
    copying.put("received", b"{}\n")
    copying.put("received", b"[]\n")
    played.confirm(3)
    copying.end(0)
    played.confirm(1)
    played.exit()
    for thread in copying._threads:
        thread.join(PATIENCE)
    with (tmp_path / "frames").open("rb") as file:
        frames = [pickle.load(file) for _ in range(5)]
    assert [(frame.kind, frame.direction, frame.data) for frame in frames] == [
        (copies.PASSED, "sent", b"x" * 900),
        (copies.SKIPPED, "sent", (10, 2)),
        (copies.PASSED, "received", b"{}\n"),
        (copies.PASSED, "received", b"[]\n"),
        (copies.ENDED, "received", {"exit": 0}),
    ]


def test_a_monitor_that_cannot_be_started_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    copies.Copies({})
    assert capsys.readouterr().err == (
        "acpgen wrap: messages cannot be recorded or checked (No such file or directory)"
        " but are still forwarded\n"
    )


@pytest.mark.parametrize(
    ("status", "about"),
    [(0, {"exit": 0}), (-15, {"signal": "SIGTERM"}), (-200, {"signal": "signal 200"})],
)
def test_the_agents_exit_status_is_recorded(
    status: int, about: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "acp.log"
    recorded(log).end(status)
    *_, ended = [json.loads(each) for each in log.read_text("utf-8").splitlines()]
    assert {name: ended[name] for name in ended if name != "time"} == {"event": "ended", **about}


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
