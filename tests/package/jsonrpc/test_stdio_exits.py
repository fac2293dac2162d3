"""How the agent of a client has ended, what it told on standard error, and streams of others."""

from __future__ import annotations

import asyncio
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import (
    AsyncioStream,
    Exit,
    Peer,
    connect,
    connect_memory,
    connect_stdio,
    serve,
)
from acp_bindings.runtime.aio.child import ChildStream
from package.jsonrpc.aio_sides import TELL, agent, echo, stuck
from package.jsonrpc.loop import run
from package.jsonrpc.processes import CLIENT, ECHO, NEVER, program, tree
from package.session.scripted import Version, each_version
from package.session.scripted import run as run_quietly

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

AGENT = Path(__file__).with_name("stdio_agent.py")
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
        ("os.kill(os.getpid(), 9)", Exit(signal="SIGKILL"), "was ended by SIGKILL"),
        ("os.kill(os.getpid(), 35)", Exit(signal="signal 35"), "was ended by signal 35"),
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
    """Before its end was noticed: nothing has been read."""

    async def flood(peer: Peer) -> None:
        while True:
            await peer.notify(TELL, "x" * 100_000)

    async with tree("answer(); os.kill(os.getpid(), 9)") as (peer, _):
        with pytest.raises(ConnectionClosed, match="ended by SIGKILL") as caught:
            await flood(peer)
        assert caught.value.exit == Exit(signal="SIGKILL")


async def test_an_agent_that_has_ended_before_a_call_is_told() -> None:
    """Though the call could not even be sent."""
    async with connect_stdio(["false"], CLIENT, stderr=PIPE) as peer:
        assert peer.process is not None
        await peer.process.wait()
        with pytest.raises(ConnectionClosed, match="the agent exited with status 1"):
            await peer.initialize()
        await peer.wait_ended()
        assert peer.how_ended == "the agent exited with status 1"


async def test_an_agent_that_closes_its_output_has_neither_code_nor_signal() -> None:
    code = "sys.stdin.readline(); os.close(1); time.sleep(3600)"
    async with connect_stdio(program(code), CLIENT, grace=NEVER) as peer:
        error = await failure(peer)
        assert error.exit == Exit()
        assert str(error).endswith(": the agent has closed its output, but still runs")
        assert peer.exit is None  # it runs
        await peer.close(grace=0)
        assert peer.exit == Exit(signal="SIGKILL")


async def test_an_agent_that_this_side_ends_has_an_exit() -> None:
    async with tree("answer(); sys.stdin.read(); sys.exit('bye')", stderr=PIPE) as (peer, _):
        await peer.close()
        assert peer.exit == Exit(1, stderr=("bye",))
        assert peer.how_ended == ""
        assert (await failure(peer)).exit is None  # this is not why it fails


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


TURN = """
import asyncio
from acp_bindings import {name}
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.{name}.agent_session import SessionAgent
class Agent(SessionAgent):
    async def turn(self, session, params):
        os._exit(7)
asyncio.run(serve_stdio(Agent))
"""


@each_version
async def test_a_turn_tells_how_the_agent_has_ended(version: Version) -> None:
    surface, live = version.surface, version.client
    async with connect_stdio(program(TURN.format(name=version)), live.SessionClient) as peer:
        await peer.initialize()
        opening = surface.decode(surface.NewSessionRequest, {"cwd": "/", "mcpServers": []})
        session = await live.ClientSession.create(peer, opening)
        turn = session.prompt("Go")
        with pytest.raises(ConnectionClosed, match="the agent exited with status 7"):
            async with turn:
                pass


# --- standard error --------------------------------------------------------------------------


def said(code: str) -> tuple[list[str], Exit | None]:
    """What a program tells on standard error, line by line, and how it has ended."""
    lines: list[str] = []

    async def main() -> Exit | None:
        async with connect_stdio(program(code), CLIENT, on_stderr=lines.append) as peer:
            await peer.wait_ended()
        return peer.exit

    return lines, run_quietly(main())


