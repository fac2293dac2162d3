"""Tests that Ctrl-C prints one line without a traceback and leaves no new files or processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from acpgen.__main__ import main
from acpgen.commands.lock_file import LOCK

from tests.project.bumping import make_script
from tests.support.paths import GOLDEN

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups"),
]


SCHEMA = GOLDEN / "schema.json"


PATIENCE = 120.0  # timeout in seconds


HANGING = '#!/bin/sh\ntouch "{started}"\nexec sleep 600\n'


def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    """Start acpgen in a separate process group, as a terminal does."""
    return start_python("-m", "acpgen", *arguments, **variables)


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


def workers(group: int) -> int:
    return sum("spawn_main" in each for each in members(group))


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Simulate Ctrl-C, wait until all processes exit, and return the exit code and both outputs."""
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    wait_end = time.monotonic() + PATIENCE
    while members(process.pid):
        assert time.monotonic() < wait_end, members(process.pid)
        time.sleep(0.05)
    return process.returncode, out, err


INTERRUPTED = (130, "", "interrupted, nothing written\n")


@pytest.mark.parametrize(
    ("arguments", "delay"),
    [(("generate", "--out", "acp"), 0.0), (("check", "--full"), 0.5), (("vendor", "acp"), 1.5)],
)
def test_while_workers_run(
    arguments: tuple[str, ...], delay: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    process = start(*arguments)
    wait_until(lambda: workers(process.pid) > 0, process)
    time.sleep(delay)
    assert interrupt(process) == INTERRUPTED
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate", "--schema", "npm:a@1", "--out", "acp"),
        ("diff", "npm:a@1", "npm:a@2"),
        ("sync", "npm:a@1"),
    ],
)
def test_while_npm_downloads(arguments: tuple[str, ...], tmp_path: Path) -> None:
    started = tmp_path / "started"
    make_script(tmp_path / "bin" / "npm", HANGING.format(started=started))
    process = start(*arguments, PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    wait_until(started.exists, process)
    assert interrupt(process) == INTERRUPTED


READING = """
import sys, threading
from acpgen.__main__ import main
class Lines:
    def __enter__(self): return self
    def __exit__(self, *exc): pass
    def __iter__(self):
        print("reading", flush=True)
        threading.Event().wait()
        yield b""
import typer
typer.get_binary_stream = lambda name: Lines()
sys.argv = ["acpgen", "trace", "-"]
main()
"""


def test_while_a_recording_is_read() -> None:
    process = start_python("-c", READING)
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    assert interrupt(process) == INTERRUPTED


def test_while_a_lock_is_released(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If Ctrl-C arrives during `Condition.wait`, the lock might already have been released."""

    def run() -> None:
        with threading.Condition(lock := threading.Lock()):
            lock.release()
            raise KeyboardInterrupt

    monkeypatch.setattr("acpgen.cli.app.app", run)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.startswith("interrupted, ")


WRITING = """
import os, signal, sys
from acpgen.__main__ import main
from acpgen.commands import disk
write = disk.write
def interrupted(*arguments, **choices):
    os.kill(os.getpid(), signal.SIGINT)
    return write(*arguments, **choices)
disk.write = interrupted
from acpgen.cli.output import tables
if sys.argv[1] == "later":
    tables.table = lambda rows: os.kill(os.getpid(), signal.SIGINT)
sys.argv[1:] = sys.argv[2:]
main()
"""


def generate(folder: Path, when: str) -> tuple[int, str]:
    arguments = ("generate", "--schema", str(SCHEMA), "--surface", "v2", "--out", str(folder))
    process = start_python("-c", WRITING, when, *arguments)
    _, err = process.communicate(timeout=PATIENCE)
    return process.returncode, err.splitlines()[-1]


def test_files_are_written_as_a_whole(tmp_path: Path) -> None:
    code, last = generate(tmp_path / "acp", "now")
    assert code == 0
    assert not last.startswith("interrupted")
    assert (tmp_path / "acp" / LOCK).is_file()


def test_once_files_are_written_the_line_says_so(tmp_path: Path) -> None:
    assert generate(tmp_path / "acp", "later") == (130, "interrupted, all files were written")
    assert (tmp_path / "acp" / LOCK).is_file()
