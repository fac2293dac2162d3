"""Tests of agents with standard streams that are closed, are full, or fail later."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest
from acp_bindings.runtime.aio import stdio

from tests.package.aio.agent_programs import Program, agent
from tests.package.aio.loop import GUARD
from tests.package.jsonrpc.wire import ask, initialize, line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="redirects with sh")

PRINT = """
print("printed")
print("printed", file=sys.stderr, flush=True)
sys.stderr.write("written")
await session.say("at work")
"""
INPUT = line(initialize(1), ask(1, "session/new", cwd="/", mcpServers=[]))
FULL = "/dev/full"
needs_full = pytest.mark.skipif(not Path(FULL).exists(), reason="no full device")
UNWRITTEN = f"agent.py: cannot write standard output: {os.strerror(errno.ENOSPC)}\n"


# --- output ----------------------------------------------------------------------------------


@needs_full
@pytest.mark.parametrize("source", ["pipe", "file"])
def test_output_that_cannot_be_written_is_an_error(source: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(INPUT)
    shell = f"> {FULL}" + (f" < {tmp_path / 'in'}" if source == "file" else "")
    with Program(tmp_path, agent("pass"), shell=shell) as program:
        if source == "pipe":
            program.write(initialize(1))
        assert program.end() == (1, UNWRITTEN)


@needs_full
def test_an_agent_that_cannot_write_does_not_wait_for_its_input(tmp_path: Path) -> None:
    with Program(tmp_path, agent("pass"), shell=f"> {FULL}") as program:
        program.write(initialize(1))
        assert program.process.wait(GUARD) == 1
        assert program.end() == (1, UNWRITTEN)


@needs_full
@pytest.mark.parametrize("errors", [f"2> {FULL}", "2>&-"])
def test_output_that_cannot_be_written_is_an_error_even_if_nothing_can(
    errors: str, tmp_path: Path
) -> None:
    with Program(tmp_path, agent("pass"), shell=f"> {FULL} {errors}") as program:
        program.write(initialize(1))
        assert program.end() == (1, "")


@pytest.mark.parametrize("target", ["pipe", "file"])
def test_output_that_the_client_does_not_want_is_no_error(target: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(INPUT)
    shell = f"< {tmp_path / 'in'}" if target == "file" else ""
    with Program(tmp_path, agent("pass"), shell=shell) as program:
        assert program.process.stdout is not None
        program.process.stdout.close()
        program.process.stdout = None
        if target == "pipe":
            program.write(initialize(1))
        assert program.end() == (0, "")


def test_input_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with Program(tmp_path, agent("pass"), shell=f"0> {tmp_path / 'file'}") as program:
        reason = os.strerror(errno.EBADF)
        assert program.end() == (1, f"agent.py: cannot read standard input: {reason}\n")


async def test_an_output_that_fails_as_it_is_closed_is_a_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (incoming, source), (sink, outgoing) = os.pipe(), os.pipe()
    close = os.close

    def fail(descriptor: int) -> None:
        close(descriptor)
        if descriptor == outgoing:
            raise OSError(errno.EDQUOT, "too much")

    stream = stdio.FileStream(incoming, outgoing)
    monkeypatch.setattr(os, "close", fail)
    await stream.close()
    monkeypatch.undo()
    os.close(source)
    os.close(sink)
    assert stream.problem == "cannot write standard output: too much"


@pytest.mark.parametrize("is_closed", [True, False])
async def test_nothing_is_read_after_the_end_or_a_problem(is_closed: bool) -> None:
    (incoming, source), (sink, outgoing) = os.pipe(), os.pipe()
    os.write(source, b"unread")
    stream = stdio.FileStream(incoming, outgoing)
    if is_closed:
        await stream.close()
        problem = None
    else:
        stream.problem = problem = "cannot write standard output: too much"
    assert await stream.read() == b""
    assert stream.problem == problem
    await stream.close()
    os.close(source)
    os.close(sink)


# --- standard error --------------------------------------------------------------------------


@pytest.mark.parametrize("errors", ["2>&-", pytest.param(f"2> {FULL}", marks=needs_full)])
def test_text_that_standard_error_cannot_take_is_dropped(errors: str, tmp_path: Path) -> None:
    with Program(tmp_path, agent(PRINT), shell=errors) as program:
        program.open()
        for _ in range(3):
            assert program.finish_turn()["result"] == {"stopReason": "end_turn"}
        assert program.end() == (0, "")


def test_text_is_dropped_when_the_client_closes_standard_error(tmp_path: Path) -> None:
    with Program(tmp_path, agent(PRINT)) as program:
        program.open()
        program.finish_turn()
        assert program.process.stderr is not None
        program.process.stderr.close()
        program.process.stderr = None
        for _ in range(3):
            assert program.finish_turn()["result"] == {"stopReason": "end_turn"}
        assert program.end()[0] == 0


def test_without_standard_error_no_other_descriptor_gets_text(tmp_path: Path) -> None:
    """If standard error is closed, the first file that the program opens gets descriptor 2."""
    head = f"import os\nfile = open({str(tmp_path / 'file')!r}, 'w')\nassert file.fileno() == 2\n"
    turn = f"{PRINT}\nos.write(1, b'by descriptor')\nfile.write('own')"
    with Program(tmp_path, agent(turn, head=head), shell="2>&-") as program:
        program.open()
        assert "result" in program.finish_turn()
        program.end()
    assert (tmp_path / "file").read_text() == "own"


def test_without_standard_error_or_input_no_other_descriptor_gets_text(tmp_path: Path) -> None:
    head = "\n".join(f"f{n} = open({str(tmp_path / str(n))!r}, 'w')" for n in range(4))
    with Program(tmp_path, agent("pass", head=head), shell="0<&- 2>&-") as program:
        assert program.end()[0] == 1
    assert [(tmp_path / str(n)).read_text() for n in range(4)] == [""] * 4


def test_the_protocol_does_not_get_the_descriptor_of_standard_error(tmp_path: Path) -> None:
    """C code can write to descriptor 2 even if Python has no standard error."""
    head = "import os\nloop = asyncio.new_event_loop()\nos.close(2)\n"
    head += "sys.stderr = sys.__stderr__ = None"
    turn = "os.write(2, b'not JSON\\n')\nawait session.say('at work')"
    code = agent(turn, head=head).replace("asyncio.run", "loop.run_until_complete")
    with Program(tmp_path, code) as program:
        program.open()
        assert "result" in program.finish_turn()
        assert program.end() == (0, "")
