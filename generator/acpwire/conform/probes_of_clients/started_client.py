"""Start a client, which starts the relay as its agent, and communicate through the relay."""

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

# Placeholders for the command of the agent: as one word with shell quoting, or as separate words.
QUOTED = "{agent}"
WORDS = "{agent...}"
# The two ends of the connection between this process and the relay.
Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def with_agent(command: Sequence[str], agent: Sequence[str]) -> list[str]:
    """Insert the command of the agent into the command of a client, at its placeholder."""
    line = subprocess.list2cmdline(agent) if sys.platform == "win32" else shlex.join(agent)
    words: list[str] = []
    for word in command:
        words.extend(agent if word == WORDS else [word.replace(QUOTED, line)])
    return words


class AgentChannel:
    """The byte channel to a client, available once the client starts its agent."""

    def __init__(self, client: ChildStream, agent: asyncio.Future[Connection]) -> None:
        self._client = client
        self._agent = agent
        # Unread output would block the client forever.
        self._draining = asyncio.create_task(self._drain_output())

    async def _drain_output(self) -> None:
        with suppress(OSError):
            while await self._client.read():
                pass

    async def read(self) -> bytes:
        """Read from the client; return nothing after it closed its agent or exited."""
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
            writer.close()  # an agent exits when its input ends
        return data

    def write(self, data: bytes) -> None:
        """Send bytes to the client; without an agent, they are dropped."""
        if self._agent.done() and not self._agent.result()[1].is_closing():
            self._agent.result()[1].write(data)

    async def close(self) -> None:
        """Stop the agent, and then the client."""
        if self._agent.done():
            self._agent.result()[1].close()
        self._agent.cancel()
        self._draining.cancel()
        await self._client.close()


def opener(typed: Sequence[str]) -> Open:
    """Return a function that starts a client with lines as input, or with closed input if empty."""

    @asynccontextmanager
    async def open_client(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
        # Accepted before the client is known to have started, since it can be quick.
        agent: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

        def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Accept the agent that the client started; a second one is not needed."""
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
    """Return the task to check a client that receives lines as input.

    Raises:
        InputError: If the command has no placeholder for the agent, or the task has prompts.
    """
    if task.prompts:
        message = "is for agents; use --stdin to type into a client"
        raise InputError([Problem("--prompt", "", "usage", message)])
    if not any(QUOTED in word or word == WORDS for word in task.command):
        message = f"contains no agent command; put {QUOTED} or {WORDS} where it belongs"
        raise InputError([Problem(shlex.join(task.command), "", "usage", message)])
    return replace(task, open=opener(typed))
