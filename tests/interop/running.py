"""Runs one conversation and collects its outcome."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support import preloaded

from .combinations import Combination
from .environments import HERE, Unavailable, command, python, required, sdist, variables

TIMEOUT = 120


@dataclass
class Outcome:
    """The outcome of a conversation."""

    unavailable: str = ""  # why the conversation could not be held; empty if it was
    problem: str = ""  # why the report or the transcript is missing; empty if both exist
    report: dict[str, Any] = field(default_factory=dict)  # the result of each step
    # The entries written by `tee.py`, except the last
    transcript: list[dict[str, Any]] = field(default_factory=list)
    client_exit: int | None = None  # the exit code of the client
    agent_exit: int | None = None  # the exit code of the agent
    # Whether any process, even a zombie, was left after the client exited
    outlived: bool = False
    log: str = ""  # the end of both programs' standard error

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Outcome:
        return cls(**json.loads(path.read_text("utf-8")))


def run(combination: Combination) -> Outcome:
    """Hold a conversation. All failures are part of the outcome."""
    try:
        client = command(*combination.client)
        agent = command(*combination.agent)
    except Unavailable as reason:
        return Outcome(unavailable=str(reason))
    with tempfile.TemporaryDirectory() as folder:
        return hold(client, agent, Path(folder))


def wrapped(agent: list[str], folder: Path) -> list[str]:
    """Return an agent command behind `acpgen wrap`, with a transcript of the agent's messages."""
    inner = [sys.executable, str(HERE / "tee.py"), str(folder / "beyond.jsonl"), *agent]
    log = str(folder / "wrap.log")
    return [*preloaded.acpgen(), "wrap", "--log", log, "--", *inner]


def hold(client: list[str], agent: list[str], folder: Path) -> Outcome:
    """Run a client, which starts the agent, in a folder without reports of other clients.

    If ACP_INTEROP_WRAP names a folder, all agents are wrapped, and their recordings are kept there.
    """
    kept = os.environ.get("ACP_INTEROP_WRAP")
    if kept:
        agent = wrapped(agent, Path(tempfile.mkdtemp(dir=kept)))
    report, transcript = folder / "report.json", folder / "transcript.jsonl"
    log = folder / "log.txt"
    tee = [sys.executable, str(HERE / "tee.py"), str(transcript)]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [*client, str(report), *tee, *agent],
            cwd=folder,
            env=variables(),
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            # In a separate process group, so that all of it can be killed after the time limit.
            start_new_session=True,
        )
        outcome = Outcome()
        try:
            outcome.client_exit = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            outcome.problem = f"not over after {TIMEOUT} s"
        finally:
            outcome.outlived = _kill_group(process)
    outcome.log = log.read_text("utf-8", "replace")[-8000:]
    missing = [path.name for path in (report, transcript) if not path.exists()]
    if missing and not outcome.problem:
        outcome.problem = f"there is no {' and no '.join(missing)}"
    if not outcome.problem:
        outcome.report = json.loads(report.read_text("utf-8"))
        lines = transcript.read_text("utf-8").split("\n")
        *outcome.transcript, end = [json.loads(line) for line in lines if line]
        outcome.agent_exit = end["exit"]
    return outcome


def _kill_group(process: subprocess.Popen[bytes]) -> bool:
    """Kill the remaining processes of a group. Return whether any processes remained."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    process.wait()
    return True


def usable(name: str, outcome: Outcome) -> Outcome:
    """Return the outcome; skip or fail the test if there is none."""
    if outcome.unavailable:
        (pytest.fail if required() else pytest.skip)(f"{name}: {outcome.unavailable}")
    if outcome.problem:
        pytest.fail(f"{name}: {outcome.problem}\n{outcome.log}")
    return outcome


def program(environment: str, name: str) -> list[str]:
    """Return the command of a program, see `command`; skip the test if it isn't available."""
    return _available(lambda: command(environment, name))


def javascript(name: str) -> list[str]:
    """Return the command of a JavaScript program; skip the test if it isn't available."""
    return program("node", name)


def sdk_example(version: str, name: str) -> list[str]:
    """Return the command of an example of the Python SDK; skip the test if it isn't available."""
    return _available(lambda: [str(python(version)), str(sdist(version) / "examples" / name)])


def _available(find: Callable[[], list[str]]) -> list[str]:
    try:
        return find()
    except Unavailable as error:
        if required():
            raise
        pytest.skip(str(error))


def printed(command: list[str]) -> str:
    done = subprocess.run(
        command, env=variables(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
