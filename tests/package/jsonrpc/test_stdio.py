"""The asyncio adapter over the standard input and output of real processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import METHOD_NOT_FOUND, ConnectionClosed
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.runtime.aio.child import ChildStream
from acp_bindings.runtime.aio.stdio import FileStream
from package.jsonrpc.loop import GUARD, handler, run
from package.jsonrpc.wire import ask, line, tell

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

PYTHON = [sys.executable, "-X", "dev", "-W", "error"]
AGENT = [*PYTHON, str(Path(__file__).with_name("stdio_agent.py"))]
NEVER = 3600.0
# Text printed before the connection starts can be held back only while it is buffered.
ENV = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
REFUSED = b"printed early\nrefused a message (id 2): method not found: nope (-32601)\n"

# Answers the first request, and then goes on as the test wants.
ANSWER_ONE = """
import json, os, signal, subprocess, sys, time
def answer(result=None):
    reply = {"jsonrpc": "2.0", "id": json.loads(sys.stdin.readline())["id"], "result": result}
    sys.stdout.write(json.dumps(reply) + chr(10))
    sys.stdout.flush()
"""


def method(name: str, kind: Any = "request") -> Any:
    return v1.EXTENSIONS[("agent", kind)].named(name)


def program(code: str) -> list[str]:
    return [sys.executable, "-c", ANSWER_ONE + code]


@asynccontextmanager
async def agent(
    command: list[str] = AGENT, *, grace: float = NEVER, own_group: bool = True, **handlers: Any
) -> AsyncGenerator[tuple[Peer, asyncio.subprocess.Process]]:
    """A started agent; at the end, its process must have been waited for."""
    client = handler(v1.ClientHandler, **handlers)
    async with connect_stdio(command, client, env=ENV, grace=grace, own_group=own_group) as peer:
        process = child(peer)
        yield peer, process
    assert_gone(process)


def child(peer: Peer) -> asyncio.subprocess.Process:
    assert peer.process is not None
    return peer.process


def assert_gone(process: asyncio.subprocess.Process) -> None:
    assert process.returncode is not None
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)


# --- the client's side -----------------------------------------------------------------------


def test_an_agent_is_started_spoken_to_and_ends_with_its_input() -> None:
    async def main() -> None:
        async with agent() as (peer, process):
            assert await peer.request(method("_pid"), None) == process.pid
            assert await peer.request(method("_echo"), {"a": "ä€😀"}) == {"a": "ä€😀"}
        assert process.returncode == 0

    run(main())


def test_messages_larger_than_any_pipe_go_both_ways_at_once() -> None:
    async def main() -> None:
        async with agent() as (peer, _):
            texts = [letter * 3_000_000 for letter in "abcdef"]
            calls = [peer.request(method("_echo"), text) for text in texts]
            assert await asyncio.gather(*calls) == texts

    run(main())


def test_many_notifications_arrive_in_order() -> None:
    seen: list[Any] = []

    async def note(peer: Peer, name: str, params: Any) -> None:
        seen.append(params)

    async def main() -> None:
        async with agent(ext_notification=note) as (peer, _):
            await peer.request(method("_flood"), 5000)
            assert seen == list(range(5000))

    run(main())


def test_nothing_but_protocol_reaches_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        async with agent() as (peer, _):
            assert await peer.request(method("_print"), "text") is None
            assert await peer.request(method("_input"), None) == ""

    run(main())
    captured = capfd.readouterr()
    assert captured.out == ""
    printed = ["printed early", "text by print", "text by write", "text by child"]
    assert captured.err.splitlines() == printed


def test_a_command_in_one_string_is_refused() -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match="must be a list"):
            async with agent(" ".join(AGENT)):  # type: ignore[arg-type]
                pass

    run(main())


def test_a_peer_killed_within_a_message_fails_every_call() -> None:
    code = """
sys.stdin.readline()
sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "resu')
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""

    async def main() -> None:
        async with agent(program(code)) as (peer, process):
            calls = [peer.request(method("_stuck"), None) for _ in range(10)]
            results = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(result) for result in results] == [ConnectionClosed] * 10
            with pytest.raises(ConnectionClosed):
                await peer.request(method("_echo"), None)
        assert process.returncode == -signal.SIGKILL

    run(main())


