"""Runs the programs of the examples, simulates typing, and reads their output."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support import preloaded

HERE = Path(__file__).parent
PROGRAMS = [
    "chat.html",
    "coder.py",
    "agent_with_tools.py",
    "editor.py",
    "screen.py",
    "web_client.html",
    "web_client.py",
    "websocket.py",
]
# Modules that the programs import and that take a long time to import.
IMPORTED = (
    "argparse",
    "asyncio.subprocess",
    "acp_bindings.v1.agent_session",
    "acp_bindings.v1.client_session",
    "acp_bindings.v1.kit",
    "acp_bindings.v2.agent_session",
    "acp_bindings.v2.client_session",
    "acp_bindings.v2.kit",
    "rich.markdown",
    "rich.table",
)
TIMEOUT = 60


class Program:
    """A running program."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.output = ""  # the output so far
        self._position = 0  # the output after the last text that was waited for

    def type(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self._process.stdin.flush()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def wait_for(self, text: str) -> None:
        """Read until the program has printed a text; the next wait starts after it."""
        while (found := self.output.find(text, self._position)) < 0:
            if not self._read():
                raise AssertionError(f"{text!r} was not printed, but:\n{self.output}")
        self._position = found + len(text)

    def wait_for_line(self, start: str) -> str:
        """Read until the program has printed a full line; return the rest after its prefix."""
        self.wait_for(start)
        begin = self._position
        self.wait_for("\n")
        self._position -= 1  # so that the next wait can find this line break
        return self.output[begin : self._position].strip()

    def end(self) -> int:
        """End the input, read the rest, and return the exit status."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        while self._read():
            pass
        return self._process.wait(TIMEOUT)

    def _read(self) -> bool:
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], TIMEOUT)
        assert readable, f"nothing was printed for {TIMEOUT} s after:\n{self.output}"
        data = os.read(self._process.stdout.fileno(), 1 << 16)
        self.output += data.decode()
        return bool(data)


@contextmanager
def running(command: Sequence[str], folder: Path) -> Generator[Program]:
    """Run a program in a folder. Sessions are saved next to that folder."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={
            **os.environ,
            "AGENT_SESSIONS": str(folder.with_name(f"{folder.name}-sessions")),
            "COLUMNS": "100",
            "PYTHONUTF8": "1",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield Program(process)
    finally:
        process.kill()  # if it is still running
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


def command_of(path: Path) -> list[str]:
    """Return a command that starts a program quickly."""
    return preloaded.command(sys.executable, IMPORTED, str(path))


def agent_with_tools() -> list[str]:
    return command_of(HERE / "agent_with_tools.py")


def editor(*arguments: object, protocol: int = 2) -> list[str]:
    options = ["--protocol", str(protocol)]
    return [*command_of(HERE / "editor.py"), *options, *map(str, arguments)]


def lines(output: str) -> list[str]:
    """Return the printed lines without padding."""
    return [line.rstrip() for line in output.splitlines()]
