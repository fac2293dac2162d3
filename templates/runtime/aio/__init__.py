"""Connections over asyncio: handlers are called with what comes in, stubs send what goes out.

    asyncio.run(serve_stdio(MyAgent))             # in the agent's program

    async with connect_stdio(["my-agent"], MyClient) as peer:
        agent = v1.AgentStub(peer)                # in the client's

Notifications of one session are handled one after another, in order. Requests are handled at the
same time as anything else; one starts when the notifications of its session that came before it
are handled. When the result of a request of ours is there, all notifications that came before it
have been handled. None of them waits for a handler that is waiting for the other side.
"""

from __future__ import annotations

from ..jsonrpc.errors import ConnectionClosed
from .endpoints import connect, connect_stdio, serve, serve_stdio
from .peer import Factories, Factory, Peer
from .streams import MemoryStream, Stream, memory_streams

__all__ = [
    "ConnectionClosed",
    "Factories",
    "Factory",
    "MemoryStream",
    "Peer",
    "Stream",
    "connect",
    "connect_stdio",
    "memory_streams",
    "serve",
    "serve_stdio",
]
