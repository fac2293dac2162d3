"""Tests of worker processes: termination after errors, and reports of early exits."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from multiprocessing import active_children
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from acpgen.commands.parallel import processes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups")


PATIENCE = 120.0  # timeout in seconds


def start_python(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
        start_new_session=True,
    )


def members(group: int) -> list[str]:
    """Return the command lines of the running processes in a process group."""
    listed = subprocess.run(
        ["ps", "-wweo", "pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    alive = [row for row in rows if not row[1].startswith("Z") and not row[2].startswith("[")]
    return [row[2] for row in alive if row[0] == str(group)]


RETURNING = """
import time
from acpgen.commands.parallel import processes
if __name__ == "__main__":
    with processes(2) as pool:
        for _ in range(40):
            pool.submit(bytes, 50_000_000)
        time.sleep(0.7)
        raise KeyboardInterrupt
"""


def test_while_workers_return_what_they_made(tmp_path: Path) -> None:
    """If a worker exits while writing a result, acpgen doesn't wait for the rest of the result."""
    program = tmp_path / "returning.py"
    program.write_text(RETURNING, encoding="utf-8")
    process = start_python(str(program))
    _, err = process.communicate(timeout=PATIENCE)
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert members(process.pid) == []


def fail_while_workers_run() -> None:
    """Raise an error while one worker is idle and the other is still running a call."""
    with processes(2) as pool:
        pool.submit(time.sleep, 60)
        pool.submit(os.getpid).result()
        raise KeyError("what went wrong")


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_ends_the_workers_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pipe is closed twice, even if closing takes a long time."""

    def close_slowly(connection: Connection) -> None:
        os.close(connection.fileno())
        time.sleep(0.2)

    monkeypatch.setattr(Connection, "_close", close_slowly)
    before = active_children()
    with pytest.raises(KeyError, match="what went wrong"):
        fail_while_workers_run()
    assert active_children() == before


def test_a_worker_returns_what_it_made() -> None:
    with processes(2) as pool:
        calls = [pool.submit(int, text) for text in ("7", "8", "x")]
        assert [call.result() for call in calls[:2]] == [7, 8]
        with pytest.raises(ValueError, match="invalid literal for int"):
            calls[2].result()


def test_a_process_that_ends_says_so() -> None:
    with processes(1) as pool:
        call = pool.submit(os._exit, 3)
        with pytest.raises(ChildProcessError, match="exited with status 3, possibly out of"):
            call.result()
