"""Connections over asyncio: handlers receive the peer's calls, and stubs call the peer.

    asyncio.run(serve_stdio(MyAgent))             # in the agent program

    async with connect_stdio(["my-agent"], MyClient) as peer:
        agent = v1.AgentStub(peer)                # in the client program

A stream delivers bytes. `running` feeds them to a `jsonrpc` connection and forwards its events:
requests and notifications go to `handling`, which calls the handler, and responses to `calling`,
where the callers wait. Outgoing messages are queued in the connection, and `output` writes them to
the stream. Programs see only `Peer`. This folder imports only `values` and `jsonrpc`. The errors
that connections raise are defined in the parent package.

Each rule is documented where it is enforced: the order of messages in `handling`, the shutdown of
a connection in `running`, and the end of its tasks in `tasks`. In short: the notifications of a
session are handled one after another. Requests run concurrently, after the notifications before
them. Tasks, sessions and processes end with their connection, within a time limit.

Read these first: `endpoints`, which opens both ends; `peer`; then `running` and `handling`. Others:

- the handler: `handler_choice` makes it, `session_lives` notifies it of sessions
- streams: `streams`, `stdio` (for this process), `child_process` (for a program that it starts,
  with `process_groups` and `finding_programs`), `bridging` (over another stream)
- a program that serves an agent: `stderr_log` writes log entries to standard error, `exiting`
  terminates the process if handlers keep it from exiting
- `rejections` logs messages that are refused or ignored
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
