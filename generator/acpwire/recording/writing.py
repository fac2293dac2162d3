"""Write a recording of bounded size: when its file is full, it continues in a new one.

Nothing here fails: lines that cannot be written are counted, and the next line is tried again.
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

# The lines of `initialize` are repeated in each file, unless they are longer.
_MOST_REPEATED = 1 << 16


class Recording:
    """The files of a recording: `FILE`, and `FILE.1`, `FILE.2` and so on, which are older."""

    def __init__(self, path: Path, max_size: int, keep: int, warn: Callable[[str], object]) -> None:
        """Begin a new file, keeping up to `keep` existing files as older ones.

        The last line can exceed the size in bytes. `warn` is called with the problem.
        """
        self.lines = 0  # in the current file
        self._path = path.absolute()  # independent of later changes of the working directory
        self._max_size, self._keep, self._warn = max_size, keep, warn
        self._has_warned = False
        self._file: int | None = None  # its descriptor, if it is open
        self._size = 0  # the size of the file
        self._time = time.time()  # of the last line
        self._repeated: list[str] = []
        self._missing = [0, 0]  # bytes and lines that could not be written since the last one
        self._lost = [0, 0]  # in total
        self._log = log_to(self)  # type: ignore[arg-type]  # it only writes and flushes
        with self._warned():
            self._open()
            if self._size:
                self._rotate()

    def event(self, event: str, **about: Any) -> None:
        """Record an event, with its `time` in `about` unless it is the time of the last line."""
        self._time = about.pop("time", self._time)
        self.write(self._event(event, about))

    def message(self, line: Line, content: bytes, *, repeats: bool = False) -> None:
        """Record a forwarded line with its content, or only both ends if it is too long."""
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
        """Forget the lines to repeat, which are about an earlier connection."""
        self._repeated.clear()

    def write(self, text: str) -> None:
        """Write a line with its line break, after a count of the data that could not be written."""
        if self._missing[1]:
            size, lines = self._missing
            if self._put(self._event(events.SKIPPED, {"bytes": size, "lines": lines})):
                self._missing = [0, 0]
        self._is_written = self._put(text)

    def flush(self) -> None:
        """Each line is flushed immediately."""

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
        """Write a line, if necessary to a new file; return whether that succeeded."""
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
        """Append all data, or nothing."""
        assert self._file is not None
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            with suppress(OSError):  # a device, for example
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)

    def _open(self) -> None:
        """Open the file, or another one if it is in use by another process."""
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
        """Rename each file to the next older one, and open a new one."""
        self._close()
        for number in range(self._keep, 0, -1):
            with suppress(FileNotFoundError):
                self._older(number - 1).replace(self._older(number))
        self._open()

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Report the first failure and suppress all others."""
        try:
            yield
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                self._warn(f"cannot record to {self._path}: {error.strerror or error}")


def _lock(descriptor: int) -> bool:
    """Lock a file for this process; return whether no other process uses it."""
    if sys.platform == "win32":  # on Windows, a file in use cannot be renamed
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # not every file system supports locks
        pass
    return True
