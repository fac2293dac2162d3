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
    """A request from the peer. Respond once, with `respond` or `fail`.

    Attributes:
        id: its id, which need not be unique.
        method: the called method; for an extension, with the name of the extension.
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
        method: the called method; for an extension, with the name of the extension.
        params: the decoded params.
        size: the length of its line in bytes; 0 for the messages of a batch after the first.
    """

    method: Method[Any, None]
    params: Any
    size: int = 0


@dataclass(slots=True, eq=False)
class Response:
    """The result of a request from this side.

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
    """The failure of a request from this side.

    Attributes:
        id: the id of the request.
        method: the called method.
        error: RequestError: the peer sent an error, or the surface that `initialize` selected
            cannot be used; DecodeError: the response does not match the method; VersionMismatch:
            `initialize` selected another protocol version; ConnectionClosed: no response arrived.
    """

    id: RequestId
    method: Method[Any, Any]
    error: RequestError | DecodeError | VersionMismatch | ConnectionClosed


# Receives the response to a request, or its failure.
OnResponse: TypeAlias = Callable[[Response | Failure], None]


@dataclass(slots=True, eq=False)
class Cancellation:
    """The cancellation of requests by their sender, the peer. Each still needs a response.

    Attributes:
        requests: the requests with the id that the peer sent.
    """

    requests: tuple[Request, ...]


@dataclass(slots=True, eq=False)
class Refused:
    """A message that was refused with an error response, for the log.

    Attributes:
        id: the id of the message; None if it has no valid id.
        error: the error that was sent.
    """

    id: RequestId
    error: RequestError


# `not_json`: text that is not a message, such as output of a program; `not_a_message`: other JSON;
# `unknown`: a notification with an unknown method; `invalid`: a notification whose params do not
# decode; `stray`: a response to no pending request; `error`: an error response without an id, about
# a message that the peer could not read; `cut_off`: the stream ended within a message.
IgnoredKind: TypeAlias = Literal[
    "not_json", "not_a_message", "unknown", "invalid", "stray", "error", "cut_off"
]


@dataclass(slots=True, eq=False)
class Ignored:
    """A message that was ignored, without a response, for the log.

    Attributes:
        reason: why it was ignored. It can quote the beginning of the message.
        raw: the line as bytes, or the parsed message.
        kind: the kind of reason.
    """

    reason: str
    raw: Any
    kind: IgnoredKind


Event: TypeAlias = Request | Notification | Response | Failure | Cancellation | Refused | Ignored
