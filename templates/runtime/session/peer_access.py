"""What sessions use of a peer, but programs need not: private to the runtime, not to a module."""

from __future__ import annotations

from collections.abc import Callable

from ..aio.peer import Peer
from ..jsonrpc.errors import RequestError


def is_worth_logging(peer: Peer, error: BaseException) -> bool:
    """Return whether an error tells more than that a connection has ended."""
    return peer._serving.is_worth_logging(error)  # pyright: ignore[reportPrivateUsage]


def as_own(peer: Peer, error: RequestError) -> RequestError:
    """Return an error as one of this side, if the other side has sent it; see `Connection`."""
    return peer._connection.as_own(error)  # pyright: ignore[reportPrivateUsage]


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