def test_a_killed_peer_fails_every_call() -> None:
    async def main() -> None:
        async with agent() as (peer, process):
            await peer.request(method("_echo"), None)
            calls = [asyncio.create_task(peer.request(method("_stuck"), None)) for _ in range(10)]
            await asyncio.sleep(0)
            process.kill()
            results = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(result) for result in results] == [ConnectionClosed] * 10
        assert process.returncode == -signal.SIGKILL

    run(main())


def test_an_agent_that_ignores_the_end_of_its_input_is_terminated() -> None:
    async def main() -> None:
        async with agent(program("answer(); time.sleep(3600)"), grace=0.1) as (peer, process):
            await peer.request(method("_echo"), None)
        assert process.returncode == -signal.SIGTERM

    run(main())


def test_an_agent_that_ignores_being_terminated_is_killed() -> None:
    code = "signal.signal(signal.SIGTERM, signal.SIG_IGN); answer(); time.sleep(3600)"

    async def main() -> None:
        async with agent(program(code), grace=0.1) as (peer, process):
            await peer.request(method("_echo"), None)
        assert process.returncode == -signal.SIGKILL

    run(main())


def test_an_agent_that_does_not_read_is_ended_all_the_same() -> None:
    async def main() -> None:
        async with agent(program("answer(); time.sleep(3600)"), grace=0.1) as (peer, process):
            await peer.request(method("_echo"), None)
            # More than fits into the pipe: the rest stays in the writer's buffer for ever.
            told = asyncio.create_task(
                peer.notify(method("_tell", "notification"), "x" * 1_000_000)
            )
            await asyncio.sleep(0)
            assert not told.done()
        with pytest.raises(ConnectionClosed):
            await told
        assert process.returncode == -signal.SIGTERM

    run(main())


def test_what_an_agent_writes_at_its_end_is_read() -> None:
    """Otherwise the agent would wait for room in the pipe, and have to be killed."""
    code = "answer(); sys.stdin.read(); sys.stdout.write('x' * 1000000)"

    async def main() -> None:
        async with agent(program(code)) as (peer, process):
            await peer.request(method("_echo"), None)
        assert process.returncode == 0

    run(main())


@pytest.fixture
def heirs() -> Generator[list[int]]:
    """The ids of processes to end with the test."""
    found: list[int] = []
    yield found
    for pid in found:
        os.kill(pid, signal.SIGKILL)


HEIR = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])"


def test_a_process_that_inherits_the_pipes_does_not_hold_up_the_end(heirs: list[int]) -> None:
    async def main() -> None:
        command = program(f"answer({HEIR}.pid)")
        async with agent(command, own_group=False) as (peer, process):
            heirs.append(await peer.request(method("_echo"), None))
            # The heir does not read either.
            told = asyncio.create_task(
                peer.notify(method("_tell", "notification"), "x" * 1_000_000)
            )
            await asyncio.sleep(0)
            assert not told.done()
        await told  # there is room now, in a stream that is gone
        assert process.returncode == 0

    run(main())


def test_a_process_that_inherits_the_pipes_does_not_keep_calls_waiting(heirs: list[int]) -> None:
    async def main() -> None:
        command = program(f"answer({HEIR}.pid); answer()")
        async with agent(command, grace=0.1, own_group=False) as (peer, process):
            heirs.append(await peer.request(method("_echo"), None))
            await peer.request(method("_echo"), None)
            with pytest.raises(ConnectionClosed):
                await peer.request(method("_stuck"), None)
        assert process.returncode == 0

    run(main())


def test_a_context_that_is_left_at_once_waits_for_the_agent() -> None:
    async def main() -> None:
        async with agent(program("sys.stdin.read()")) as (_, process):
            pass
        assert process.returncode == 0

    run(main())


