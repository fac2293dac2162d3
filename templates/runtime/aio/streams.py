"""Streams of bytes for `aio`: memory, standard input and output, a child process."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar, cast

T = TypeVar("T")
CHUNK = 1 << 18
# How many seconds the other side has, at the end, to read what was written.
GRACE = 5.0


class Stream(Protocol):
    """Both directions of a connection, as bytes."""

    async def read(self) -> bytes:
        """Some bytes as soon as there are any; none at the end of the stream."""
        ...

    def write(self, data: bytes) -> None:
        """Take bytes to be written, without waiting."""
        ...

    async def drain(self) -> None:
        """Wait until there is room for more.

        Raises:
            OSError: the other side no longer reads.
        """
        ...

    async def close(self) -> None:
        """Write what is left, as far as it is read, end the stream and free what it holds."""
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
        if data and not self._is_closed:  # nothing, when read, is the end
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
    """One end of a connection within the process."""

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
    """Two streams, each of which reads what is written to the other.

    Args:
        room: how many bytes may wait to be read before `drain` waits.
    """
    there, back = _Pipe(room), _Pipe(room)
    return MemoryStream(back, there), MemoryStream(there, back)


# --- pipes -----------------------------------------------------------------------------------


class PipeStream:
    """A reader and a writer of asyncio."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        source: asyncio.BaseTransport,
    ) -> None:
        """Take over both; `source` is what the reader is fed by, to be closed with the stream."""
        self._reader = reader
        self._writer = writer
        self._source = source
        self._draining = asyncio.Lock()

    async def read(self) -> bytes:
        """See `Stream`."""
        return await self._reader.read(CHUNK)

    def write(self, data: bytes) -> None:
        """See `Stream`."""
        self._writer.write(data)

    async def drain(self) -> None:
        """See `Stream`."""
        transport = self._writer.transport
        if not transport.get_write_buffer_size() and not transport.is_closing():
            return  # as a rule, and `StreamWriter.drain` takes its time to find out
        async with self._draining:  # in Python 3.10, only one task at a time may do it
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
        if self._writer.transport.get_write_buffer_size():
            self._writer.transport.abort()


class _ChildProtocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Knows when the process has ended, which `Process.wait` in Python 3.11 and later does not.

    There it waits for the end of the pipes as well, and these live as long as any process that has
    inherited them.
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
    """The pipes of a child process, which ends with the stream."""

    def __init__(self, process: asyncio.subprocess.Process, protocol: _ChildProtocol, grace: float):
        assert process.stdin is not None
        assert process.stdout is not None
        assert protocol.transport is not None
        super().__init__(process.stdout, process.stdin, protocol.transport)
        self.process = process
        self._exited = protocol.exited
        self._grace = grace

    async def close(self) -> None:
        """Close the child's input and wait for its end, which becomes more pressing each time."""
        self._writer.close()
        # What it still writes has to be read, or it would wait for that for ever.
        reading = asyncio.create_task(self._read_rest())
        try:
            for press in (self.process.terminate, self.process.kill):
                if await self._exits():
                    break
                with suppress(ProcessLookupError):
                    press()
            await self._exited.wait()
        finally:
            reading.cancel()
            self._drop_unread()  # even if another process still holds the pipe
            self._source.close()  # kills it, if this was interrupted
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
    """Start a program and speak to it over its standard input and output.

    Args:
        env: its environment; by default, that of this process.
        cwd: its working directory.
        grace: how many seconds it may take to end by itself, and again when it is told to.

    Raises:
        OSError: it cannot be started.
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


# --- standard input and output ---------------------------------------------------------------


class FileStream:
    """Two file descriptors that cannot tell when they are ready, such as files and terminals."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._buffer: list[bytes] = []
        # Whoever waits for room can be cancelled, and may not tear a message apart.
        self._writing: asyncio.Task[None] | None = None
        self._problem: OSError | None = None

    async def read(self) -> bytes:
        """See `Stream`."""
        return await _in_thread(lambda: os.read(self._incoming, CHUNK))

    def write(self, data: bytes) -> None:
        """See `Stream`."""
        if self._problem is None:
            self._buffer.append(data)
            if self._writing is None:
                self._writing = asyncio.create_task(self._write_out())

    async def _write_out(self) -> None:
        try:
            while self._buffer:
                data, self._buffer = memoryview(b"".join(self._buffer)), []
                while data:
                    data = data[await _in_thread(partial(os.write, self._outgoing, data)) :]
        except OSError as error:
            self._problem = error
        finally:
            self._writing = None

    async def drain(self) -> None:
        """See `Stream`."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
        if self._problem is not None:
            raise self._problem

    async def close(self) -> None:
        """See `Stream`."""
        if (writing := self._writing) is not None:
            await asyncio.wait([writing], timeout=GRACE)
            writing.cancel()
        os.close(self._outgoing)


async def _in_thread(call: Callable[[], T]) -> T:
    """Run a blocking call; unlike with an executor, nobody waits for it when the program ends."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: OSError | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(cast(T, result))

    def work() -> None:
        result: T | None = None
        problem: OSError | None = None
        try:
            result = call()
        except OSError as error:
            problem = error
        with suppress(RuntimeError):  # the loop is closed, the program about to end
            loop.call_soon_threadsafe(finish, result, problem)

    threading.Thread(target=work, daemon=True).start()
    return await future


async def open_stdio() -> Stream:
    """Take standard input and output for the protocol alone.

    From then on what `print`, libraries and child processes write to standard output goes to
    standard error, and they find standard input empty.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    sys.stdout.flush()  # only now: what was printed before is no protocol either
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform != "win32" and _is_pipe(incoming) and _is_pipe(outgoing):
        return await _open_pipes(incoming, outgoing)
    return FileStream(incoming, outgoing)


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


async def _open_pipes(incoming: int, outgoing: int) -> PipeStream:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=CHUNK)
    source, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb", 0)
    )
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(outgoing, "wb", 0)
    )
    return PipeStream(reader, asyncio.StreamWriter(transport, protocol, None, loop), source)
