# Made by acpgen 0.1.0 from templates/runtime/jsonrpc/events.py.
# Do not edit it; make it again with acpgen.

"""What a connection reports to have happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from ..values.errors import DecodeError
from .errors import ConnectionClosed, RequestError, VersionMismatch
from .messages import RequestId
from .method import Method


@dataclass(slots=True, eq=False)
class Request:
    """A request of the other side: answer it with `respond` or `fail`, once.

    Attributes:
        id: its id, which need not be unique.
        method: what is called; an extension method has the extension's name.
        params: the decoded params.
    """

    id: RequestId
    method: Method[Any, Any]
    params: Any


@dataclass(slots=True, eq=False)
class Notification:
    """A notification of the other side, with its decoded params."""

    method: Method[Any, None]
    params: Any


@dataclass(slots=True, eq=False)
class Response:
    """The decoded result of one of our requests."""

    id: RequestId
    method: Method[Any, Any]
    result: Any


@dataclass(slots=True, eq=False)
class Failure:
    """One of our requests has failed.

    Attributes:
        error: RequestError: the other side answered with an error; DecodeError: with what is no
            result of the method; VersionMismatch: with another protocol version;
            ConnectionClosed: not at all.
    """

    id: RequestId
    method: Method[Any, Any]
    error: RequestError | DecodeError | VersionMismatch | ConnectionClosed


@dataclass(slots=True, eq=False)
class Cancellation:
    """The other side no longer wants the answers to these requests; each is still due."""

    requests: tuple[Request, ...]


@dataclass(slots=True, eq=False)
class Refused:
    """Something was answered with an error right away, for the log.

    Attributes:
        id: of the request; None where it has no valid one.
        error: what was answered.
    """

    id: RequestId
    error: RequestError


@dataclass(slots=True, eq=False)
class Ignored:
    """Something came that leads to nothing and gets no answer, for the log.

    Attributes:
        reason: why.
        raw: the line, or the parsed message.
    """

    reason: str
    raw: Any


Event: TypeAlias = Request | Notification | Response | Failure | Cancellation | Refused | Ignored
