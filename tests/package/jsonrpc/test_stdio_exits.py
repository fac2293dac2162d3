"""How the program of an agent has ended, as data, and what it says on standard error."""

from __future__ import annotations

import asyncio
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import ConnectionClosed
from acp_bindings.runtime.aio import Exit, Peer, connect_memory, connect_stdio
from acp_bindings.runtime.aio.child import ChildStream
from package.jsonrpc.loop import handler, run
from package.jsonrpc.processes import CLIENT, ECHO, NEVER, program, tree
from package.session.scripted import run as run_quietly

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

PIPE = asyncio.subprocess.PIPE
TELL = v1.EXTENSIONS["agent", "notification"].named("_tell")


async def flood(peer: Peer) -> None:
    while True:
        await peer.notify(TELL, "x" * 100_000)


async def failure(peer: Peer) -> ConnectionClosed:
    with pytest.raises(ConnectionClosed) as caught:
        await peer.request(ECHO, None)
    return caught.value


# --- Exit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("sys.exit(3)", Exit(code=3)),
        ("sys.exit()", Exit(code=0)),
        ("os.kill(os.getpid(), 9)", Exit(signal="SIGKILL")),
        ("os.kill(os.getpid(), 35)", Exit(signal="signal 35")),
        ("sys.exit('bye')", Exit(code=1, stderr=("bye",))),
    ],
    ids=str,
)
def test_each_error_of_an_end_says_how_it_was(code: str, expected: Exit) -> None:
    async def main() -> None:
        async with connect_stdio(
            program(f"sys.stdin.readline(); {code}"), CLIENT, stderr=PIPE
        ) as peer:
            assert peer.exit is None
            error = await failure(peer)
            assert error.exit == peer.exit == expected
            assert str(error) == f"the connection was closed: {expected}"
            assert peer.how_ended == str(expected)
            assert (await failure(peer)).exit == expected
            with pytest.raises(ConnectionClosed) as caught:
                await peer.notify(TELL, None)
            assert caught.value.exit == expected
        assert (await failure(peer)).exit == peer.exit == expected
        with pytest.raises(ConnectionClosed) as caught:
            await peer.notify(TELL, None)
        assert caught.value.exit == expected

    run(main())


def test_a_notification_that_finds_the_agent_gone_says_how_it_ended() -> None:
    """Before its end was noticed: nothing has been read."""

    async def main() -> None:
        async with tree("answer(); os.kill(os.getpid(), 9)") as (peer, _):
            with pytest.raises(ConnectionClosed, match="ended by SIGKILL") as caught:
                await flood(peer)
            assert caught.value.exit == Exit(signal="SIGKILL")

    run(main())


def test_an_agent_that_closes_its_output_has_neither_code_nor_signal() -> None:
    async def main() -> None:
        code = "sys.stdin.readline(); os.close(1); time.sleep(3600)"
        async with connect_stdio(program(code), CLIENT, grace=NEVER) as peer:
            error = await failure(peer)
            assert error.exit == Exit()
            assert peer.exit is None  # it runs
            await peer.close(grace=0)
            assert peer.exit == Exit(signal="SIGKILL")

    run(main())


def test_an_agent_that_this_side_ends_has_an_exit() -> None:
    async def main() -> None:
        async with tree("answer(); sys.stdin.read(); sys.exit('bye')", stderr=PIPE) as (peer, _):
            await peer.close()
            assert peer.exit == Exit(1, stderr=("bye",))
            assert peer.how_ended == ""
            assert (await failure(peer)).exit is None  # this is not why it fails

    run(main())


def test_without_a_program_there_is_no_exit() -> None:
    async def main() -> None:
        async with connect_memory(handler(v1.AgentHandler), CLIENT) as peer:
            assert peer.exit is None
        assert (await failure(peer)).exit is None
        assert peer.exit is None

    run(main())


def test_an_error_with_an_exit_can_be_pickled() -> None:
    error = ConnectionClosed("no", exit=Exit(3, stderr=("a",)))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.exit) == ("no", Exit(3, stderr=("a",)))
    assert ConnectionClosed().exit is None


# --- standard error --------------------------------------------------------------------------


def said(code: str) -> tuple[list[str], Exit | None]:
    """What a program tells on standard error, line by line, and how it has ended."""
    lines: list[str] = []

    async def main() -> Exit | None:
        # With stderr, the text of Python is only buffered until the end of a line.
        async with connect_stdio(program(code), CLIENT, on_stderr=lines.append) as peer:
            await peer.wait_ended()
        return peer.exit

    return lines, run_quietly(main())


