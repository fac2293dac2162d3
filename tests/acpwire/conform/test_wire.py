"""Tests of reading a program's output: excess lines, unterminated lines, and waiting for lines."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp_bindings.runtime.aio import Exit
from acpwire.conform import wire
from acpwire.conform.wire import Line, wire_over

from tests.acpwire.conform.here import Stream
from tests.support import virtual_time


async def printed(*chunks: bytes) -> tuple[list[Line], str | None]:
    """Feed chunks of output to a wire and return its lines and the reason why the output ended."""
    stream: Any = Stream(lambda line: None, lambda data: [data])
    for chunk in chunks:
        stream._printed.put_nowait(chunk)
    stream.end_input()
    async with wire_over(stream, stream, 5.0) as opened:
        assert await opened.wait_end()
        return opened.lines, opened.end


async def test_too_many_lines_are_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_LINES", 3)
    lines, end = await printed(b"{}\n" * 3)
    assert (len(lines), str(end).partition(":")[0]) == (3, "the program exited with status 0")
    lines, end = await printed(b"{}\n" * 9 + b"rest")
    assert [line.text for line in lines[3:]] == ["{}", "rest"]
    assert str(end).startswith("too much output: ")


async def test_too_many_bytes_are_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_BYTES", 100)
    monkeypatch.setattr(wire, "_LONGEST_REST", 10)
    _, end = await printed(b"x" * 100)
    assert "too much output" not in str(end)
    lines, end = await printed(b"x" * 101)
    assert end == "too much output: 101 bytes, 1 lines"
    [line] = lines
    assert (line.text, line.problem) == ("x" * 10, "lacks a line break")


@pytest.mark.parametrize(
    ("exit", "is_interrupted"),
    [
        (None, False),
        (Exit(0), False),
        (Exit(130), True),
        (Exit(signal="SIGINT"), True),
        (Exit(signal="SIGTERM"), False),
    ],
)
async def test_programs_end_on_an_interrupt_with_a_signal_or_a_code(
    exit: Exit | None, is_interrupted: bool
) -> None:
    stream: Any = Stream(lambda line: None, lambda data: [data])
    async with wire_over(stream, stream, 0.01) as opened:
        stream.exit = exit
        assert opened.is_interrupted == is_interrupted


async def test_a_line_that_does_not_arrive_is_false_and_says_why() -> None:
    stream: Any = Stream(lambda line: None, lambda data: [data])
    start = asyncio.get_running_loop().time()
    async with wire_over(stream, stream, 0.01) as opened:
        line = await opened.wait(lambda line: True)
        assert (bool(line), line.text) == (False, "nothing in 0.01 s")
        stream.print(b'{"id": 1, "result": null}')
        await asyncio.sleep(0)
        line = await opened.wait(lambda line: line.answers(1))
        assert line
        assert line.has_result
        assert (line.result, line.method, line.error_code) == ({}, None, None)
        assert not line.answers("1")
        assert not line.answers(True)
        assert 0 < line.time <= asyncio.get_running_loop().time() - start


@pytest.mark.parametrize(("exit", "end"), [(Exit(0), 4.0), (None, 5.0)])
def test_the_exit_of_a_program_is_awaited(exit: Exit | None, end: float) -> None:
    async def main() -> None:
        stream: Any = Stream(lambda line: None, lambda data: [data])
        async with wire_over(stream, stream, 5.0) as opened:
            asyncio.get_running_loop().call_later(4.0, setattr, stream, "exit", exit)
            assert await opened.wait_exit() is (exit is not None)
            assert end <= asyncio.get_running_loop().time() < end + 0.5

    virtual_time.run(main(), within=10)
