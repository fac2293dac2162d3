"""Functions that check handwritten programs in this process, rather than in a subprocess."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

from acp_bindings.runtime.aio import Exit
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.overlay.requirements import RequiredOf
from acpwire.conform.judging import judge
from acpwire.conform.player import Player, Task
from acpwire.conform.probes_of_agents import PlayedClient
from acpwire.conform.probes_of_clients import PlayedAgent
from acpwire.conform.report import Report
from acpwire.conform.wire import Open, Wire, wire_over

from tests.acpwire.conform.agent_by_hand import Agent
from tests.acpwire.conform.client_by_hand import Client
from tests.support import virtual_time

PATIENCE = 0.05  # seconds of virtual time, which are enough for programs in this process
SIDES: dict[RequiredOf, type[Player]] = {"agent": PlayedClient, "client": PlayedAgent}
REQUIREMENTS = load_overlay(paths.SCHEMA / "overlay").requirements
PROGRAMS: dict[RequiredOf, Any] = {"agent": Agent, "client": Client}

# A function that returns the lines to print instead of a message.
Change = Callable[[bytes], list[bytes]]


class Stream:
    """A stream to a program in this process.

    `change` can alter the program's output, and `interrupt` is called instead of sending a signal.
    """

    def __init__(
        self,
        take: Callable[[bytes], object],
        change: Change,
        interrupt: Callable[[], object] = lambda: None,
    ) -> None:
        self.process = self
        self.exit: Exit | None = None
        self._take, self._change, self._interrupt = take, change, interrupt
        self._printed = asyncio.Queue[bytes]()

    def send_signal(self, signal: int) -> None:
        try:
            self._interrupt()
        except KeyboardInterrupt:
            self.end_input()
            self.exit = Exit(130)

    def hurry(self, grace: float) -> None:
        self.end_input()

    def print(self, data: bytes) -> None:
        for line in self._change(data.rstrip(b"\n")):
            self._printed.put_nowait(line + b"\n")

    async def read(self) -> bytes:
        return await self._printed.get()

    def write(self, data: bytes) -> None:
        try:
            for line in data.splitlines(keepends=True):
                self._take(line)
        except Exception:  # the program crashed
            self.end_input()

    def end_input(self) -> None:
        self.exit = Exit(0)
        self._printed.put_nowait(b"")

    async def wait_exit(self) -> Exit:
        return self.exit or Exit()

    async def close(self) -> None:
        """Do nothing, since no process or socket is open."""


def opener(side: RequiredOf, program: Any, changes: Callable[[], Change]) -> Open:
    """Return a function that opens an agent or a client and applies the changes to its output."""

    @asynccontextmanager
    async def open_here(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
        if side == "agent":
            agent = program()
            stream = Stream(agent.take_line, changes())
            agent.print = stream.print
        else:
            client = program(int(command[0]), None, None)

            def take(line: bytes) -> None:
                client.take(line)
                if client.is_over:
                    stream.end_input()

            stream = Stream(take, changes(), client.interrupt)
            client.write = lambda message: stream.print(json.dumps(message).encode())
            client.introduce()
        async with wire_over(stream, stream, timeout) as wire:  # type: ignore[arg-type]
            yield wire

    return open_here


def report_on(
    side: RequiredOf,
    version: int,
    changes: Callable[[], Change] = lambda: lambda data: [data],
    program: Any = None,
    prompts: tuple[str, ...] = ("tool",),
    only: Collection[str] = (),
) -> Report:
    """Check a program, by default the handwritten one, with the changes applied to its output.

    If `only` is given, check only the requirements with these ids.
    """
    opened = opener(side, program or PROGRAMS[side], changes)
    task = Task((str(version),), PATIENCE, prompts, tuple(only), opened, "/work")
    judged = judge(SIDES[side], task, REQUIREMENTS.of(side), [version])
    return virtual_time.run(judged, within=600)
