"""JSON-RPC 2.0 as ACP uses it, without input or output of its own.

    connection = Connection("agent", v1)
    for event in connection.receive(data):
        ...
    transport.write(connection.data_to_send())

In: received bytes, and the calls and responses to send. Out: events, and bytes to send. Imports
`values` only. Unknown methods, bad params and lines that are not messages get their error response
here. The errors between peers, and their codes, are in the package above.
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
