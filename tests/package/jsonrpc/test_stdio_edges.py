"""Agents on unusual standard input and output, and how they end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

import pytest
from acp_bindings.runtime.aio.stdio import FileStream
from package.jsonrpc.loop import GUARD, run
from package.jsonrpc.wire import ask, line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

AGENT = Path(__file__).with_name("stdio_agent.py")
ENV = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
# An agent whose handler tells on standard error what happens to it.
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


def start(*command: str, **options: Any) -> subprocess.Popen[bytes]:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    python = [sys.executable, "-X", "dev", "-W", "error"]
    return subprocess.Popen([*python, *command], env=ENV, **{**pipes, **options})


def read_until(file: IO[bytes] | None, word: bytes) -> bytes:
    """Read lines up to the one with a word."""
    assert file is not None
    found = b""
    while word not in found:
        text = file.readline()
        assert text, found
        found += text
    return found


def write(process: subprocess.Popen[bytes], *messages: Any) -> None:
    assert process.stdin is not None
    process.stdin.write(line(*messages))
    process.stdin.flush()


def test_input_and_output_may_be_one_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = start(str(AGENT), stdin=theirs, stdout=theirs)
        theirs.close()
        ours.settimeout(GUARD)
        texts = [letter * 300_000 for letter in "abc"]
        for number, text in enumerate(texts):
            ours.sendall(line(ask(number, "_echo", text=text)))
        ours.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: ours.recv(1 << 16), b""))
    _, errors = process.communicate(timeout=GUARD)
    assert received.count(b"\n") == 3
    for text in texts:
        assert f'"text":"{text}"'.encode() in received
    assert (process.returncode, errors) == (0, b"printed early\n")


SILENT = "import asyncio; from acp_bindings import v1; from acp_bindings.runtime import aio; "
SILENT += "asyncio.run(aio.serve_stdio(v1.AgentHandler))"


@pytest.mark.parametrize(
    ("closed", "what"), [((0,), "input"), ((1,), "output"), ((0, 1, 2), "input")]
)
def test_a_program_without_input_or_output_says_so(closed: tuple[int, ...], what: str) -> None:
    agent = [sys.executable, "-c", SILENT]
    code = f"import os; [os.close(n) for n in {closed}]; os.execv({agent[0]!r}, {agent!r})"
    process = start("-c", code)
    _, errors = process.communicate(line(ask(1, "_pid")), timeout=GUARD)
    words = f"-c: started without standard {what}, which a client talks to\n"
    assert errors.decode() == ("" if 2 in closed else words)
    assert process.returncode == 1


def test_what_a_handler_prints_is_seen_at_once() -> None:
    process = start("-c", HANDLER)
    write(process, ask(1))
    assert read_until(process.stderr, b"working") == b"working\n"
    process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_runs_finally_blocks_and_loses_no_prints(number: signal.Signals) -> None:
    # Under nohup, for example, programs inherit that the signal is ignored.
    process = start(
        "-c", f"import signal; signal.signal({int(number)}, signal.SIG_DFL)\n" + HANDLER
    )
    write(process, ask(1))
    read_until(process.stderr, b"working")
    process.send_signal(number)
    output, errors = process.communicate(timeout=GUARD)
    assert errors == b"handler ended\nprogram ended\n"
    assert process.returncode == 128 + number
    assert b'"code":-32800' in output  # the request got its response


def test_signals_that_the_program_handles_itself_are_left_alone() -> None:
    own = "import os, signal; signal.signal(signal.SIGTERM, lambda *_: os.write(2, b'own' b'.'))"
    process = start("-c", own + HANDLER)
    write(process, ask(1))
    read_until(process.stderr, b"working")
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert process.stderr.read(4) == b"own."
    _, errors = process.communicate(timeout=GUARD)
    assert errors == b"handler ended\nprogram ended\n"
    assert process.returncode == 0


def test_a_file_stream_closes_both_descriptors() -> None:
    async def main() -> None:
        mine, input_ = socket.socketpair()
        output = os.open(os.devnull, os.O_WRONLY)
        descriptor = input_.detach()
        stream = FileStream(descriptor, output)
        mine.sendall(b"some")
        assert await stream.read() == b"some"
        reading = asyncio.create_task(stream.read())
        await asyncio.sleep(0)
        await stream.close()
        mine.close()  # ends the read in the thread, which closes the input
        await asyncio.wait([reading])
        deadline = time.monotonic() + GUARD
        while is_open(descriptor) and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
        assert not is_open(descriptor)
        assert not is_open(output)

    run(main())


def test_a_file_stream_that_is_not_read_closes_its_input() -> None:
    async def main() -> None:
        input_, output = os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
        stream = FileStream(input_, output)
        await stream.close()
        assert await stream.read() == b""
        assert not is_open(input_)

    run(main())


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
