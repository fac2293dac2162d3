"""Connections over asyncio: handlers take the calls of the other side, stubs call it.

    asyncio.run(serve_stdio(MyAgent))             # in the program of the agent

    async with connect_stdio(["my-agent"], MyClient) as peer:
        agent = v1.AgentStub(peer)                # in the program of the client

A stream brings bytes; `running` feeds them to a `jsonrpc` connection and hands on its events:
requests and notifications to `serving`, which calls the handler; responses to `calling`, where the
callers wait. Messages to send queue in the connection, and `output` writes them to the stream.
Programs see only `Peer`. This folder imports `values` and `jsonrpc`, no other. The errors between
peers are in the package above.

The order of calls, for each session by itself; messages that name no session count as one more:

- Notifications are handled one after another, in the order of their arrival.
- Requests are handled concurrently. A request starts when the earlier notifications have been
  handled.
- The response to a request of this side is delivered when it arrives; if it ends a sequence of
  updates, as that of `session/load` does, when they have been handled.
- Nothing waits for a handler that is itself waiting for the other side. Waiting for any other
  handler has a limit; see `ordering`.

How it ends: tasks, sessions and processes end with their connection. Ending it takes a limited
time, even without a response. Work that a cancellation must not interrupt is finished first
(`ending`). A task that swallows its cancellation is dropped (`dropping`). A program that serves an
agent has three more modules: `console` writes log entries to standard error, and `exiting` ends the
process if leftovers of handlers keep it from exiting (`leftovers`). `places` says where tasks and
threads are.

To read first: `endpoints`, which opens both ends; `peer`; then `running`. `ordering` and `lane`
keep the order. `handlers` makes the handler. Streams are in `streams`,
`stdio` (of this process) and `child` (of a program that it starts, with `groups`, `jobs` and
`stderr`), and `bridging` puts one over another; `standing_in` runs the handler of a bridge.
`silence` notices a dead agent, `rejections` logs what was not understood.
"""

from __future__ import annotations

from ..jsonrpc.envelope import Envelope, Message
from ..jsonrpc.errors import Exit
from ..jsonrpc.observing import Bridged, Loss, Observation, Observer, log_to
from .endpoints import connect, connect_memory, connect_stdio, serve, serve_stdio
from .handlers import Factory, Handlers
from .peer import Peer
from .streams import (
    AsyncioStream,
    MemoryMessages,
    MemoryStream,
    MessageStream,
    Stream,
    memory_messages,
    memory_streams,
)

__all__ = [
    "AsyncioStream",
    "Bridged",
    "Envelope",
    "Exit",
    "Factory",
    "Handlers",
    "Loss",
    "MemoryMessages",
    "MemoryStream",
    "Message",
    "MessageStream",
    "Observation",
    "Observer",
    "Peer",
    "Stream",
    "connect",
    "connect_memory",
    "connect_stdio",
    "log_to",
    "memory_messages",
    "memory_streams",
    "serve",
    "serve_stdio",
]
