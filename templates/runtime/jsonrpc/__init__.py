"""JSON-RPC 2.0 as used by ACP, without I/O.

    connection = Connection("agent", v1)
    for event in connection.receive(data):
        ...
    transport.write(connection.data_to_send())

Received bytes are converted to lines, messages and events (`receiving`, `messages`, `events`).
`recovery` reads parts of lines that aren't valid JSON. Calls and responses are converted to bytes
to send (`connection`). Sending and receiving share the open requests of both sides (`pending`) and
the negotiated surface (`agreement`). This code never waits, reads a clock or starts a task, so it
works with any event loop and can be tested without one. This code imports only `values` from the
package's other folders.

Each rule is documented in the module that enforces it: message processing in `receiving`, replies
and held messages in `pending`, closing in `connection`, limits in `limits`, and absent capabilities
in `agreement`. Received data never causes an exception. An incorrect call by this program raises an
exception and sends nothing.

Three modules provide the basis for a surface's methods: `method` contains the method tables,
`handler` the base class for handlers, and `stub` the base class for stubs. `handler_checks` warns
about handler methods that would never be called. The parent package exports the protocol errors and
their codes.
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
    """Load the connection's modules on first use, since surfaces need only errors and methods."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import connection, events, limits, messages, observing

    modules = (connection, events, limits, messages, observing)
    return next(getattr(module, name) for module in modules if hasattr(module, name))
