"""The connection to the program under test, with a record of all lines in both directions.

The program's behavior never causes an exception in this module, even if the program writes invalid
or incomplete lines, writes too much output, exits early, or writes nothing at all.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from acp_bindings.runtime.aio.child_process import ChildStream, open_child

from acpwire.json_values import at
from acpwire.recording.reading import line_of

# The maximum numbers of bytes and lines of output. A program that writes more is terminated.
MOST_BYTES = 1 << 24
MOST_LINES = 10_000
# The maximum recorded length of an unfinished last line, in bytes.
_LONGEST_REST = 10_000
# The time in seconds that a program is given to exit after the end of its input, and again after
# SIGTERM.
GRACE = 1.0
# The time to wait for lines that should not arrive, and the interval for checking whether the
# process has exited, in seconds.
_REST = 0.2
_POLL = 0.02
_INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True, slots=True)
class Line:
    """A line sent to or received from the program, or a false value if no line arrived in time."""

    time: float  # in seconds since the program was started
    sent: bool
    data: bytes  # the line without its line break, or the reason why no line arrived
    message: Any = field(default=None, repr=False)
    problem: str | None = None  # the reason why the line isn't JSON
    arrived: bool = True

    def __bool__(self) -> bool:
        return self.arrived

    @property
    def text(self) -> str:
        """The line as text. Bytes that are not valid UTF-8 are replaced."""
        return self.data.decode("utf-8", "replace")

    @property
    def method(self) -> Any:
        """The message's method, or None if it has no method."""
        return at(self.message, "method")

    @property
    def has_result(self) -> bool:
        """True if the message contains a result, which may be null, and no error."""
        message = self.message if type(self.message) is dict else {}
        return "result" in message and message.get("error") is None

    @property
    def result(self) -> dict[str, Any]:
        """The message's result, or an empty dict if the result is missing or not an object."""
        result = at(self.message, "result")
        return result if type(result) is dict else {}

    @property
    def error_code(self) -> Any:
        """The code of the message's error, or None if the message has no error."""
        return at(self.message, "error", "code")

    def answers(self, id: Any) -> bool:
        """Return whether the message is a response with this id.

        The id None also matches a missing id.
        """
        message = self.message if type(self.message) is dict else {"method": ""}
        found = message.get("id")
        return "method" not in message and type(found) is type(id) and found == id


class Channel(Protocol):
    """A byte stream between this process and a program.

    The methods are a subset of the methods of `acp_bindings.runtime.aio.Stream`.
    """

    async def read(self) -> bytes: ...
    def write(self, data: bytes) -> None: ...
    async def close(self) -> None: ...


