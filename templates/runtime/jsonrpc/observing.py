"""Watch a connection: each line that it sends or receives, and what a bridge makes of them."""

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
        is_far: whether it passed beyond a bridge: it is what the other side has really sent or got,
            in its own protocol version.
    """

    direction: Literal["sent", "received"]
    line: bytes
    message: Any
    time: float
    is_far: bool = False


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of a message that a bridge cannot carry over to the other protocol version.

    Attributes:
        method: the method of the message, as its sender names it.
        pointer: RFC 6901 pointer to the part, within the params or the result of the message; empty
            for all of it.
        reason: why it was left out, and what stands in its place.
        side: who sent the message.
        session_id: the session that it is about; None if it names none.
    """

    method: str
    pointer: str
    reason: str
    side: Literal["agent", "client"]
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Bridged:
    """The other side beyond a bridge, as it is.

    Attributes:
        version: the protocol version that it speaks.
        advertised: the params or result of `initialize` that it has sent, of that version.
    """

    version: int
    advertised: Any


# Is called with each line. What it raises is logged.
Observer: TypeAlias = Callable[[Observation], object]


def observe_with(
    observer: Observer,
    direction: Literal["sent", "received"],
    line: bytes,
    message: Any = None,
    *,
    is_far: bool = False,
) -> None:
    """Tell an observer of a line.

    Args:
        observer: who is told.
        direction: which way it goes.
        line: the line, without its end.
        message: the line as parsed JSON, if it has been parsed.
        is_far: see `Observation`.
    """
    now = time.time()  # before parsing, which may take a while
    if message is None:
        with suppress(DecodeError):
            message = jsontext.loads(line)
    seen = Observation(direction, line, message, now, is_far)
    call_back(observer, seen, what="the observer of a connection", log=_log)


def log_to(file: IO[str]) -> Observer:
    """Make an observer that writes a line of JSON for each line of a connection.

    Its members are those of `Observation`: `time`, `direction`, and `message`, or `line` as text if
    it is not JSON. The lines beyond a bridge have `far`, too, which is true.

    Args:
        file: where to write. It stays open, and each line is flushed.
    """

    def write(seen: Observation) -> None:
        entry: dict[str, Any] = {"time": seen.time, "direction": seen.direction}
        if seen.message is None:
            entry["line"] = seen.line.decode("utf-8", "backslashreplace")
        else:
            entry["message"] = seen.message
        if seen.is_far:
            entry["far"] = True
        file.write(json.dumps(entry) + "\n")
        file.flush()

    return write
