"""Sessions: their state, and their turns in clients and agents.

Updates and a peer of `aio` go in; the base classes of the generated sessions come out. The schema
defines the updates. The generated modules name the reducer of each, and fill in the classes
that are parameters here.

**State.** `state` contains the result of the updates. `reducers` change it, one for each operation,
and don't depend on it. Subscribers are notified of each change. `to_updates` converts a state back
to updates, so that an agent can replay a session. `message` joins chunks.

**Client.** `client_sessions` applies an update when it arrives, and calls its handler after earlier
handlers. When a message arrives, it also decides which session the message belongs to (`registry`)
and whether a turn is over (`turns`), so that neither depends on the speed of handlers. In protocol
1, the response ends a turn, and the client adds the prompt to the state (`echo` recognizes it if
the agent also reports it). In protocol 2, an update ends a turn (`turn_phases`). `client` contains
a single session: its requests to the user, its cancellation, and its running tool calls
(`running_calls`). `permissions` responds to permission requests by default.

**Agent.** `agent` contains a single session: it sends updates, applies them in the same step, and
runs turns one after another, each in a task. The client learns of the end of a turn from the
response, or from an update (`agent_reporting`). `agent_sessions` manages the sessions of an agent,
from the request that opens them to the end of the connection. `ending` ends a session and frees its
resources. The state contains copies (`copying`), since the program can change its own objects.

In clients and agents, a session stores its directories and servers (`setup`). `classes` checks the
classes of programs. `facts` describes the sessions of a version for code that handles any version.

Guarantees, and the modules that enforce them:

1. The state has the order of the messages: `agent`, `client_sessions`.
2. Turns end in the order of messages, each exactly once: `turns`, `agent`.
3. A session ends once, in steps of limited time: `ending`.
4. Data that grows with a peer's messages is limited: `registry`, `turns`, `turn_phases`,
   `agent_sessions`.

The client and agent modules import `state`, which imports `reducers` and `message`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .message import Message, Role
    from .state import Change, Subscriber

__all__ = ["Change", "Message", "Role", "Subscriber"]

_MODULES = {
    "Change": "state",
    "Message": "message",
    "Role": "message",
    "Subscriber": "state",
}


def __getattr__(name: str) -> Any:
    """Load a module on first use, since a client or an agent needs few of them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
