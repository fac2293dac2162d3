"""Sessions: their state, and their turns in clients and agents.

The generated session classes extend the base classes in this package, which exchange session
updates through an `aio` peer. The schema defines the updates. The generated modules specify the
reducer for each update and replace the base classes' type parameters with concrete classes.

**State.** `state` contains the result of applying the updates. `reducers` contains one class for
each kind of change to the state and doesn't import `state`. Subscribers are notified of each
change. `to_updates` converts a state back to updates so that an agent can replay a session.
`message` joins chunks into messages.

**Client.** When an update arrives, `client_sessions` applies it immediately but calls the update's
handler only after earlier handlers have finished. When a message arrives, `client_sessions` also
determines which session the message belongs to (`session_registry`) and whether a turn is over
(`turns`), so slow handlers don't delay these decisions. In protocol 1, the response to a prompt
ends the turn, and the client adds the prompt to the state (`echo` recognizes the prompt if the
agent also reports it). In protocol 2, an update ends a turn (`turn_phases`). `client` contains the
class of a single session, which handles requests to the user, cancellation, and running tool calls
(`running_calls`).
`permissions` contains the default responses to permission requests.

**Agent.** `agent` contains the class of a single session, which sends updates, applies them in the
same step, and runs turns one after another, each in a task. The response or, in protocol 2, an
update (`agent_reporting`) informs the client that a turn has ended. `agent_sessions` manages an
agent's sessions from the requests that open them until the connection closes. `ending` ends a
session and frees its resources. The state contains copies (`copying`), since programs can modify
their own objects.

Client and agent sessions store the session's directories and servers (`setup`). `classes` checks
the classes that programs define. `facts` describes a protocol version's sessions for code that
supports any version.

Guarantees and the modules that enforce them:

1. The state reflects the order of the messages: `agent`, `client_sessions`.
2. The order of messages determines when a turn ends, and each turn ends exactly once: `turns`,
   `agent`.
3. A session ends once, in steps with a time limit: `ending`.
4. Data that grows with the peer's messages is limited: `session_registry`, `turns`, `turn_phases`,
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
    """Import and return a class on first use, since most programs need only a few classes."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
