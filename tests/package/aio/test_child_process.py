"""Tests that closing a client's connection stops the agent and its children in limited time."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, suppress
from copy import copy
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import (
    AsyncioStream,
    Exit,
    Peer,
    connect,
    connect_memory,
    connect_stdio,
    memory_streams,
    serve,
)
from acp_bindings.runtime.aio.child_process import ChildStream, _ChildProtocol
from acp_bindings.runtime.aio.process_groups import PosixGroup

from tests.package.aio.loop import GUARD, run, within
from tests.package.aio.processes import (
    CLIENT,
    ECHO,
    NEVER,
    ended,
    program,
    running,
    tree,
    wait_until_ended,
)
from tests.package.aio.sides import ASK_CLIENT, Gate, agent, client, stuck, ticks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

LIVES_ON = "answer(pids()); time.sleep(3600)"
DEAF = "deafen(); answer(pids(deaf=True)); "
FLOOD = "data = b'x' * 9999 + bytes([10])\nwhile True: os.write({}, data)"
# The grace period for each closing step, and the documented time limit of `connect_stdio` with a
# margin for slow machines.
GRACE = 0.1
SUM = 3 * GRACE + 2.0 + 5.0


class Left(list[int]):
    """The ids of processes to kill when the test ends."""

    @asynccontextmanager
    async def by(self, code: str, *, grace: float = 0.05, **options: Any) -> AsyncGenerator[Peer]:
        """Connect to a program that responds with the ids of its process tree."""
        async with tree(code, grace=grace, **options) as (peer, pids):
            self.extend(pids)
            yield peer


@pytest.fixture
def left() -> Generator[Left]:
    pids = Left()
    yield pids
    for pid in running(pids):
        os.kill(pid, signal.SIGKILL)


def signal_of(peer: Peer) -> str | None:
    assert peer.exit is not None
    return peer.exit.signal


# --- an agent that lives on ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "behind", "expected"),
    [
        (LIVES_ON, (), "SIGTERM"),
        (LIVES_ON, ("sh", "-c", '"$@"; exit 3', "sh"), "SIGTERM"),
        (DEAF + "time.sleep(3600)", (), "SIGKILL"),
    ],
    ids=["bare", "shell", "deaf"],
)
async def test_the_whole_tree_ends(code: str, behind: Any, expected: str, left: Left) -> None:
    async with left.by(code, behind=behind) as peer:
        assert running(left) == left
    assert not running(left)
    assert signal_of(peer) == expected


async def test_an_agent_that_ends_its_own_is_left_to_do_so(left: Left) -> None:
    """Agents that exit within the grace period get no signal."""
    code = (
        "ids = pids(); answer(ids); sys.stdin.read();"
        "os.kill(ids[2], 9); os.kill(ids[1], 9); os.wait(); sys.exit(5)"
    )
    async with left.by(code, grace=NEVER) as peer:
        pass
    assert not running(left)
    assert peer.exit is not None
    assert peer.exit.code == 5


async def test_without_a_group_only_the_agent_ends(
    monkeypatch: pytest.MonkeyPatch, left: Left
) -> None:
    """Only the child watcher reads the agent's exit status, since polling could consume it."""
    polled: list[object] = []
    monkeypatch.setattr(subprocess.Popen, "poll", polled.append)
    async with left.by(LIVES_ON, own_group=False) as peer:
        assert os.getpgid(left[0]) == os.getpgid(0)
    assert running(left) == left[1:]
    assert signal_of(peer) == "SIGTERM"
    assert polled == []


# --- an agent that exited by itself ----------------------------------------------------------


@pytest.mark.parametrize("deaf", [False, True], ids=["terminated", "killed"])
@pytest.mark.parametrize("heirs", ["", "**nothing"], ids=["with pipes", "without pipes"])
async def test_what_an_agent_leaves_behind_ends(deaf: bool, heirs: str, left: Left) -> None:
    """The agent's child processes are terminated without waiting for the context to exit."""
    async with left.by(f"answer(pids({deaf}, {heirs})); answer()") as peer:
        await peer.request(ECHO, None)
        with pytest.raises(ConnectionClosed, match="the agent exited with status 0"):
            await peer.request(ECHO, None)
        await ended(left)


async def test_what_an_agent_leaves_behind_has_time_to_end(left: Left, tmp_path: Path) -> None:
    code = f"""
command = ["sh", "-c", 'echo $$; cat; sleep 0.02; echo done > "$0"', {str(tmp_path / "end")!r}]
shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
answer([int(shell.stdout.readline())])
sys.stdin.read()
"""
    async with left.by(code, grace=NEVER):
        pass
    assert not running(left)
    assert (tmp_path / "end").read_text() == "done\n"


