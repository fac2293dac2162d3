"""Copies of what passes, handed to the process that records and checks it.

The threads that pass bytes on never wait here. Frames that the other process did not confirm yet
are kept in memory, up to a limit. Bytes over the limit are left out, and their number is recorded
and printed.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple, TypeAlias

# How much is kept, in bytes: as much as all files of a recording contain by default.
_MOST = 250_000_000
# How long many messages are still checked after the exit of the agent, in seconds.
_CHECKED = 1.0
# How long the other process may take for a frame before it is given up, in seconds.
_PATIENCE = 15.0

Direction: TypeAlias = Literal["sent", "received"]
PASSED: Final = "passed"
SKIPPED: Final = "skipped"
ENDED: Final = "ended"


class Frame(NamedTuple):
    """A part of what passes.

    Attributes:
        kind: What `data` is.
        direction: The direction of the bytes.
        time: When it passed, in seconds since the epoch.
        data: The bytes that passed; how many bytes and lines are missing; or how the agent exited.
        backlog: How many bytes wait behind it.
        hurries: Whether the recording must be finished soon, if necessary without checks.
    """

    kind: str
    direction: Direction
    time: float
    data: Any
    backlog: int = 0
    hurries: bool = False


def read_frames() -> Iterator[Frame]:
    """Read frames from standard input, and confirm each after its use."""
    # The last one can be cut off if the process that forwards messages is killed.
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            frame: Frame = pickle.load(sys.stdin.buffer)
            yield frame
            with suppress(OSError):
                os.write(1, b"\n")


class Copies:
    """What passes, for the process that watches."""

    def __init__(self, options: dict[str, Any]) -> None:
        """Start the process; if that fails, say so and drop all copies.

        Args:
            options: The options of the process, see `watching`.
        """
        self._change = threading.Condition()
        self._waiting: deque[Frame] = deque()
        self._size = 0
        self._skipped: dict[Direction, list[int]] = {"sent": [0, 0], "received": [0, 0]}
        self._over: float | None = None  # when the agent exited
        self._watcher = _start(options)
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def sent(self, data: bytes) -> None:
        """Take a copy of what goes to the agent."""
        self._put("sent", data)

    def received(self, data: bytes) -> None:
        """Take a copy of what comes from the agent."""
        self._put("received", data)

    def end(self, status: int) -> None:
        """Hand over how the agent exited, and wait until everything is recorded.

        The wait ends when the other process fails, or makes no progress.
        """
        about: dict[str, Any] = {"exit": status} if status >= 0 else {"signal": _name(-status)}
        with self._change:
            self._put_skipped()
            self._waiting.append(Frame(ENDED, "received", time.time(), about))
            self._over = time.monotonic()
            self._change.notify()
        left = -1
        while self._feeder.is_alive() and left != len(self._waiting):
            left = len(self._waiting)
            self._feeder.join(_PATIENCE)
        if self._waiting or self._watcher is None:
            self._give_up()
            size, lines = map(sum, zip(*self._skipped.values(), strict=True))
            warn(f"about {lines} lines ({size} bytes) were not recorded and checked")
        else:
            with suppress(subprocess.TimeoutExpired):
                self._watcher.wait(_PATIENCE)

    def _put(self, direction: Direction, data: bytes) -> None:
        with self._change:
            if self._watcher is None or self._size + len(data) > _MOST:
                self._skip(direction, len(data), data.count(b"\n"))
            elif self._over is None:
                self._put_skipped()
                self._waiting.append(Frame(PASSED, direction, time.time(), data))
                self._size += len(data)
                self._change.notify()

    def _skip(self, direction: Direction, size: int, lines: int) -> None:
        self._skipped[direction][0] += size
        self._skipped[direction][1] += lines

    def _put_skipped(self) -> None:
        for direction, (size, lines) in self._skipped.items() if self._watcher else ():
            if size:
                self._waiting.append(Frame(SKIPPED, direction, time.time(), (size, lines)))
                self._skipped[direction] = [0, 0]

    def _give_up(self) -> None:
        with self._change:
            self._watcher = None
            for kind, direction, _, data, *_ in self._waiting:
                if kind == PASSED:
                    self._skip(direction, len(data), data.count(b"\n"))
                elif kind == SKIPPED:
                    self._skip(direction, *data)
            self._waiting.clear()

    def _feed(self) -> None:
        """Hand everything over, however long that takes."""
        if (watcher := self._watcher) is None:
            return
        assert watcher.stdin is not None
        assert watcher.stdout is not None
        try:
            with watcher.stdin as pipe:
                while True:
                    with self._change:
                        while not self._waiting:
                            self._change.wait()
                        frame = self._waiting[0]
                        self._size -= len(frame.data) if frame.kind == PASSED else 0
                    hurries = self._over is not None and time.monotonic() > self._over + _CHECKED
                    pickle.dump(frame._replace(backlog=self._size, hurries=hurries), pipe)
                    pipe.flush()
                    if not watcher.stdout.read(1):
                        raise BrokenPipeError
                    self._waiting.popleft()
                    if frame.kind == ENDED:
                        return
        except (OSError, IndexError):  # it failed, or was given up
            self._give_up()
            warn("recording and checking failed; messages are still forwarded")


def _start(options: dict[str, Any]) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "acpgen.commands.wire.watching", json.dumps(options)]
    try:
        # In a separate session: signals to the group of this process are not for the watcher,
        # which records the end that they cause.
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        warn(f"cannot record and check ({error.strerror or error}); messages are still forwarded")
        return None


def warn(text: str) -> None:
    """Print a line on standard error, if there is one."""
    with suppress(OSError, ValueError):
        print(f"acpgen wrap: {text}", file=sys.stderr, flush=True)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
