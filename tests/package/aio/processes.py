"""Programs that start child processes, and functions that check whether processes are running."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio

from tests.package.aio.loop import GUARD, handler

ECHO = v1.EXTENSIONS["agent", "request"].named("_echo")
CLIENT = handler(v1.ClientHandler)
NEVER = 3600.0
# A shell that starts another program and waits for it. Both run until a signal terminates them.
SHELL = ["sh", "-c", "sleep 1000 & echo $!; wait"]
DEAF_SHELL = ["sh", "-c", 'trap "" TERM; ' + SHELL[2]]
# `pids()` starts one of these shells and returns the process ids of the program, the shell, and the
# shell's child. `answer(…)` answers a request.
TREE = f"""
import json, os, signal, subprocess, sys, time
nothing = {{"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}}
def pids(deaf=False, **options):
    command = {DEAF_SHELL!r} if deaf else {SHELL!r}
    shell = subprocess.Popen(command, stdout=subprocess.PIPE, **options)
    return [os.getpid(), shell.pid, int(shell.stdout.readline())]
def answer(result=None):
    id_ = json.loads(sys.stdin.readline())["id"]
    print(json.dumps({{"jsonrpc": "2.0", "id": id_, "result": result}}), flush=True)
def deafen():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


def program(code: str) -> list[str]:
    """Return a command that runs Python code after the definitions in `TREE`."""
    return [sys.executable, "-c", TREE + code]


@asynccontextmanager
async def tree(
    code: str, *, behind: tuple[str, ...] = (), **options: Any
) -> AsyncGenerator[tuple[Peer, list[int]]]:
    """Connect to a program, and yield the peer and the process ids in the first response."""
    async with connect_stdio([*behind, *program(code)], CLIENT, **options) as peer:
        yield peer, await peer.request(ECHO, None)


def is_running(pid: int) -> bool:
    """Return whether a process is running. Zombies don't count."""
    try:
        os.kill(pid, 0)
        stat = Path("/proc", str(pid), "stat")
        return not stat.exists() or stat.read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def running(pids: list[int]) -> list[int]:
    return [pid for pid in pids if is_running(pid)]


def wait_until_ended(pids: list[int]) -> None:
    """Wait until none of these processes is running."""
    deadline = time.monotonic() + GUARD
    while running(pids):
        assert time.monotonic() < deadline, f"{running(pids)} of {pids} still run"
        time.sleep(0.005)


async def ended(pids: list[int]) -> None:
    """Wait until none of these processes is running, without blocking the event loop."""
    await asyncio.to_thread(wait_until_ended, pids)
