"""The class of sessions that a handler names: `class MyAgent(SessionAgent[MySession])`."""

from __future__ import annotations

from typing import Any, ForwardRef, get_args, get_origin


def session_class(handler: type, base: type, default: type[Any]) -> type[Any]:
    """Return the class of sessions that a class of handlers names.

    Args:
        handler: the class of handlers, such as `class MyAgent(SessionAgent[MySession])`.
        base: the class that takes the name, such as `SessionAgent`.
        default: the class of sessions if none is named.

    Raises:
        TypeError: what it names is not a class of sessions.
    """
    for cls in handler.__mro__:
        for named in vars(cls).get("__orig_bases__", ()):
            origin = get_origin(named)
            if isinstance(origin, type) and issubclass(origin, base):
                [argument] = get_args(named)
                named_class = get_origin(argument) or argument  # itself perhaps `MySession[int]`
                if isinstance(named_class, type) and issubclass(named_class, default):
                    return named_class
                # A type variable names no class: a base class further on may.
                if isinstance(named_class, (str, ForwardRef, type)):
                    raise TypeError(f"{named} must name a class that extends {default.__name__}")
    return default
