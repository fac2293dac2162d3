"""An agent's stream over its process's standard input and output."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import socket
import stat
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any, NoReturn, TypeVar, cast

from ..jsonrpc.logs import logger_of
from .streams import CHUNK, GRACE, AsyncioStream, Stream
from .tasks import Once, wait_done

T = TypeVar("T")

_log = logger_of(__name__)


class FileStream:
    """A stream over file descriptors that the event loop cannot watch, such as files and terminals.

    Attributes:
        problem: the reason for a failed read or write, or None if neither failed or the peer closed
            its end.
    """

    def __init__(
        self, incoming: int, outgoing: int, on_end: Callable[[], object] | None = None
    ) -> None:
        """Take over file descriptors. `on_end` is called at the end of the input."""
        self.problem: str | None = None
        self._on_end = on_end
        self._grace = GRACE
        self._incoming = incoming
        self._outgoing = outgoing
        self._reading: asyncio.Future[bytes] | None = None
        self._is_reading = self._is_writing_out = False
        self._is_closed = False
        self._lock = threading.Lock()  # protects the three flags above, which are used by threads
        self._closing = Once()
        self._buffer: list[bytes] = []
        self._unsent = 0
        # Messages are written by a separate task, so that cancelling a task that waits for buffer
        # space doesn't interrupt a message.
        self._writing: asyncio.Task[None] | None = None
        self._error: Exception | None = None  # the exception raised by a write

    async def read(self) -> bytes:
        if self._is_closed or self.problem is not None:
            return b""
        data = b""
        self._is_reading = True
        # If this wait is cancelled, the thread continues reading and then closes the descriptor.
        self._reading = _in_thread(self._read)
        try:
            data = await self._reading
        except OSError as error:
            self._note("read standard input", error, self._incoming)
        if not data and self._on_end is not None:
            self._on_end()
        return data

    def _read(self) -> bytes:
        """Read in a thread. Close the descriptor if the stream was closed in the meantime."""
        try:
            return os.read(self._incoming, CHUNK)
        finally:
            with self._lock:
                self._is_reading = False
                if self._is_closed:
                    os.close(self._incoming)

    def _write(self, data: memoryview) -> int:
        """Write bytes in a thread; see `_read`."""
        try:
            return os.write(self._outgoing, data)
        finally:
            with self._lock:
                self._is_writing_out = False
                if self._is_closed:
                    os.close(self._outgoing)

    def write(self, data: bytes) -> None:
        if self._error is None:
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
            self._error = error
            if isinstance(error, OSError):
                self._note("write standard output", error, self._outgoing)
        finally:
            self._writing = None

    def _note(self, attempt: str, error: OSError, descriptor: int) -> None:
        """Record why the stream can no longer be used, unless the peer closed it."""
        if self.problem is not None or _is_closed_by_peer(error, descriptor):
            return
        self.problem = f"cannot {attempt}: {error.strerror}"
        # End the input. Otherwise, the peer would wait forever for responses that cannot be
        # written.
        if self._reading is not None and not self._reading.done():
            self._reading.set_result(b"")

    async def drain(self) -> None:
        if self._writing is not None:
            await wait_done(self._writing)
        if self._error is not None:
            raise self._error

    def hurry(self, grace: float) -> None:
        self._grace = grace

    def unsent(self) -> int:
        return self._unsent

    async def close(self) -> None:
        await self._closing.run(self._close)

    async def _close(self) -> None:
        writing = self._writing
        try:
            if writing is not None:
                await wait_done(writing, self._grace)
        finally:
            if writing is not None:
                writing.cancel()
            with self._lock:  # a thread that is still using a descriptor closes it later
                self._is_closed = True
                if not self._is_writing_out:
                    self._close_output()
                if not self._is_reading:
                    os.close(self._incoming)

    def _close_output(self) -> None:
        try:
            os.close(self._outgoing)
        except OSError as error:  # for example, if a full disk is only detected now
            self._note("write standard output", error, self._outgoing)


def _is_closed_by_peer(error: OSError, descriptor: int) -> bool:
    """Return whether an error only means that the peer closed the stream."""
    if isinstance(error, ConnectionError):
        return True
    if error.errno == errno.EINVAL:  # on Windows, this error reports a broken pipe
        return sys.platform == "win32"
    if error.errno != errno.EIO:
        return False
    try:
        return stat.S_ISCHR(os.fstat(descriptor).st_mode)  # a closed terminal, not a broken disk
    except OSError:
        return False


def _in_thread(call: Callable[[], T]) -> asyncio.Future[T]:
    """Run a blocking call in a thread that, unlike an executor's, doesn't delay program exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if future.done():  # the waiting task was cancelled
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
        except BaseException as error:  # any exception, since the future must be completed
            problem = error
        with suppress(RuntimeError):  # the loop is closed, since the program is about to exit
            loop.call_soon_threadsafe(finish, result, problem)

    threading.Thread(target=work, daemon=True).start()
    return future


