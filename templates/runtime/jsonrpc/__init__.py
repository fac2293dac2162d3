"""JSON-RPC 2.0 as ACP uses it, without input or output of its own.

    connection = Connection("agent", v1)
    for event in connection.receive(data):
        ...
    transport.write(connection.data_to_send())

Received bytes become lines, messages and events (`receiving`, `messages`, `events`); of lines that
aren't JSON, `recovery` reads what it can. Calls and responses become bytes to send (`connection`).
Both share what both need: what is open on either side (`pending`), and the surface that the two
sides have agreed on (`agreement`). Nothing here waits, reads a clock or starts a task, so that the
same code serves any event loop, and tests need none. Imports `values` only.

The rules are where they are enforced: what becomes of a message in `receiving`, replies and what is
held back in `pending`, the end in `connection`, limits in `limits`, absent capabilities in
`agreement`. What the other side sends never raises an exception; what this side does wrong raises
one, and sends nothing.

Three modules are about the methods of a surface: `method` has their tables, `handler` the base
class of handlers, `stub` the base class of callers. `handler_checks` warns of handlers that would
never be called. The errors between peers, and their codes, are in the package above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .connection import Connection
    from .events import (
        Cancellation,
        Event,
        Failure,
        Ignored,
        Notification,
        Refused,
        Request,
        Response,
    )
    from .limits import MAX_LINE, Limits
    from .messages import RequestId, classify, peek_initialize, pick_version
    from .observing import Observation, Observer, log_to

__all__ = [
    "MAX_LINE",
    "Cancellation",
    "Connection",
    "Event",
    "Failure",
    "Ignored",
    "Limits",
    "Notification",
    "Observation",
    "Observer",
    "Refused",
    "Request",
    "RequestId",
    "Response",
    "classify",
    "log_to",
    "peek_initialize",
    "pick_version",
]


def __getattr__(name: str) -> Any:
    """Load the connection on first use: surfaces need errors and methods only."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import connection, events, limits, messages, observing

    modules = (connection, events, limits, messages, observing)
    return next(getattr(module, name) for module in modules if hasattr(module, name))