def test_an_agent_that_ends_by_itself_is_waited_for() -> None:
    async def main() -> None:
        async with agent(program("sys.exit(3)")) as (peer, process):
            with pytest.raises(ConnectionClosed):
                await peer.request(method("_stuck"), None)
        assert process.returncode == 3

    run(main())


def test_an_error_in_the_context_ends_the_agent() -> None:
    left: list[asyncio.subprocess.Process] = []

    async def fail() -> None:
        async with connect_stdio(AGENT, handler(v1.ClientHandler), grace=NEVER) as peer:
            left.append(child(peer))
            await peer.request(method("_echo"), None)
            raise LookupError("mine")

    async def main() -> None:
        with pytest.raises(LookupError):
            await fail()
        assert_gone(left[0])

    run(main())


def test_a_cancelled_context_ends_the_agent() -> None:
    left: list[asyncio.subprocess.Process] = []

    async def main() -> None:
        entered = asyncio.Event()

        async def stay() -> None:
            async with connect_stdio(AGENT, handler(v1.ClientHandler), grace=NEVER) as peer:
                left.append(child(peer))
                entered.set()
                await peer.request(method("_stuck"), None)

        task = asyncio.create_task(stay())
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert_gone(left[0])

    run(main())


def test_an_agent_whose_end_is_not_awaited_is_killed() -> None:
    left: list[asyncio.subprocess.Process] = []

    async def main() -> None:
        context = connect_stdio(program("answer(); time.sleep(3600)"), handler(v1.ClientHandler))
        peer = await context.__aenter__()
        left.append(child(peer))
        await peer.request(method("_echo"), None)
        closing = asyncio.create_task(peer._stream.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await context.__aexit__(None, None, None)

    run(main())
    assert left[0].returncode == -signal.SIGKILL


def test_a_factory_that_raises_ends_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[asyncio.subprocess.Process] = []
    close = ChildStream.close

    async def closing(self: ChildStream) -> None:
        await close(self)
        started.append(self.process)

    def broken(peer: Peer) -> Any:
        raise LookupError("factory")

    async def main() -> None:
        with pytest.raises(LookupError):
            await connect_stdio(AGENT, {v1: broken}).__aenter__()

    monkeypatch.setattr(ChildStream, "close", closing)
    run(main())
    assert_gone(started[0])


def test_a_program_that_is_not_there_is_an_error() -> None:
    async def main() -> None:
        context = connect_stdio(["./no-such-program"], handler(v1.ClientHandler))
        with pytest.raises(FileNotFoundError):
            await context.__aenter__()

    run(main())


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
def test_no_descriptor_is_left_open() -> None:
    async def main() -> None:
        async with agent(program("answer(); sys.stdin.read()")):
            pass
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            async with agent(program("answer(); sys.stdin.read()")) as (peer, _):
                await peer.request(method("_echo"), None)
        assert len(os.listdir("/proc/self/fd")) == before

    run(main())


# --- the agent's side ------------------------------------------------------------------------


def replies(data: bytes) -> dict[Any, Any]:
    messages = [json.loads(text) for text in data.splitlines()]
    assert len({message["id"] for message in messages}) == len(messages)
    return {message["id"]: message for message in messages}


CONVERSATION = line(
    ask(1, "_echo", a=1), tell(), ask(2, "nope"), {"id": 3, "method": "_echo", "params": "x" * 99}
)


def assert_answered(data: bytes) -> None:
    found = replies(data)
    assert set(found) == {1, 2, 3}
    assert found[1]["result"] == {"a": 1}
    assert found[2]["error"]["code"] == METHOD_NOT_FOUND
    assert found[3]["result"] == "x" * 99


def test_what_came_before_the_end_of_input_is_answered() -> None:
    ended = subprocess.run(AGENT, input=CONVERSATION, capture_output=True, env=ENV, timeout=GUARD)
    assert ended.returncode == 0
    assert ended.stderr == REFUSED
    assert_answered(ended.stdout)


def test_thousands_of_requests_before_the_end_of_input_are_answered() -> None:
    data = line(*(ask(number, "_echo") for number in range(5000)))
    ended = subprocess.run(AGENT, input=data, capture_output=True, env=ENV, timeout=GUARD)
    assert set(replies(ended.stdout)) == set(range(5000))


@pytest.mark.parametrize("into", ["file", "pipe"])
def test_input_may_be_a_file(into: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(CONVERSATION)
    with (tmp_path / "in").open("rb") as incoming, (tmp_path / "out").open("wb") as outgoing:
        ended = subprocess.run(
            AGENT,
            stdin=incoming,
            stdout=outgoing if into == "file" else subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENV,
            timeout=GUARD,
        )
    assert (ended.returncode, ended.stderr) == (0, REFUSED)
    assert_answered((tmp_path / "out").read_bytes() if into == "file" else ended.stdout)


def test_output_may_be_a_file(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as outgoing:
        ended = subprocess.run(AGENT, input=CONVERSATION, stdout=outgoing, env=ENV, timeout=GUARD)
    assert ended.returncode == 0
    assert_answered((tmp_path / "out").read_bytes())


def test_no_input_is_the_end() -> None:
    ended = subprocess.run(
        AGENT, stdin=subprocess.DEVNULL, capture_output=True, env=ENV, timeout=GUARD
    )
    assert (ended.returncode, ended.stdout) == (0, b"")


def test_an_error_is_answered_at_once_on_a_terminal() -> None:
    """Unlike output to a pipe, output to a terminal must be flushed."""
    import pty
    import tty

    near, far = pty.openpty()
    tty.setraw(far)
    with subprocess.Popen(
        AGENT, stdin=far, stdout=far, stderr=subprocess.DEVNULL, env=ENV
    ) as process:
        os.write(near, line(ask(1, "nope")))
        data = b""
        while data.count(b"\n") < 2:
            data += os.read(near, 1000)
        process.kill()
    os.close(near)
    os.close(far)
    printed, reply = data.splitlines()  # early output goes to a terminal at once
    assert printed == b"printed early"
    assert json.loads(reply)["error"]["code"] == METHOD_NOT_FOUND


def test_an_agent_nobody_reads_from_ends_with_its_input() -> None:
    with subprocess.Popen(
        AGENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(CONVERSATION)
        process.stdin.close()
        assert process.stderr.read() == REFUSED
        assert process.wait(GUARD) == 0


def test_a_server_that_is_cancelled_leaves_nothing_open() -> None:
    code = """
import asyncio, gc
from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio
from package.jsonrpc.loop import handler
async def main():
    asyncio.get_running_loop().slow_callback_duration = 60  # a busy machine is no news
    serving = asyncio.create_task(serve_stdio(handler(v1.AgentHandler)))
    await asyncio.sleep(0)
    serving.cancel()
    await asyncio.wait([serving])
    assert serving.cancelled()
asyncio.run(main())
gc.collect()
"""
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [*PYTHON, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(GUARD) == 0


# --- files -----------------------------------------------------------------------------------


def test_a_writer_that_is_cancelled_tears_no_message_apart() -> None:
    async def main() -> bytes:
        reading, writing = os.pipe()
        stream = FileStream(os.open(os.devnull, os.O_RDONLY), writing)
        stream.write(b"a" * 1_000_000)  # more than fits into the pipe
        first = asyncio.create_task(stream.drain())
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        stream.write(b"b" * 1000)
        closing = asyncio.create_task(stream.close())
        data = b""
        while more := await asyncio.to_thread(os.read, reading, 1 << 16):
            data += more
        await closing
        os.close(reading)
        return data

    assert run(main()) == b"a" * 1_000_000 + b"b" * 1000


def test_a_file_that_cannot_be_written_is_an_error_to_whoever_waits() -> None:
    async def main() -> None:
        reading, writing = os.pipe()
        os.close(reading)
        stream = FileStream(os.open(os.devnull, os.O_RDONLY), writing)
        stream.write(b"a")
        with pytest.raises(BrokenPipeError):
            await stream.drain()
        stream.write(b"b")
        with pytest.raises(BrokenPipeError):
            await stream.drain()
        await stream.close()

    run(main())