# --- interruptions ---------------------------------------------------------------------------


def test_a_context_that_is_cancelled_twice_ends_the_tree(left: Left) -> None:
    async def main() -> None:
        entered = asyncio.Event()

        async def stay() -> None:
            async with left.by(LIVES_ON, grace=NEVER):
                entered.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(stay())
        await entered.wait()
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert running(left) == left  # the grace period is not over yet

    run(main())  # which cancels everything
    wait_until_ended(left)


async def test_a_start_that_is_cancelled_and_fails_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def popen(*args: Any, **options: Any) -> Any:
        asyncio.get_running_loop().call_soon(starting.cancel)
        raise PermissionError

    monkeypatch.setattr(subprocess, "Popen", popen)
    context = connect_stdio(["agent"], CLIENT)
    starting: asyncio.Task[Peer] = asyncio.create_task(context.__aenter__())
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_a_start_that_is_cancelled_ends_the_tree(
    left: Left, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = tmp_path / "ids"

    class Popen(subprocess.Popen[bytes]):
        """A `Popen` that returns only after the program has started a child process."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            while not ids.exists():
                time.sleep(0.001)
            left.extend(map(int, ids.read_text().split()))
            asyncio.get_running_loop().call_soon(starting.cancel)

    sent = tmp_path / "sent"  # a file that exists if the shell receives SIGTERM
    code = f"trap 'touch {sent}' TERM; sleep 1000 & echo $$ $! > {ids}.new; mv {ids}.new {ids}; "
    code += "wait; wait"
    monkeypatch.setattr(subprocess, "Popen", Popen)
    context = connect_stdio(["sh", "-c", code], CLIENT, grace=1)
    starting: asyncio.Task[Peer] = asyncio.create_task(context.__aenter__())
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert len(left) == 2
    assert not running(left)
    assert not sent.exists()


# A client that starts an agent and prints its response. Tests append code to it.
CLIENT_PROGRAM = """
import asyncio, os, sys
from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio
context = connect_stdio(sys.argv[1:], v1.ClientHandler, grace=0.05)
async def enter():
    global peer
    peer = await context.__aenter__()
    result = await peer.request(v1.EXTENSIONS["agent", "request"].named("_echo"), None)
    print(*(result if isinstance(result, list) else [result]), flush=True)
"""
LOOP = "loop = asyncio.new_event_loop(); loop.run_until_complete(enter()); "
WAYS = {
    "loop closed": LOOP + "loop.close()",
    "loop left": LOOP,
    "interrupted": "asyncio.run(enter()); raise KeyboardInterrupt",
    "killed": "asyncio.run(enter()); os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_does_not_leave_the_context_ends_the_tree(way: str, left: Left) -> None:
    # A killed client cannot terminate the agent, so this agent exits at the end of its input.
    code = "ids = pids(); answer(ids); sys.stdin.read(); os.killpg(0, 9)"
    if way != "killed":
        code = DEAF + "time.sleep(3600)"
    ending = subprocess.run(
        [sys.executable, "-c", CLIENT_PROGRAM + WAYS[way], *program(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=GUARD,
    )
    left += map(int, ending.stdout.split())
    assert len(left) == 3
    wait_until_ended(left)


# --- groups ----------------------------------------------------------------------------------


def test_nothing_is_sent_to_a_group_that_was_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The id of an empty process group might already belong to another group."""
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
    """Zombies count as exited, since the first process in a container might never reap them."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True)
    group = PosixGroup(process.pid)
    assert group.outlives()
    assert process.stdin is not None
    process.stdin.close()
    wait_until_ended([process.pid])  # a zombie, since this process didn't wait for it
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


class FakeGroup:
    """A group of processes that ends when it is sent one of the given signals.

    Attributes:
        sent: the sent signals.
        checks: the times at which the group was checked.
    """

    def __init__(self, *deadly: str) -> None:
        self.sent: list[str] = []
        self.checks: list[float] = []
        self.errors = asyncio.StreamReader()
        self.is_over = False
        self._deadly = deadly

    def outlives(self) -> bool:
        self.checks.append(asyncio.get_running_loop().time())
        if self.is_over and not self.errors.at_eof():
            self.errors.feed_data(b"last words\n")
            self.errors.feed_eof()
        return not self.is_over

    def terminate(self) -> None:
        self._send("SIGTERM")

    def kill(self) -> None:
        self._send("SIGKILL")

    def _send(self, name: str) -> None:
        self.sent.append(name)
        self.is_over |= name in self._deadly


def child_of(group: FakeGroup, grace: float) -> tuple[ChildStream, _ChildProtocol]:
    """Return a stream to a process that has exited and left the others of its group behind."""

    async def wait_closed() -> None: ...

    protocol = _ChildProtocol(grace, own_group=True)
    protocol.group = group
    transport: Any = SimpleNamespace(
        close=lambda: None, get_write_buffer_size=lambda: 0, is_closing=lambda: True
    )
    protocol.transport = transport
    protocol.exited.set()
    writer = SimpleNamespace(transport=transport, close=lambda: None, wait_closed=wait_closed)
    process: Any = SimpleNamespace(
        stdin=writer, stdout=asyncio.StreamReader(), stderr=group.errors, returncode=0, pid=0
    )
    return ChildStream(process, protocol, "program", grace, None), protocol


@pytest.mark.parametrize(
    ("deadly", "grace", "sent"),
    [
        (["SIGTERM"], 0.5, ["SIGTERM"]),
        (["SIGKILL"], 0.5, ["SIGTERM", "SIGKILL"]),
        (["SIGKILL", "SIGTERM"], 0, ["SIGKILL"]),
    ],
)
@within(1.5)
async def test_a_group_is_terminated_and_then_killed(
    deadly: list[str], grace: float, sent: list[str]
) -> None:
    group = FakeGroup(*deadly)
    stream, _ = child_of(group, grace)
    await stream.close()
    assert group.sent == [*sent, "SIGKILL"]  # at the end, every group is killed
    assert stream.exit == Exit(0, stderr=("last words",))


@within(0.5)
async def test_an_exit_has_the_last_words_even_if_they_are_read_later() -> None:
    group = FakeGroup()
    stream, _ = child_of(group, 1.0)
    exiting = asyncio.create_task(stream.wait_exit())
    await ticks()
    group.errors.feed_data(b"bye")
    group.errors.feed_eof()
    assert await exiting == Exit(0, stderr=("bye",))


@within(1.5)
async def test_a_group_is_checked_less_and_less_often_until_its_time_is_over() -> None:
    group = FakeGroup()
    _, protocol = child_of(group, 1.0)
    assert not await protocol.ends(0.6)
    pauses = [after - before for before, after in pairwise(group.checks)]
    doubled = [0.001 * 2**number for number in range(7)]
    assert pauses == pytest.approx([*doubled, *[0.1] * 4, 0.073], abs=1e-6)
    group.checks.clear()
    assert not await protocol.ends(0)
    assert len(group.checks) == 1


# A client that forks between two runs of its event loop. `FORKS` lists ways in which the fork
# exits.
FORKING = """
import atexit, gc
if sys.argv[1] == "uvloop":
    import uvloop
    loop = uvloop.new_event_loop()
else:
    loop = asyncio.new_event_loop()
context = connect_stdio(sys.argv[3:], v1.ClientHandler, own_group=sys.argv[2] == "True")
loop.run_until_complete(enter())
if (fork := os.fork()) == 0:
    {}
os.waitpid(fork, 0)
loop.run_until_complete(asyncio.sleep(0.05))
echo = peer.request(v1.EXTENSIONS["agent", "request"].named("_echo"), None)
print(loop.run_until_complete(echo))
loop.run_until_complete(context.__aexit__(None, None, None))
"""
FORKS = {
    "exit": "sys.exit()",
    "exit handlers": "atexit._run_exitfuncs(); os._exit(0)",
    "garbage": "del peer, context; gc.collect(); os._exit(0)",
    "error": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize(
    ("loop", "way", "own_group"),
    [  # all pairs
        (loop, way, bool((row + column) % 2))
        for row, loop in enumerate(("asyncio", "uvloop"))
        for column, way in enumerate(FORKS)
    ],
)
def test_a_fork_of_the_client_does_not_end_the_agent(loop: str, way: str, own_group: bool) -> None:
    if loop == "uvloop":
        pytest.importorskip("uvloop")
    code = CLIENT_PROGRAM + FORKING.format(FORKS[way])
    agent = program("answer(1); answer('alive'); sys.stdin.read()")
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, loop, str(own_group), *agent],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=GUARD,
        text=True,
    )
    assert ended.stdout.split() == ["1", "alive"], ended.stderr
    assert ended.returncode == 0


@pytest.mark.parametrize("own_group", [True, False])
async def test_a_group_sends_nothing_in_a_fork(
    own_group: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    async with tree("answer(); sys.stdin.read()", own_group=own_group) as (peer, _):
        stream: Any = peer._program
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: -1)
            patch.setattr(os, "kill", lambda *args: sent.append(args))
            patch.setattr(os, "killpg", lambda *args: sent.append(args))
            assert not copy(stream._group).outlives()
            copy(stream._group).terminate()
            copy(stream._group).kill()
    assert sent == []


# --- the time that leaving takes -------------------------------------------------------------

STUBBORN = {
    "ignores everything": DEAF + "time.sleep(3600)",
    "closes its output": DEAF + "os.close(1); time.sleep(3600)",
    "floods its output": DEAF + FLOOD.format(1),
    "floods its errors": DEAF + FLOOD.format(2),
    "leaves heirs of the pipes": "answer(pids(deaf=True)); answer()",
    "leaves others": "answer(pids(deaf=True, **nothing)); answer()",
    "leaves the group": "answer(pids(start_new_session=True)); answer()",
}


@pytest.mark.parametrize("way", ["leave", "exception", "cancel", "close"])
@pytest.mark.parametrize("what", STUBBORN)
async def test_leaving_takes_no_longer_than_its_sum(what: str, way: str, left: Left) -> None:
    loop, lines = asyncio.get_running_loop(), list[str]()
    began = 0.0

    async def use() -> None:
        nonlocal began
        async with left.by(STUBBORN[what], grace=GRACE, on_stderr=lines.append) as peer:
            with suppress(asyncio.TimeoutError, ConnectionClosed):
                await asyncio.wait_for(peer.request(ECHO, None), 0.02)
            began = loop.time()
            if way == "exception":
                raise LookupError("mine")
            if way == "cancel":
                using.cancel()
                await asyncio.sleep(0)
            if way == "close":
                await peer.close()

    using = asyncio.create_task(use())
    await asyncio.wait([using])
    assert using.cancelled() == (way == "cancel")
    if way != "cancel":
        assert isinstance(using.exception(), LookupError) == (way == "exception")
    assert loop.time() - began < SUM
    assert running(left) == (left[1:] if what == "leaves the group" else [])


@pytest.mark.parametrize(
    ("code", "grace", "expected"),
    [
        *((STUBBORN[what], 0, "SIGKILL") for what in list(STUBBORN)[:3]),
        (LIVES_ON, 0.05, "SIGTERM"),
    ],
    ids=[*list(STUBBORN)[:3], "lives on"],
)
async def test_another_grace_holds_for_each_step(
    code: str, grace: float, expected: str, left: Left
) -> None:
    async with left.by(code, grace=NEVER) as peer:
        await peer.close(grace=grace)
        assert not running(left)
        assert signal_of(peer) == expected


async def test_no_grace_ends_an_end_that_takes_long(left: Left) -> None:
    async with left.by(STUBBORN["ignores everything"], grace=NEVER) as peer:
        closing = asyncio.create_task(peer.close())
        await asyncio.sleep(0.01)
        assert running(left) == left
        await peer.close(grace=0)
        await closing
        assert not running(left)


class Stubborn(Gate):
    """Ignores its cancellation."""

    async def __call__(self, peer: Peer, *args: Any) -> None:
        self.handled.append(peer)
        self.started.set()
        while True:
            with suppress(asyncio.CancelledError):
                await stuck(peer)


@pytest.mark.parametrize("grace", [0, 0.01])
async def test_no_handler_is_waited_for_longer(
    grace: float, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask(peer: Peer, method: str, params: Any) -> None:
        await peer.request(ASK_CLIENT, None)

    stubborn = Stubborn()
    sides = agent(ext_request=ask), client(ext_request=stubborn)
    async with connect_memory(*sides, grace=NEVER) as peer:
        await peer.initialize()
        asking = asyncio.create_task(peer.request(ECHO, None))
        await stubborn.started.wait()
        await peer.close(grace=grace)
        with pytest.raises(ConnectionClosed):
            await asking
    assert "dropping it" in caplog.text


@pytest.mark.parametrize("grace", [0, 0.01])
async def test_handlers_that_may_finish_are_waited_for_no_longer(
    grace: float, caplog: pytest.LogCaptureFixture
) -> None:
    """Even after the input has ended, `close` can shorten the wait for handlers."""
    stubborn = Stubborn()
    near, far = memory_streams()
    made = agent(ext_request=stubborn)
    serving = asyncio.create_task(serve(far, made, linger=NEVER, grace=NEVER))
    async with connect(near, CLIENT) as peer:
        asking = asyncio.create_task(peer.request(ECHO, None))
        await stubborn.started.wait()
    with pytest.raises(ConnectionClosed):
        await asking
    [served] = stubborn.handled
    await served.wait_ended()
    await served.close(grace=grace)
    await serving
    assert "dropping it" in caplog.text


async def test_a_socket_that_is_not_read_is_closed_at_once() -> None:
    accepted = asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await accepted.wait()
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    stream = AsyncioStream(reader, writer)
    async with server, connect(stream, CLIENT) as peer:
        stream._grace = NEVER
        stream.write(b"x" * 50_000_000)
        assert writer.transport.get_write_buffer_size()
        await peer.close(grace=0)
        accepted.set()
