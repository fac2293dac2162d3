"""Connections over asyncio: handlers take the calls of the other side, stubs call it.

    asyncio.run(serve_stdio(MyAgent))             # in the program of the agent

    async with connect_stdio(["my-agent"], MyClient) as peer:
        agent = v1.AgentStub(peer)                # in the program of the client

In: a stream and a handler. Out: the calls of the handler, and a `Peer` to call the other side.
Imports `values` and `jsonrpc` only. The errors between peers are in the package above.

The order of calls, for each session by itself; messages that name no session count as one more:

- Notifications are handled one after another, in the order of their arrival.
- Requests are handled concurrently. A request starts when the earlier notifications have been
  handled.
- The response to a request of this side is delivered when it arrives; if it ends a sequence of
  updates, as that of `session/load` does, when they have been handled.
- Nothing waits for a handler that is itself waiting for the other side, nor without an end for any
  other; see `ordering`.
"""

from __future__ import annotations

from ..jsonrpc.errors import Exit
from ..jsonrpc.observing import Observation, Observer, log_to
from .endpoints import connect, connect_memory, connect_stdio, serve, serve_stdio
from .handlers import Factory, Handlers
from .peer import Peer
from .streams import AsyncioStream, MemoryStream, Stream, memory_streams

__all__ = [
    "AsyncioStream",
    "Exit",
    "Factory",
    "Handlers",
    "MemoryStream",
    "Observation",
    "Observer",
    "Peer",
    "Stream",
    "connect",
    "connect_memory",
    "connect_stdio",
    "log_to",
    "memory_streams",
    "serve",
    "serve_stdio",
]
