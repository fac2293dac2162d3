"""Watch a connection: each line that it sends or receives."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Literal, TypeAlias

from ..values import jsontext
from ..values.deferred import dataclass
from ..values.errors import DecodeError
from .logs import call_back, logger_of

_log = logger_of(__name__)


@dataclass(frozen=True, slots=True)
class Observation:
    """A line of a connection.

    Attributes:
        direction: `sent` or `received`, as seen from this side.
        line: the line, without its end; of one that is too long, only the beginning and the end.
        message: the line as parsed JSON, not to be changed; None if it is not JSON.
        time: when it was seen, in seconds since the epoch.
    """

    direction: Literal["sent", "received"]
    line: bytes
    message: Any
    time: float


# Is called with each line. What it raises is logged.
Observer: TypeAlias = Callable[[Observation], object]


def observe_with(
    observer: Observer, direction: Literal["sent", "received"], line: bytes, message: Any = None
) -> None:
    """Tell an observer of a line.

    Args:
        observer: who is told.
        direction: which way it goes.
        line: the line, without its end.
        message: the line as parsed JSON, if it has been parsed.
    """
    now = time.time()  # before parsing, which may take a while
    if message is None:
        with suppress(DecodeError):
            message = jsontext.loads(line)
    seen = Observation(direction, line, message, now)
    call_back(observer, seen, what="the observer of a connection", log=_log)


def log_to(file: IO[str]) -> Observer:
    """Make an observer that writes a line of JSON for each line of a connection.

    Its members are those of `Observation`: `time`, `direction`, and `message`, or `line` as text if
    it is not JSON.

    Args:
        file: where to write. It stays open, and each line is flushed.
    """

    def write(seen: Observation) -> None:
        entry: dict[str, Any] = {"time": seen.time, "direction": seen.direction}
        if seen.message is None:
            entry["line"] = seen.line.decode("utf-8", "backslashreplace")
        else:
            entry["message"] = seen.message
        file.write(json.dumps(entry) + "\n")
        file.flush()

    return write
