"""Tests of the asyncio adapter over standard streams: pipes, files, sockets and terminals."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import METHOD_NOT_FOUND, ConnectionClosed
from acp_bindings.runtime.aio import (
    AsyncioStream,
    Exit,
    Peer,
    connect,
    connect_memory,
    connect_stdio,
    serve,
)
from acp_bindings.runtime.aio.child_process import ChildStream

from tests.package.aio.loop import GUARD, nothing_unnoticed
from tests.package.aio.processes import CLIENT, ECHO, NEVER, program, tree
from tests.package.aio.sides import TELL, agent, echo, stuck
from tests.package.jsonrpc.wire import ask, line, tell
from tests.package.session.scripted import logs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

PYTHON = [sys.executable, "-X", "dev", "-W", "error"]
AGENT = [*PYTHON, str(Path(__file__).with_name("stdio_agent.py"))]
# Enable buffering, since only buffered text can be held back until the connection starts.
ENV = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
LIVES_ON = "answer(); time.sleep(3600)"


def child(peer: Peer) -> asyncio.subprocess.Process:
    assert peer.process is not None
    return peer.process


@asynccontextmanager
async def started(
    command: list[str] = AGENT, made: Any = CLIENT, *, grace: float = NEVER, own_group: bool = True
) -> AsyncGenerator[tuple[Peer, asyncio.subprocess.Process]]:
    """Start an agent, and check at the end that its process was reaped."""
    async with connect_stdio(command, made, env=ENV, grace=grace, own_group=own_group) as peer:
        yield peer, child(peer)
    assert_gone(child(peer))


def assert_gone(process: asyncio.subprocess.Process) -> None:
    assert process.returncode is not None
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)


async def tell_much(peer: Peer) -> asyncio.Task[None]:
    """Start sending a message that is too large for the pipe to an agent that isn't reading."""
    told = asyncio.create_task(peer.notify(TELL, "x" * 1_000_000))
    await asyncio.sleep(0)
    assert not told.done()
    return told


# --- the client's side -----------------------------------------------------------------------


@pytest.mark.parametrize("own_group", [True, False])
async def test_an_agent_is_started_spoken_to_and_ends_with_its_input(own_group: bool) -> None:
    async with started(own_group=own_group) as (peer, process):
        assert await peer.request(ECHO.named("_pid"), None) == process.pid
        assert (os.getsid(process.pid) == process.pid) == own_group
        assert await peer.request(ECHO, {"a": "ä€😀"}) == {"a": "ä€😀"}
        assert process.returncode is None
        if own_group:
            await peer.close()
            assert_gone(process)
    assert process.returncode == 0


async def test_nothing_but_protocol_reaches_standard_output(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async with started() as (peer, _):
        assert await peer.request(ECHO.named("_print"), "text") is None
        assert await peer.request(ECHO.named("_input"), None) == ""
    captured = capfd.readouterr()
    assert captured.out == ""
    printed = ["printed early", "text by print", "text by write", "text by child"]
    assert captured.err.splitlines() == printed


@pytest.mark.parametrize(
    ("command", "error", "words"),
    [
        (" ".join(AGENT), TypeError, "must be a list"),
        (["./no-such-program"], FileNotFoundError, "no-such-program"),
    ],
    ids=["one string", "no program"],
)
async def test_what_cannot_be_started_is_an_error(command: Any, error: Any, words: str) -> None:
    context = connect_stdio(command, CLIENT)
    with pytest.raises(error, match=words):
        await context.__aenter__()


async def test_an_agent_that_does_not_read_is_ended_all_the_same() -> None:
    async with started(program(LIVES_ON), grace=0.1) as (peer, process):
        await peer.request(ECHO, None)
        told = await tell_much(peer)
    with pytest.raises(ConnectionClosed):
        await told
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize(
    "code",
    [
        # If the client stopped reading, this agent would block on its output and have to be killed.
        "sys.stdin.read(); sys.stdout.write('x' * 1000000)",
        "sys.stdin.read()",
    ],
    ids=["much output", "no output"],
)
async def test_a_context_that_is_left_at_once_waits_for_the_agent(code: str) -> None:
    async with started(program(code)) as (_, process):
        pass
    assert process.returncode == 0


@pytest.fixture
def heirs() -> Generator[list[int]]:
    """The ids of processes to kill when the test ends."""
    found: list[int] = []
    yield found
    for pid in found:
        os.kill(pid, signal.SIGKILL)


HEIR = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])"


