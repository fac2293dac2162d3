"""The stream to an agent that the client started, and the shutdown of the agent's processes.

An agent can start processes that outlive it, keep its pipes open or ignore signals. Therefore, this
module detects the agent's exit from the process itself instead of its pipes, terminates the entire
process group, and limits each wait.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, TypeVar, cast

from ..jsonrpc.errors import ConnectionClosed, Exit
from ..jsonrpc.logs import call_back, logger_of
from .process_groups import Group, group_of, options_of_own_group
from .streams import CHUNK, GRACE, ProgramStream
from .tasks import uninterrupted, wait_done

# How long to wait for a program's exit status after the end of its output, in seconds. This is also
# the time limit for reading the rest of the program's standard error, which other programs can keep
# open.
_PATIENCE = 1.0
# The maximum number of standard error lines to retain, and the maximum length of each line, in
# characters.
_LINES, _WIDTH = 10, 500
# The maximum length of a line of standard error, in bytes. Only the end of a longer line is used.
_LONGEST = 1 << 16

P = TypeVar("P", bound="GroupProtocol")

_log = logger_of(__name__)


class GroupProtocol(asyncio.subprocess.SubprocessStreamProtocol):
    """An asyncio protocol that reports when a process in a process group exits.

    The protocol replaces `Process.wait`, which, since Python 3.11, also waits until the pipes are
    closed. Any process that inherited the pipes keeps them open.

    Attributes:
        transport: the transport of the process.
        group: the process group.
        exited: an event that is set when the process exits.
    """

    transport: asyncio.SubprocessTransport
    group: Group

    def __init__(self, *, own_group: bool = True) -> None:
        super().__init__(limit=CHUNK, loop=asyncio.get_running_loop())
        self._own_group = own_group
        self.exited = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport = cast(asyncio.SubprocessTransport, transport)
        self.group = group_of(self.transport, own=self._own_group)

    def process_exited(self) -> None:
        super().process_exited()
        # Checked now, since the id of an empty group can be reused. Once a group has been found
        # empty, no signals are sent to its id.
        self.group.outlives()
        self.exited.set()

    async def exits(self, timeout: float) -> bool:
        """Wait for the process to exit and return whether it exited in time."""
        if self.exited.is_set():
            return True
        try:
            await asyncio.wait_for(self.exited.wait(), timeout)
        except asyncio.TimeoutError:
            return False
        return True

    async def ends(self, timeout: float) -> bool:
        """Wait for all processes of the group to exit and return whether they exited in time."""
        loop = asyncio.get_running_loop()
        end, pause = loop.time() + timeout, 0.001
        if not await self.exits(timeout):
            return False
        while self.group.outlives():
            left = end - loop.time()
            if left <= 0:
                return False
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, 0.1)  # polls, since no event reports that a group is empty
        return True


class _ChildProtocol(GroupProtocol):
    """A protocol that closes an agent's pipes and terminates its group after the agent exits."""

    def __init__(self, grace: float, *, own_group: bool) -> None:
        super().__init__(own_group=own_group)
        self._grace = grace

    def process_exited(self) -> None:
        super().process_exited()
        if self.group.outlives():
            asyncio.get_running_loop().call_later(self._grace, self.group.terminate)
        # Otherwise, the transport stays open as long as another process holds the pipes.
        asyncio.get_running_loop().call_later(self._grace, self.transport.close)


