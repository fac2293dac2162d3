"""What an agent has started ends with it, however it ends, and whoever ends it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.runtime.aio.groups import PosixGroup
from package.jsonrpc.loop import GUARD, run
from package.jsonrpc.processes import (
    CLIENT,
    ECHO,
    NEVER,
    ended,
    program,
    running,
    tree,
    wait_until_ended,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

LIVES_ON = "answer(pids()); time.sleep(3600)"


@pytest.fixture
def left() -> Generator[list[int]]:
    """The ids of processes to end with the test."""
    pids: list[int] = []
    yield pids
    for pid in running(pids):
        os.kill(pid, signal.SIGKILL)


# --- an agent that lives on ------------------------------------------------------------------


@pytest.mark.parametrize("behind", [(), ("sh", "-c", '"$@"; exit 3', "sh")], ids=["bare", "shell"])
def test_the_whole_tree_is_terminated(behind: tuple[str, ...], left: list[int]) -> None:
    async def main() -> None:
        async with tree(LIVES_ON, behind=behind, grace=0.05) as (peer, pids):
            left.extend(pids)
            assert running(pids) == pids
        assert not running(pids)
        assert peer.exit is not None
        assert peer.exit.signal == "SIGTERM"

    run(main())


def test_the_whole_tree_is_killed_if_it_does_not_end(left: list[int]) -> None:
    code = "deafen(); answer(pids(deaf=True)); time.sleep(3600)"

    async def main() -> None:
        async with tree(code, grace=0.05) as (peer, pids):
            left.extend(pids)
        assert not running(pids)
        assert peer.exit is not None
        assert peer.exit.signal == "SIGKILL"

    run(main())


def test_an_agent_that_ends_its_own_is_left_to_do_so(left: list[int]) -> None:
    """Nothing is sent to an agent that ends within its grace."""
    code = (
        "ids = pids(); answer(ids); sys.stdin.read();"
        "os.kill(ids[2], 9); os.kill(ids[1], 9); os.wait(); sys.exit(5)"
    )

    async def main() -> None:
        async with tree(code, grace=NEVER) as (peer, pids):
            left.extend(pids)
        assert not running(pids)
        assert peer.exit is not None
        assert peer.exit.code == 5

    run(main())


def test_without_a_group_only_the_agent_ends(left: list[int]) -> None:
    async def main() -> None:
        async with tree(LIVES_ON, grace=0.05, own_group=False) as (_, pids):
            left.extend(pids)
            assert os.getpgid(pids[0]) == os.getpgid(0)
        assert running(pids) == pids[1:]

    run(main())


def test_the_exit_status_is_left_to_the_child_watcher(
    monkeypatch: pytest.MonkeyPatch, left: list[int]
) -> None:
    """Whoever polls may take it: then, it would be 255 for everybody else."""
    polled: list[object] = []
    monkeypatch.setattr(subprocess.Popen, "poll", polled.append)

    async def main() -> None:
        async with tree(LIVES_ON, grace=0.05, own_group=False) as (peer, pids):
            left.extend(pids)
        assert peer.exit is not None
        assert peer.exit.signal == "SIGTERM"

    run(main())
    assert polled == []


# --- an agent that has ended by itself -------------------------------------------------------


@pytest.mark.parametrize("deaf", [False, True], ids=["terminated", "killed"])
@pytest.mark.parametrize("heirs", ["", "**nothing"], ids=["with pipes", "without pipes"])
def test_what_an_agent_leaves_behind_ends(deaf: bool, heirs: str, left: list[int]) -> None:
    """Even if nobody leaves the context."""
    code = f"answer(pids({deaf}, {heirs})); answer()"

    async def main() -> None:
        async with tree(code, grace=0.05) as (peer, pids):
            left.extend(pids)
            await peer.request(ECHO, None)
            with pytest.raises(ConnectionClosed, match="the agent exited with status 0"):
                await peer.request(ECHO, None)
            await ended(pids)

    run(main())


def test_what_an_agent_leaves_behind_has_time_to_end(left: list[int], tmp_path: Path) -> None:
    code = f"""
