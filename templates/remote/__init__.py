"""Remote agents: connections over WebSocket, and over HTTP with server-sent events.

    app = remote_app(MyAgent, token=TOKEN)        # an ASGI application, for hypercorn or uvicorn

    async with connect_remote("https://example.org/acp", MyClient, token=TOKEN) as peer:
        agent = v2.AgentStub(peer)                # in the program of the client

Experimental: the protocol's proposal is active, but not stable.

`routing` contains the rules for both roles, without I/O: which message belongs to which stream and
which status a request gets. `methods` has what these rules need from the schemas. The server is
`application`, with `trust` to decide whom to admit. It requires only the standard library. The
client is `connecting`, with `websocket` and `http` (over `wire`), all for an `endpoint`. It
requires the extra `remote` (`pip install acp-bindings[remote]`).
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
    # Imported late: a server needs no module of the client, and a client none of the server.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