class Wire:
    """A connection to a program, with all lines sent and received."""

    def __init__(self, channel: Channel, program: ChildStream, timeout: float) -> None:
        self.lines: list[Line] = []  # in both directions
        self.end: str | None = None  # the reason why the program's output ended
        self.on_line: Callable[[Line], object] = lambda line: None
        self._channel = channel
        self._program = program
        self._timeout = timeout
        self._loop = asyncio.get_running_loop()
        self._start = self._loop.time()
        self._news = asyncio.Event()

    def send(self, message: Any) -> Line:
        """Send a message as a line of JSON."""
        # An id that is copied from the program's request might contain a lone surrogate.
        text = json.dumps(message, ensure_ascii=False)
        return self.send_bytes(text.encode("utf-8", "backslashreplace"))

    def send_bytes(self, data: bytes) -> Line:
        """Send a line unchanged. The line is dropped if the program exits before reading it."""
        line = self._keep(data, sent=True)
        self._channel.write(data + b"\n")
        return line

    def end_input(self) -> None:
        """Close the program's input."""
        self._program.end_input()

    def interrupt(self) -> None:
        """Send SIGINT to the program, like Ctrl-C."""
        with suppress(ProcessLookupError):
            self._program.process.send_signal(signal.SIGINT)

    async def wait(
        self, wanted: Callable[[Line], bool], since: int = 0, timeout: float | None = None
    ) -> Line:
        """Return the program's first matching line, starting at index `since`.

        If no such line arrives in time or before the program exits, the returned line is false.
        """
        deadline = self._loop.time() + (self._timeout if timeout is None else timeout)
        while True:
            for line in self.lines[since:]:
                if not line.sent and wanted(line):
                    return line
            since = len(self.lines)
            if self.end is not None or not await self._more(deadline):
                return Line(self._now(), False, self.silence.encode(), arrived=False)

    async def wait_end(self) -> bool:
        """Wait for the program to close its output, and return whether it did so in time."""
        deadline = self._loop.time() + self._timeout
        while self.end is None:
            if not await self._more(deadline):
                return False
        return True

    async def wait_exit(self) -> bool:
        """Wait for the program to exit, and return whether it did so in time."""
        deadline = self._loop.time() + self._timeout
        while self._program.exit is None and self._loop.time() < deadline:
            await asyncio.sleep(_POLL)
        return self._program.exit is not None

    async def rest(self, wanted: Callable[[Line], bool] = lambda line: False) -> None:
        """Wait briefly for a line that should not arrive."""
        await self.wait(wanted, timeout=_REST)

    @property
    def is_interrupted(self) -> bool:
        """True if SIGINT terminated the program, or if it exited with code 130, as shells do."""
        exit = self._program.exit
        return exit is not None and (exit.signal == "SIGINT" or exit.code == _INTERRUPTED)

    @property
    def silence(self) -> str:
        """The reason why an expected line did not arrive."""
        return self.end or f"nothing in {self._timeout:g} s"

    async def _more(self, deadline: float) -> bool:
        """Wait for more output or its end, and return whether either arrived in time."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._news.wait(), max(deadline - self._loop.time(), 0))
            return True
        return False

    async def read(self) -> None:
        """Read the program's output until it ends or exceeds the limit."""
        try:
            await self._read()
        finally:  # wake up the waiting tasks even after an error
            self._finish(self.end or "an internal error of acpgen conform")

    async def _read(self) -> None:
        rest, size, is_flood = bytearray(), 0, False
        with suppress(OSError):
            while not is_flood and (data := await self._channel.read()):
                size += len(data)
                rest += data
                if b"\n" in data:
                    *whole, last = bytes(rest).split(b"\n")
                    rest = bytearray(last)
                    for line in whole[: MOST_LINES - len(self.lines) + 1]:
                        self._keep(line, sent=False)
                    self._tell()
                is_flood = size > MOST_BYTES or len(self.lines) > MOST_LINES
        if rest:
            self._keep(bytes(rest[:_LONGEST_REST]), sent=False, problem="lacks a line break")
        if is_flood:
            self._finish(f"too much output: {size} bytes, {len(self.lines)} lines")
            self._program.hurry(0)
            return
        exit = await self._program.wait_exit()
        words = str(replace(exit, stderr=())).replace("the agent", "the program", 1)
        error = exit.stderr[-1].strip() if exit.stderr else ""
        self._finish(f"{words}; its standard error ended with: {error}" if error else words)

    def _keep(self, data: bytes, *, sent: bool, problem: str | None = None) -> Line:
        read = line_of(0, data, None, "sent" if sent else "received")
        problem = problem or read.problem
        line = Line(self._now(), sent, data, None if problem else read.message, problem)
        self.lines.append(line)
        self.on_line(line)
        return line

    def _now(self) -> float:
        return self._loop.time() - self._start

    def _finish(self, end: str) -> None:
        self.end = end
        self._tell()

    def _tell(self) -> None:
        # Wake up the waiting tasks. Replace the event so that later tasks wait for the next lines.
        self._news.set()
        self._news = asyncio.Event()


@asynccontextmanager
async def open_wire(command: Sequence[str], timeout: float) -> AsyncGenerator[Wire]:
    """Start a program. Leaving the context stops the program and all processes that it started."""
    child = await open_child(command, stderr=asyncio.subprocess.PIPE, grace=GRACE)
    async with wire_over(child, child, timeout) as wire:
        yield wire


@asynccontextmanager
async def wire_over(channel: Channel, program: ChildStream, timeout: float) -> AsyncGenerator[Wire]:
    """Read a program's output. Leaving the context closes the channel."""
    wire = Wire(channel, program, timeout)
    reading = asyncio.create_task(wire.read())
    try:
        yield wire
    finally:
        reading.cancel()
        await asyncio.wait([reading])
        await channel.close()
    if not reading.cancelled():
        reading.result()  # re-raises an exception from the task


# The type of `open_wire`.
Open: TypeAlias = Callable[[Sequence[str], float], AbstractAsyncContextManager[Wire]]
