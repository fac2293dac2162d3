"""An error that explains a forgotten `super().__init__()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar


class Initialized:
    """Base of classes that programs extend: explains why attributes are missing."""

    # An attribute that `__init__` sets, and how a subclass calls it.
    _initialized: ClassVar[tuple[str, str]]

    if not TYPE_CHECKING:  # otherwise, type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Raise the error for a missing attribute."""
            attribute, call = self._initialized
            if attribute in self.__dict__:
                return object.__getattribute__(self, name)  # raises the usual error
            cls = type(self).__qualname__
            problem = f"{cls} is not initialized; call `{call}` first in `{cls}.__init__`"
            raise AttributeError(problem)
