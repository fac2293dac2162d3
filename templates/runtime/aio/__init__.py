"""Connections over asyncio: handlers receive the peer's calls, and stubs call the peer.

    asyncio.run(serve_stdio(MyAgent))             # in the agent program

    async with connect_stdio(["my-agent"], MyClient) as peer:
        agent = v1.AgentStub(peer)                # in the client program

`running` reads bytes from a stream, feeds them to a `jsonrpc` connection and dispatches the
resulting events. Requests and notifications go to `handling`, which calls the handler. Responses
go to `calling`, where the callers wait. The connection queues outgoing messages, and `output`
writes them to the stream. Programs use only `Peer`, not these modules. Except for `bridging`, this
folder imports only `values` and `jsonrpc`. The parent package exports the errors that connections
raise.

Each rule is documented in the module that enforces it: message order in `handling`, connection
shutdown in `running`, and task termination in `tasks`. In short, a session's notifications are
handled one after another. Requests run concurrently, and each one starts after the notifications
that precede it. When a connection closes, its tasks, sessions and processes end within a time
limit.

Begin with `endpoints`, which opens agent and client connections. Then read `peer`, `running` and
`handling`. The other modules:

- handlers: `handler_choice` creates the handler, and `session_lives` notifies it when sessions
  are opened and closed
- streams: `streams` defines the interfaces, `stdio` connects this process, `child_process` starts
  a program (with `process_groups` and `finding_programs`), and `bridging` wraps another stream
- agent programs: `stderr_log` writes log entries to standard error, and `exiting` terminates the
  process if handlers prevent it from exiting
- `rejections` logs messages that are rejected or ignored
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
