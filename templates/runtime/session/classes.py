"""Classes of programs: the session class that a handler names, and calls of `__init__`."""

from __future__ import annotations

from typing import Any, ForwardRef, get_args, get_origin


def session_class(handler: type, base: type, default: type[Any]) -> type[Any]:
    """Return the class of sessions that a class of handlers names, or the default.

    It names it like `class MyAgent(SessionAgent[MySession])`, where `base` is `SessionAgent`.

    Raises:
        TypeError: If it does not name a class of sessions.
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


def require_initialized(made: object, attribute: str, arguments: str) -> None:
    """Refuse an object of a subclass that does not call the `__init__` of its base class.

    That sets the attribute, and has the arguments.

    Raises:
        TypeError: If the attribute is missing.
    """
    if not hasattr(made, attribute):  # `vars(made)` would make the attributes slower
        name = type(made).__qualname__
        raise TypeError(
            f"{name} is not initialized; call `super().__init__({arguments})` in {name}.__init__"
        )
