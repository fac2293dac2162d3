"""The stream of an agent over the standard input and output of its process."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from .ending import Once
from .streams import CHUNK, GRACE, AsyncioStream, Stream

T = TypeVar("T")


class FileStream:
    """A stream over descriptors that the event loop cannot watch, such as files and terminals."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._grace = GRACE
        self._incoming = incoming
        self._outgoing = outgoing
        self._is_reading = self._is_writing_out = False
        self._is_closed = False
        self._lock = threading.Lock()  # for these three, since threads read and write
        self._closing = Once()
        self._buffer: list[bytes] = []
        self._unsent = 0
        # A task of its own, since a task that waits for room may be cancelled within a message.
        self._writing: asyncio.Task[None] | None = None
        self._problem: Exception | None = None

    async def read(self) -> bytes:
        """See `Stream`."""
        if self._is_closed:
            return b""
        self._is_reading = True
        # A cancelled wait does not end the thread: it reads on, and then closes the descriptor.
        return await _in_thread(self._read)

    def _read(self) -> bytes:
        """Read in a thread, which closes the descriptor if the stream was closed meanwhile."""
        try:
            return os.read(self._incoming, CHUNK)
        finally:
            with self._lock:
                self._is_reading = False
                if self._is_closed:
                    os.close(self._incoming)

    def _write(self, data: memoryview) -> int:
        """Write in a thread; see `_read`."""
        try:
            return os.write(self._outgoing, data)
        finally:
            with self._lock:
                self._is_writing_out = False
                if self._is_closed:
                    os.close(self._outgoing)

    def write(self, data: bytes) -> None:
        """See `Stream`."""
        if self._problem is None:
            self._buffer.append(data)
            self._unsent += len(data)
            if self._writing is None:
                self._writing = asyncio.create_task(self._write_out())

    async def _write_out(self) -> None:
        try:
            while self._buffer:
                data, self._buffer = memoryview(b"".join(self._buffer)), []
                while data:
                    self._is_writing_out = True
                    written = await _in_thread(partial(self._write, data))
                    data = data[written:]
                    self._unsent -= written
        except Exception as error:
            self._problem = error
        finally:
            self._writing = None

    async def drain(self) -> None:
        """See `Stream`."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
        if self._problem is not None:
            raise self._problem

    def hurry(self, grace: float) -> None:
        """See `AsyncioStream`."""
        self._grace = grace

    def unsent(self) -> int:
        """See `Stream`."""
        return self._unsent

    async def close(self) -> None:
        """See `Stream`."""
        await self._closing.run(self._close)

    async def _close(self) -> None:
        writing = self._writing
        try:
            if writing is not None:
                await asyncio.wait([writing], timeout=self._grace)
        finally:
            if writing is not None:
                writing.cancel()
            with self._lock:  # a thread that still uses a descriptor closes it
                self._is_closed = True
                if not self._is_writing_out:
                    os.close(self._outgoing)
                if not self._is_reading:
                    os.close(self._incoming)


async def _in_thread(call: Callable[[], T]) -> T:
    """Run a blocking call in a thread. Unlike an executor, it does not delay the program's end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():  # whoever waited has left meanwhile
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(cast(T, result))

    def work() -> None:
        result: T | None = None
        problem: BaseException | None = None
        try:
            result = call()
        except BaseException as error:  # of whatever kind: the future must end
            problem = error
        with suppress(RuntimeError):  # the loop is closed: the program is about to end
            loop.call_soon_threadsafe(finish, result, problem)

    threading.Thread(target=work, daemon=True).start()
    return await future


async def open_stdio() -> Stream:
    """Reserve standard input and output for the protocol.

    From then on, `print`, libraries and child processes that write to standard output write to
    standard error, and find standard input empty.

    Raises:
        SystemExit: the program was started without one of them. Its text goes to standard error,
            and the exit status is 1.
    """
    for name, file in (("input", sys.__stdin__), ("output", sys.__stdout__)):
        if file is None:  # the descriptor may be that of something else by now
            program = os.path.basename(sys.argv[0])
            raise SystemExit(f"{program}: started without standard {name}, which a client talks to")
    # The descriptors themselves, since child processes inherit them whatever `sys.stdout` is.
    incoming, outgoing = _reserve(0), _reserve(1)
    with suppress(OSError):  # there is no standard error
        os.dup2(2, 1)
    output: Any = sys.stdout
    if output is not None:
        output.flush()  # only now: text printed before must not reach the protocol either
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(line_buffering=True)  # like standard error
    # On Windows, event loops cannot watch standard streams; `FileStream` uses threads.
    if sys.platform != "win32":
        if _is_same_socket(incoming, outgoing):
            return await _open_socket(incoming, outgoing)
        if _is_pipe(incoming) and _is_pipe(outgoing):
            return await _open_pipes(incoming, outgoing)
    return FileStream(incoming, outgoing)


def _reserve(descriptor: int) -> int:
    """Return a duplicate of a standard descriptor, which is open to nothing from then on."""
    reserved = os.dup(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return reserved


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _is_same_socket(incoming: int, outgoing: int) -> bool:
    """Return whether one socket is both, as with inetd: a pipe of asyncio cannot share it."""
    one, other = os.fstat(incoming), os.fstat(outgoing)
    return stat.S_ISSOCK(one.st_mode) and os.path.samestat(one, other)


async def _open_socket(incoming: int, outgoing: int) -> AsyncioStream:
    os.close(outgoing)
    both = socket.socket(fileno=incoming)
    both.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=both, limit=CHUNK)
    return AsyncioStream(reader, writer)


async def _open_pipes(incoming: int, outgoing: int) -> AsyncioStream:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=CHUNK)
    source, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb", 0)
    )
    # The protocol reads nothing: a `StreamWriter` asks it whether there is room.
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(outgoing, "wb", 0)
    )
    return AsyncioStream(reader, asyncio.StreamWriter(transport, protocol, None, loop), source)
