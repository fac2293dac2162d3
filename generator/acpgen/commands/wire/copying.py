"""Copies of what passes, handed to the process that records and checks it.

The threads that pass bytes on never wait here. What that process has not taken yet is kept in
memory, up to a limit. Bytes over the limit are left out, and their number is recorded and printed.
"""

from __future__ import annotations

import json
import math
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, TypeAlias

# How much is kept, in bytes: as much as all files of a recording contain by default.
_MOST = 250_000_000
# How long many messages are still checked after the exit of the agent, in seconds.
_CHECKED = 1.0
# How long the other process may take nothing before it is given up, in seconds.
_PATIENCE = 15.0
# The kind of a frame, its time, how many bytes wait behind it, whether to hurry, its length.
_HEAD = struct.Struct("<cdQ?I")

Kind: TypeAlias = Literal[b"s", b"r", b"S", b"R", b"e"]
SENT: Final = b"s"
RECEIVED: Final = b"r"
# How many bytes and lines were left out in that direction.
SENT_SKIPPED: Final = b"S"
RECEIVED_SKIPPED: Final = b"R"
END: Final = b"e"
_SKIPPED: dict[bytes, bytes] = {SENT: SENT_SKIPPED, RECEIVED: RECEIVED_SKIPPED}


class Frame(NamedTuple):
    """A part of what passes.

    Attributes:
        kind: what it is: bytes, how many bytes and lines are missing, or how the agent has ended.
        time: when it passed, in seconds since the epoch.
        backlog: how many bytes wait behind it.
        hurries: Whether the recording must be finished soon, if necessary without checks.
        data: the bytes, or JSON.
    """

    kind: bytes
    time: float
    backlog: int
    hurries: bool
    data: bytes


def read_frames(file: IO[bytes]) -> Iterator[Frame]:
    """Read frames until their end; the last one may be cut off."""
    while len(head := file.read(_HEAD.size)) == _HEAD.size:
        *fields, length = _HEAD.unpack(head)
        data = file.read(length)
        if len(data) < length:
            return
        yield Frame(*fields, data)


def confirm() -> None:
    """Confirm in the other process that a frame was recorded."""
    with suppress(OSError):  # the process that forwards messages was killed
        os.write(1, b"\n")


class Copies:
    """What passes, for the process that watches."""

    def __init__(
        self, command: Sequence[str], log: Path | None, max_size: int, keep: int, *, quiet: bool
    ) -> None:
        """Start the process; if that fails, say so and drop all copies.

        Args:
            command: the program of the agent, and its arguments.
            log: where to record; None for nowhere.
            max_size: the size of a file of the recording, in bytes.
            keep: how many older files are kept.
            quiet: Whether only failures of the recording are printed.
        """
        self._change = threading.Condition()
        self._waiting: deque[tuple[bytes, float, bytes]] = deque()
        self._size = 0
        self._skipped = {SENT: [0, 0], RECEIVED: [0, 0]}  # bytes and lines since the last frame
        self._is_over = False
        self._checked_until = math.inf
        self._fed = 0  # frames
        options = {
            "time": time.time(),
            "command": list(command),
            "log": None if log is None else str(log),
            "max_size": max_size,
            "keep": keep,
            "quiet": quiet,
        }
        self._watcher = _start(options)
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        self._feeder.start()

    def sent(self, data: bytes) -> None:
        """Take a copy of what goes to the agent."""
        self._put(SENT, data)

    def received(self, data: bytes) -> None:
        """Take a copy of what comes from the agent."""
        self._put(RECEIVED, data)

    def end(self, status: int) -> None:
        """Hand over how the agent exited, and wait until everything is recorded.

        The wait ends when the other process fails, or makes no progress.
        """
        about: dict[str, Any] = {"exit": status} if status >= 0 else {"signal": _name(-status)}
        with self._change:
            if self._watcher is not None:
                for kind in _SKIPPED:
                    self._put_skipped(kind)
            self._waiting.append((END, time.time(), json.dumps(about).encode()))
            self._is_over = True
            self._checked_until = time.monotonic() + _CHECKED
            self._change.notify()
        fed = -1
        while self._feeder.is_alive() and fed != self._fed:
            fed = self._fed
            self._feeder.join(_PATIENCE)
        if not self._feeder.is_alive() and self._watcher is not None:
            with suppress(subprocess.TimeoutExpired):
                if self._watcher.wait(_PATIENCE) == 0:
                    return
        self._report()

    def _report(self) -> None:
        """Print how much the other process did not take."""
        with self._change:
            self._skip_waiting()
            size, lines = map(sum, zip(*self._skipped.values(), strict=True))
        warn(f"recording and checking did not finish; about {lines} lines ({size} bytes) are missing")

    def _put(self, kind: bytes, data: bytes) -> None:
        with self._change:
            if self._watcher is None or self._is_over or self._size + len(data) > _MOST:
                self._skip(kind, len(data), data.count(b"\n"))
                return
            self._put_skipped(kind)
            self._waiting.append((kind, time.time(), data))
            self._size += len(data)
            self._change.notify()

    def _skip(self, kind: bytes, size: int, lines: int) -> None:
        self._skipped[kind][0] += size
        self._skipped[kind][1] += lines

    def _skip_waiting(self) -> None:
        for kind, _, data in self._waiting:
            if kind in _SKIPPED:
                self._skip(kind, len(data), data.count(b"\n"))
            elif kind != END:
                self._skip(kind.lower(), *json.loads(data))

    def _put_skipped(self, kind: bytes) -> None:
        if self._skipped[kind][0]:
            data = json.dumps(self._skipped[kind]).encode()
            self._waiting.append((_SKIPPED[kind], time.time(), data))
            self._skipped[kind] = [0, 0]

    def _feed(self) -> None:
        """Hand everything over, however long that takes."""
        if self._watcher is None:
            return
        assert self._watcher.stdin is not None
        assert self._watcher.stdout is not None
        try:
            with self._watcher.stdin as pipe:
                while (frame := self._next()) is not None:
                    kind, seen, data = frame
                    hurries = time.monotonic() > self._checked_until
                    pipe.write(_HEAD.pack(kind, seen, self._size, hurries, len(data)) + data)
                    pipe.flush()
                    if not self._watcher.stdout.read(1):  # see `confirm`
                        raise BrokenPipeError
                    with self._change:
                        self._waiting.popleft()
                    self._fed += 1
        except OSError:
            with self._change:
                self._watcher = None
                self._skip_waiting()
                self._waiting.clear()
            warn("recording and checking failed; messages are still forwarded")

    def _next(self) -> tuple[bytes, float, bytes] | None:
        """Return the next frame, which still counts as waiting; None after the last one."""
        with self._change:
            while not self._waiting:
                if self._is_over:
                    return None
                self._change.wait()
            kind, _, data = self._waiting[0]
            if kind in _SKIPPED:
                self._size -= len(data)
            return self._waiting[0]


def _start(options: dict[str, Any]) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "acpgen.commands.wire.watching", json.dumps(options)]
    try:
        # In a session of its own: signals to the group of this process are not for the watcher,
        # which records the end that they bring about.
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
