"""Tests of agents with standard streams that are closed, are full, or fail later."""

from __future__ import annotations

import errno
import io
import os
import socket
import sys
from pathlib import Path

import pytest
from acp_bindings.runtime.aio import AsyncioStream, memory_streams, stdio

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


# --- in this process -------------------------------------------------------------------------


class Standard:
    """Standard input, output and error as pipes or files, and the opposite ends of the pipes."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kept = [os.dup(number) for number in range(3)]
        (self.incoming, self.source), (self.sink, self.outgoing) = os.pipe(), os.pipe()
        self.errors, errors = os.pipe()
        if kind == "file":
            (folder / "in").write_bytes(b"input")
            os.close(self.incoming)
            self.incoming = os.open(folder / "in", os.O_RDONLY)
        elif kind == "socket":
            os.close(self.outgoing)
            os.close(self.sink)
            os.close(self.source)
            os.close(self.incoming)
            ours, theirs = socket.socketpair()
            self.source, self.incoming = ours.detach(), theirs.detach()
            self.sink, self.outgoing = os.dup(self.source), os.dup(self.incoming)
        for number, descriptor in enumerate((self.incoming, self.outgoing, errors)):
            os.dup2(descriptor, number)
            os.close(descriptor)

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None:
        for number, descriptor in enumerate(self.kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
        for descriptor in (self.source, self.sink, self.errors):
            os.close(descriptor)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("pipe", AsyncioStream), ("socket", AsyncioStream), ("file", stdio.FileStream)],
)
async def test_the_protocol_has_standard_input_and_output_to_itself(
    kind: str, expected: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standard, ended = Standard(kind, tmp_path), list[str]()
    with standard, open(1, "w", closefd=False) as output, open(2, "w", closefd=False) as errors:
        monkeypatch.setattr(sys, "stdout", output)
        monkeypatch.setattr(sys, "stderr", errors)
        print("early")
        stream = await stdio.open_stdio(lambda: ended.append("end"))
        assert type(stream) is expected
        print("printed")
        print("warned", file=sys.stderr, flush=True)
        assert sys.stdout.write("written\n") == 8
        os.write(1, b"by descriptor\n")
        assert os.read(0, 10) == b""
        stream.write(b"output")
        await stream.drain()
        assert os.read(standard.sink, 100) == b"output"
        said = b"early\nprinted\nwarned\nwritten\nby descriptor\n"
        assert os.read(standard.errors, 1000) == said
        if kind != "file":
            os.write(standard.source, b"input")
        assert await stream.read() == b"input"
        assert ended == []
        if kind == "pipe":
            standard.source = os.dup2(standard.sink, standard.source)
        elif kind == "socket":
            with socket.socket(fileno=os.dup(standard.source)) as both:
                both.shutdown(socket.SHUT_WR)
        assert await stream.read() == b""
        assert "end" in ended
        await stream.close()


@pytest.mark.parametrize(
    ("name", "what"), [("__stdin__", "standard input"), ("__stdout__", "standard output")]
)
async def test_a_missing_standard_stream_ends_the_program(
    name: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, name, None)
    monkeypatch.setattr(sys, "argv", ["folder/agent.py"])
    with pytest.raises(SystemExit) as caught:
        await stdio.open_stdio()
    assert caught.value.code == f"agent.py: {what} is closed; run this program from an ACP client"
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(SystemExit) as caught:
        await stdio.open_stdio()
    assert caught.value.code == 1


async def test_only_a_problem_of_a_stream_ends_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["folder/agent.py"])
    stdio.check_stdio(memory_streams()[0])
    (incoming, source), (sink, outgoing) = os.pipe(), os.pipe()
    stream = stdio.FileStream(source, outgoing)  # an input that cannot be read
    stdio.check_stdio(stream)
    assert await stream.read() == b""
    os.close(sink)
    stream.write(b"text")
    with pytest.raises(BrokenPipeError):
        await stream.drain()
    await stream.close()
    os.close(incoming)
    with pytest.raises(SystemExit) as caught:
        stdio.check_stdio(stream)
    reason = os.strerror(errno.EBADF)
    assert caught.value.code == f"agent.py: cannot read standard input: {reason}"


@pytest.mark.parametrize(
    ("error", "is_terminal", "expected"),
    [
        (BrokenPipeError(errno.EPIPE, ""), False, True),
        (ConnectionResetError(errno.ECONNRESET, ""), False, True),
        (OSError(errno.EIO, ""), True, True),
        (OSError(errno.EIO, ""), False, False),
        (OSError(errno.EINVAL, ""), True, False),
        (OSError(errno.ENOSPC, ""), True, False),
    ],
)
def test_a_closed_terminal_or_pipe_is_no_problem(
    error: OSError, is_terminal: bool, expected: bool
) -> None:
    near, far = os.openpty() if is_terminal else os.pipe()
    assert stdio._is_closed_by_peer(error, far) is expected
    os.close(near)
    os.close(far)


def test_a_failed_disk_that_is_closed_is_a_problem() -> None:
    near, far = os.pipe()
    os.close(near)
    os.close(far)
    assert not stdio._is_closed_by_peer(OSError(errno.EIO, ""), far)


@pytest.mark.parametrize(("platform", "expected"), [("win32", True), ("linux", False)])
def test_on_windows_an_invalid_argument_is_a_broken_pipe(
    platform: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert stdio._is_closed_by_peer(OSError(errno.EINVAL, ""), 0) is expected


@pytest.mark.parametrize("error", [BlockingIOError, OSError])
def test_text_is_dropped_for_good_unless_the_reader_is_slow(
    error: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced: list[int] = []
    closed: list[int] = []
    monkeypatch.setattr(os, "dup2", lambda nothing, number: replaced.extend((nothing, number)))
    close = os.close
    monkeypatch.setattr(os, "close", closed.append)
    with stdio._dropping():
        raise error
    monkeypatch.undo()
    if error is BlockingIOError:
        assert replaced == closed == []
    else:
        [nothing] = closed
        assert replaced == [nothing, 1, nothing, 2]
        close(nothing)


@pytest.mark.parametrize("way", ["end", "error"])
@pytest.mark.parametrize("is_told", [True, False])
async def test_the_end_of_input_is_told(way: str, is_told: bool) -> None:
    told: list[str] = []
    reader = stdio._EndingReader((lambda: told.append("end")) if is_told else None)
    reader.feed_data(b"input")
    assert told == []
    if way == "end":
        reader.feed_eof()
        assert await reader.read() == b"input"
    else:
        reader.set_exception(ConnectionResetError())
        with pytest.raises(ConnectionResetError):
            await reader.read()
    assert told == ["end"] * is_told


def test_only_standard_output_and_error_are_replaced(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file, open(2, "w", closefd=False) as errors:
        for other in (None, io.StringIO(), file, object()):
            assert stdio._Text.over(other) is other
        replaced = stdio._Text.over(errors)
        assert isinstance(replaced, stdio._Text)
        assert (replaced.fileno(), replaced.encoding) == (2, errors.encoding)
    assert stdio._Text.over(file) is file  # closed
