"""Streams of bytes for `aio`: memory, pipes, a child process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol, cast

CHUNK = 1 << 18
# How long the other side may take to read the rest when a stream is closed, in seconds.
GRACE = 5.0


class Stream(Protocol):
    """A stream of bytes in both directions."""

    async def read(self) -> bytes:
        """Wait for bytes and return some; return no bytes at the end of the stream."""
        ...

    def write(self, data: bytes) -> None:
        """Queue bytes to be written, without waiting."""
        ...

    async def drain(self) -> None:
        """Wait until there is room for more bytes.

        Raises:
            OSError: the other side no longer reads.
        """
        ...

    async def close(self) -> None:
        """Write the queued bytes if the other side reads them, and free all resources."""
        ...


# --- memory ----------------------------------------------------------------------------------


class _Pipe:
    """One direction of a pair of streams in memory."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._chunks: list[bytes] = []
        self._size = 0
        self._is_closed = False
        self._change = asyncio.Event()

    async def read(self) -> bytes:
        while not self._chunks and not self._is_closed:
            await self._next_change()
        data = b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        self._changed()
        return data

    def write(self, data: bytes) -> None:
        if data and not self._is_closed:  # a reader would take no bytes for the end
            self._chunks.append(data)
            self._size += len(data)
            self._changed()

    async def drain(self) -> None:
        while self._size > self._room and not self._is_closed:
            await self._next_change()
        if self._is_closed:
            raise BrokenPipeError("the other end is closed")

    def close(self) -> None:
        self._is_closed = True
        self._changed()

    async def _next_change(self) -> None:
        await self._change.wait()

    def _changed(self) -> None:
        self._change.set()
        self._change = asyncio.Event()


class MemoryStream:
    """One end of a connection in memory, see `memory_streams`."""

    def __init__(self, incoming: _Pipe, outgoing: _Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def read(self) -> bytes:
        """See `Stream`."""
        return await self._incoming.read()

    def write(self, data: bytes) -> None:
        """See `Stream`."""
        self._outgoing.write(data)

    async def drain(self) -> None:
        """See `Stream`."""
        await self._outgoing.drain()

    async def close(self) -> None:
        """See `Stream`."""
        self._outgoing.close()
        self._incoming.close()


def memory_streams(room: int = 1 << 16) -> tuple[MemoryStream, MemoryStream]:
    """Return the two ends of a connection within this process.

    Args:
        room: how many unread bytes there may be before `drain` waits.
    """
    there, back = _Pipe(room), _Pipe(room)
    return MemoryStream(back, there), MemoryStream(there, back)


# --- pipes -----------------------------------------------------------------------------------


class PipeStream:
    """A stream over a reader and a writer of asyncio."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        source: asyncio.BaseTransport,
    ) -> None:
        """Take over the reader and the writer.

        Args:
            reader: the incoming bytes.
            writer: takes the outgoing bytes.
            source: the transport that feeds the reader; closed with the stream.
        """
        self._reader = reader
        self._writer = writer
        self._transport = writer.transport
        self._source = source
        self._draining = asyncio.Lock()

    async def read(self) -> bytes:
        """See `Stream`."""
        return await self._reader.read(CHUNK)

    def write(self, data: bytes) -> None:
        """See `Stream`."""
        # Otherwise, asyncio logs each write, and uvloop raises an exception.
        if not self._transport.is_closing():
            self._transport.write(data)

    async def drain(self) -> None:
        """See `Stream`."""
        transport = self._transport
        if not transport.get_write_buffer_size() and not transport.is_closing():
            return  # the usual case, and faster than `StreamWriter.drain`
        async with self._draining:  # Python 3.10 allows one task at a time
            await self._writer.drain()

    async def close(self) -> None:
        """See `Stream`."""
        try:
            self._writer.close()
            with suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(self._writer.wait_closed(), GRACE)
        finally:
            self._drop_unread()
            self._source.close()

    def _drop_unread(self) -> None:
        if self._transport.get_write_buffer_size():
            self._transport.abort()


class _ChildProtocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the process has exited.

    In Python 3.11 and later, `Process.wait` does not: it also waits for the end of the pipes, which
    live as long as any process that has inherited them.
    """

    def __init__(self, grace: float) -> None:
        super().__init__(limit=CHUNK, loop=asyncio.get_running_loop())
        self._grace = grace
        self.transport: asyncio.SubprocessTransport | None = None
        self.exited = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()
        assert self.transport is not None
        asyncio.get_running_loop().call_later(self._grace, self.transport.close)


class ChildStream(PipeStream):
    """A stream to a child process, which ends with the stream."""

    def __init__(self, process: asyncio.subprocess.Process, protocol: _ChildProtocol, grace: float):
        assert process.stdin is not None
        assert process.stdout is not None
        assert protocol.transport is not None
        super().__init__(process.stdout, process.stdin, protocol.transport)
        self.process = process
        self._exited = protocol.exited
        self._grace = grace

    async def close(self) -> None:
        """Close the input of the child and wait for its exit; then terminate, then kill it."""
        self._writer.close()
        # Unread output would block the child for ever.
        reading = asyncio.create_task(self._read_rest())
        try:
            for end in (self.process.terminate, self.process.kill):
                if await self._exits():
                    break
                with suppress(ProcessLookupError):
                    end()
            await self._exited.wait()
        finally:
            reading.cancel()
            self._drop_unread()  # even if another process still holds the pipe open
            self._source.close()  # kills the child if this was interrupted
        await asyncio.wait([reading])
        await super().close()

    async def _exits(self) -> bool:
        try:
            await asyncio.wait_for(self._exited.wait(), self._grace)
        except asyncio.TimeoutError:
            return False
        return True

    async def _read_rest(self) -> None:
        with suppress(OSError):
            while await self._reader.read(CHUNK):
                pass


async def open_child(
    command: Sequence[str | os.PathLike[str]],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    grace: float = GRACE,
) -> ChildStream:
    """Start a program, with a stream over its standard input and output.

    Args:
        command: the program and its arguments.
        env: its environment; by default, that of this process.
        cwd: its working directory; by default, that of this process.
        grace: how long it may take to exit when its input ends, and again when it is terminated, in
            seconds.

    Raises:
        OSError: the program cannot be started.
    """
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _ChildProtocol(grace),
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None,
        env=env,
        cwd=cwd,
    )
    process = asyncio.subprocess.Process(transport, protocol, loop)
    return ChildStream(process, protocol, grace)
