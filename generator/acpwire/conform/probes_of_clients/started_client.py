"""Connections to clients under test. Each client starts the relay as its agent."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, TypeAlias

from acp_bindings.runtime.aio.child_process import ChildStream, open_child
from acp_bindings.runtime.aio.streams import CHUNK
from acpgen.common.problems import InputError, Problem

from acpwire.conform.player import Task
from acpwire.conform.probes_of_clients import relay
from acpwire.conform.wire import GRACE, Open, Wire, wire_over

# Placeholders for the agent's command, as one shell-quoted word or as separate words.
QUOTED = "{agent}"
WORDS = "{agent...}"
# The reader and writer of the connection to the relay.
Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def with_agent(command: Sequence[str], agent: Sequence[str]) -> list[str]:
    """Replace the placeholders in a client's command with the agent's command."""
    line = subprocess.list2cmdline(agent) if sys.platform == "win32" else shlex.join(agent)
    words: list[str] = []
    for word in command:
        words.extend(agent if word == WORDS else [word.replace(QUOTED, line)])
    return words


class AgentChannel:
    """A byte stream to a client through the relay, which the client starts as its agent."""

    def __init__(self, client: ChildStream, agent: asyncio.Future[Connection]) -> None:
        self._client = client
        self._agent = agent
        # Read and discard the client's standard output, since a full pipe would block the client.
        self._draining = asyncio.create_task(self._drain_output())

    async def _drain_output(self) -> None:
        with suppress(OSError):
            while await self._client.read():
                pass

    async def read(self) -> bytes:
        """Read from the client, or return empty bytes after it closes the connection or exits."""
        exit = asyncio.create_task(self._client.process.wait())
        events: set[asyncio.Future[Any]] = {self._agent, exit}
        try:
            await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
        finally:
            exit.cancel()
        if not self._agent.done():
            return b""
        reader, writer = self._agent.result()
        data = b""
        with suppress(OSError):
            data = await reader.read(CHUNK)
        if not data:
            writer.close()  # the relay then exits, as an agent does at the end of its input
        return data

    def write(self, data: bytes) -> None:
        """Send bytes to the client, or drop them if the relay isn't connected."""
        if self._agent.done() and not self._agent.result()[1].is_closing():
            self._agent.result()[1].write(data)

    async def close(self) -> None:
        """Close the connection to the relay, then stop the client."""
        if self._agent.done():
            self._agent.result()[1].close()
        self._agent.cancel()
        self._draining.cancel()
        await self._client.close()


def opener(typed: Sequence[str]) -> Open:
    """Return a function that starts a client.

    Args:
        typed: the lines to write to the client's standard input, which is closed if there are none.
    """

    @asynccontextmanager
    async def open_client(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
        # The relay can connect before `open_child` returns.
        agent: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

        def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Accept the first connection from a relay and reject further connections."""
            if agent.done():
                writer.close()
            else:
                agent.set_result((reader, writer))

        server = await asyncio.start_server(connect, "127.0.0.1", 0)
        try:
            port = server.sockets[0].getsockname()[1]
            program = with_agent(command, [sys.executable, "-I", "-S", relay.__file__, str(port)])
            child = await open_child(program, stderr=asyncio.subprocess.PIPE, grace=GRACE)
            child.write("".join(f"{line}\n" for line in typed).encode("utf-8"))
            if not typed:
                child.end_input()
            async with wire_over(AgentChannel(child, agent), child, timeout) as wire:
                yield wire
        finally:
            server.close()

    return open_client


def task_of_client(task: Task, typed: Sequence[str]) -> Task:
    """Return the task for checking a client.

    Args:
        task: the options of the check.
        typed: the lines to write to the client's standard input.

    Raises:
        InputError: If the command has no placeholder for the agent, or if the task has prompts.
    """
    if task.prompts:
        message = "not allowed for clients; use --stdin to write to the client's standard input"
        raise InputError([Problem("--prompt", "", "usage", message)])
    if not any(QUOTED in word or word == WORDS for word in task.command):
        message = f"no placeholder for the agent's command; add {QUOTED} or {WORDS}"
        raise InputError([Problem(shlex.join(task.command), "", "usage", message)])
    return replace(task, open=opener(typed))
