"""The handwritten agent, forked from a process that imported it and its faults."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime.aio import Exit
from acp_bindings.runtime.aio.streams import AsyncioStream
from acpwire.conform import wire

FAULTS = Path(__file__).with_name("faults.py")


class ForkedStream(AsyncioStream):
    """A replacement for the stream to a started program."""

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


@pytest.fixture
def forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make commands run the handwritten agent with the fault that they name, if any."""
    path = tmp_path / "agents"
    command = [sys.executable, "-I", "-S", str(FAULTS), str(path)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"

    async def open_forked(command: Sequence[str], **options: Any) -> ForkedStream:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(f"{command[0]}\n".encode())
        return ForkedStream(reader, writer)

    monkeypatch.setattr(wire, "open_child", open_forked)
    yield
    os.killpg(server.pid, signal.SIGKILL)  # some faulty agents don't exit
    server.wait()
    server.stdout.close()
