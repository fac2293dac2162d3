"""Write a recording that is bounded: when its file is full, it goes on in a new one.

Nothing here fails: what cannot be written is told once, and the next line is tried again.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from acp_bindings.runtime.jsonrpc.observing import Observation, log_to

from acpgen.wire.recording import events
from acpgen.wire.recording.reading import Line

# The lines of `initialize` are repeated in each file, unless they are longer.
_MOST_REPEATED = 1 << 16


class Recording:
    """The files of a recording: `FILE`, and `FILE.1`, `FILE.2` and so on, which are older.

    Attributes:
        lines: how many lines the current file has.
    """

    def __init__(self, path: Path, max_size: int, keep: int, warn: Callable[[str], object]) -> None:
        """Begin a new file; one that is there is kept as an older one.

        Args:
            path: the file.
            max_size: the size in bytes that it does not exceed, except by its last line.
            keep: how many older files are kept.
            warn: called with what is wrong with the file.
        """
        self.lines = 0
        self._repeated: list[str] = []
        self._file = _File(path, max_size, keep, self._continue, warn)
        self._log = log_to(self)  # type: ignore[arg-type]  # it writes and flushes, no more

    def event(self, event: str, **about: Any) -> None:
        """Record an event, which happens now unless `about` has its `time`."""
        self.write(_event(event, about))

    def message(self, line: Line, content: bytes, *, repeats: bool = False) -> None:
        """Record a line that has passed.

        Args:
            line: the line as read.
            content: the line, without its end; of one that is too long, its beginning and its end.
            repeats: whether each file of the recording has to have it.
        """
        assert line.direction is not None
        assert line.time is not None
        if line.size is None:
            message = line.message if line.problem is None else None
            self._log(Observation(line.direction, content, message, line.time))
        else:
            text = content.decode("utf-8", "backslashreplace")
            cut = {"time": line.time, "direction": line.direction, "line": text, "size": line.size}
            self.write(json.dumps(cut) + "\n")
        if repeats and len(content) <= _MOST_REPEATED:
            again = {"time": line.time, "direction": line.direction, "message": line.message}
            self._repeated.append(json.dumps(again) + "\n")

    def begin_connection(self) -> None:
        """A connection begins: what was to be repeated is outdated."""
        self._repeated.clear()

    def write(self, text: str) -> None:
        """Write a line with its end."""
        self._file.emit(logging.makeLogRecord({"msg": text.removesuffix("\n")}))
        self.lines += 1

    def flush(self) -> None:
        """Each line is flushed as it is written."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _continue(self, older: str) -> str:
        """The first lines of a file that goes on after an older one."""
        self.lines = 1 + len(self._repeated)
        about = {"file": older, "side": "client", "repeated": len(self._repeated)}
        return _event(events.CONTINUED, about) + "".join(self._repeated)


def _event(event: str, about: dict[str, Any]) -> str:
    return json.dumps({"time": time.time(), "event": event, **about}) + "\n"


class _File(RotatingFileHandler):
    """A file that is not shared: a process that finds it in use takes another name."""

    def __init__(
        self,
        path: Path,
        max_size: int,
        keep: int,
        head: Callable[[str], str],
        warn: Callable[[str], object],
    ) -> None:
        self._head = head
        self._warn = warn
        self._has_warned = False
        # Opened at once, so that its first line finds out whether it is in use.
        super().__init__(path, maxBytes=max_size, backupCount=keep, encoding="utf-8", delay=True)
        try:
            self._start()
        except OSError as error:
            self._tell(error)

    def _start(self) -> None:
        self.stream = self._open()
        if not _lock(self.stream):
            self.stream.close()
            before = Path(self.baseFilename)
            name = f"{before.stem}.{os.getpid()}{before.suffix}"
            self.baseFilename = str(before.with_name(name))
            self._warn(f"{before} is in use; recording to {self.baseFilename}")
            self.stream = self._open()
            _lock(self.stream)
        if self.stream.tell():
            super().doRollover()

    def doRollover(self) -> None:
        """Go on in a new file, which begins with what is needed to understand it."""
        super().doRollover()
        self.stream = self.stream or self._open()
        _lock(self.stream)
        self.stream.write(self._head(f"{self.baseFilename}.1" if self.backupCount else ""))

    def handleError(self, record: logging.LogRecord) -> None:
        """Tell once why a line cannot be written."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            raise
        self._tell(error)

    def _tell(self, error: OSError) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._warn(f"cannot record to {self.baseFilename}: {error.strerror or error}")


def _lock(stream: Any) -> bool:
    """Take a file for this process alone; return whether nobody else has it."""
    if sys.platform == "win32":  # there, a file in use cannot be renamed
        return True
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # not every file system has locks
        pass
    return True
