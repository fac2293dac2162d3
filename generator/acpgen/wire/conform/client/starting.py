"""Start a client, which starts the relay as its agent, and talk with it through the relay."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

from acp_bindings.runtime.aio import Exit
from acp_bindings.runtime.aio.child import ChildStream, open_child
from acp_bindings.runtime.aio.streams import CHUNK

from acpgen.wire import relay
from acpgen.wire.conform.wire import GRACE, Open, Wire, wire_over

# What stands for the command of the agent: as one word, quoted as a shell has it, or as words.
QUOTED = "{agent}"
WORDS = "{agent...}"
# The two ends of what connects the judge with the agent.
Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def with_agent(command: Sequence[str], agent: Sequence[str]) -> list[str]:
    """Put the command of the agent into that of a client, which has a place for it."""
    line = subprocess.list2cmdline(agent) if sys.platform == "win32" else shlex.join(agent)
    words: list[str] = []
    for word in command:
        words.extend(agent if word == WORDS else [word.replace(QUOTED, line)])
    return words


class ClientStream:
    """The stream to a client that starts its agent; the process is that of the client."""

    def __init__(
        self, server: asyncio.Server, child: ChildStream, agent: asyncio.Future[Connection]
    ) -> None:
        self.process = child.process
        self._server = server
        self._child = child
        self._agent = agent
        # Unread output would block the client for ever.
        self._draining = asyncio.create_task(self._drain_output())

    @property
    def _writer(self) -> asyncio.StreamWriter | None:
        return self._agent.result()[1] if self._agent.done() else None

    async def _drain_output(self) -> None:
        with suppress(OSError):
            while await self._child.read():
                pass

    @property
    def exit(self) -> Exit | None:
        """How the client has ended."""
        return self._child.exit

    async def wait_exit(self) -> Exit:
        """Tell how the client has ended, after a short wait for its exit."""
        return await self._child.wait_exit()

    async def read(self) -> bytes:
        """Read what the client sends; nothing comes once it has closed its agent, or exited."""
        if not self._agent.done():
            await self._wait_for_agent()
        if not self._agent.done():
            return b""
        reader, writer = self._agent.result()
        data = b""
        with suppress(OSError):
            data = await reader.read(CHUNK)
        if not data:
            writer.close()  # an agent exits when its input ends
        return data

    async def _wait_for_agent(self) -> None:
        """Wait until the client has started its agent, or has exited."""
        exit = asyncio.create_task(self.process.wait())
        try:
            events: set[asyncio.Future[Any]] = {self._agent, exit}
            await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
        finally:
            exit.cancel()

    def write(self, data: bytes) -> None:
        """Send bytes to the client; without an agent, there is nobody to read them."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(data)

    async def drain(self) -> None:
        """Wait until there is room for more bytes."""
        if self._writer is not None:
            await self._writer.drain()

    def hurry(self, grace: float) -> None:
        """Change how long the client may take to exit; 0 kills it at once."""
        self._child.hurry(grace)

    def end_input(self) -> None:
        """Let the person who types leave."""
        self._child.end_input()

    async def close(self) -> None:
        """End the agent, and then the client."""
        self._server.close()
        if self._writer is not None:
            self._writer.close()
        self._draining.cancel()
        await self._child.close()


def opener(typed: Sequence[str]) -> Open:
    """Return what starts a client, to which a person types lines; without any, its input ends."""

    @asynccontextmanager
    async def open_client(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
        # Taken before the client is known to have started: it may be quick.
        connection: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()

        def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Take the agent that the client has started; a second one is not needed."""
            if connection.done():
                writer.close()
            else:
                connection.set_result((reader, writer))

        server = await asyncio.start_server(connect, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        agent = [sys.executable, "-I", "-S", relay.__file__, str(port)]
        try:
            program = with_agent(command, agent)
            child = await open_child(program, stderr=asyncio.subprocess.PIPE, grace=GRACE)
        except BaseException:
            server.close()
            raise
        stream = ClientStream(server, child, connection)
        child.write("".join(f"{line}\n" for line in typed).encode("utf-8"))
        if not typed:
            child.end_input()
        async with wire_over(stream, timeout) as wire:
            yield wire

    return open_client