class ChildStream(ProgramStream):
    def __init__(
        self,
        process: asyncio.subprocess.Process,
        protocol: _ChildProtocol,
        program: str,
        grace: float,
        on_stderr: Callable[[str], object] | None,
    ) -> None:
        """Create a stream to a process that was started with `protocol` and with pipes."""
        assert process.stdin is not None
        assert process.stdout is not None
        super().__init__(process.stdout, process.stdin, protocol.transport)
        self.process = process
        self.program = program
        self.shows_stderr = True
        self._grace = grace
        self._protocol = protocol
        self._group = protocol.group
        # The finalizer kills the group if the stream is never closed, for example because the event
        # loop is torn down.
        self._unclosed = weakref.finalize(self, self._group.kill)
        self._errors = LastLines(on_stderr)
        self._reading: asyncio.Task[None] | None = None
        if process.stderr is not None:
            self._reading = asyncio.create_task(self._errors.read(process.stderr))

    def forward(self, take: Callable[[bytes], bool]) -> None:
        super().forward(take)
        # Bypass asyncio, which passes on a subprocess's output in a later iteration of the event
        # loop.
        pipe: Any = self._protocol.transport.get_pipe_transport(1)
        protocol = pipe.get_protocol()
        if protocol is not None:  # otherwise, the output is already closed
            protocol.data_received = self._reader.feed_data

    @property
    def exit(self) -> Exit | None:
        return None if self.process.returncode is None else self._exit()

    @property
    def stderr(self) -> tuple[str, ...]:
        return self._errors.lines

    def _exit(self) -> Exit:
        status = self.process.returncode
        if status is not None and status < 0:
            return Exit(signal=signal_name(-status), stderr=self.stderr)
        return Exit(status, stderr=self.stderr)

    async def wait_exit(self) -> Exit:
        if await self._protocol.exits(_PATIENCE):
            await self._read_errors()  # the last lines might still be in the pipe
        return self._exit()

    async def _wait_for_room(self) -> None:
        try:
            await super()._wait_for_room()
        except OSError as error:  # such as a broken pipe; an exit status is more informative
            exit = await self.wait_exit()
            if self.exit is None:
                raise
            raise ConnectionClosed(f"the connection was closed: {exit}", exit=exit) from error

    def hurry(self, grace: float) -> None:
        """Set how many seconds the program may take to exit. With 0, it is killed immediately."""
        self._grace = grace
        if grace <= 0:
            self._group.kill()

    def end_input(self) -> None:
        """Close the program's input. The output can still be read."""
        self._writer.close()

    async def _close(self) -> None:
        """Close the program's input and wait for the program to exit.

        If the program doesn't exit in time, terminate it. If it still doesn't exit, kill it. If the
        program has its own process group, this applies to all processes of the group.
        """
        self._writer.close()
        # Unread output would block the program forever.
        reading = asyncio.create_task(self._read_rest())
        try:
            if not await self._protocol.ends(self._grace) and self._grace > 0:
                self._group.terminate()
            if not await self._protocol.ends(self._grace):
                self._group.kill()
                await self._protocol.ends(_PATIENCE)
            await self._read_errors()
        finally:
            reading.cancel()
            if self._reading is not None:
                self._reading.cancel()
            self._drop_unread()  # even if another process still holds the pipe open
            # If this method was interrupted, closing the transport and killing the group both kill
            # the process. The transport must be closed first: if the process had already been
            # killed, asyncio would reap it on closing and report an unknown exit status.
            self._source.close()
            self._group.kill()
            self._unclosed.detach()
        await wait_done(reading)
        await super()._close()

    async def _read_errors(self) -> None:
        if self._reading is not None:
            await wait_done(self._reading, _PATIENCE)

    async def _read_rest(self) -> None:
        with suppress(OSError):
            while await self._reader.read(CHUNK):
                pass