async def test_a_process_that_inherits_the_pipes_does_not_keep_calls_waiting(
    heirs: list[int],
) -> None:
    command = program(f"answer({HEIR}.pid); answer()")
    async with started(command, grace=0.1, own_group=False) as (peer, process):
        heirs.append(await peer.request(ECHO, None))
        await peer.request(ECHO, None)
        with pytest.raises(ConnectionClosed):
            await peer.request(ECHO, None)
    assert process.returncode == 0


async def test_an_agent_whose_end_is_not_awaited_is_killed() -> None:
    context = connect_stdio(program(LIVES_ON), CLIENT)
    peer = await context.__aenter__()
    await peer.request(ECHO, None)
    closing = asyncio.create_task(peer._program.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await context.__aexit__(None, None, None)
    while child(peer).returncode is None:
        await asyncio.sleep(0)
    assert child(peer).returncode == -signal.SIGKILL


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
async def test_no_descriptor_is_left_open() -> None:
    async with started(program("answer(); sys.stdin.read()")):
        pass
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        async with started(program("answer(); sys.stdin.read()")) as (peer, _):
            await peer.request(ECHO, None)
    assert len(os.listdir("/proc/self/fd")) == before


# --- the agent's side ------------------------------------------------------------------------

CONVERSATION = line(
    ask(1, "_echo", a=1), tell(), ask(2, "nope"), {"id": 3, "method": "_echo", "params": "x" * 99}
)
REFUSED = b"printed early\nrejected a message (id 2): method not found: nope (-32601)\n"


def start(*command: str, **options: Any) -> subprocess.Popen[bytes]:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*PYTHON, *command], **{"env": ENV, **pipes, **options})


def end(process: subprocess.Popen[bytes], data: bytes = b"") -> tuple[int, bytes, bytes]:
    """Write the remaining input and return the exit status, the remaining output and the errors."""
    output, errors = process.communicate(data, timeout=GUARD)
    return process.returncode, output, errors


def replies(data: bytes) -> dict[Any, Any]:
    messages = [json.loads(text) for text in data.splitlines()]
    assert len({message["id"] for message in messages}) == len(messages)
    return {message["id"]: message for message in messages}


@pytest.mark.parametrize("incoming", ["pipe", "file"])
@pytest.mark.parametrize("outgoing", ["pipe", "file", "unread"])
def test_what_came_before_the_end_of_input_is_answered(
    incoming: str, outgoing: str, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(CONVERSATION)
    with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
        process = start(
            AGENT[-1],
            stdin=source if incoming == "file" else subprocess.PIPE,
            stdout=target if outgoing == "file" else subprocess.PIPE,
        )
        if outgoing == "unread":
            assert process.stdout is not None
            process.stdout.close()
            process.stdout = None
        data = CONVERSATION if incoming == "pipe" else b""
        status, output, errors = end(process, data)
    assert (status, errors) == (0, REFUSED)
    if outgoing != "unread":
        found = replies(output or (tmp_path / "out").read_bytes())
        assert set(found) == {1, 2, 3}
        assert found[1]["result"] == {"a": 1}
        assert found[2]["error"]["code"] == METHOD_NOT_FOUND
        assert found[3]["result"] == "x" * 99


def test_an_error_is_answered_at_once_on_a_terminal() -> None:
    """Unlike output to a pipe, output to a terminal must be flushed."""
    import pty
    import tty

    near, far = pty.openpty()
    tty.setraw(far)
    with start(AGENT[-1], stdin=far, stdout=far) as process:
        assert process.stderr is not None
        warning = process.stderr.readline()
        os.write(near, line(ask(1, "nope")))
        data = b""
        while data.count(b"\n") < 2:
            data += os.read(near, 1000)
        process.kill()
    assert b"standard input is a terminal; start this program from an ACP client" in warning
    os.close(near)
    os.close(far)
    printed, reply = data.splitlines()  # on a terminal, early output is not held back
    assert printed == b"printed early"
    assert json.loads(reply)["error"]["code"] == METHOD_NOT_FOUND


def test_input_and_output_may_be_one_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = start(AGENT[-1], stdin=theirs, stdout=theirs)
        theirs.close()
        ours.settimeout(GUARD)
        texts = [letter * 300_000 for letter in "abc"]
        for number, text in enumerate(texts):
            ours.sendall(line(ask(number, "_echo", text=text)))
        ours.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: ours.recv(1 << 16), b""))
    _, errors = process.communicate(timeout=GUARD)
    found = replies(received)
    assert [found[number]["result"]["text"] for number in range(3)] == texts
    assert (process.returncode, errors) == (0, b"printed early\n")


