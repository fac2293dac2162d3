"""Tests of the guide "An agent on a server": its programs run and survive a restart."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.kit.links import PATIENCE as ASKING
from acp_bindings.kit.reaching import RECONNECTS
from acp_bindings.remote import RemoteLimits, connect_remote
from acp_bindings.remote.http import SILENCE
from acp_bindings.v2 import ClientSession, SessionClient

from tests.package.remote.servers import serving
from tests.support.guides import defining, write_files
from tests.support.paths import GUIDE_TEMPLATES

GUIDE = "remote.md"
PATIENCE = 60.0
TEXT = (GUIDE_TEMPLATES / GUIDE).read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert write_files(GUIDE, tmp_path) == ["server.py", "reach.py"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.setenv("ACP_TOKEN", "secret")
    monkeypatch.setenv("ACP_URL", f"http://127.0.0.1:{port}")
    return tmp_path


@asynccontextmanager
async def server(folder: Path) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Within the context, run the server with the command from the guide."""
    [command] = re.findall(r"^uvicorn (server:app) --port 8000 (.*)$", TEXT, re.M)
    port = os.environ["ACP_URL"].rpartition(":")[2]
    words = ["-m", "uvicorn", command[0], "--port", port, *command[1].split()]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, cwd=folder)
    try:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", int(port))
            except OSError:
                assert process.returncode is None
                await asyncio.sleep(0.05)
            else:
                writer.close()
                break
        yield process
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def program(folder: Path) -> AsyncGenerator[tuple[Any, Any]]:
    """Run the client from the guide, and yield functions for writing and for reading a line."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", "reach.py"), cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def write(text: str) -> None:
        stdin.write(f"{text}\n".encode())

    async def read() -> str:
        line = await asyncio.wait_for(stdout.readline(), PATIENCE)
        return line.decode().strip()

    try:
        yield write, read
        stdin.write(b"\n")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_the_client_survives_a_restart_of_the_server(folder: Path) -> None:
    async with server(folder) as first, program(folder) as (write, read):
        assert await read() == "[connected]"
        write("one")
        assert await read() == "one"
        first.kill()
        await first.wait()
        assert (await read()).startswith("[")
        async with server(folder):
            while (line := await read()) != "[connected]":
                assert line.startswith("[")
            write("two")
            assert await read() == "two"
            write("")


async def test_a_wrong_token_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with server(folder):
        monkeypatch.setenv("ACP_TOKEN", "wrong")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "reach.py"), cwd=folder, stderr=asyncio.subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 1
    assert b"401" in errors
    assert b"Traceback" not in errors


async def said(port: int, token: str) -> str:
    """Send the prompt "Hi" and return the agent's response."""
    async with connect_remote(f"http://127.0.0.1:{port}", SessionClient, token=token) as peer:
        await peer.initialize()
        session = await ClientSession.create(peer, cwd="/")
        async with session.prompt("Hi") as turn:
            await turn.wait()
        return session.state.messages[-1].text


async def test_users_are_distinguished() -> None:
    names = defining(GUIDE, "Polite")
    async with serving(names["app"], "uvicorn") as port:
        greetings = [await said(port, token) for token in names["USERS"]]
    assert greetings == ["Hello, ada!", "Hello, grace!"]


async def test_an_object_keeps_its_sessions() -> None:
    names = defining(GUIDE, "Counting")
    async with serving(names["app"], "uvicorn") as port:
        assert await said(port, "not in the source code") == "1 messages"
    assert len(names["app"]._connections) == 0


def test_the_numbers_are_those_of_the_code() -> None:
    words = " ".join(TEXT.split())
    limits = RemoteLimits()
    assert limits.keep_sessions == 3600
    assert "for an hour (`RemoteLimits.keep_sessions`)" in words
    assert f"`RemoteLimits.connections` is {limits.connections:,}" in words
    assert f"After {RECONNECTS.limit} attempts" in words
    steady = dataclasses.replace(RECONNECTS, spread=0.0)
    pauses = [steady.pause(number) for number in range(1, RECONNECTS.limit + 1)]
    assert (pauses[0], pauses[-1]) == (0.5, 30.0)
    minutes = sum(pauses) * (1 - RECONNECTS.spread / 2) / 60
    assert 14 < minutes < 16  # "about 15 minutes"
    assert 55 < sum(ASKING) < 75  # "about a minute"
    assert limits.listener_timeout == 60
    assert SILENCE == 120
