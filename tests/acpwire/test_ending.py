"""Tests that `acpgen wrap` and `acpgen bridge` terminate an agent and its child processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc"),
]

PATIENCE = 60.0  # timeout in seconds
# An agent that ignores signals and the end of its input. Its child processes also ignore them: one
# in a separate process group, one in a separate session, and one started by a shell. All of these
# processes keep standard error open.
STUBBORN = """
import os, signal, subprocess, sys, time
for name in ("SIGHUP", "SIGINT", "SIGTERM"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
role = sys.argv[1]
if role in ("agent", "exits"):
    child = [sys.executable, sys.argv[0], "child"]
    subprocess.Popen(child, preexec_fn=os.setpgrp)
    if role == "agent":
        subprocess.Popen(child, start_new_session=True)
        subprocess.Popen(["sh", "-c", '"$0" "$1" child; :', *child[:2]])
os.write(2, b"up\\n")
if role != "exits":
    time.sleep(60)
    os.write(2, b"left\\n")
"""
Started = subprocess.Popen[bytes]


def close(process: Started) -> None:
    assert process.stdin is not None
    process.stdin.close()


def kill_group(process: Started) -> None:
    os.killpg(process.pid, signal.SIGKILL)


ENDS: dict[str, Callable[[Started], object]] = {
    "input": close,
    "SIGTERM": lambda process: process.send_signal(signal.SIGTERM),
    "SIGHUP": lambda process: process.send_signal(signal.SIGHUP),
    "SIGKILL": kill_group,
}


@pytest.fixture
def start(tmp_path: Path) -> Callable[[str, str], Started]:
    (tmp_path / "agent.py").write_text(STUBBORN)

    def start(command: str, role: str) -> Started:
        agent = [sys.executable, str(tmp_path / "agent.py"), role]
        return subprocess.Popen(
            [sys.executable, "-m", "acpgen", command, "--", *agent],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    return start


@pytest.mark.parametrize("command", ["wrap", "bridge"])
def test_all_processes_of_an_agent_are_terminated(
    command: str, start: Callable[[str, str], Started]
) -> None:
    started = {name: start(command, "agent") for name in ENDS}
    for name, process in started.items():
        assert process.stderr is not None
        ups = 0
        while ups < 4:
            text = process.stderr.readline()
            assert text, name
            ups += text == b"up\n"
        ENDS[name](process)
    for name, process in started.items():
        assert process.stderr is not None
        errors = process.stderr.read()  # reads until all processes have exited
        assert b"left" not in errors, name
        with process:
            process.wait(PATIENCE)


@pytest.mark.parametrize("command", ["wrap", "bridge"])
def test_processes_of_an_agent_that_exited_are_terminated(
    command: str, start: Callable[[str, str], Started]
) -> None:
    with start(command, "exits") as process:
        assert process.stderr is not None
        errors = process.stderr.read()
        assert errors.count(b"up\n") == 2
        assert b"left" not in errors
        assert process.wait(PATIENCE) == 0
