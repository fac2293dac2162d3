"""Read the lines of a recording: entries of `log_to`, events, bare messages, or none of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from acp_bindings.runtime.jsonrpc.recovery import recover
from acp_bindings.runtime.values import jsontext
from acp_bindings.runtime.values.errors import DecodeError

from acpwire.recording import events

Direction: TypeAlias = Literal["sent", "received"]

# The part of an unreadable line that is kept to show it, in characters.
_SHOWN = 200
# The largest time that is taken for one, in seconds since the epoch: about the year 5000.
_LATEST = 1e11
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a recording that is not blank."""

    number: int  # from 1
    message: Any = None  # as parsed JSON; without params and result if the line is too long
    time: float | None = None  # in seconds since the epoch
    direction: Direction | None = None  # as seen from the side that kept the log; None if bare
    problem: str | None = None  # why it is unreadable
    text: str = ""  # the beginning of an unreadable line
    is_far: bool = False  # whether it passed beyond a bridge, possibly in another version
    size: int | None = None  # of a line too long to be kept complete, in bytes
    event: str | None = None  # the event, if the line isn't a message: see `events`
    about: dict[str, Any] = field(default_factory=dict[str, Any])  # the members of an event

    @property
    def messages(self) -> list[Any]:
        """The single messages of the line: the items of a batch, or the only one."""
        if self.problem is not None or self.event is not None:
            return []
        return self.message if type(self.message) is list else [self.message]

    @property
    def repeated(self) -> int:
        """The number of next lines that repeat lines of an older file."""
        count = self.about.get("repeated") if self.event == events.CONTINUED else 0
        return count if type(count) is int and count > 0 else 0


def read_lines(file: Iterable[bytes]) -> Iterator[Line]:
    """Read all lines that are not blank; never fails on account of what they hold."""
    for number, raw in enumerate(file, 1):
        line = read_line(number, raw)
        if line is not None:
            yield line


def read_line(number: int, raw: bytes) -> Line | None:
    """Read a line with its end; only the last one may lack that. None if it is blank."""
    content = raw.removeprefix(_BOM).strip() if number == 1 else raw.strip()
    return _read(number, content, is_cut_off=not raw.endswith(b"\n")) if content else None


def line_of(
    number: int,
    content: bytes,
    time: float | None,
    direction: Direction,
    *,
    size: int | None = None,
    is_far: bool = False,
) -> Line:
    """Read one recorded line; of a line that is too long, its beginning and its end."""
    if size is not None:
        whole = recover(content) or []
        text = content[:_SHOWN].decode("utf-8", "backslashreplace")
        message = whole[0] if len(whole) == 1 else whole
        return Line(number, message, time, direction, None, text, is_far, size)
    value, problem = _parse(content)
    text = content[: 4 * _SHOWN].decode("utf-8", "backslashreplace")[:_SHOWN] if problem else ""
    return Line(number, value, time, direction, problem, text, is_far)


def _read(number: int, content: bytes, *, is_cut_off: bool) -> Line:
    value, problem = _parse(content)
    if problem is not None:
        problem = f"{problem}; the last line, perhaps cut off" if is_cut_off else problem
        shown = content[: 4 * _SHOWN].decode("utf-8", "backslashreplace")[:_SHOWN]
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
    """Parse JSON: the value, or why there is none."""
    try:
        return jsontext.loads(text), None
    except DecodeError as error:
        return None, f"not JSON: {error.found}"


def _time(value: Any) -> float | None:
    # Very large integers have no float, and differences of very large floats are infinite.
    is_number = type(value) in (int, float)
    return float(value) if is_number and 0 <= value <= _LATEST else None