command = ["sh", "-c", 'echo $$; cat; sleep 0.02; echo done > "$0"', {str(tmp_path / "end")!r}]
shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
answer([int(shell.stdout.readline())])
sys.stdin.read()
"""

    async def main() -> None:
        async with tree(code, grace=NEVER) as (_, pids):
            left.extend(pids)
        assert not running(pids)
        assert (tmp_path / "end").read_text() == "done\n"

    run(main())


# --- interruptions ---------------------------------------------------------------------------


def test_a_context_that_is_cancelled_twice_ends_the_tree(left: list[int]) -> None:
    async def main() -> None:
        entered = asyncio.Event()

        async def stay() -> None:
            async with tree(LIVES_ON, grace=NEVER) as (_, pids):
                left.extend(pids)
                entered.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(stay())
        await entered.wait()
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert running(left) == left  # it still has time to end

    run(main())  # which cancels everything
    wait_until_ended(left)


def test_a_start_that_is_cancelled_ends_the_tree(
    left: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = tmp_path / "ids"

    class Popen(subprocess.Popen[bytes]):
        """Is slow: the program has started another one before asyncio takes note of it."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            while not ids.exists():
                time.sleep(0.001)
            left.extend(map(int, ids.read_text().split()))
            asyncio.get_running_loop().call_soon(starting.cancel)

    code = f"trap '' TERM; sleep 1000 & echo $$ $! > {ids}.new; mv {ids}.new {ids}; wait"
    command = ["sh", "-c", code]
    starting: asyncio.Task[Peer]

    async def main() -> None:
        nonlocal starting
        starting = asyncio.create_task(connect_stdio(command, CLIENT, grace=0).__aenter__())
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not running(left)

    monkeypatch.setattr(subprocess, "Popen", Popen)
    run(main())
    assert len(left) == 2


def test_an_exception_in_the_context_ends_the_tree(left: list[int]) -> None:
    async def fail() -> None:
        async with tree(LIVES_ON, grace=0.05) as (_, pids):
            left.extend(pids)
            raise LookupError("mine")

    async def main() -> None:
        with pytest.raises(LookupError):
            await fail()
        assert not running(left)

    run(main())


# Starts an agent, prints what it answers, and leaves in some way.
CLIENT_PROGRAM = """
import asyncio, os, sys
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio
class Client(v1.ClientHandler):
    pass
context = connect_stdio(sys.argv[1:], Client, grace=0.05)
async def enter():
    global peer
    peer = await context.__aenter__()
    print(*await peer.request(v1.EXTENSIONS["agent", "request"].named("_echo"), None), flush=True)
"""
WAYS = {
    "loop closed": "loop = asyncio.new_event_loop(); loop.run_until_complete(enter());"
    "loop.close()",
    "loop left": "loop = asyncio.new_event_loop(); loop.run_until_complete(enter())",
    "interrupted": "asyncio.run(enter()); raise KeyboardInterrupt",
    "killed": "asyncio.run(enter()); os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_does_not_leave_the_context_ends_the_tree(way: str, left: list[int]) -> None:
    # If the client is killed, all that the agent notices is the end of its input.
    code = "ids = pids(); answer(ids); sys.stdin.read(); os.killpg(0, 9)"
    if way != "killed":
        code = "deafen(); answer(pids(deaf=True)); time.sleep(3600)"
    client = subprocess.run(
        [sys.executable, "-c", CLIENT_PROGRAM + WAYS[way], *program(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=GUARD,
    )
    left += map(int, client.stdout.split())
    assert len(left) == 3
    wait_until_ended(left)


# --- groups ----------------------------------------------------------------------------------


def test_nothing_is_sent_to_a_group_that_was_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its id may be that of another group by now."""
    process = subprocess.Popen(["true"], start_new_session=True)
    process.wait()
    group = PosixGroup(process.pid)
    assert not group.outlives()
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "killpg", lambda *args: sent.append(args))
    group.terminate()
    group.kill()
    assert not group.outlives()
    assert sent == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_that_nobody_waits_for_have_ended() -> None:
    """As in a container whose first process does not wait for those that it inherits."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True)
    group = PosixGroup(process.pid)
    assert group.outlives()
    assert process.stdin is not None
    process.stdin.close()
    wait_until_ended([process.pid])  # though it was not waited for
    assert not group.outlives()
    process.wait()


def test_a_group_of_others_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(group: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "killpg", refuse)
    group = PosixGroup(1)
    assert not group.outlives()
    group.terminate()
    group.kill()


def test_a_fork_of_the_client_does_not_end_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    group = PosixGroup(os.getpgid(0))
    monkeypatch.setattr(os, "getpid", lambda: -1)
    group.kill()
