"""Events reported by a connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from ..values.deferred import dataclass
from ..values.errors import DecodeError
from .errors import ConnectionClosed, RequestError, VersionMismatch
from .messages import RequestId
from .method import Method


@dataclass(slots=True, eq=False)
class Request:
    """A request from the peer. Respond exactly once, with `respond` or `fail`.

    Attributes:
        id: the request id, which isn't necessarily unique.
        method: the called method or, for an extension method, an object with the actual name.
        params: the decoded params.
        size: the length of the line in bytes. In a batch, the first request or notification has
            the length of the entire line, and all others have size 0.
    """

    id: RequestId
    method: Method[Any, Any]
    params: Any
    size: int = 0


@dataclass(slots=True, eq=False)
class Notification:
    """A notification from the peer.

    Attributes:
        method: the called method or, for an extension method, an object with the actual name.
        params: the decoded params.
        size: the length of the line in bytes. In a batch, the first request or notification has
            the length of the entire line, and all others have size 0.
    """

    method: Method[Any, None]
    params: Any
    size: int = 0


@dataclass(slots=True, eq=False)
class Response:
    """The result of a request sent by this side.

    Attributes:
        id: the id of the request.
        method: the called method.
        result: the decoded result.
    """

    id: RequestId
    method: Method[Any, Any]
    result: Any


@dataclass(slots=True, eq=False)
class Failure:
    """The failure of a request sent by this side.

    Attributes:
        id: the id of the request.
        method: the called method.
        error: a RequestError if the peer responded with an error or the surface that `initialize`
            selected cannot be used; a DecodeError if the response does not match the method; a
            VersionMismatch if the agent selected another protocol version; a ConnectionClosed if
            the connection closed before a response arrived.
    """

    id: RequestId
    method: Method[Any, Any]
    error: RequestError | DecodeError | VersionMismatch | ConnectionClosed


# A callback that receives the response to a request, or its failure.
OnResponse: TypeAlias = Callable[[Response | Failure], None]


@dataclass(slots=True, eq=False)
class Cancellation:
    """A cancellation from the peer. The cancelled requests still need responses.

    Attributes:
        requests: all open requests with the id in the cancellation.
    """

    requests: tuple[Request, ...]


@dataclass(slots=True, eq=False)
class Refused:
    """A message that was rejected with an error response. The event is intended for logging.

    Attributes:
        id: the id of the message, or None if the message contains no valid id.
        error: the error that was sent.
    """

    id: RequestId
    error: RequestError


# - `not_json`: text that is not JSON, such as a program's output
# - `not_a_message`: JSON that is not a message
# - `unknown`: a notification with an unknown method
# - `invalid`: a notification with invalid params
# - `stray`: a response that belongs to no pending request
# - `error`: an error response without an id, which reports that the peer could not read a message
# - `cut_off`: an incomplete message at the end of the stream
IgnoredKind: TypeAlias = Literal[
    "not_json", "not_a_message", "unknown", "invalid", "stray", "error", "cut_off"
]


@dataclass(slots=True, eq=False)
class Ignored:
    """A message that was ignored without a response. The event is intended for logging.

    Attributes:
        reason: why the message was ignored. This text can quote the beginning of the message.
        raw: the line as bytes, or the parsed message.
        kind: the category of the reason.
    """

    reason: str
    raw: Any
    kind: IgnoredKind


Event: TypeAlias = Request | Notification | Response | Failure | Cancellation | Refused | Ignored
