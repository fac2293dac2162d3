"""The check for a forgotten `super().__init__()`."""

from __future__ import annotations


def require_initialized(made: object, attribute: str, arguments: str) -> None:
    """Refuse an object of a subclass that does not call the `__init__` of its base class.

    Args:
        made: the object.
        attribute: an attribute that the `__init__` of the base class sets.
        arguments: the arguments of that `__init__`.

    Raises:
        TypeError: If the attribute is missing.
    """
    if not hasattr(made, attribute):  # `vars(made)` would make the attributes slower
        name = type(made).__qualname__
        raise TypeError(
            f"{name} is not initialized; call `super().__init__({arguments})` in {name}.__init__"
        )
