"""Sessions: their state, and their turns on both sides.

In: session updates, and a peer of `aio`. Out: the base classes of the generated sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .changes import Change, Subscriber
    from .message import Message, Role
    from .permissions import PermissionRule

__all__ = ["Change", "Message", "PermissionRule", "Role", "Subscriber"]

_MODULES = {
    "Change": "changes",
    "Message": "message",
    "PermissionRule": "permissions",
    "Role": "message",
    "Subscriber": "changes",
}


def __getattr__(name: str) -> Any:
    """Load a module on first use: the sessions of one side need few of them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
