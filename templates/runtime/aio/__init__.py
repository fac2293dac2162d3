"""Connections over asyncio: handlers take the calls of the other side, stubs call it.

    asyncio.run(serve_stdio(MyAgent))             # in the program of the agent

    async with connect_stdio(["my-agent"], MyClient) as peer:
        agent = v1.AgentStub(peer)                # in the program of the client

A stream brings bytes; `running` feeds them to a `jsonrpc` connection and hands on its events:
requests and notifications to `handling`, which calls the handler; responses to `calling`, where the
callers wait. Messages to send queue in the connection, and `output` writes them to the stream.
Programs see only `Peer`. This folder imports `values` and `jsonrpc`, no other. The errors between
peers are in the package above.

The rules are where they are enforced: which message waits for which in `handling`, how a connection
ends in `running`, and how its tasks end in `tasks`. In short: notifications of a session are
handled one after another, requests side by side, after the notifications before them; and tasks,
sessions and processes end with their connection, in a limited time.

To read first: `endpoints`, which opens both ends; `peer`; then `running` and `handling`. Others:

- the handler: `handler_choice` makes it, `session_lives` notifies it of sessions
- streams: `streams`, `stdio` (of this process), `child_process` (of a program that it starts, with
  `process_groups` and `finding_programs`), `bridging` (over another stream)
- a program that serves an agent: `stderr_log` writes log entries to standard error, `exiting` ends
  the process if handlers keep it from exiting
- `rejections` logs what was not understood
"""

from __future__ import annotations

from ..jsonrpc.envelope import Envelope, Message
from ..jsonrpc.errors import Exit
from ..jsonrpc.observing import Bridged, Loss, Observation, Observer, log_to
from .endpoints import connect, connect_memory, connect_stdio, serve, serve_stdio
from .peer import Factory, Handlers, Peer
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