def signal_name(number: int) -> str:
    """Return the name of a signal, such as "SIGKILL"."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def open_child(
    command: Sequence[str | os.PathLike[str]],
    *,
    stderr: int | IO[Any] | None = None,
    on_stderr: Callable[[str], object] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    own_group: bool = True,
    grace: float = GRACE,
) -> ChildStream:
    """Start a program and return a stream over its standard input and output.

    For the arguments, see `connect_stdio`. If `stderr` is PIPE, the stream retains the last lines
    of standard error.

    Raises:
        OSError: If the program cannot be started.
        ValueError: If `on_stderr` is set although standard error is redirected, or if an argument
            cannot be passed to a batch file.
    """
    if on_stderr is not None:
        if stderr not in (None, asyncio.subprocess.PIPE):
            raise ValueError(
                "on_stderr conflicts with a redirected stderr; pass stderr=PIPE or None"
            )
        stderr = asyncio.subprocess.PIPE
    options = options_of_own_group() if own_group else {}
    options.update(stderr=stderr, env=env, cwd=cwd)
    starting = asyncio.create_task(_start(command, options, own_group, grace, on_stderr))
    try:
        await wait_done(starting)
    except asyncio.CancelledError:
        # asyncio would kill only the program and wait for all processes that inherited its pipes.
        await uninterrupted(_end(starting))
        raise
    return starting.result()


async def _start(
    command: Sequence[str | os.PathLike[str]],
    options: dict[str, Any],
    own_group: bool,
    grace: float,
    on_stderr: Callable[[str], object] | None,
) -> ChildStream:
    pipe = asyncio.subprocess.PIPE
    options.update(stdin=pipe, stdout=pipe)
    protocol = await spawn(lambda: _ChildProtocol(grace, own_group=own_group), command, options)
    loop = asyncio.get_running_loop()
    process = asyncio.subprocess.Process(protocol.transport, protocol, loop)
    stream = ChildStream(process, protocol, os.fsdecode(command[0]), grace, on_stderr)
    stream.shows_stderr = options["stderr"] != asyncio.subprocess.DEVNULL
    return stream


async def spawn(
    make: Callable[[], P],
    command: Sequence[str | os.PathLike[str]] | str,
    options: Mapping[str, Any],
) -> P:
    """Start a program with the protocol that `make` returns, and return the connected protocol.

    If the command is a string, the shell runs it. Options such as `env` and `cwd` are passed to
    `subprocess.Popen`. On Windows, the search for the program includes batch files.

    Raises:
        OSError: If the program cannot be started.
        ValueError: If an argument cannot be passed to a batch file.
    """
    loop = asyncio.get_running_loop()
    started: Sequence[str | os.PathLike[str]] | str = command
    try:
        if sys.platform == "win32":
            from .finding_programs import as_started

            if not isinstance(command, str):
                started = as_started(command, options["env"])
        if isinstance(started, str):
            _, protocol = await loop.subprocess_shell(make, started, **options)
        else:
            _, protocol = await loop.subprocess_exec(make, *started, **options)
    except FileNotFoundError as error:
        from .finding_programs import not_found  # imported here, since few programs need it

        folder = os.fsdecode(options["cwd"] or os.getcwd())
        program = "/bin/sh" if isinstance(command, str) else os.fsdecode(command[0])
        raise not_found(program, options["env"], folder) from error
    return protocol


async def _end(starting: asyncio.Task[ChildStream]) -> None:
    """Wait for a program to start, then kill it and the processes that it started."""
    await wait_done(starting)
    if not starting.cancelled() and starting.exception() is None:
        stream = starting.result()
        stream.hurry(0)
        await stream.close()


# --- standard error --------------------------------------------------------------------------


class LastLines:
    """A reader that passes each line to a callback and retains the last lines."""

    def __init__(self, on_line: Callable[[str], object] | None = None) -> None:
        self._on_line = on_line
        self._kept: deque[str] = deque(maxlen=_LINES)

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines, truncated."""
        return tuple(self._kept)

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Read until the end, since unread output would block the program."""
        unfinished = b""
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                *lines, unfinished = (unfinished + data).split(b"\n")
                for line in lines:
                    self._take(line)
                unfinished = unfinished[-_LONGEST:]
        if unfinished:
            self._take(unfinished)

    def _take(self, line: bytes) -> None:
        text = line.removesuffix(b"\r")[-_LONGEST:].decode("utf-8", "replace")
        self._kept.append(text[-_WIDTH:])
        if self._on_line is not None:
            call_back(self._on_line, text, what="the on_stderr callback", log=_log)
