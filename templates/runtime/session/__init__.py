"""Sessions: their state, and their turns on both sides.

Updates and a peer of `aio` go in; the base classes of the generated sessions come out. The schema
defines the updates. The generated modules name the reducer of each, and fill in the classes
that are parameters here.

**State.** `state` holds what the updates make of it. `reducers` change it, one for each operation,
and know no state. Subscribers are notified of each change. `to_updates` writes a state as updates
again, so that an agent can replay a session. `message` joins chunks.

**Client.** `client_sessions` applies an update when it arrives, and calls its handler after earlier
handlers. At receipt, it also decides to which session a message belongs (`registry`) and when a
turn is over (`turns`): a program's view must not depend on the speed of its handlers. In protocol
1, the response ends a turn, and the client adds the prompt to the state (`echo` recognizes it if
the agent reports it, too). In protocol 2, an update ends it (`turn_phases`). `client` has one
session: its questions to the user, its cancelling, its running tool calls (`running_calls`).
`permissions` answers permission requests by default.

**Agent.** `agent` has one session: it sends updates, applies them in the same step, and runs turns
one after another, each in a task. The client learns the end of a turn from the response, or from an
update (`agent_reporting`). `agent_sessions` has the sessions of an agent, from the request that
opens them to the end of the connection. `ending` ends a session, and frees its resources. The state
holds copies (`copying`), since the program can change its own objects.

On both sides, a session keeps its directories and servers (`setup`). `classes` checks the classes
of programs. `facts` describes the sessions of a version for code that handles any version.

What holds, and which module enforces it:

1. The state has the order of the messages: `agent`, `client_sessions`.
2. Turns end in the order of messages, each once, whatever the program does: `turns`, `agent`.
3. A session ends once, in steps of limited time: `ending`.
4. What a peer can make grow is limited: `registry`, `turns`, `turn_phases`, `agent_sessions`.

Imports go from the sides to `state`, from there to `reducers` and `message`.
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
    """Load a module on first use: the sessions of one side need few of them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
