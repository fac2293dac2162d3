"""Sessions: their state, and their turns on both sides.

Session updates and a peer of `aio` go in; the base classes of the generated sessions come out. The
schema decides which updates there are; the generated modules name, for each, the reducer that
applies it, and fill in the classes that the code here only knows as parameters.

On both sides, a state is what its updates make of it: `state` holds it, a reducer for each kind of
update changes it (`reducers`, `patching`), subscribers hear of it (`changes`), and `to_updates`
writes it as updates again, so that an agent can replay a session.

A client (`client`, `client_sessions`, `registry`) applies an update when it arrives, and calls its
handler when the earlier handlers are done. At receipt, it also decides to which session a message
belongs, and when a turn is over (`turns`): what a program sees must not depend on how fast its
handlers are. In protocol 1, the response ends a turn. In protocol 2, an update does; it names no
prompt, so `reported_turns` follows the turn through a table of phases (`turn_phases`). In protocol
1, the client adds the prompt to the state, and recognizes it if the agent reports it as well
(`echo`). `running_calls` tracks which tool calls the agent still works on.

An agent (`agent`, `agent_sessions`) sends updates and applies them in one step. Its turns run one
after another; each has a task (`work`) that the client may cancel. Whatever that task does, the
client is told of the end: by the response, or by an update (`agent_reporting`).

A session of an agent begins with the request that opens it (`opening`): until its response is sent,
the client does not know the session. It ends once, for any reason (`ending`), and then closes
its resources (`resources`). On both sides, a session keeps its directories and servers (`setup`).
An agent's state holds copies (`copying`), since the program can change its own objects.

`seeds` reads what responses say of the state, `permissions` answers permission requests by default,
`classes` finds the session class that a handler names, `clearing` warns in debug mode.
`initialized` checks that subclasses call the `__init__` of their base class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .changes import Change, Subscriber
    from .message import Message, Role

__all__ = ["Change", "Message", "Role", "Subscriber"]

_MODULES = {
    "Change": "changes",
    "Message": "message",
    "Role": "message",
    "Subscriber": "changes",
}


def __getattr__(name: str) -> Any:
    """Load a module on first use: the sessions of one side need few of them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
