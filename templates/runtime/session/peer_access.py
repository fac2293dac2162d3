"""What sessions use of a peer, but programs need not: private to the runtime, not to a module."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from ..aio.peer import Peer
from ..aio.serving import handled
from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import Request
from ..jsonrpc.method import CapabilityRequirement


def is_worth_logging(peer: Peer, error: BaseException) -> bool:
    """Return whether an error tells more than that a connection has ended."""
    return peer._serving.is_worth_logging(error)  # pyright: ignore[reportPrivateUsage]


def as_own(peer: Peer, error: RequestError) -> RequestError:
    """Return an error as one of this side, if the other side has sent it; see `Connection`."""
    return peer._connection.as_own(error)  # pyright: ignore[reportPrivateUsage]


def defines(peer: Peer, need: CapabilityRequirement) -> bool:
    """Return whether the version of a peer defines a capability that params need.

    Beyond a bridge, it can't: the peer cannot know that a capability was not advertised.
    """
    bridge = peer._bridge  # pyright: ignore[reportPrivateUsage]
    return bridge is None or bridge.defines(need)


def after_handlers(peer: Peer, session_id: str, callback: Callable[[], None], name: str) -> None:
    """Call back when the handlers of the session's notifications so far are done.

    A handler that itself waits for the other side is not waited for, and any other only for a
    limited time; see `ordering`.

    Args:
        peer: the connection.
        session_id: the session.
        callback: what to call; at once if there is nothing to wait for.
        name: what waits, for the log.
    """
    lanes = peer._serving.lanes  # pyright: ignore[reportPrivateUsage]
    lanes.after(session_id, callback, name)


def handled_request(peer: Peer) -> Request | None:
    """Return the request that the current task handles; None if it has its response."""
    request = handled.get()
    connection = peer._connection  # pyright: ignore[reportPrivateUsage]
    return request if request is not None and connection.is_open(request) else None


def when_responded(peer: Peer, request: Request, callback: Callable[[bool], None]) -> None:
    """Call back right after the response to a request is sent; see `Connection`."""
    connection = peer._connection  # pyright: ignore[reportPrivateUsage]
    connection.when_responded(request, callback)


def hold(peer: Peer, request: Request, session_id: str) -> None:
    """Hold back messages about a session until a request has its response."""
    connection = peer._connection  # pyright: ignore[reportPrivateUsage]
    connection.hold(request, session_id)


def grace_of(peer: Peer) -> float:
    """Return how long handlers can take to end, in seconds."""
    return peer._running.grace  # pyright: ignore[reportPrivateUsage]


def at_end(peer: Peer, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Await some work after all handlers end and before the stream is closed."""
    peer._running.at_end(work)  # pyright: ignore[reportPrivateUsage]


def is_given_object(peer: Peer) -> bool:
    """Return whether the handler is an object of the program, which outlives the connection."""
    return peer._choice.is_given_object  # pyright: ignore[reportPrivateUsage]


def report_accepted(peer: Peer, reason: str, raw: Any, method: str, pointer: str) -> None:
    """Report that a message was read although part of it is invalid; see `Agreement.accept`."""
    connection = peer._connection  # pyright: ignore[reportPrivateUsage]
    connection.report_accepted(reason, raw, method, pointer)
