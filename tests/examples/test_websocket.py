"""Tests of the agent and the editor, connected over a WebSocket."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.examples.driving import HERE, TIMEOUT, lines, running

PROGRAM = [sys.executable, str(HERE / "websocket.py")]


@pytest.fixture
def server(tmp_path: Path) -> Generator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address: tuple[str, int] = free.getsockname()
    with running([*PROGRAM, "serve", str(address[1])], tmp_path):
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(address).close()
                break
            except OSError:
                assert time.monotonic() < end, "the server does not listen"
                time.sleep(0.05)
        yield f"127.0.0.1:{address[1]}/acp"


def test_editor_and_agent_talk_over_a_websocket(server: str, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    # The text exceeds the default limits on frames and buffers.
    (folder / "long.txt").write_text("word " * 500_000 + "end\n", "utf-8")
    with running([*PROGRAM, "connect", f"http://{server}"], folder) as program:
        program.type("write new.txt text", "1", "read long.txt")
        assert program.end() == 0
    printed = lines(program.output)
    assert "✓ Write new.txt [completed]" in printed
    assert any(line.endswith("word word end") for line in printed)
    assert (folder / "new.txt").read_text("utf-8") == "text\n"


def test_cancelling_works_over_a_websocket(server: str, tmp_path: Path) -> None:
    with running([*PROGRAM, "connect", f"ws://{server}"], tmp_path) as program:
        program.type("run echo started; exec sleep 1000", "1")
        program.wait_for("\nstarted\n")
        program.interrupt()
        program.wait_for("[cancelled]\n> ")
        assert program.end() == 0


def test_web_pages_cannot_connect(server: str) -> None:
    async def main() -> None:
        with pytest.raises(InvalidStatus, match="403"):
            async with connect(
                f"ws://{server}", additional_headers={"Origin": "http://page.test"}, proxy=None
            ):
                pass

    asyncio.run(main())
