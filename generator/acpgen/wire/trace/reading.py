"""Read the lines of a recording: entries of `log_to`, bare JSON-RPC messages, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from acp_bindings.runtime.values import jsontext
from acp_bindings.runtime.values.errors import DecodeError

Direction: TypeAlias = Literal["sent", "received"]

# The part of an unreadable line that is kept to show it, in characters.
_SHOWN = 200
# The largest time that is taken for one, in seconds since the epoch: about the year 5000.
_LATEST = 1e11
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a recording that is not blank.

    Attributes:
        number: its number in the file, from 1.
        message: the message as parsed JSON; None if it is unreadable.
        time: when it was seen, in seconds since the epoch; None if nothing says so.
        direction: which way it went, as seen from the side that kept the log; None if bare.
        problem: why it is unreadable; None if it is not.
        text: the beginning of an unreadable line.
        is_far: whether it passed beyond a bridge, where another version may be spoken.
    """

    number: int
    message: Any = None
    time: float | None = None
    direction: Direction | None = None
    problem: str | None = None
    text: str = ""
    is_far: bool = False

    @property
    def messages(self) -> list[Any]:
        """The single messages of the line: the items of a batch, or the only one."""
        if self.problem is not None:
            return []
        return self.message if type(self.message) is list else [self.message]


def read_lines(file: Iterable[bytes]) -> Iterator[Line]:
    """Read all lines that are not blank; never fails on account of what they hold."""
    for number, raw in enumerate(file, 1):
        content = raw.removeprefix(_BOM).strip() if number == 1 else raw.strip()
        if not content:
            continue
        # Only the last line can have no end.
        line = _read(number, content, is_cut_off=not raw.endswith(b"\n"))
        yield line


def _read(number: int, content: bytes, *, is_cut_off: bool) -> Line:
    value, problem = _parse(content)
    if problem is not None:
        problem = f"{problem}; the last line, perhaps cut off" if is_cut_off else problem
        shown = content[: 4 * _SHOWN].decode("utf-8", "backslashreplace")[:_SHOWN]
        return Line(number, problem=problem, text=shown)
    if type(value) is not dict or value.get("direction") not in ("sent", "received"):
        return Line(number, value)
    time, direction = _time(value.get("time")), value["direction"]
    is_far = value.get("far") is True
    if "message" in value:
        return Line(number, value["message"], time, direction, is_far=is_far)
    text = value.get("line")
    if type(text) is not str:
        return Line(number, value)
    value, problem = _parse(text)
    shown = text[:_SHOWN] if problem else ""
    return Line(number, value, time, direction, problem, shown, is_far)


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
