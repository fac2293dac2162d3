"""Events reported by a connection."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ..values.deferred import dataclass
from ..values.errors import DecodeError
from .errors import ConnectionClosed, RequestError, VersionMismatch
from .messages import RequestId
from .method import Method


@dataclass(slots=True, eq=False)
class Request:
    """A request from the peer. Respond once, with `respond` or `fail`.

    Attributes:
        id: its id, which need not be unique.
        method: the method called; for an extension, with the name of the extension.
        params: the decoded params.
        size: the length of its line in bytes; 0 for the messages of a batch after the first.
    """

    id: RequestId
    method: Method[Any, Any]
    params: Any
    size: int = 0


@dataclass(slots=True, eq=False)
class Notification:
    """A notification from the peer.

    Attributes:
        method: the method called; for an extension, with the name of the extension.
        params: the decoded params.
        size: the length of its line in bytes; 0 for the messages of a batch after the first.
    """

    method: Method[Any, None]
    params: Any
    size: int = 0


@dataclass(slots=True, eq=False)
class Response:
    """The result of a request of this side.

    Attributes:
        id: the id of the request.
        method: the method that was called.
        result: the decoded result.
    """

    id: RequestId
    method: Method[Any, Any]
    result: Any


@dataclass(slots=True, eq=False)
class Failure:
    """A request of this side has failed.

    Attributes:
        id: the id of the request.
        method: the method that was called.
        error: RequestError: the peer sent an error, or the surface that `initialize` led to cannot
            be used; DecodeError: the response does not match the method; VersionMismatch:
            `initialize` led to another protocol version; ConnectionClosed: no response arrived.
    """

    id: RequestId
    method: Method[Any, Any]
    error: RequestError | DecodeError | VersionMismatch | ConnectionClosed


@dataclass(slots=True, eq=False)
class Cancellation:
    """The peer cancels requests that it sent. Each of them still needs a response.

    Attributes:
        requests: the requests with the id that the peer gave.
    """

    requests: tuple[Request, ...]


@dataclass(slots=True, eq=False)
class Refused:
    """A message was refused with an error response; for the log.

    Attributes:
        id: the id of the message; None if it has no valid one.
        error: the error that was sent.
    """

    id: RequestId
    error: RequestError


# `not_json`: text that is no message, such as what a program prints; `not_a_message`: other JSON;
# `unknown`: a notification without a method; `invalid`: one whose params do not decode; `stray`: a
# response to no pending request; `error`: an error response without an id, about a message that
# the peer could not read; `cut_off`: the stream ended within a message.
IgnoredKind: TypeAlias = Literal[
    "not_json", "not_a_message", "unknown", "invalid", "stray", "error", "cut_off"
]


@dataclass(slots=True, eq=False)
class Ignored:
    """A message was ignored, without a response; for the log.

    Attributes:
        reason: why it was ignored. It may quote the beginning of the message.
        raw: the line as bytes, or the parsed message.
        kind: the kind of reason.
    """

    reason: str
    raw: Any
    kind: IgnoredKind


Event: TypeAlias = Request | Notification | Response | Failure | Cancellation | Refused | Ignored
