"""Tests of the `acpgen wrap` monitor: skipped checks and suppressed output."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from acpwire.recording.reading import Direction
from acpwire.recording.writing import Recording
from acpwire.wrap import monitor
from acpwire.wrap.copies import ENDED, PASSED, SKIPPED, Frame
from acpwire.wrap.monitor import Monitor

from tests.package.jsonrpc.wire import initialize, line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")

INVALID = b'{"jsonrpc": "2.0", "id": true, "method": "_x"}\n'
LONGEST = 1_000


class Monitored:
    """An `acpgen wrap` monitor, the path of its recording, and the lines that it printed."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.printed: list[str] = []
        recording = Recording(log, 10**6, 1, pytest.fail)
        self.monitor = Monitor(recording, LONGEST, self.printed.append)

    def take(
        self, data: Any, direction: Direction = "sent", kind: str = PASSED, **how: Any
    ) -> None:
        self.monitor.take(Frame(kind, direction, 1.0, data), **how)

    def end(self) -> list[dict[str, Any]]:
        """Report the agent's exit to the monitor, and return the recorded entries."""
        self.take({"exit": 0}, kind=ENDED)
        return [json.loads(each) for each in self.log.read_text("utf-8").splitlines()]


@pytest.fixture
def monitored(tmp_path: Path) -> Monitored:
    return Monitored(tmp_path / "acp.log")


def events(entries: list[dict[str, Any]]) -> list[str]:
    return [str(each["event"]) for each in entries if "event" in each]


def test_messages_are_only_recorded_while_too_many_wait(monitored: Monitored) -> None:
    monitored.take(INVALID * 2, backlog=monitor._BUSY + 1)
    monitored.take(INVALID, backlog=monitor._CAUGHT_UP + 1)  # too many frames are still waiting
    monitored.take(INVALID, backlog=monitor._CAUGHT_UP)
    entries = monitored.end()
    assert events(entries) == ["unchecked", "problem", "ended"]
    assert sum("message" in each for each in entries) == 4
    [unchecked, problem, *_] = [each for each in entries if "event" in each]
    assert (unchecked["messages"], problem["line"]) == (3, 4)
    assert monitored.printed[0] == "too many messages in a short time; 3 were not checked"


@pytest.mark.parametrize(("hurries", "found"), [(False, "problem"), (True, "unchecked")])
def test_a_few_waiting_messages_are_not_checked_after_the_end(
    monitored: Monitored, hurries: bool, found: str
) -> None:
    monitored.take(INVALID, backlog=monitor._CAUGHT_UP + 1, hurries=hurries)
    assert events(monitored.end()) == [found, "ended"]


def test_the_first_problems_of_each_kind_are_printed(
    monitored: Monitored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "_KINDS", 2)
    for name in "abcd":
        for _ in range(2 * monitor._TELLINGS):
            monitored.take(INVALID.replace(b"_x", b"_" + name.encode()))
    assert events(monitored.end()).count("problem") == 8 * monitor._TELLINGS
    # Once there are more kinds than the limit, further kinds are counted together.
    *told, more = monitored.printed
    assert len(told) == 3 * monitor._TELLINGS
    assert more == f"{5 * monitor._TELLINGS} more problems like these"
    assert sum(each.endswith("; similar problems are only counted") for each in told) == 3


def test_the_rest_of_a_line_whose_beginning_was_skipped_is_not_recorded(
    monitored: Monitored,
) -> None:
    monitored.take(b'{"begun')
    monitored.take((10, 0), kind=SKIPPED)
    monitored.take(b'rest": ')
    monitored.take(b"1}")
    monitored.take(b'\n{"jsonrpc": "2.0", "method": "_x"}\n')
    skipped, message, _ = monitored.end()
    assert (skipped["bytes"], skipped["lines"]) == (10 + len('{"begun'), 0)
    assert message["message"] == {"jsonrpc": "2.0", "method": "_x"}


def test_a_line_that_is_too_long_is_recorded_with_both_ends(monitored: Monitored) -> None:
    monitored.take(b'{"jsonrpc": "2.0", "method": "_x", "params": "%s"}\n' % (b"x" * LONGEST))
    [cut, _] = monitored.end()
    assert cut["size"] == LONGEST
    assert cut["line"].startswith('{"jsonrpc": "2.0"')


def test_initialize_and_its_response_are_repeated_in_the_next_file(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "acp.log", 1_500, 1, pytest.fail)
    watched = Monitor(recording, LONGEST, lambda text: None)
    agreed = line({"id": 0, "result": {"protocolVersion": 1}})
    exchange: list[tuple[bytes, Direction]] = [
        (line({"id": 0, "result": {}}), "received"),  # before the request
        (line(initialize(1)), "sent"),
        (line({"id": 0, "method": "_ask"}), "received"),
        (line({"id": 0, "result": {}}), "sent"),  # to the agent's request
        (line({"id": 1, "result": {}}), "received"),
        (line([]), "received"),
        (agreed, "received"),
    ]
    for data, direction in exchange:
        watched.take(Frame(PASSED, direction, 1.0, data))
    for _ in range(20):
        watched.take(Frame(PASSED, "sent", 1.0, b'{"jsonrpc": "2.0", "method": "_x"}\n'))
    watched.take(Frame(ENDED, "received", 1.0, {"exit": 0}))
    lines = (tmp_path / "acp.log").read_text("utf-8").splitlines()
    continued, first, second, *_ = map(json.loads, lines)
    assert (continued["event"], continued["repeated"]) == ("continued", 2)
    assert first["message"]["method"] == "initialize"
    assert second["message"]["result"] == {"protocolVersion": 1}


@pytest.mark.parametrize("read", [[], [Frame(PASSED, "sent", 0.0, b"{}\n")]])
def test_the_frames_end_even_if_the_forwarding_process_was_killed(
    monkeypatch: pytest.MonkeyPatch, read: list[Frame]
) -> None:
    monkeypatch.setattr(monitor, "read_frames", lambda: iter(read))
    monkeypatch.setattr(sys, "setswitchinterval", lambda seconds: None)
    *before, last = monitor._Frames()
    assert before == read
    assert (last.kind, last.data) == (ENDED, {"exit": None})


def test_the_backlog_contains_the_bytes_of_the_waiting_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = [Frame(PASSED, "sent", 0.0, b"x" * size) for size in (10, 20)]
    frames.append(Frame(ENDED, "received", 0.0, {"exit": 0}))
    monkeypatch.setattr(monitor, "read_frames", lambda: iter(frames))
    monkeypatch.setattr(sys, "setswitchinterval", lambda seconds: None)
    waiting = monitor._Frames()
    while waiting._over is None:
        time.sleep(0.001)
    assert waiting.backlog == 30
    assert [waiting.backlog for _ in waiting] == [20, 0, 0]
    assert not waiting.hurries
    monkeypatch.setattr(monitor, "_CHECKED", -1.0)
    assert waiting.hurries