SILENT = "import asyncio; from acp_bindings import v1; from acp_bindings.runtime import aio; "
SILENT += "asyncio.run(aio.serve_stdio(v1.AgentHandler))"


@pytest.mark.parametrize(
    ("closed", "what"), [((0,), "input"), ((1,), "output"), ((0, 1, 2), "input")]
)
def test_a_program_without_input_or_output_says_so(closed: tuple[int, ...], what: str) -> None:
    command = [sys.executable, "-c", SILENT]
    code = f"import os; [os.close(n) for n in {closed}]; os.execv({command[0]!r}, {command!r})"
    status, _, errors = end(start("-c", code), line(ask(1, "_pid")))
    words = f"-c: standard {what} is closed; run this program from an ACP client\n"
    assert errors.decode() == ("" if 2 in closed else words)
    assert status == 1


def test_a_server_that_is_cancelled_leaves_nothing_open() -> None:
    code = """
import asyncio, gc
from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio
async def main():
    asyncio.get_running_loop().slow_callback_duration = 60  # a busy machine is no news
    serving = asyncio.create_task(serve_stdio(v1.AgentHandler))
    await asyncio.sleep(0)
    serving.cancel()
    await asyncio.wait([serving])
    assert serving.cancelled()
asyncio.run(main())
gc.collect()
"""
    with start("-c", code) as process:
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(GUARD) == 0


# --- signals ---------------------------------------------------------------------------------

# An agent with a handler that logs its progress on standard error.
HANDLER = """
import asyncio, sys
from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio

class Agent(v1.AgentHandler):
    def __init__(self, peer):
        pass

    async def ext_request(self, method, params):
        print("working")
        try:
            await asyncio.Event().wait()
        finally:
            print("handler ended")

try:
    asyncio.run(serve_stdio(Agent))
finally:
    print("program ended")
"""


def working(code: str) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Start the agent and its handler, and return the process and its standard error."""
    process = start("-c", code + HANDLER)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(line(ask(1)))
    process.stdin.flush()
    assert process.stderr.readline() == b"working\n"  # visible immediately
    return process, process.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_runs_finally_blocks_and_loses_no_prints(number: signal.Signals) -> None:
    # Reset the signal's handler, since programs inherit ignored signals (from nohup, for example).
    process, _ = working(f"import signal; signal.signal({int(number)}, signal.SIG_DFL)\n")
    process.send_signal(number)
    status, output, errors = end(process)
    assert errors == b"handler ended\nprogram ended\n"
    assert status == 128 + number
    assert b'"code":-32800' in output  # the request received a cancellation error


def test_signals_that_the_program_handles_itself_are_left_alone() -> None:
    own = "import os, signal; signal.signal(signal.SIGTERM, lambda *_: os.write(2, b'own' b'.'))"
    process, stderr = working(own)
    process.send_signal(signal.SIGTERM)
    assert stderr.read(4) == b"own."
    status, _, errors = end(process)
    assert (status, errors) == (0, b"handler ended\nprogram ended\n")


PIPE = asyncio.subprocess.PIPE


async def failure(peer: Peer) -> ConnectionClosed:
    with pytest.raises(ConnectionClosed) as caught:
        await peer.request(ECHO, None)
    return caught.value


# --- Exit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected", "words"),
    [
        ("sys.exit(3)", Exit(code=3), "exited with status 3"),
        ("sys.exit()", Exit(code=0), "exited with status 0"),
        ("os.kill(os.getpid(), 9)", Exit(signal="SIGKILL"), "was terminated by SIGKILL"),
        ("os.kill(os.getpid(), 35)", Exit(signal="signal 35"), "was terminated by signal 35"),
        (
            "sys.exit('bye')",
            Exit(code=1, stderr=("bye",)),
            "exited with status 1; its standard error ended with:\n    'bye'",
        ),
    ],
    ids=["status", "success", "signal", "unnamed signal", "words"],
)
async def test_each_error_of_an_end_says_how_it_was(code: str, expected: Exit, words: str) -> None:
    async def assert_told(peer: Peer) -> None:
        error = await failure(peer)
        assert error.exit == peer.exit == expected
        assert str(error) == f"the connection was closed: the agent {words}"
        with pytest.raises(ConnectionClosed) as caught:
            await peer.notify(TELL, None)
        assert caught.value.exit == expected

    command = program(f"sys.stdin.readline(); {code}")
    async with connect_stdio(command, CLIENT, stderr=PIPE) as peer:
        assert peer.exit is None
        await assert_told(peer)
        assert peer.how_ended == str(expected) == f"the agent {words}"
    await assert_told(peer)


async def test_a_notification_that_finds_the_agent_gone_says_how_it_ended() -> None:
    """A write can fail before the agent's exit is noticed."""

    async def flood(peer: Peer) -> None:
        while True:
            await peer.notify(TELL, "x" * 100_000)

    async with tree("answer(); os.kill(os.getpid(), 9)") as (peer, _):
        with pytest.raises(ConnectionClosed, match="terminated by SIGKILL") as caught:
            await flood(peer)
        assert caught.value.exit == Exit(signal="SIGKILL")


