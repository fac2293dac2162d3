"""Whether null is a value of a shape."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.model import Alias, Anything, Choice, Definition, Null, Nullable, Reference, Shape


def takes_null(shape: Shape, definitions: Mapping[str, Definition]) -> bool:
    """Whether null is a value of a shape; of references, what they lead to says so.

    Args:
        definitions: what references of the shape go to.
    """
    match shape:
        case Anything() | Null() | Nullable():
            return True
        case Choice(arms):
            return any(takes_null(arm.shape, definitions) for arm in arms)
        case Reference(name):
            definition = definitions.get(name)
            return isinstance(definition, Alias) and takes_null(definition.shape, definitions)
        case _:
            return False