def test_each_line_is_passed_on_and_the_last_are_kept() -> None:
    lines, exit = said("[print(n, file=sys.stderr) for n in range(100)]; sys.exit(4)")
    assert lines == [str(number) for number in range(100)]
    assert exit == Exit(4, stderr=tuple(lines[-10:]))


def test_ends_of_lines_and_bad_bytes() -> None:
    lines, _ = said(r"os.write(2, b'a\r\n\r\n\nb\rc\n\xff\xc3\n\xe2\x82\xac\nlast')")
    assert lines == ["a", "", "", "b\rc", "\ufffd\ufffd", "€", "last"]


def test_long_lines_are_cut() -> None:
    code = "os.write(2, b'x' * 1_000_000 + b'a'); os.write(2, b'y' * 200_000 + b'b' + b'\\n'"
    lines, exit = said(f"{code} + b'z' * 200_000 + b'\\x1b')")
    assert [(len(line), line[-1]) for line in lines] == [(1 << 16, "b"), (1 << 16, "\x1b")]
    assert exit is not None
    assert [len(line) for line in exit.stderr] == [500, 500]
    assert str(exit).endswith(r"zzz\x1b'")


@pytest.mark.parametrize(
    "error", [LookupError, asyncio.CancelledError, GeneratorExit, BaseException]
)
def test_what_the_callable_raises_is_logged(error: type[BaseException]) -> None:
    lines: list[str] = []

    def take(line: str) -> None:
        lines.append(line)
        if line == "2":
            raise error("mine")

    async def main() -> None:
        code = "answer(); [print(n, file=sys.stderr) for n in range(5)]; answer()"
        async with tree(code, on_stderr=take) as (peer, _):
            await peer.request(ECHO, None)
        assert peer.exit == Exit(0, stderr=tuple("01234"))

    run_quietly(main(), "the callback of standard error failed")
    assert lines == [*"01234"]


def test_exits_go_through() -> None:
    def take(line: str) -> None:
        raise SystemExit(7)

    async def main() -> None:
        code = "print(1, file=sys.stderr, flush=True); sys.stdin.read()"
        async with connect_stdio(program(code), CLIENT, on_stderr=take):
            await asyncio.Event().wait()

    with pytest.raises(SystemExit, match="7"):
        run(main())


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
        with pytest.raises(ValueError, match="on_stderr gets the lines"):
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
        stream: Any = peer._stream
        assert isinstance(stream, ChildStream)
        assert str(caught.value) == (
            f"the agent ({sys.executable!r}, process {stream.process.pid}) has not answered "
            "'initialize' within 0.05 seconds; its standard error ended with:\n    'loading'"
        )
    assert peer.exit == Exit(0, stderr=("loading",))


@pytest.mark.parametrize("code", ["sys.exit(3)", "sys.stdin.readline(); sys.exit(3)"])
async def test_an_agent_that_exits_before_it_answers_initialize_is_told(code: str) -> None:
    async with connect_stdio(program(code), CLIENT) as peer:
        with pytest.raises(ConnectionClosed, match="exited with status 3") as caught:
            await peer.initialize(timeout=NEVER)
        assert caught.value.exit == Exit(3)


async def test_another_stream_that_does_not_answer_initialize_is_told() -> None:
    async with connect_memory(agent(initialize=stuck), CLIENT) as peer:
        with pytest.raises(TimeoutError, match="the agent has not answered 'initialize'"):
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


async def test_a_program_that_is_already_started_can_be_the_agent() -> None:
    command = [sys.executable, str(AGENT)]
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    async with connect(AsyncioStream(process.stdout, process.stdin), CLIENT) as peer:
        assert await peer.request(ECHO, [1]) == [1]
    assert await process.wait() == 0  # its input has ended