async def test_an_agent_that_has_ended_before_a_call_is_told() -> None:
    """The error reports the agent's exit even though the call could not be sent."""
    async with connect_stdio(["false"], CLIENT, stderr=PIPE) as peer:
        assert peer.process is not None
        await peer.process.wait()
        with pytest.raises(ConnectionClosed, match="the agent exited with status 1"):
            await peer.initialize()
        await peer.wait_ended()
        assert peer.how_ended == "the agent exited with status 1"


async def test_an_agent_that_serves_nothing_is_explained() -> None:
    async with connect_stdio(program("sys.stdin.readline()"), CLIENT) as peer:
        with pytest.raises(ConnectionClosed) as caught:
            await peer.initialize()
    cause = "possibly because it does not call `serve_stdio`"
    explanation = f"the agent did not respond to 'initialize', {cause}"
    assert str(caught.value) == f"{explanation}: the agent exited with status 0"
    assert caught.value.exit == Exit(code=0)


async def test_an_agent_that_closes_its_output_has_neither_code_nor_signal() -> None:
    code = "sys.stdin.readline(); os.close(1); time.sleep(3600)"
    async with connect_stdio(program(code), CLIENT, grace=NEVER) as peer:
        error = await failure(peer)
        assert error.exit == Exit()
        assert str(error).endswith(": the agent closed its output but is still running")
        assert peer.exit is None  # it runs
        await peer.close(grace=0)
        assert peer.exit == Exit(signal="SIGKILL")


async def test_an_agent_that_this_side_ends_has_an_exit() -> None:
    async with tree("answer(); sys.stdin.read(); sys.exit('bye')", stderr=PIPE) as (peer, _):
        await peer.close()
        assert peer.exit == Exit(1, stderr=("bye",))
        assert peer.how_ended == ""
        assert (await failure(peer)).exit is None  # `close` caused the failure, not the exit


async def test_without_a_program_there_is_no_exit() -> None:
    async with connect_memory(agent(), CLIENT) as peer:
        assert peer.exit is None
    assert (await failure(peer)).exit is None
    assert peer.exit is None


def test_an_error_with_an_exit_can_be_pickled() -> None:
    error = ConnectionClosed("no", exit=Exit(3, stderr=("a",)))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.exit) == ("no", Exit(3, stderr=("a",)))
    assert ConnectionClosed().exit is None


# --- standard error --------------------------------------------------------------------------


async def said(code: str) -> tuple[list[str], Exit | None]:
    """Run a program and return its lines on standard error and its `Exit`."""
    lines: list[str] = []
    async with connect_stdio(program(code), CLIENT, on_stderr=lines.append) as peer:
        await peer.wait_ended()
    return lines, peer.exit


@logs
async def test_each_line_is_passed_on_and_the_last_are_kept() -> None:
    lines, exit = await said("[print(n, file=sys.stderr) for n in range(100)]; sys.exit(4)")
    assert lines == [str(number) for number in range(100)]
    assert exit == Exit(4, stderr=tuple(lines[-10:]))


@logs
async def test_ends_of_lines_and_bad_bytes() -> None:
    lines, _ = await said(r"os.write(2, b'a\r\n\r\n\nb\rc\n\xff\xc3\n\xe2\x82\xac\nlast')")
    assert lines == ["a", "", "", "b\rc", "\ufffd\ufffd", "€", "last"]


@logs
async def test_long_lines_are_cut() -> None:
    code = "os.write(2, b'x' * 1_000_000 + b'a'); os.write(2, b'y' * 200_000 + b'b' + b'\\n'"
    lines, exit = await said(f"{code} + b'z' * 200_000 + b'\\x1b')")
    assert [(len(line), line[-1]) for line in lines] == [(1 << 16, "b"), (1 << 16, "\x1b")]
    assert exit is not None
    assert [len(line) for line in exit.stderr] == [500, 500]
    assert str(exit).endswith(r"zzz\x1b'")


