"""One end of a connection that takes and sends lines as they are, also those that are no messages.

It shares nothing with the connections of `runtime.jsonrpc` but the streams, so that it shows what
these really do. Whoever plays or judges a side stands on it.
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
# How long a program may take to exit when its input ends, and again when it is terminated.
_GRACE = 2.0
# How many bytes are kept for whoever does not receive them; then nothing more is read.
_KEPT = 1 << 26
_SHOWN_LINES, _SHOWN = 6, 160
_log = logger_of(__name__)
_ARROWS = {"sent": "→", "received": "←"}


class WireError(AssertionError):
    """The other side has not done what was waited for.

    It is an `AssertionError`, so that a test that waits in vain has failed. Its text ends with the
    last lines of the connection.
    """


class Silent(WireError):
    """The other side has sent nothing, or read nothing, within the limit."""


class Ended(WireError):
    """The connection has ended."""


class Wire:
    """One end of a connection. Leaving it as a context closes it.

        async with await Wire.start(["my-agent"]) as wire:
            await wire.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
            answer = await wire.receive()

    Attributes:
        passed: every line that was sent or received, in order. A part of a line that was sent, or
            received before the end, is there as well.
        timeout: the limit of each wait that states no other, in seconds.
    """

    def __init__(
        self, stream: Stream, *, timeout: float = TIMEOUT, observe: Observer | None = None
    ) -> None:
        """Take over a stream, and begin to read. Needs a running event loop.

        Args:
            stream: the connection to the other side.
            timeout: the limit of each wait, in seconds.
            observe: called for each line, too, such as by `log_to`.
        """
        self.passed: list[Observation] = []
        self.timeout = timeout
        self._stream = stream
        self._observe = observe
        self._unreceived: list[Observation] = []
        self._size = 0  # of the unreceived lines, in bytes
        self._change = asyncio.Event()  # of these, and of the end
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
        """Start a program, and talk to it over its standard input and output.

        Args:
            command: the program and its arguments.
            timeout: the limit of each wait, in seconds.
            observe: called for each line, too.
            env: its environment; by default, that of this process.
            cwd: its working directory; by default, that of this process.
            grace: how long it may take to exit when its input ends, and again when it is
                terminated, in seconds.

        Raises:
            OSError: the program cannot be started.
            TypeError: the command is a string.
        """
        if isinstance(command, str):  # to type checkers, a sequence of strings like any other
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
        """Close the stream. A program ends with it: at last, it is killed."""
        self._reading.cancel()
        await asyncio.wait([self._reading])
        await self._stream.close()

    # --- sending -----------------------------------------------------------------------------

    async def send(self, message: Any) -> None:
        """Send a message as one line of JSON; bytes as a line, whatever they are.

        Raises:
            Silent: the other side does not read.
            Ended: it has closed the connection.
        """
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        await self.send_bytes(line + b"\n")

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are, such as a part of a line; raises what `send` raises."""
        for line in data.removesuffix(b"\n").split(b"\n"):
            self._record("sent", line)
        self._stream.write(data)
        try:
            await asyncio.wait_for(self._stream.drain(), self.timeout)
        except asyncio.TimeoutError:
            reason = f"the other side has not read for {self.timeout:g} s"
            raise Silent(self.told(reason)) from None
        except OSError as error:
            raise Ended(self.told(f"the other side has closed the connection: {error}")) from error

    # --- receiving ---------------------------------------------------------------------------

    async def receive(
        self, wanted: Callable[[Any], bool] | None = None, *, timeout: float | None = None
    ) -> Observation:
        """Wait for a line, and return the first one that nobody has received.

        Args:
            wanted: takes the parsed JSON of a line, None if it is none, and tells whether it is
                waited for; others can still be received.
            timeout: the limit of the wait, in seconds; by default, that of this wire.

        Raises:
            Silent: no such line has arrived.
            Ended: the connection has ended, and no such line is left.
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
                raise Silent(self.told(f"nothing came for {limit:g} s")) from None

    async def wait_end(self, *, timeout: float | None = None) -> Exit | None:
        """Wait until the other side has closed the connection; tell how its program has ended.

        Returns:
            How the program has ended; None if the other side is none that was started here.

        Raises:
            Silent: it has not.
        """
        limit = self.timeout if timeout is None else timeout
        if not (await asyncio.wait([self._reading], timeout=limit))[0]:
            raise Silent(self.told(f"the connection has not ended within {limit:g} s"))
        return await self._stream.wait_exit() if isinstance(self._stream, ProgramStream) else None

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines of the standard error of a program that was started here."""
        return self._stream.stderr if isinstance(self._stream, ProgramStream) else ()

    async def _read(self) -> None:
        pieces: list[bytes] = []  # of a line without its end
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
            pass  # such as a reset, which is an end, too
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
        # A new event: those who wait now wake up, and the next to wait waits for the next change.
        self._change.set()
        self._change = asyncio.Event()

    # --- telling -----------------------------------------------------------------------------

    async def _how_ended(self) -> str:
        if not isinstance(self._stream, ProgramStream):
            return "the connection has ended"
        return f"the connection has ended: {await self._stream.wait_exit()}"

    def told(self, reason: str) -> str:
        """Return a reason with the last lines of the connection, as the errors have it."""
        lines = [f"{reason}; the last lines:" if self.passed else f"{reason}, and nothing before"]
        for seen in self.passed[-_SHOWN_LINES:]:
            text = seen.line[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            lines.append(f"  {_ARROWS[seen.direction]} {shown}")
        return "\n".join(lines)
