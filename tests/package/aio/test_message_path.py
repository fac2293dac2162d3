"""Tests that the path of a message through the modules is short enough to follow."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from itertools import groupby
from types import FrameType
from typing import Any

import pytest
from acp_bindings.runtime.aio.streams import MemoryStream
from acp_bindings.runtime.jsonrpc.handler import Handler
from acp_bindings.runtime.jsonrpc.receiving import Receiver

from tests.package.aio.sides import agent, done, served, ticks
from tests.package.jsonrpc.wire import ask, tell

# The maximum number of switches between modules on a path, and of returns to an earlier module.
CHANGES, RETURNS = 15, 6
# The packages that contain a connection's state. Other modules only read and write JSON.
FOLDERS = ("acp_bindings.runtime.jsonrpc.", "acp_bindings.runtime.aio.")
PROMPT = ask(1, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "a"}])
CANCEL = tell("session/cancel", sessionId="s")


@contextmanager
def called() -> Generator[list[tuple[str, str]]]:
    """Yield a list of the calls in the block, including task steps, as (module, function) pairs."""
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith(FOLDERS):
            calls.append((name.rpartition(".")[2], frame.f_code.co_name))

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def place(method: Any) -> tuple[str, str]:
    return method.__module__.rpartition(".")[2], method.__name__


async def path_of(message: Any, end: tuple[str, str]) -> list[str]:
    """Return the modules that a message passes through, up to the last call to `end`."""
    wire, serving = await served(agent(session_prompt=done, session_cancel=done))
    wire.write(message)
    with called() as calls:
        await ticks()
    await wire.stream.close()
    await serving
    first = calls.index(place(Receiver.receive))
    last = len(calls) - calls[::-1].index(end)
    assert first < last
    return [module for module, _ in groupby(name for name, _ in calls[first:last])]


@pytest.mark.parametrize(
    ("message", "end"),
    [(PROMPT, place(MemoryStream.write)), (CANCEL, place(Handler.handle))],
    ids=["request", "notification"],
)
async def test_a_message_passes_through_few_modules(message: Any, end: tuple[str, str]) -> None:
    path = await path_of(message, end)
    returns = [module for position, module in enumerate(path) if module in path[:position]]
    assert "handler" in path  # it was handled
    assert len(path) - 1 <= CHANGES, path
    assert len(returns) <= RETURNS, path