@pytest.mark.parametrize(
    "error", [LookupError, asyncio.CancelledError, GeneratorExit, BaseException]
)
@logs("the on_stderr callback failed")
async def test_what_the_callable_raises_is_logged(error: type[BaseException]) -> None:
    lines: list[str] = []

    def take(line: str) -> None:
        lines.append(line)
        if line == "2":
            raise error("mine")

    code = "answer(); [print(n, file=sys.stderr) for n in range(5)]; answer()"
    async with tree(code, on_stderr=take) as (peer, _):
        await peer.request(ECHO, None)
    assert peer.exit == Exit(0, stderr=tuple("01234"))
    assert lines == [*"01234"]


def test_exits_go_through() -> None:
    def take(line: str) -> None:
        raise SystemExit(7)

    async def main() -> None:
        code = "print(1, file=sys.stderr, flush=True); sys.stdin.read()"
        async with connect_stdio(program(code), CLIENT, on_stderr=take):
            await asyncio.Event().wait()

    with nothing_unnoticed(), pytest.raises(SystemExit, match="7"):
        asyncio.run(asyncio.wait_for(main(), GUARD))


@pytest.mark.parametrize("piped", [False, True])
async def test_a_flood_never_stops_the_agent_and_is_read_to_its_end(piped: bool) -> None:
    flood = "[os.write(2, b'x' * 99 + bytes([10])) for n in range(5000)]"
    lines: list[str] = []
    code = f"{flood}; answer(); sys.stdin.read(); {flood}"
    options: Any = {"stderr": PIPE} if piped else {"on_stderr": lines.append}
    async with tree(code, grace=NEVER, **options) as (peer, _):
        pass
    assert peer.exit == Exit(0, stderr=("x" * 99,) * 10)
    assert lines == ([] if piped else ["x" * 99] * 10_000)


async def test_standard_error_may_go_elsewhere_but_not_to_two_places(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        async with connect_stdio(program("sys.exit('bye')"), CLIENT, stderr=log) as peer:
            await peer.wait_ended()
        assert (tmp_path / "log").read_text().strip() == "bye"
        context = connect_stdio(["true"], CLIENT, stderr=log, on_stderr=print)
        with pytest.raises(ValueError, match="on_stderr conflicts with a redirected stderr"):
            await context.__aenter__()
    async with connect_stdio(["true"], CLIENT, stderr=PIPE, on_stderr=print):
        pass


# --- initialize ------------------------------------------------------------------------------


async def test_an_agent_that_does_not_answer_initialize_is_told() -> None:
    heard = asyncio.Event()
    code = "print('loading', file=sys.stderr, flush=True); sys.stdin.read()"
    async with connect_stdio(program(code), CLIENT, on_stderr=lambda line: heard.set()) as peer:
        await heard.wait()
        with pytest.raises(TimeoutError) as caught:
            await peer.initialize(timeout=0.05)
        stream: Any = peer._program
        assert isinstance(stream, ChildStream)
        assert str(caught.value) == (
            f"the agent ({sys.executable!r}, process {stream.process.pid}) did not respond to "
            "'initialize' within 0.05 seconds; its standard error ended with:\n    'loading'"
        )
    assert peer.exit == Exit(0, stderr=("loading",))


async def test_another_stream_that_does_not_answer_initialize_is_told() -> None:
    async with connect_memory(agent(initialize=stuck), CLIENT) as peer:
        with pytest.raises(TimeoutError, match="the agent did not respond to 'initialize'"):
            await peer.initialize(timeout=0.01)


# --- readers and writers ---------------------------------------------------------------------


@pytest.mark.parametrize("is_local", [True, False])
async def test_a_socket_carries_a_connection(is_local: bool, tmp_path: Path) -> None:
    served: list[Any] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(asyncio.current_task())
        await serve(AsyncioStream(reader, writer), agent(ext_request=echo))

    if is_local:
        server = await asyncio.start_unix_server(accept, str(tmp_path / "socket"))
        streams = await asyncio.open_unix_connection(str(tmp_path / "socket"))
    else:
        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        streams = await asyncio.open_connection(*server.sockets[0].getsockname())
    async with server:
        async with connect(AsyncioStream(*streams), CLIENT) as peer:
            assert peer.process is None
            await v1.AgentStub(peer).initialize(v1.InitializeRequest(protocol_version=1))
            assert await peer.request(ECHO, "x" * 1_000_000) == "x" * 1_000_000
        await asyncio.wait(served)
    assert streams[1].is_closing()
