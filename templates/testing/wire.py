"""One end of a connection, which sends and receives raw lines, even if they aren't messages.

Apart from the streams, a wire shares no code with the connections of `runtime.jsonrpc`, so tests
can observe the actual behavior of these connections. The other modules of this package use wires
to communicate with the tested program.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

from ..runtime.aio import Exit, Observation, Observer, Stream
from ..runtime.aio.streams import ProgramStream
from ..runtime.jsonrpc.logs import call_back, logger_of
from ..runtime.jsonrpc.observing import observe_with

TIMEOUT = 10.0
# The time in seconds that a program is given to exit after its input closes, and again after
# SIGTERM.
_GRACE = 2.0
# The maximum total size of the lines that `receive` has not returned yet, in bytes. Reading pauses
# while the lines exceed this size.
_KEPT = 1 << 26
_SHOWN_LINES, _SHOWN = 6, 160
_log = logger_of(__name__)
_ARROWS = {"sent": "→", "received": "←"}


class WireError(AssertionError):
    """Raised when the peer does not behave as the test expects.

    This is an `AssertionError` so that a failed wait makes the test fail. The message ends with the
    last lines that were sent or received.
    """


class Silent(WireError):
    """Raised when the peer sends nothing, or reads nothing, before the timeout."""


class Ended(WireError):
    """Raised when the connection closes."""


class Wire:
    """One end of a connection, as a context manager that closes the connection.

        async with await Wire.start(["my-agent"]) as wire:
            await wire.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
            answer = await wire.receive()

    Attributes:
        passed: all lines sent or received, in order. Incomplete lines are included if they were
            sent or if the connection closed before the rest was received.
        timeout: the default time limit for each wait, in seconds.
    """

    def __init__(
        self, stream: Stream, *, timeout: float = TIMEOUT, observe: Observer | None = None
    ) -> None:
        """Wrap a stream and start reading it. A running event loop is required.

        Args:
            stream: the connection to the peer.
            timeout: the time limit for each wait, in seconds.
            observe: a function to call for each line, for example the result of `log_to`.
        """
        self.passed: list[Observation] = []
        self.timeout = timeout
        self._stream = stream
        self._observe = observe
        self._unreceived: list[Observation] = []
        self._size = 0  # the size of the lines that `receive` has not returned, in bytes
        # Set when lines arrive, when `receive` returns lines, and when the connection closes.
        self._change = asyncio.Event()
        self._has_ended = False
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        command: Sequence[str | os.PathLike[str]],
        *,
        timeout: float = TIMEOUT,
        observe: Observer | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        grace: float = _GRACE,
    ) -> Wire:
        """Start a program and connect to its standard input and output.

        Args:
            command: the program and its arguments.
            timeout: the time limit for each wait, in seconds.
            observe: a function to call for each line, for example the result of `log_to`.
            env: the environment; by default, this process's environment.
            cwd: the working directory; by default, this process's working directory.
            grace: the time in seconds that the program is given to exit after its input closes,
                and again after SIGTERM.

        Raises:
            OSError: If the program cannot be started.
            TypeError: If the command is a string.
        """
        if isinstance(command, str):  # type checkers accept a string as a sequence of strings
            raise TypeError("the command must be a list of the program and its arguments")
        from ..runtime.aio.child_process import open_child

        pipe = asyncio.subprocess.PIPE
        stream = await open_child(command, stderr=pipe, env=env, cwd=cwd, grace=grace)
        return cls(stream, timeout=timeout, observe=observe)

    async def __aenter__(self) -> Wire:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the stream. A program started by `start` is terminated if it doesn't exit."""
        self._reading.cancel()
        await asyncio.wait([self._reading])
        await self._stream.close()

    # --- sending -----------------------------------------------------------------------------

    async def send(self, message: Any) -> None:
        """Send a message as one line of JSON. Bytes are sent unchanged, as one line.

        Raises:
            Silent: If the peer doesn't read in time.
            Ended: If the peer closed the connection.
        """
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        await self.send_bytes(line + b"\n")

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes unchanged, such as part of a line. Raise the same exceptions as `send`."""
        for line in data.removesuffix(b"\n").split(b"\n"):
            self._record("sent", line)
        self._stream.write(data)
        try:
            await asyncio.wait_for(self._stream.drain(), self.timeout)
        except asyncio.TimeoutError:
            reason = f"timed out after {self.timeout:g} s waiting for the peer to read"
            raise Silent(self.told(reason)) from None
        except OSError as error:
            raise Ended(self.told(f"the peer closed the connection: {error}")) from error

    # --- receiving ---------------------------------------------------------------------------

    async def receive(
        self, wanted: Callable[[Any], bool] | None = None, *, timeout: float | None = None
    ) -> Observation:
        """Return the oldest line that hasn't been returned yet. Wait for a line if necessary.

        Args:
            wanted: a function that returns whether to receive a line. The function receives the
                line's parsed JSON, or None if the line isn't JSON. A line for which the
                function returns False is left for later calls.
            timeout: the time limit for the wait, in seconds; by default, the wire's timeout.

        Raises:
            Silent: If no such line arrives in time.
            Ended: If the connection is closed and no such line is left.
        """
        limit = self.timeout if timeout is None else timeout
        loop = asyncio.get_running_loop()
        end = loop.time() + limit
        while True:
            for index, line in enumerate(self._unreceived):
                if wanted is None or wanted(line.message):
                    self._size -= len(line.line)
                    self._changed()
                    return self._unreceived.pop(index)
            if self._has_ended:
                raise Ended(self.told(await self._how_ended()))
            try:
                await asyncio.wait_for(self._change.wait(), end - loop.time())
            except asyncio.TimeoutError:
                reason = f"timed out after {limit:g} s waiting for a message"
                raise Silent(self.told(reason)) from None

    async def wait_end(self, *, timeout: float | None = None) -> Exit | None:
        """Wait for the peer to close the connection. Return the exit status of the peer's program.

        Returns:
            The exit status, or None if the program was not started by `start`.

        Raises:
            Silent: If the peer doesn't close the connection in time.
        """
        limit = self.timeout if timeout is None else timeout
        if not (await asyncio.wait([self._reading], timeout=limit))[0]:
            raise Silent(self.told(f"timed out after {limit:g} s waiting for the peer to close"))
        return await self._stream.wait_exit() if isinstance(self._stream, ProgramStream) else None

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines of the program's standard error, if the program was started by `start`."""
        return self._stream.stderr if isinstance(self._stream, ProgramStream) else ()

    async def _read(self) -> None:
        pieces: list[bytes] = []  # the pieces of an incomplete line
        try:
            while data := await self._stream.read():
                first, *others = data.split(b"\n")
                pieces.append(first)
                for piece in others:
                    self._take(b"".join(pieces))
                    pieces = [piece]
                while self._size > _KEPT:
                    await self._change.wait()
        except OSError:
            pass  # for example, the connection was reset
        finally:
            if part := b"".join(pieces):
                self._record("received", part)
            self._has_ended = True
            self._changed()

    def _take(self, line: bytes) -> None:
        self._unreceived.append(self._record("received", line))
        self._size += len(line)
        self._changed()

    def _record(self, direction: Literal["sent", "received"], line: bytes) -> Observation:
        observe_with(self.passed.append, direction, line)
        seen = self.passed[-1]
        if self._observe is not None:
            call_back(self._observe, seen, what="the observer of a wire", log=_log)
        return seen

    def _changed(self) -> None:
        # Wake the waiting tasks. Later tasks wait for the next change, which needs a new event.
        self._change.set()
        self._change = asyncio.Event()

    # --- messages -------------------------------------------------------------------------------

    async def _how_ended(self) -> str:
        if not isinstance(self._stream, ProgramStream):
            return "the connection closed"
        return f"the connection closed: {await self._stream.wait_exit()}"

    def told(self, reason: str) -> str:
        """Return a reason followed by the last lines sent or received, for error messages."""
        end = "the last lines:" if self.passed else "no lines were sent or received"
        lines = [f"{reason}; {end}"]
        for seen in self.passed[-_SHOWN_LINES:]:
            text = seen.line.decode("utf-8", "backslashreplace")
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            lines.append(f"  {_ARROWS[seen.direction]} {shown}")
        return "\n".join(lines)
