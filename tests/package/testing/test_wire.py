"""Tests that a wire forwards non-message lines unchanged and has a time limit for every wait."""

from __future__ import annotations

import sys

import pytest
from acp_bindings.runtime.aio import memory_streams
from acp_bindings.testing import Ended, Silent, Wire

PROGRAM = "import sys; print(sys.stdin.readline() + '{]'); print(end='half'); sys.exit(3)"


async def test_lines_pass_as_they_are() -> None:
    near, far = memory_streams()
    async with Wire(near) as one, Wire(far) as other:
        await one.send_bytes(b'{"id": 1}\n{oops\n{"id":')
        await one.send(b" 2}")
        lines = [await other.receive() for _ in range(3)]
        assert [line.line for line in lines] == [b'{"id": 1}', b"{oops", b'{"id": 2}']
        assert [line.message for line in lines] == [{"id": 1}, None, {"id": 2}]


async def test_a_line_that_is_wanted_leaves_the_others() -> None:
    near, far = memory_streams()
    async with Wire(near) as one, Wire(far) as other:
        for message in (1, 2, 3):
            await one.send(message)
        assert (await other.receive(lambda message: message == 2)).message == 2
        assert [(await other.receive()).message for _ in range(2)] == [1, 3]


async def test_a_program_that_ends_tells_how() -> None:
    async with await Wire.start([sys.executable, "-c", PROGRAM]) as wire:
        await wire.send({"id": 1})
        assert [(await wire.receive()).message for _ in range(2)] == [{"id": 1}, None]
        with pytest.raises(Ended, match="exited with status 3"):
            await wire.receive()
        exit = await wire.wait_end()
        assert exit is not None
        assert exit.code == 3
        assert wire.passed[-1].line == b"half"


async def test_closed_stream_without_a_program_is_reported() -> None:
    near, far = memory_streams()
    async with Wire(near) as wire:
        await far.close()
        with pytest.raises(Ended) as caught:
            await wire.receive()
        assert str(caught.value) == "the connection closed; no lines were sent or received"


async def test_silence_is_told_with_the_last_lines() -> None:
    near, _ = memory_streams(room=1)
    async with Wire(near, timeout=0.01) as wire:
        with pytest.raises(
            Silent, match=r"0\.01 s waiting for the peer to read; the last lines:\n  → 12"
        ):
            await wire.send(12)
        with pytest.raises(Silent, match=r"timed out after 0\.02 s waiting for a message"):
            await wire.receive(timeout=0.02)
        with pytest.raises(Silent, match="waiting for the peer to close"):
            await wire.wait_end()


async def test_silence_is_told_even_without_lines() -> None:
    near, _ = memory_streams()
    async with Wire(near) as wire:
        with pytest.raises(Silent) as caught:
            await wire.receive(timeout=0)
    assert str(caught.value).endswith("a message; no lines were sent or received")


async def test_the_last_lines_are_cut() -> None:
    near, _ = memory_streams()
    async with Wire(near) as wire:
        for number in range(6):
            await wire.send(number)
        await wire.send("x" * 158)
        await wire.send("x" * 159)
        lines = wire.told("Why").splitlines()
    numbers = [f"  → {number}" for number in range(2, 6)]
    shown = [f'  → "{"x" * 158}"', f'  → "{"x" * 159}…']
    assert lines == ["Why; the last lines:", *numbers, *shown]


@pytest.mark.parametrize("character", ["é", "😀"])
async def test_a_line_is_cut_by_characters(character: str) -> None:
    near, _ = memory_streams()
    async with Wire(near) as wire:
        await wire.send((character * 160).encode())
        assert wire.told("Why").endswith(f"→ {character * 160}")
        await wire.send((character * 161).encode())
        assert wire.told("Why").endswith(f"→ {character * 160}…")


async def test_reading_pauses_while_too_many_lines_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_bindings.testing.wire._KEPT", 4)
    near, far = memory_streams(room=0)
    async with Wire(near, timeout=0.01) as one, Wire(far) as other:
        await one.send_bytes(b"12\n34\n")
        await one.send_bytes(b"5\n")
        with pytest.raises(Silent, match="waiting for the peer to read"):
            await one.send_bytes(b"6\n")
        assert [(await other.receive()).message for _ in range(4)] == [12, 34, 5, 6]


async def test_an_observer_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail(observation: object) -> None:
        raise ValueError("no")

    near, _ = memory_streams()
    async with Wire(near, observe=fail) as wire:
        await wire.send(1)
    assert [seen.line for seen in wire.passed] == [b"1"]
    assert caplog.messages == ["the observer of a wire failed"]
