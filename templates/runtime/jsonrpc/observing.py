"""Watch a connection: each line that it sends or receives, and what a bridge makes of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import IO, Any, Literal, TypeAlias, TypeVar, overload

from ..values import jsontext
from ..values.deferred import dataclass
from ..values.errors import DecodeError
from .logs import call_back, logger_of
from .method import Method

P = TypeVar("P")
R = TypeVar("R")

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
        send: sends a request to it; see `request`.
    """

    version: int
    advertised: Any
    send: Callable[[Method[Any, Any] | str, Any], Coroutine[Any, Any, Any]]

    @overload
    async def request(self, method: Method[P, R], params: P) -> R: ...

    @overload
    async def request(self, method: str, params: Any) -> Any: ...

    async def request(self, method: Method[Any, Any] | str, params: Any) -> Any:
        """Send a request that only the version of the other side has, and wait for its result.

        With it, an agent of protocol 2 uses the files and terminals of a client of protocol 1. A
        terminal that it creates in this way can be content of a tool call, where the client shows
        it as its own. Cancelling the task that waits, such as with the turn, cancels the request.

        Args:
            method: the method, such as `v1.methods.CLIENT_FS_READ_TEXT_FILE`; or its name in JSON,
                such as `fs/read_text_file`. Then the params and the result are JSON as well.
            params: its params, in the version of the other side.

        Raises:
            RequestError: If the response is an error.
            DecodeError: If the response does not match the method.
            CapabilityError: If the other side did not advertise the capability that it needs.
            EncodeError: If the params do not match the method; nothing was sent.
            ValueError: If the version of this side has such a method as well, or none has it.
            ConnectionClosed: If the connection has ended.
            LimitExceeded: If too many requests have no response yet.
            RuntimeError: If it is about a new session, before the response that names the session.
        """
        return await self.send(method, params)


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
    """Tell an observer of a line, which may be parsed already; see `Observation`."""
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
