"""Observation of a connection: the lines that it sends or receives, and losses in a bridge."""

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
        direction: `sent` or `received`, from the perspective of this side.
        line: the line, without its end; if it is too long, only its beginning and end.
        message: the line as parsed JSON, not to be modified; None if it is not JSON.
        time: when it was observed, in seconds since the epoch.
        is_far: whether it was observed beyond a bridge: as really sent or received by the peer, in
            its own protocol version.
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
        method: the method of the message, as named by its sender.
        pointer: RFC 6901 pointer to the part, within the params or the result of the message; empty
            for all of it.
        reason: why it was left out, and what replaces it.
        side: the sender of the message.
        session_id: the session that it is about; None if it names none.
    """

    method: str
    pointer: str
    reason: str
    side: Literal["agent", "client"]
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Bridged:
    """The peer beyond a bridge, in its own protocol version.

    Attributes:
        version: the protocol version that it speaks.
        advertised: its params or result of `initialize`, in that version.
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
        """Send a request that only the peer's version defines, and wait for its result.

        With it, a protocol 2 agent can use the files and terminals of a protocol 1 client. A
        terminal that it creates in this way can be content of a tool call, where the client shows
        it like its own. Cancelling the waiting task, such as with the turn, cancels the request.

        Args:
            method: the method, such as `v1.methods.CLIENT_FS_READ_TEXT_FILE`; or its JSON name,
                such as `fs/read_text_file`. If a name is passed, the params and the result are
                JSON values.
            params: the params, as defined by the peer's protocol version.

        Raises:
            RequestError: If the response is an error.
            DecodeError: If the response does not match the method.
            CapabilityError: If the peer did not advertise the required capability.
            EncodeError: If the params do not match the method; nothing was sent.
            ValueError: If the version of this side also has such a method, or neither has it.
            ConnectionClosed: If the connection has ended.
            LimitExceeded: If too many requests have no response yet.
            RuntimeError: If the request is about a new session whose id was not sent yet.
        """
        return await self.send(method, params)


# Called with each line. Its exceptions are logged.
Observer: TypeAlias = Callable[[Observation], object]


def observe_with(
    observer: Observer,
    direction: Literal["sent", "received"],
    line: bytes,
    message: Any = None,
    *,
    is_far: bool = False,
) -> None:
    """Notify an observer of a line, which may already be parsed; see `Observation`."""
    now = time.time()  # before parsing, which can be slow
    if message is None:
        with suppress(DecodeError):
            message = jsontext.loads(line)
    seen = Observation(direction, line, message, now, is_far)
    call_back(observer, seen, what="the observer of a connection", log=_log)


def log_to(file: IO[str]) -> Observer:
    """Return an observer that writes a line of JSON for each line of a connection.

    It contains the `time`, `direction`, and `message` of the `Observation`, or its `line` as text
    if it is not JSON. Lines from beyond a bridge also have `far`, which is true.

    Args:
        file: the file to write to. It stays open, and each line is flushed.
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
