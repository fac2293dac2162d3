"""Copies of what passes, handed to the process that records and checks it.

Whoever passes bytes on never waits here. What that process has not taken is kept up to a limit;
beyond it, bytes are left out, and it is told how many.
"""

from __future__ import annotations

import json
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

# How much is kept, in bytes.
_MOST = 1 << 26
# How long the other process may take in the end, in seconds; after that, it goes on alone.
_GRACE = 5.0
# What is in a frame, when it passed, how many bytes wait behind it, and its length.
_HEAD = struct.Struct("<cdQI")

Kind: TypeAlias = Literal[b"s", b"r", b"S", b"R", b"e"]
SENT: Final = b"s"
RECEIVED: Final = b"r"
# How many bytes were left out in that direction.
SENT_SKIPPED: Final = b"S"
RECEIVED_SKIPPED: Final = b"R"
END: Final = b"e"
_SKIPPED: dict[bytes, bytes] = {SENT: SENT_SKIPPED, RECEIVED: RECEIVED_SKIPPED}


class Frame(NamedTuple):
    """A part of what passes.

    Attributes:
        kind: what it is: bytes, the number of bytes that are missing, or how the agent has ended.
        time: when it passed, in seconds since the epoch.
        backlog: how many bytes wait behind it.
        data: the bytes, or JSON.
    """

    kind: bytes
    time: float
    backlog: int
    data: bytes


def read_frames(file: IO[bytes]) -> Iterator[Frame]:
    """Read frames until their end; the last one may be cut off."""
    while len(head := file.read(_HEAD.size)) == _HEAD.size:
        kind, seen, backlog, length = _HEAD.unpack(head)
        data = file.read(length)
        if len(data) < length:
            return
        yield Frame(kind, seen, backlog, data)


class Copies:
    """What passes, for the process that watches."""

    def __init__(self, command: Sequence[str], log: Path | None, max_size: int, keep: int) -> None:
        """Start the process; if that fails, say so and drop all copies.

        Args:
            command: the program of the agent, and its arguments.
            log: where to record; None for nowhere.
            max_size: the size of a file of the recording, in bytes.
            keep: how many older files are kept.
        """
        self._change = threading.Condition()
        self._waiting: deque[tuple[bytes, float, bytes]] = deque()
        self._size = 0
        self._skipped = {SENT: 0, RECEIVED: 0}
        self._is_over = False
        options = {
            "time": time.time(),
            "command": list(command),
            "log": None if log is None else str(log),
            "max_size": max_size,
            "keep": keep,
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
        """Tell how the agent has ended, and give the watcher time to take the rest."""
        about: dict[str, Any] = {"exit": status} if status >= 0 else {"signal": _name(-status)}
        with self._change:
            for kind in _SKIPPED:
                self._tell_skipped(kind)
            self._waiting.append((END, time.time(), json.dumps(about).encode()))
            self._is_over = True
            self._change.notify()
        self._feeder.join(_GRACE)
        if self._watcher is not None and not self._feeder.is_alive():
            with suppress(subprocess.TimeoutExpired):
                self._watcher.wait(_GRACE)

    def _put(self, kind: bytes, data: bytes) -> None:
        with self._change:
            if self._watcher is None or self._is_over:
                return
            if self._size + len(data) > _MOST:
                self._skipped[kind] += len(data)
                return
            self._tell_skipped(kind)
            self._waiting.append((kind, time.time(), data))
            self._size += len(data)
            self._change.notify()

    def _tell_skipped(self, kind: bytes) -> None:
        if self._skipped[kind]:
            data = json.dumps(self._skipped[kind]).encode()
            self._waiting.append((_SKIPPED[kind], time.time(), data))
            self._skipped[kind] = 0

    def _feed(self) -> None:
        """Hand everything over, however long that takes."""
        if self._watcher is None:
            return
        assert self._watcher.stdin is not None
        try:
            with self._watcher.stdin as pipe:
                for kind, seen, data in self._next():
                    pipe.write(_HEAD.pack(kind, seen, self._size, len(data)) + data)
                    pipe.flush()
        except OSError:
            warn("nothing is recorded and checked any more; the conversation goes on")
            with self._change:
                self._watcher = None
                self._waiting.clear()

    def _next(self) -> Iterator[tuple[bytes, float, bytes]]:
        while True:
            with self._change:
                while not self._waiting:
                    if self._is_over:
                        return
                    self._change.wait()
                kind, seen, data = self._waiting.popleft()
                if kind in _SKIPPED:
                    self._size -= len(data)
            yield kind, seen, data


def _start(options: dict[str, Any]) -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-m", "acpgen.commands.wire.watching", json.dumps(options)]
    try:
        # In a session of its own: signals to the group of this process are not for the watcher,
        # which records the end that they bring about.
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        warn(f"nothing is recorded and checked ({error.strerror or error})")
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
