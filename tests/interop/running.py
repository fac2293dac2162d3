"""Functions that run a conversation and collect its outcome."""

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
    unavailable: str = ""  # the reason why the conversation could not run, if any
    problem: str = ""  # the reason why the report or the transcript is missing, if any
    report: dict[str, Any] = field(default_factory=dict)  # the result of each step
    # The entries that `tee.py` wrote, except the last entry, which contains the exit code
    transcript: list[dict[str, Any]] = field(default_factory=list)
    client_exit: int | None = None
    agent_exit: int | None = None
    # True if any process, even a zombie, remained after the client exited.
    outlived: bool = False
    log: str = ""  # the last lines of both programs' standard error

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Outcome:
        return cls(**json.loads(path.read_text("utf-8")))


def run(combination: Combination) -> Outcome:
    """Run a conversation and return its outcome, including all failures."""
    try:
        client = command(*combination.client)
        agent = command(*combination.agent)
    except Unavailable as reason:
        return Outcome(unavailable=str(reason))
    with tempfile.TemporaryDirectory() as folder:
        return hold(client, agent, Path(folder))


def wrapped(agent: list[str], folder: Path) -> list[str]:
    """Return a command that runs an agent behind `acpgen wrap` and `tee.py`."""
    inner = [sys.executable, str(HERE / "tee.py"), str(folder / "beyond.jsonl"), *agent]
    log = str(folder / "wrap.log")
    return [*preloaded.acpgen(), "wrap", "--log", log, "--", *inner]


def hold(client: list[str], agent: list[str], folder: Path) -> Outcome:
    """Run a client, which starts the agent, in a folder that contains no earlier reports.

    If the environment variable ACP_INTEROP_WRAP names a folder, agents run behind `acpgen wrap`,
    and the recordings are kept in that folder.
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
            # Use a separate process group, so that the client's processes can also be killed.
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
    """Kill the remaining processes of a group, and return whether there were any."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    process.wait()
    return True


def usable(name: str, outcome: Outcome) -> Outcome:
    """Return the outcome if the conversation was completed; otherwise, skip or fail the test."""
    if outcome.unavailable:
        (pytest.fail if required() else pytest.skip)(f"{name}: {outcome.unavailable}")
    if outcome.problem:
        pytest.fail(f"{name}: {outcome.problem}\n{outcome.log}")
    return outcome


def program(environment: str, name: str) -> list[str]:
    """Return a program's command, or skip the test if the program isn't available."""
    return _available(lambda: command(environment, name))


def javascript(name: str) -> list[str]:
    """Return a JavaScript program's command, or skip the test if the program isn't available."""
    return program("node", name)


def sdk_example(version: str, name: str) -> list[str]:
    """Return the command of a Python SDK example, or skip the test if it isn't available."""
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