async def open_stdio(on_end: Callable[[], object] | None = None) -> Stream:
    """Reserve standard input and output for the protocol.

    Afterward, everything that `print`, libraries and child processes write to standard output is
    redirected to standard error, and reading standard input returns no data. Text that standard
    error doesn't accept is dropped. If standard input is a terminal, a warning is logged.

    Args:
        on_end: called at the end of the input, before the stream reports the end.

    Raises:
        SystemExit: If the program was started without standard input or output. The message is
            written to standard error, and the exit status is 1.
    """
    for name, file in (("input", sys.__stdin__), ("output", sys.__stdout__)):
        if file is None:  # the descriptor might belong to another file by now
            _fail(f"standard {name} is closed; run this program from an ACP client")
    if os.isatty(0):
        _log.warning("standard input is a terminal; start this program from an ACP client")
    _fill_free_descriptors()
    # The descriptors themselves are replaced, since child processes inherit them regardless of
    # `sys.stdout`.
    incoming, outgoing = _reserve(0), _reserve(1)
    if any(_descriptor(file) == 2 for file in (sys.__stderr__, sys.stderr)):
        os.dup2(2, 1)
    elif sys.stderr is None:
        # Descriptor 2 was free when the program started, and the event loop might use it by now.
        # Therefore, descriptor 1 remains the null device, and all text is discarded.
        sys.stderr = sys.stdout
    output: Any = sys.stdout
    if output is not None:
        with _dropping():
            output.flush()  # after the redirection, so that no text reaches the client
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(line_buffering=True)  # like standard error
    sys.stdout, sys.stderr = _Text.over(sys.stdout), _Text.over(sys.stderr)
    # On Windows, event loops cannot watch standard streams, so `FileStream` uses threads.
    if sys.platform != "win32":
        if _is_same_socket(incoming, outgoing):
            return await _open_socket(incoming, outgoing, on_end)
        if _is_pipe(incoming) and _is_pipe(outgoing):
            return await _open_pipes(incoming, outgoing, on_end)
    return FileStream(incoming, outgoing, on_end)


def check_stdio(stream: Stream) -> None:
    """Check that a closed stream from `open_stdio` did not fail.

    Raises:
        SystemExit: If reading or writing failed for a reason other than the peer closing its end.
            The message is written to standard error, and the exit status is 1.
    """
    if isinstance(stream, FileStream) and stream.problem is not None:
        _fail(stream.problem)


def _fail(problem: str) -> NoReturn:
    # Without `sys.stderr`, Python would write the text to descriptor 2, which can be any file.
    if sys.stderr is None:
        raise SystemExit(1)
    raise SystemExit(f"{os.path.basename(sys.argv[0])}: {problem}")


# --- descriptors -----------------------------------------------------------------------------


class _Text(io.TextIOWrapper):
    """The program's standard output or error, which drops text that cannot be written.

    If the client closes its end of standard error while the agent is running, `print` must not
    fail.
    """

    @classmethod
    def over(cls, file: Any) -> Any:
        """Return a replacement for standard output or error. Return other files unchanged."""
        descriptor = _descriptor(file)
        if descriptor not in (1, 2) or not hasattr(file, "reconfigure"):
            return file
        # A new buffer is needed, since the old one was created for a different type of file.
        buffering = 0 if file.write_through else -1
        return cls(
            open(descriptor, "wb", buffering, closefd=False),
            encoding=file.encoding,
            errors=file.errors,
            line_buffering=file.line_buffering,
            write_through=file.write_through,
        )

    def write(self, text: str) -> int:
        with _dropping():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with _dropping():
            super().flush()


@contextmanager
def _dropping() -> Generator[None]:
    """Suppress write errors in the context. Drop all later text if the reader closed its end."""
    try:
        yield
    except BlockingIOError:
        pass  # the reader is slow
    except OSError:
        # Otherwise, writing buffered data would fail again when the program exits.
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (1, 2):
            os.dup2(nothing, descriptor)
        os.close(nothing)


def _descriptor(file: IO[Any] | None) -> int | None:
    """Return the descriptor of a file, or None if the file is closed or has no descriptor."""
    if file is None:
        return None
    try:
        return file.fileno()
    except (AttributeError, OSError, ValueError):
        return None


def _fill_free_descriptors() -> None:
    """Open the null device as each free standard descriptor, so that no other file can use it."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _reserve(descriptor: int) -> int:
    """Return a duplicate of a standard descriptor, and redirect the original to the null device."""
    reserved = os.dup(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return reserved


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _is_same_socket(incoming: int, outgoing: int) -> bool:
    """Return whether both descriptors refer to the same socket, which asyncio pipes cannot share.

    In programs started by inetd, standard input and output are the same socket.
    """
    one, other = os.fstat(incoming), os.fstat(outgoing)
    return stat.S_ISSOCK(one.st_mode) and os.path.samestat(one, other)


class _EndingReader(asyncio.StreamReader):
    """A reader that calls a function at the end of its stream."""

    def __init__(self, on_end: Callable[[], object] | None) -> None:
        super().__init__(limit=CHUNK)
        self._on_end = on_end

    def feed_eof(self) -> None:
        super().feed_eof()
        if self._on_end is not None:
            self._on_end()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        if self._on_end is not None:
            self._on_end()


async def _open_socket(
    incoming: int, outgoing: int, on_end: Callable[[], object] | None
) -> AsyncioStream:
    os.close(outgoing)
    both = socket.socket(fileno=incoming)
    both.setblocking(False)
    loop = asyncio.get_running_loop()
    reader = _EndingReader(on_end)
    transport, protocol = await loop.create_connection(
        lambda: asyncio.StreamReaderProtocol(reader), sock=both
    )
    return AsyncioStream(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


async def _open_pipes(
    incoming: int, outgoing: int, on_end: Callable[[], object] | None = None
) -> AsyncioStream:
    loop = asyncio.get_running_loop()
    reader = _EndingReader(on_end)
    source, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(incoming, "rb", 0)
    )
    # This protocol reads nothing. It only allows a `StreamWriter` to wait for buffer space.
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(outgoing, "wb", 0)
    )
    return AsyncioStream(reader, asyncio.StreamWriter(transport, protocol, None, loop), source)
