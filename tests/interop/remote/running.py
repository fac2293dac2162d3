"""Functions that run a remote conversation and collect its outcome."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from ..environments import Unavailable, command, find, variables
from ..running import Outcome
from .combinations import Combination
from .conversation import EXPECTED_TO_FAIL

# A timeout in seconds that exceeds the total of the step timeouts in a conversation.
TIMEOUT = 400
START_TIMEOUT = 60
STOP_TIMEOUT = 30


def certificate(folder: Path) -> None:
    """Write a self-signed certificate for 127.0.0.1, and its key, to a folder."""
    subprocess.run(
        [
            *(find("openssl"), "req", "-x509", "-nodes", "-days", "2", "-batch"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )


def run(combination: Combination) -> Outcome:
    """Run a conversation and return its outcome, including all failures."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            client = command(*combination.client)
            agent = command(*combination.agent)
            if combination.tls:
                certificate(folder)
        except Unavailable as reason:
            return Outcome(unavailable=str(reason))
        tls = name if combination.tls else "-"
        agent += [combination.server, tls, *combination.options(combination.agent)]
        with (folder / "log.txt").open("wb") as log:
            outcome = hold(combination, client, agent, folder, tls, log)
        outcome.log = (folder / "log.txt").read_text("utf-8", "replace")[-8000:]
        return outcome


def hold(
    combination: Combination,
    client: list[str],
    agent: list[str],
    folder: Path,
    tls: str,
    log: IO[bytes],
) -> Outcome:
    """Start the agent's server, run the client against it, and stop the server."""
    report = folder / "report.json"
    outcome = Outcome()
    env = {**variables(), EXPECTED_TO_FAIL: " ".join(combination.failing_steps())}
    with subprocess.Popen(
        agent,
        cwd=folder,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    ) as server:
        try:
            url = first_line(server)
            if not url:
                outcome.problem = "the agent does not listen"
                return outcome
            options = combination.options(combination.client)
            done = subprocess.run(
                [*client, combination.transport, url, tls, str(report), *options],
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=TIMEOUT,
                check=False,
            )
            outcome.client_exit = done.returncode
            assert server.stdin
            server.stdin.close()
            outcome.agent_exit = server.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired as error:
            outcome.problem = f"not over after {error.timeout} s: {error.cmd}"
        finally:
            server.kill()
    if not outcome.problem:
        if report.exists():
            outcome.report = json.loads(report.read_text("utf-8"))
        else:
            outcome.problem = "there is no report"
    return outcome


def first_line(process: subprocess.Popen[str]) -> str:
    """Return the first line that a program prints, or an empty string after a timeout."""
    assert process.stdout
    lines: queue.Queue[str] = queue.Queue()

    def read(stream: IO[str]) -> None:
        lines.put(stream.readline().strip())
        stream.read()  # further output must not fill the pipe

    threading.Thread(target=read, args=[process.stdout], daemon=True).start()
    try:
        return lines.get(timeout=START_TIMEOUT)
    except queue.Empty:
        return ""