def test_each_line_is_passed_on_and_the_last_are_kept() -> None:
    lines, exit = said("[print(n, file=sys.stderr) for n in range(100)]; sys.exit(4)")
    assert lines == [str(number) for number in range(100)]
    assert exit == Exit(4, stderr=tuple(lines[-10:]))


def test_lines_are_passed_on_while_the_agent_runs() -> None:
    async def main() -> None:
        told: asyncio.Queue[str] = asyncio.Queue()
        code = "sys.stderr.write('now' + chr(10)); sys.stderr.flush(); answer(); answer()"
        async with tree(code, on_stderr=told.put_nowait) as (peer, _):
            assert await told.get() == "now"
            await peer.request(ECHO, None)

    run(main())


def test_ends_of_lines_and_bad_bytes() -> None:
    lines, _ = said(r"os.write(2, b'a\r\n\r\n\nb\rc\n\xff\xc3\n\xe2\x82\xac\nlast')")
    assert lines == ["a", "", "", "b\rc", "\ufffd\ufffd", "€", "last"]


def test_long_lines_are_cut() -> None:
    code = "os.write(2, b'x' * 1_000_000 + b'a'); os.write(2, b'y' * 200_000 + b'b' + b'\\n'"
    lines, exit = said(f"{code} + b'z' * 200_000)")
    assert [(len(line), line[-1]) for line in lines] == [(1 << 16, "b"), (1 << 16, "z")]
    assert exit is not None
    assert [len(line) for line in exit.stderr] == [500, 500]


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


def test_a_flood_never_stops_the_agent_and_is_read_to_its_end() -> None:
    flood = "[os.write(2, b'x' * 99 + bytes([10])) for n in range(5000)]"
    count = 0

    def take(line: str) -> None:
        nonlocal count
        count += 1
        assert line == "x" * 99

    async def main() -> None:
        code = f"{flood}; answer(); sys.stdin.read(); {flood}"
        async with tree(code, on_stderr=take, grace=NEVER) as (peer, _):
            pass
        assert peer.exit == Exit(0, stderr=("x" * 99,) * 10)

    run_quietly(main())
    assert count == 10_000


def test_standard_error_cannot_go_to_two_places(tmp_path: Path) -> None:
    async def main() -> None:
        with (tmp_path / "log").open("wb") as log:
            context = connect_stdio(["true"], CLIENT, stderr=log, on_stderr=print)
            with pytest.raises(ValueError, match="on_stderr gets the lines"):
                await context.__aenter__()
        async with connect_stdio(["true"], CLIENT, stderr=PIPE, on_stderr=print):
            pass

    run(main())


# --- initialize ------------------------------------------------------------------------------


def test_an_agent_that_does_not_answer_initialize_is_told() -> None:
    async def main() -> None:
        heard = asyncio.Event()
        code = "print('loading', file=sys.stderr, flush=True); sys.stdin.read()"
        async with connect_stdio(program(code), CLIENT, on_stderr=lambda line: heard.set()) as peer:
            await heard.wait()
            with pytest.raises(TimeoutError) as caught:
                await peer.initialize(timeout=0.05)
            stream: Any = peer._stream
            assert isinstance(stream, ChildStream)
            who = f"the agent ({sys.executable!r}, process {stream.process.pid})"
            assert str(caught.value) == (
                f"{who} has not answered 'initialize' within 0.05 seconds; "
                "its standard error ended with:\n    'loading'"
            )
        assert peer.exit == Exit(0, stderr=("loading",))

    run(main())


def test_an_agent_that_exits_before_it_answers_initialize_is_told() -> None:
    async def main() -> None:
        for code in ("sys.exit(3)", "sys.stdin.readline(); sys.exit(3)"):
            async with connect_stdio(program(code), CLIENT) as peer:
                with pytest.raises(ConnectionClosed, match="exited with status 3") as caught:
                    await peer.initialize(timeout=NEVER)
                assert caught.value.exit == Exit(3)

    run(main())


def test_another_stream_that_does_not_answer_initialize_is_told() -> None:
    async def wait(peer: Peer, params: Any) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        agent = handler(v1.AgentHandler, initialize=wait)
        async with connect_memory(agent, CLIENT) as peer:
            with pytest.raises(TimeoutError, match="the agent has not answered 'initialize'"):
                await peer.initialize(timeout=0.01)

    run(main())
