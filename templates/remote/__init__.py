"""Remote agents: connections over WebSocket, and over HTTP with server-sent events.

    app = remote_app(MyAgent, token=TOKEN)        # an ASGI application, for hypercorn or uvicorn

    async with connect_remote("https://example.org/acp", MyClient, token=TOKEN) as peer:
        agent = v2.AgentStub(peer)                # in the client program

This package is experimental: the protocol's proposal for remote agents is active but not stable.

`routing` contains the rules for both roles, without I/O. The rules determine which stream each
message is sent on and which HTTP status each request gets. `methods` contains the schema data that
these rules use. `application` contains the server, and `trust` decides which clients to admit. The
server requires only the standard library. The client is in `connecting`, which uses `websocket` or
`http` (based on `wire`) to connect to an `endpoint`. The client requires the extra `remote` (`pip
install acp-bindings[remote]`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .application import RemoteApplication, remote_app
    from .connecting import connect_remote, open_remote
    from .endpoint import NotAdmitted
    from .routing import RemoteLimits
    from .trust import Visitor

__all__ = [
    "NotAdmitted",
    "RemoteApplication",
    "RemoteLimits",
    "Visitor",
    "connect_remote",
    "open_remote",
    "remote_app",
]

_HOMES = {
    "NotAdmitted": "endpoint",
    "RemoteApplication": "application",
    "RemoteLimits": "routing",
    "Visitor": "trust",
    "connect_remote": "connecting",
    "open_remote": "connecting",
    "remote_app": "application",
}


def __getattr__(name: str) -> Any:
    # Modules are imported on demand, since the server doesn't need the client's modules, and vice
    # versa.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
