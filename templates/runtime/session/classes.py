"""Checks for programs' own classes: their session classes and `__init__` calls."""

from __future__ import annotations

from typing import Any, ForwardRef, get_args, get_origin


def session_class(handler: type, base: type, default: type[Any]) -> type[Any]:
    """Return the session class that a handler class specifies, or the default.

    For `class MyAgent(SessionAgent[MySession])`, the session class is `MySession`. `base` is
    `SessionAgent`.

    Raises:
        TypeError: If the specified class is not a session class.
    """
    for cls in handler.__mro__:
        for named in vars(cls).get("__orig_bases__", ()):
            origin = get_origin(named)
            if isinstance(origin, type) and issubclass(origin, base):
                [argument] = get_args(named)
                named_class = get_origin(argument) or argument  # such as `MySession[int]`
                if isinstance(named_class, type) and issubclass(named_class, default):
                    return named_class
                # A type variable specifies no class, but another base class might.
                if isinstance(named_class, (str, ForwardRef, type)):
                    raise TypeError(f"{named}: expected a subclass of {default.__name__}")
    return default


def require_initialized(made: object, attribute: str, arguments: str = "") -> None:
    """Raise an error if an object's class didn't call the `__init__` of its base class.

    Args:
        made: the object.
        attribute: an attribute that the base class's `__init__` sets.
        arguments: the arguments of this `__init__`, for the error message.

    Raises:
        TypeError: If the attribute is missing.
    """
    if not hasattr(made, attribute):  # `vars(made)` would slow down attribute access
        name = type(made).__qualname__
        raise TypeError(
            f"{name} is not initialized; call `super().__init__({arguments})` in {name}.__init__"
        )
