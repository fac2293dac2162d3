"""The parts of an unstable surface that its stable counterpart lacks."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.diff.matching import key_of
from acpgen.emit.contexts.codec import CodecContext
from acpgen.ir.model import Alias, Enumeration, Method, Record, TaggedUnion
from acpgen.ir.surface import Surface


class Stability:
    """Tells unstable parts from stable ones.

    Attributes:
        stable: the stable surface of the same version; None if there is no other, and then nothing
            is unstable.
    """

    def __init__(self, surface: Surface, surfaces: Iterable[Surface]) -> None:
        self.stable = next(
            (
                other
                for other in surfaces
                if other.version == surface.version
                and other.stability == "stable"
                and other.name != surface.name
            ),
            None,
        )
        self._known = _everything(self.stable) if self.stable else None

    def is_unstable(self, *names: str) -> bool:
        """Whether the stable surface lacks a class, or a member, tag or value of it.

        Args:
            names: the class; for a part of it, the class and the part.
        """
        return self._known is not None and names not in self._known

    def is_unstable_method(self, method: Method) -> bool:
        """Whether the stable surface lacks a method."""
        return self.is_unstable("", *key_of(method))


def _everything(surface: Surface) -> set[tuple[str, ...]]:
    """All names that `is_unstable` may be asked about."""
    names: set[tuple[str, ...]] = {(name,) for name in CodecContext(surface).class_names()}
    names |= {("", *key_of(method)) for method in surface.methods}
    for name, definition in surface.definitions.items():
        match definition:
            case Record(members=members, subtypes=arms):
                names |= {(name, member.wire) for member in members}
                names |= {(name, arm.tag) for arm in arms}
            case TaggedUnion(arms=arms):
                names |= {(name, arm.tag) for arm in arms}
            case Alias(shape=Enumeration(values)):
                names |= {(name, str(value)) for value in values}
            case _:
                pass
    return names
