"""Observing a connection's lines and a bridge's losses, and accessing a bridged peer."""

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
    """A line that was sent or received.

    Attributes:
        direction: `sent` or `received`, from the perspective of this side.
        line: the line, without the line ending; for an overlong line, only its beginning and end.
        message: the line as parsed JSON, which must not be modified; None if it is not valid JSON.
        time: the time of the observation, in seconds since the epoch.
        is_far: whether the line was observed on the far side of a bridge. If so, it is in the
            peer's protocol version, exactly as the peer sent or received it.
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
        method: the method of the message, in the sender's protocol version.
        pointer: the RFC 6901 pointer to the part, relative to the params or the result of the
            message; empty if the part is the entire params or result.
        reason: the reason why the part was dropped, and the part's replacement, if any.
        side: the sender of the message.
        session_id: the session that the message is about; None if the message contains no session
            id.
    """

    method: str
    pointer: str
    reason: str
    side: Literal["agent", "client"]
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Bridged:
    """The peer on the far side of a bridge.

    Attributes:
        version: the protocol version that the peer speaks.
        advertised: the peer's `initialize` params or result, in the peer's protocol version.
        send: the function that sends a request to the peer; see `request`.
    """

    version: int
    advertised: Any
    send: Callable[[Method[Any, Any] | str, Any], Coroutine[Any, Any, Any]]

    @overload
    async def request(self, method: Method[P, R], params: P) -> R: ...

    @overload
    async def request(self, method: str, params: Any) -> Any: ...

    async def request(self, method: Method[Any, Any] | str, params: Any) -> Any:
        """Call a method that only the peer's version defines, and wait for the result.

        For example, a protocol 2 agent can use a protocol 1 client's files and terminals. If the
        agent adds a terminal created in this way to the content of a tool call, the client shows
        the terminal there. Cancelling the waiting task, for example when a turn is cancelled,
        cancels the request.

        Args:
            method: the method, such as `v1.methods.CLIENT_FS_READ_TEXT_FILE`, or its JSON name,
                such as `fs/read_text_file`. If a name is passed, the params and the result are
                JSON values.
            params: the params, as defined by the peer's protocol version.

        Raises:
            RequestError: If the response is an error.
            DecodeError: If the response does not match the method.
            CapabilityError: If the peer did not advertise the required capability.
            EncodeError: If the params do not match the method. Nothing is sent.
            ValueError: If this side's version also defines the method, or if neither version does.
            ConnectionClosed: If the connection is closed.
            LimitExceeded: If too many requests have no response yet.
            RuntimeError: If the request is about a new session whose id has not yet been sent in a
                response.
        """
        return await self.send(method, params)


# A function that is called with each line. Exceptions raised by the function are logged.
Observer: TypeAlias = Callable[[Observation], object]


def observe_with(
    observer: Observer,
    direction: Literal["sent", "received"],
    line: bytes,
    message: Any = None,
    *,
    is_far: bool = False,
) -> None:
    """Notify an observer of a line. `message` is the parsed line, or None if not yet parsed."""
    now = time.time()  # taken before parsing, which can be slow
    if message is None:
        with suppress(DecodeError):
            message = jsontext.loads(line)
    seen = Observation(direction, line, message, now, is_far)
    call_back(observer, seen, what="the observer of a connection", log=_log)


def log_to(file: IO[str]) -> Observer:
    """Return an observer that records each line of a connection as a line of JSON.

    Each record contains the `time`, `direction` and `message` of the `Observation`. If the observed
    line is not valid JSON, the record contains the `line` as text instead of the message. Records
    of lines on the far side of a bridge also contain `"far": true`.

    Args:
        file: the file to write to, which is flushed after each record and never closed.
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
