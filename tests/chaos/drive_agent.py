"""Scenarios in which our side is the agent: a process, whose client this process plays."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from chaos.checks import check, check_report
from chaos.raw_client import Talk
from chaos.scenarios import GUARD, Plan, Scenario, Signal

HERE = Path(__file__).parent
OURS = [sys.executable, "-X", "dev", "-W", "error", str(HERE / "peers.py")]
# Writes a file to the input of an agent, and reads what the agent writes until it is killed.
READER = """
import os, sys, threading
def write():
    left = open(sys.argv[1], "rb").read()
    while left:
        left = left[os.write(1, left[:4096]):]
threading.Thread(target=write, daemon=True).start()
while os.read(0, 1 << 16):
    pass
threading.Event().wait()
"""
RAW = [sys.executable, "-I", "-S", "-c", READER]


class Wire:
    """Both pipes to an agent, written to and read from as the faults say."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        talk: Talk,
        faults: Any,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        # Whether the agent has closed its output, or this side has stopped reading.
        self.has_ended = False
        self._in, self._out = process.stdin, process.stdout
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)
        self._talk = talk
        self._faults = faults
        self._chance = random.Random(faults["seed"])
        self._data = b"".join(line + b"\n" for line in talk.lines)
        self._rest = b""
        self._written = self._read = 0

    def pump(self, until: Callable[[], bool], what: str) -> None:
        """Write and read until something holds, as long as something moves."""
        end, done = 0.0, -1
        while not until():
            if self._read + self._written > done:
                end, done = time.monotonic() + GUARD, self._read + self._written
            check(time.monotonic() < end, f"{what}: takes too long")
            if self._talk.replies and (not self._data or self._data_is_whole):
                self._data = b"".join(self._talk.replies) + self._data
                self._talk.replies.clear()
            reading = [] if self.has_ended else [self._out]
            writing = [self._in] if self._data and not self._in.closed else []
            if not reading and not writing:
                return
            ready = select.select(reading, writing, [], 0.05)
            if ready[1]:
                self._write()
            if ready[0]:
                self._take()
            for name in ("pause", "read_pause"):
                time.sleep(self._faults.get(name, 0))

    _data_is_whole = True  # whether what was written so far ends with a line

    def _write(self) -> None:
        chunk = self._faults.get("chunk", 0) or 1 << 16
        size = min(len(self._data), self._chance.randint(1, chunk))
        if (left := self._faults.get("end_after", 1 << 60) - self._written) <= size:
            size = left
        try:
            done = os.write(self._in.fileno(), self._data[:size])
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._data = b""
            return
        self._written += done
        self._data_is_whole = self._data[:done].endswith(b"\n")
        self._data = self._data[done:]
        if self._faults.get("end_after") == self._written:
            self.end()

    def _take(self) -> None:
        data = os.read(self._out.fileno(), self._faults.get("read_size", 1 << 16))
        self._read += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._talk.take(line)
        if not data:
            self.has_ended = True
            check(not self._rest, f"the agent ended within {self._rest[:200]!r}")
        elif self._read >= self._faults.get("deaf_after", 1 << 60):
            self.has_ended = True
            self._out.close()

    def end(self) -> None:
        self._data = b""
        with suppress(BrokenPipeError):
            self._in.close()

    @property
    def is_finished(self) -> bool:
        """Whether everything is written, and answered if this side still reads."""
        return not self._data and (self.has_ended or self._talk.is_done())


class Agent:
    def __init__(self, plan: Plan, folder: Path, loop: str) -> None:
        self.plan = plan
        self.report = folder / "report"
        self.errors = folder / "errors"
        options: dict[str, Any] = {
            "version": plan.faults["version"],
            "report": str(self.report),
            "loop": loop,
            "limits": plan.limits,
            "max_line": plan.max_line,
            "lag": plan.faults.get("lag", 0),
            "nags": plan.faults.get("nags", 0),
        }
        if plan.is_lossy:
            options["linger"] = 0.3
        self.command = [*OURS, json.dumps(options)]

    def start(self, stdin: Any = subprocess.PIPE, stdout: Any = subprocess.PIPE) -> Any:
        with self.errors.open("wb") as errors:
            return subprocess.Popen(self.command, stdin=stdin, stdout=stdout, stderr=errors)

    def check_end(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        try:
            status = process.wait(GUARD)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            check(False, f"the agent does not end: {self.errors.read_text()[-2000:]}")
        errors = self.errors.read_text()
        check(not errors, f"on standard error: {errors[-2000:]}")
        check(status == 0, f"the agent ended with {status}")
        return check_report(self.report, self.plan.logs)


def check_notes(report: dict[str, Any], talk: Talk, *, all_of_them: bool) -> None:
    (seen,) = report["notes"] or [[]]
    expected = talk.notes if all_of_them else talk.notes[: len(seen)]
    check(seen == expected, f"notes {seen} of {talk.notes}")


def drive(scenario: Scenario, plan: Plan, folder: Path, loop: str) -> None:
    talk = Talk(scenario.version, plan.faults, plan.errors)
    talk.write(plan.work)
    agent = Agent(plan, folder, loop)
    if any(each.name == "KILL" for each in plan.signals):
        drive_killed(plan, talk, agent, folder)
        return
    process = agent.start()
    wire = Wire(process, talk, plan.faults)
    try:
        signals = signalled(plan, lambda each: process.send_signal(each.number))
        wire.pump(lambda: signals() and wire.is_finished, "the conversation")
        is_early = wire.has_ended
        wire.end()
        wire.pump(lambda: wire.has_ended, "the end")
        report = agent.check_end(process)
    finally:
        process.kill()
        process.wait()
        wire.end()
        process.stdout.close()
    if plan.is_lossy and not (plan.limits and not is_early):
        check(not talk.disorder(), f"{talk.disorder()}")
        check_notes(report, talk, all_of_them="deaf_after" in plan.faults)
        return
    check(not is_early, "the agent ended early")
    check(not talk.problems(), f"{talk.problems()[:5]}")
    check_notes(report, talk, all_of_them=True)


def signalled(plan: Plan, send_one: Callable[[Signal], object]) -> Callable[[], bool]:
    """Return a function that sends the signals of a plan when it is time; True after the last."""
    left = list(plan.signals)
    due = time.monotonic()

    def send() -> bool:
        nonlocal due
        while left and time.monotonic() >= due + left[0].after:
            each = left.pop(0)
            due = time.monotonic()
            send_one(each)
        return not left

    return send


def drive_killed(plan: Plan, talk: Talk, agent: Agent, folder: Path) -> None:
    """Run a client in a process of its own, which is stopped, continued and killed."""
    path = folder / "input"
    path.write_bytes(b"".join(line + b"\n" for line in talk.lines))
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    process = agent.start(in_read, out_write)
    client = subprocess.Popen([*RAW, str(path)], stdin=out_read, stdout=in_write)
    for descriptor in (in_read, in_write, out_read, out_write):
        os.close(descriptor)
    try:
        time.sleep(0 if plan.is_early else 0.4)  # the time that an agent takes to start
        for each in plan.signals:
            time.sleep(each.after)
            client.send_signal(each.number)
        report = agent.check_end(process)
    finally:
        client.kill()
        client.wait()
        process.kill()
        process.wait()
    check_notes(report, talk, all_of_them=False)
