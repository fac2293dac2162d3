"""A writer for recordings with a size limit. When a file is full, a new file is started.

Errors while writing don't raise exceptions. Lines that cannot be written are counted, and recording
continues with the next line.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from acp_bindings.runtime.jsonrpc.observing import Observation, log_to

from acpwire.recording import events
from acpwire.recording.reading import Line

# The maximum size of an `initialize` request or response that is repeated in each new file.
_MOST_REPEATED = 1 << 16


class Recording:
    """A recording in `FILE`, with older parts in `FILE.1`, `FILE.2` and so on."""

    def __init__(self, path: Path, max_size: int, keep: int, warn: Callable[[str], object]) -> None:
        """Open a new file. An existing file is renamed.

        Args:
            path: the file to write.
            max_size: the maximum size of each file in bytes. A longer line is written to a
                separate file.
            keep: the maximum number of renamed files to keep.
            warn: called with a message if recording fails.
        """
        self.lines = 0  # the number of lines in the current file
        self._path = path.absolute()  # later changes to the working directory have no effect
        self._max_size, self._keep, self._warn = max_size, keep, warn
        self._has_warned = False
        self._file: int | None = None  # the descriptor of the open file
        self._size = 0  # the size of the file
        self._time = time.time()  # the time of the last line
        self._repeated: list[str] = []
        self._missing = [0, 0]  # bytes and lines lost since the last written line
        self._lost = [0, 0]  # bytes and lines lost in total
        # `log_to` calls only `write` and `flush`.
        self._log = log_to(self)  # type: ignore[arg-type]
        with self._warned():
            self._open()
            if self._size:
                self._rotate()

    def event(self, event: str, **about: Any) -> None:
        """Record an event with its fields. If `time` is omitted, the last line's time is used."""
        self._time = about.pop("time", self._time)
        self.write(self._event(event, about))

    def message(self, line: Line, content: bytes, *, repeats: bool = False) -> None:
        """Record a forwarded line.

        If the line is too long, `content` is only its beginning and end.
        """
        assert line.direction is not None
        assert line.time is not None
        self._time = line.time
        if line.size is None:
            message = line.message if line.problem is None else None
            self._log(Observation(line.direction, content, message, line.time))
        else:
            text = content.decode("utf-8", "backslashreplace")
            cut = {"time": line.time, "direction": line.direction, "line": text, "size": line.size}
            self.write(json.dumps(cut) + "\n")
        if not self._is_written:
            for counts in (self._missing, self._lost):
                counts[0] += line.size or len(content) + 1
                counts[1] += 1
        if repeats and len(content) <= _MOST_REPEATED:
            again = {"time": line.time, "direction": line.direction, "message": line.message}
            self._repeated.append(json.dumps(again) + "\n")

    def begin_connection(self) -> None:
        """Discard the lines to repeat, because they belong to an earlier connection."""
        self._repeated.clear()

    def write(self, text: str) -> None:
        """Write a line that ends with a line break, preceded by an event if lines were lost."""
        if self._missing[1]:
            size, lines = self._missing
            if self._put(self._event(events.SKIPPED, {"bytes": size, "lines": lines})):
                self._missing = [0, 0]
        self._is_written = self._put(text)

    def flush(self) -> None:
        """Do nothing, because lines are written without a buffer."""

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._close()
        size, lines = self._lost
        if lines:
            self._warn(f"{lines} lines ({size} bytes) were not recorded")

    def _event(self, event: str, about: dict[str, Any]) -> str:
        return json.dumps({"time": self._time, "event": event, **about}) + "\n"

    def _put(self, text: str) -> bool:
        """Write a line, to a new file if necessary, and return whether this succeeded."""
        data = text.encode()
        with self._warned():
            if self._file is None:
                self._open()
            if self._size and self._size + len(data) > self._max_size:
                self._rotate()
                self.lines = 1 + len(self._repeated)
                about = {"file": str(self._older(1)), "side": "client"}
                first = self._event(events.CONTINUED, {**about, "repeated": len(self._repeated)})
                self._append((first + "".join(self._repeated)).encode())
            self._append(data)
            self.lines += 1
            return True
        return False

    def _append(self, data: bytes) -> None:
        """Append all of the data or, if writing fails, none of it."""
        assert self._file is not None
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            with suppress(OSError):  # a device, for example, cannot be truncated
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)

    def _open(self) -> None:
        """Open the file, or a different file if another process is using this one."""
        self._file = self._opened()
        if not _lock(self._file):
            before = self._path
            self._path = before.with_name(f"{before.stem}.{os.getpid()}{before.suffix}")
            self._warn(f"{before} is in use; recording to {self._path}")
            self._close()
            self._file = self._opened()
            _lock(self._file)
        self._size = os.fstat(self._file).st_size

    def _opened(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        return os.open(self._path, flags, 0o666)

    def _close(self) -> None:
        descriptor, self._file = self._file, None
        if descriptor is not None:
            os.close(descriptor)

    def _older(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path

    def _rotate(self) -> None:
        """Increase the number in each file's name by one and open a new file."""
        self._close()
        for number in range(self._keep, 0, -1):
            with suppress(FileNotFoundError):
                self._older(number - 1).replace(self._older(number))
        self._open()

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Suppress write errors, and print a warning for the first error."""
        try:
            yield
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                self._warn(f"cannot record to {self._path}: {error.strerror or error}")


def _lock(descriptor: int) -> bool:
    """Lock a file for this process, or return False if another process has locked it."""
    if sys.platform == "win32":  # no lock is needed, since Windows doesn't rename files in use
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # not every file system supports locks
        pass
    return True
