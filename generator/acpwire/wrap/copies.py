"""Copies of the traffic, which the monitor process records and checks.

The threads that forward bytes never wait for the monitor. The monitor reads each frame as soon as
it arrives and confirms it after recording it. Frames are therefore recorded even if this process is
killed. The total size of unconfirmed frames is limited. Bytes over the limit are dropped, and the
number of dropped bytes is recorded and printed.
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

# The maximum total size of unconfirmed frames in memory, in bytes. By default, this limit is also
# the maximum total size of a recording's files.
_MOST = 250_000_000
# The memory that a frame needs in addition to its data, in bytes.
_OVERHEAD = 400
# If the monitor confirms nothing for this many seconds, it is considered stuck.
_PATIENCE = 15.0

Direction: TypeAlias = Literal["sent", "received"]
PASSED: Final = "passed"
SKIPPED: Final = "skipped"
ENDED: Final = "ended"


class Frame(NamedTuple):
    """A piece of the traffic, a gap in the traffic, or its end."""

    kind: str
    direction: Direction
    time: float
    data: Any  # forwarded bytes, the numbers of dropped bytes and lines, or the agent's exit status

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of bytes and lines that this frame contains or reports as lost."""
        if self.kind == PASSED:
            return len(self.data), self.data.count(b"\n")
        return self.data if self.kind == SKIPPED else (0, 0)


def read_frames() -> Iterator[Frame]:
    """Read frames from standard input until the forwarding process closes it or exits."""
    with suppress(EOFError, pickle.UnpicklingError):  # the last frame can be truncated
        while True:
            yield pickle.load(sys.stdin.buffer)


def confirm() -> None:
    """Confirm to the forwarding process that a frame was recorded."""
    with suppress(OSError):  # the forwarding process was killed
        os.write(1, b"\n")


class Copies:
    """The queue of frames for the monitor."""

    def __init__(self, options: dict[str, Any]) -> None:
        """Start the monitor with its options. If the monitor cannot be started, print a warning."""
        self._change = threading.Condition()
        self._waiting: deque[Frame] = deque()
        # The number of bytes, the number of lines and the size in memory of each unconfirmed frame.
        self._unconfirmed: deque[tuple[int, int, int]] = deque()
        self._size = 0  # the size of all unconfirmed frames in memory
        # The numbers of bytes and lines dropped since the last frame.
        self._skipped: dict[Direction, tuple[int, int]] = {}
        self._is_over = False
        self._monitor = _start(options)
        self._threads = [
            threading.Thread(target=work, args=(self._monitor,), daemon=True)
            for work in (self._feed, self._await_confirmations)
            if self._monitor is not None
        ]
        for thread in self._threads:
            thread.start()

    def end(self, status: int) -> None:
        """Send the agent's exit status and wait while the monitor keeps confirming frames."""
        about: dict[str, Any] = {"exit": status} if status >= 0 else {"signal": _name(-status)}
        with self._change:
            self._add_skipped()
            self._add(Frame(ENDED, "received", time.time(), about))
            self._is_over = True
        left = -1
        while self._threads and self._threads[-1].is_alive() and left != len(self._unconfirmed):
            left = len(self._unconfirmed)
            self._threads[-1].join(_PATIENCE)
        if self._unconfirmed:
            counts = *self._unconfirmed, *self._skipped.values()
            size, lines = (sum(each[index] for each in counts) for index in range(2))
            warn(f"about {lines} lines ({size} bytes) were not recorded or checked")

    def put(self, direction: Direction, data: bytes) -> None:
        """Add forwarded data, with its direction as seen from the client."""
        frame = Frame(PASSED, direction, time.time(), data)
        with self._change:
            if self._is_over:
                return
            if self._monitor is None or self._size + len(data) > _MOST:
                counts = zip(frame.counts, self._skipped.get(direction, (0, 0)), strict=True)
                size, lines = map(sum, counts)
                self._skipped[direction] = size, lines
            else:
                self._add_skipped()
                self._add(frame)

    def _add_skipped(self) -> None:
        for direction, counts in self._skipped.items() if self._monitor else ():
            self._add(Frame(SKIPPED, direction, time.time(), counts))
        if self._monitor:
            self._skipped.clear()

    def _add(self, frame: Frame) -> None:
        size = _OVERHEAD + (len(frame.data) if frame.kind == PASSED else 0)
        self._size += size
        self._unconfirmed.append((*frame.counts, size))
        self._waiting.append(frame)
        self._change.notify()

    def _feed(self, monitor: subprocess.Popen[bytes]) -> None:
        assert monitor.stdin is not None
        with suppress(OSError), monitor.stdin as pipe:  # `_await_confirmations` reports failures
            kind = ""
            while kind != ENDED:
                with self._change:
                    while not self._waiting:
                        self._change.wait()
                    frame = self._waiting.popleft()
                kind = frame.kind
                pickle.dump(frame, pipe)
                pipe.flush()

    def _await_confirmations(self, monitor: subprocess.Popen[bytes]) -> None:
        assert monitor.stdout is not None
        while confirmed := os.read(monitor.stdout.fileno(), 1 << 12):
            with self._change:
                for _ in confirmed:
                    self._size -= self._unconfirmed.popleft()[2]
        monitor.wait()
        with self._change:
            if self._unconfirmed or not self._is_over:
                self._monitor = None
                self._waiting.clear()
                warn("recording and checking failed; messages are still forwarded")


def _start(options: dict[str, Any]) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "acpwire.wrap.monitor", json.dumps(options)]
    try:
        # The monitor runs in a separate session so that signals to this process's group don't
        # terminate it before it records the agent's exit.
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        reason = error.strerror or error
        warn(f"messages cannot be recorded or checked ({reason}) but are still forwarded")
        return None


def warn(text: str) -> None:
    """Print a warning to standard error, unless standard error is closed."""
    with suppress(OSError, ValueError):
        print(f"acpgen wrap: {text}", file=sys.stderr, flush=True)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
