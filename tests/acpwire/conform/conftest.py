"""Fixtures for agents on sockets. They start quickly, since they are forked or share a process."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.aio import Exit
from acp_bindings.runtime.aio.streams import AsyncioStream
from acpwire.conform import wire

FAULTS = Path(__file__).with_name("faults.py")


class SocketStream(AsyncioStream):
    """A replacement for a stream to a child process."""

    exit: Exit | None = None

    async def read(self) -> bytes:
        data = await super().read()
        if not data:
            self.exit = Exit(0)
        return data

    async def wait_exit(self) -> Exit:
        return self.exit or Exit()

    def end_input(self) -> None:
        self._writer.write_eof()


@contextmanager
def on_socket(server: Sequence[str], path: Path) -> Generator[None]:
    """Run an agent server within the context, with the socket's path as its last argument."""
    command = [*server, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # some faulty agents never exit
        process.wait()
        process.stdout.close()


async def open_socket(path: Path) -> SocketStream:
    return SocketStream(*await asyncio.open_unix_connection(path))


@pytest.fixture
def forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a fork of the handwritten agent for each command, with the fault in the command."""
    path = tmp_path / "agents"

    async def open_forked(command: Sequence[str], **options: Any) -> SocketStream:
        stream = await open_socket(path)
        stream.write(f"{command[0]}\n".encode())
        return stream

    monkeypatch.setattr(wire, "open_child", open_forked)
    with on_socket([sys.executable, "-I", "-S", str(FAULTS)], path):
        yield
