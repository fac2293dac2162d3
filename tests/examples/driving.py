"""Helpers that run the example programs, type their input, and read their output."""

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
# Modules that the programs use and that are slow to import.
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
        self._position = 0  # where the next wait starts in the output

    def type(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self._process.stdin.flush()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def wait_for(self, text: str) -> None:
        """Read the output until it contains `text`. The next wait starts after that text."""
        while (found := self.output.find(text, self._position)) < 0:
            if not self._read():
                raise AssertionError(f"{text!r} was not printed, but:\n{self.output}")
        self._position = found + len(text)

    def wait_for_line(self, start: str) -> str:
        """Wait for `start` and the end of its line, and return the rest of that line."""
        self.wait_for(start)
        begin = self._position
        self.wait_for("\n")
        self._position -= 1  # keeps the line break for the next wait
        return self.output[begin : self._position].strip()

    def end(self) -> int:
        """Close the input, read the remaining output, and return the exit status."""
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
    """Run a program in a folder. The program saves its sessions in a sibling folder."""
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
        process.kill()  # in case the process is still running
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


def command_of(path: Path) -> list[str]:
    return preloaded.command(sys.executable, IMPORTED, str(path))


def agent_with_tools() -> list[str]:
    return command_of(HERE / "agent_with_tools.py")


def editor(*arguments: object, protocol: int = 2) -> list[str]:
    options = ["--protocol", str(protocol)]
    return [*command_of(HERE / "editor.py"), *options, *map(str, arguments)]


def lines(output: str) -> list[str]:
    return [line.rstrip() for line in output.splitlines()]
