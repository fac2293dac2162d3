"""The stream of a client to the agent that it has started."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, cast

from .streams import CHUNK, GRACE, AsyncioStream

# How much of captured standard error is kept: lines, and characters of each.
_LINES, _WIDTH = 10, 500
# How long a program may take to exit after its output has ended, so that this can be told.
_PATIENCE = 1.0


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


class ChildStream(AsyncioStream):
    """A stream to a child process, which ends with the stream.

    Attributes:
        process: the process.
    """

    def __init__(self, process: asyncio.subprocess.Process, protocol: _ChildProtocol, grace: float):
        assert process.stdin is not None
        assert process.stdout is not None
        assert protocol.transport is not None
        super().__init__(process.stdout, process.stdin, protocol.transport)
        self.process = process
        self._exited = protocol.exited
        self._grace = grace
        self._errors: deque[str] = deque(maxlen=_LINES)
        self._reading: asyncio.Task[None] | None = None
        if process.stderr is not None:
            self._reading = asyncio.create_task(self._read_errors(process.stderr))

    async def _read_errors(self, reader: asyncio.StreamReader) -> None:
        """Keep the last lines of standard error, and make room for more."""
        rest = b""
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                *lines, rest = (rest + data).split(b"\n")
                rest = rest[-_WIDTH:]
                self._errors.extend(line[-_WIDTH:].decode("utf-8", "replace") for line in lines)
        if rest:
            self._errors.append(rest.decode("utf-8", "replace"))

    async def tell_end(self) -> str:
        """Tell how the program has ended, after a short wait for its exit.

        Returns:
            Its exit status or the signal, and the last lines of its standard error if that was
            captured.
        """
        if not await self._exits(_PATIENCE):
            return "the agent has closed its output, but still runs"
        status = self.process.returncode or 0
        end = f"exited with status {status}" if status >= 0 else f"was ended by {_signal(-status)}"
        if self._reading is not None:
            await asyncio.wait([self._reading], timeout=_PATIENCE)
        said = "".join(f"\n    {line!r}" for line in self._errors)
        return f"the agent {end}" + (f"; its standard error ended with:{said}" if said else "")

    async def close(self) -> None:
        """Close the input of the child and wait for its exit; then terminate, then kill it."""
        self._writer.close()
        # Unread output would block the child for ever.
        reading = asyncio.create_task(self._read_rest())
        try:
            for end in (self.process.terminate, self.process.kill):
                if await self._exits(self._grace):
                    break
                with suppress(ProcessLookupError):
                    end()
            await self._exited.wait()
        finally:
            reading.cancel()
            if self._reading is not None:
                self._reading.cancel()
            self._drop_unread()  # even if another process still holds the pipe open
            self._source.close()  # kills the child if this was interrupted
        await asyncio.wait([reading])
        await super().close()

    async def _exits(self, timeout: float) -> bool:
        try:
            await asyncio.wait_for(self._exited.wait(), timeout)
        except asyncio.TimeoutError:
            return False
        return True

    async def _read_rest(self) -> None:
        with suppress(OSError):
            while await self._reader.read(CHUNK):
                pass


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def open_child(
    command: Sequence[str | os.PathLike[str]],
    *,
    stderr: int | IO[Any] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    start_new_session: bool = False,
    grace: float = GRACE,
) -> ChildStream:
    """Start a program, with a stream over its standard input and output.

    Args:
        command: the program and its arguments.
        stderr: where its standard error goes, as for `asyncio.create_subprocess_exec`; by default,
            to that of this process. Of a PIPE, the last lines are kept.
        env: its environment; by default, that of this process.
        cwd: its working directory; by default, that of this process.
        start_new_session: whether it gets a session of its own, so that the signals of the
            terminal do not reach it.
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
        stderr=stderr,
        env=env,
        cwd=cwd,
        start_new_session=start_new_session,
    )
    process = asyncio.subprocess.Process(transport, protocol, loop)
    return ChildStream(process, protocol, grace)
