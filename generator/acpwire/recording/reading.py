"""A reader for recordings: `log_to` lines, events, bare messages and unreadable lines."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from acp_bindings.runtime.jsonrpc.recovery import recover
from acp_bindings.runtime.values import jsontext
from acp_bindings.runtime.values.errors import DecodeError

from acpwire.recording import events

Direction: TypeAlias = Literal["sent", "received"]

# The number of characters to show from the beginning of an unreadable line.
_SHOWN = 200
# The latest time accepted, in seconds since the epoch (about the year 5000).
_LATEST = 1e11
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 20
# The interval for checking whether a file has grown, in seconds.
_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Line:
    """A nonblank line in a recording."""

    number: int  # the line number, starting from 1
    message: Any = None  # the parsed message, without params and result if the line is too long
    time: float | None = None  # in seconds since the epoch
    direction: Direction | None = None  # as seen by the recording side, or None for a bare message
    problem: str | None = None  # the reason why the line is unreadable
    text: str = ""  # the beginning of an unreadable line
    # True if the line is from the far side of a bridge, possibly in another protocol version.
    is_far: bool = False
    size: int | None = None  # the original size of a truncated line, in bytes
    event: str | None = None  # the event name, if the line isn't a message; see `events`
    about: dict[str, Any] = field(default_factory=dict[str, Any])  # the fields of an event

    @property
    def messages(self) -> list[Any]:
        """The messages in the line: the items of a batch, or a single message."""
        if self.problem is not None or self.event is not None:
            return []
        return self.message if type(self.message) is list else [self.message]

    @property
    def repeated(self) -> int:
        """The number of following lines that repeat lines from an older file."""
        count = self.about.get("repeated") if self.event == events.CONTINUED else 0
        return count if type(count) is int and count > 0 else 0


def read_lines(file: Iterable[bytes]) -> Iterator[Line]:
    """Read all nonblank lines, regardless of their content."""
    return (line for number, raw in enumerate(file, 1) if (line := _read_line(number, raw)))


def tail(path: Path) -> Iterator[Line]:
    """Read all current and future lines of a file, which does not need to exist yet.

    If the recording continues in a new file, the new file's lines follow, except repeated lines.
    """
    current, follows = path, False
    while True:
        with _opened(current) as file:
            skipped = 0
            for number, raw in _complete_lines(file, path):
                line = _read_line(number, raw)
                if line is not None and number == 1 and follows and line.event == events.CONTINUED:
                    skipped = 1 + line.repeated
                if line is not None and number > skipped:
                    yield line
            following = _successor(path, file)
        current, follows = following or path, following is not None


def line_of(
    number: int,
    content: bytes,
    time: float | None,
    direction: Direction,
    *,
    size: int | None = None,
    is_far: bool = False,
) -> Line:
    """Parse a recorded line. If `size` is given, `content` is only the line's beginning and end."""
    if size is not None:
        whole = recover(content) or []
        message = whole[0] if len(whole) == 1 else whole
        text = content[:_SHOWN].decode("utf-8", "backslashreplace")
        return Line(number, message, time, direction, None, text, is_far, size)
    value, problem = _parse(content)
    return Line(number, value, time, direction, problem, _shown(content, problem), is_far)


def _read_line(number: int, raw: bytes) -> Line | None:
    """Parse a line of the file, or return None if it is blank.

    Only the last line can be truncated.
    """
    content = raw.removeprefix(_BOM).strip() if number == 1 else raw.strip()
    if not content:
        return None
    value, problem = _parse(content)
    if problem is not None:
        shown = _shown(content, problem)
        problem += "" if raw.endswith(b"\n") else "; the last line, possibly truncated"
        return Line(number, problem=problem, text=shown)
    if type(value) is not dict or "jsonrpc" in value:
        return Line(number, value)
    time, direction, event = _time(value.get("time")), value.get("direction"), value.get("event")
    text, size = value.get("line"), value.get("size")
    if type(event) is str and "time" in value and "message" not in value and type(text) is not str:
        return Line(number, time=time, event=event, about=value)
    if direction not in ("sent", "received"):
        return Line(number, value)
    is_far = value.get("far") is True
    if "message" in value:
        return Line(number, value["message"], time, direction, is_far=is_far)
    if type(text) is not str:
        return Line(number, value)
    content = text.encode("utf-8", "surrogatepass")
    size = size if type(size) is int else None
    return line_of(number, content, time, direction, size=size, is_far=is_far)


def _parse(text: str | bytes) -> tuple[Any, str | None]:
    """Parse JSON and return the value and None, or None and the problem."""
    try:
        return jsontext.loads(text), None
    except DecodeError as error:
        return None, f"not JSON: {error.found}"


def _shown(content: bytes, problem: str | None) -> str:
    return content[: 4 * _SHOWN].decode("utf-8", "backslashreplace")[:_SHOWN] if problem else ""


def _time(value: Any) -> float | None:
    # Very large integers cannot be converted to float, and very large floats have infinite
    # differences.
    is_number = type(value) in (int, float)
    return float(value) if is_number and 0 <= value <= _LATEST else None


# --- files that grow -----------------------------------------------------------------------------


def _opened(path: Path) -> BinaryIO:
    """Open a file as soon as it exists."""
    while True:
        try:
            return path.open("rb")
        except FileNotFoundError:
            time.sleep(_PAUSE)


def _complete_lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield lines as they are written, until the file has been renamed and read to its end."""
    number, begun = 0, bytearray()
    is_last = False  # whether the file was renamed or truncated
    while True:
        data = file.read(_CHUNK)
        if data:
            *ends, rest = data.split(b"\n")
            for end in ends:
                number += 1
                yield number, bytes(begun) + end + b"\n"
                begun.clear()
            begun += rest
        elif is_last:
            return
        elif not _is_named(file, path):
            is_last = True  # read once more for lines written before the file was renamed
        else:
            time.sleep(_PAUSE)


def _is_named(file: BinaryIO, path: Path) -> bool:
    """Return whether a path still refers to an open file that hasn't been truncated."""
    status = os.fstat(file.fileno())
    if status.st_size < file.tell():
        return False
    try:
        return os.path.samestat(status, path.stat())
    except FileNotFoundError:  # the file is being renamed
        return True


def _successor(path: Path, file: BinaryIO) -> Path | None:
    """Return the path of the file that continues a recording, or None if it is unknown."""
    status = os.fstat(file.fileno())
    newer, number = path, 1
    while True:
        older = path.with_name(f"{path.name}.{number}")
        try:
            if os.path.samestat(status, older.stat()):
                return newer
        except FileNotFoundError:
            return None
        newer, number = older, number + 1
