"""The errors for names that a surface or a class of it does not have."""

from __future__ import annotations


class UnknownName(AttributeError):
    """The error for a name that a surface does not have.

    Its text, which says what may be meant, is only made when somebody reads it: an import of a
    module of the surface asks for the attribute of that name first.
    """

    def __str__(self) -> str:
        package, name = self.args
        reason = f"module {package!r} has no attribute {name!r}"
        if name.startswith("__"):
            return reason
        from .suggestions import of_name

        meant = of_name(package, name)
        return f"{reason}: {meant}" if meant else reason


def unknown_name(package: str, name: str) -> AttributeError:
    """Return the error for a name that a surface does not have.

    Args:
        package: the `__name__` of the surface.
        name: the name.
    """
    return UnknownName(package, name)
