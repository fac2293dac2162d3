"""Tests of the separate process that terminates an agent, with short time limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from acpwire import termination

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

PATIENCE = 60.0  # timeout in seconds
TERMINATE = """
import sys
from acpwire import termination
termination._UNTIL_TERMINATED = termination._UNTIL_KILLED = 0.1
termination.main(int(sys.argv[1]))
"""
# The process starts another one in its own session, and both wait for a signal.
AGENT = """
import os, signal, sys
if sys.argv[1] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork() or os.setsid()
signal.alarm(60)  # the test would wait for a process that is left over
os.write(1, b"up\\n")
signal.pause()
"""


@pytest.mark.parametrize(("kind", "ending"), [("plain", signal.SIGTERM), ("deaf", signal.SIGKILL)])
def test_processes_are_terminated_and_then_killed(kind: str, ending: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", AGENT, kind], stdout=subprocess.PIPE, start_new_session=True
    ) as agent:
        assert agent.stdout is not None
        assert [agent.stdout.readline() for _ in range(2)] == [b"up\n"] * 2
        try:
            command = [sys.executable, "-c", TERMINATE, str(agent.pid)]
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"\n", b"")
            assert agent.wait(PATIENCE) == -ending
            assert agent.stdout.read() == b""  # both processes have closed the pipe
        finally:
            if agent.poll() is None:
                os.killpg(agent.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("patience", "exits", "expected"),
    [
        (60.0, [True], []),
        (60.0, [False, True], ["SIGTERM"]),
        (60.0, [False, False, False, True], ["SIGTERM", "SIGKILL", "SIGKILL"]),
        (-1.0, [False, False], ["SIGTERM"]),  # no time is left
    ],
)
def test_processes_are_killed_until_all_have_exited_or_time_is_up(
    patience: float, exits: list[bool], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []

    class Played:
        def __init__(self, agent: int) -> None:
            self.exits = iter(exits)

        def running(self) -> list[int]:
            return []

        def exit_within(self, seconds: float) -> bool:
            return next(self.exits)

        def send(self, number: int) -> None:
            sent.append(signal.Signals(number).name)

    files = SimpleNamespace(read=lambda file, size: b"", write=lambda file, data: len(data))
    monkeypatch.setattr(termination, "os", files)
    monkeypatch.setattr(termination, "_Processes", Played)
    monkeypatch.setattr(termination, "_PATIENCE", patience)
    termination.main(7)
    assert sent == expected
