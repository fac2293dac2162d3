"""Compares a surface's types and methods with their counterparts in other surfaces."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.diff.matching import MethodKey, key_of, match
from acpgen.emit.contexts.codec import CodecContext
from acpgen.ir.model import Alias, Enumeration, Method, Record, TaggedUnion
from acpgen.ir.surface import Surface

from acpdocs.content import Counterpart, SurfaceLink, TextRun
from acpdocs.facts.version_comparison import VersionComparison, find_successors
from acpdocs.links import Links, surface_title


class OtherSurfaces:
    """Comparisons of a surface with other surfaces: counterparts, unstable parts and changes.

    Attributes:
        stable: for an unstable surface, the stable surface of the same version. If there is no
            such surface, no part is considered unstable.
    """

    def __init__(
        self, surface: Surface, surfaces: Sequence[Surface], comparison: VersionComparison | None
    ) -> None:
        self._surface = surface
        self._comparison = comparison
        self._others = [_Other(surface, other) for other in surfaces]
        alike = (
            other
            for other in surfaces
            if other.version == surface.version and other.stability == "stable"
        )
        self.stable = next((other for other in alike if other.name != surface.name), None)
        self._stable_names = _everything(self.stable) if self.stable else None

    def is_unstable(self, *names: str) -> bool:
        """Return whether a class, or one of its parts, is missing from the stable surface.

        Args:
            names: the name of the class, followed by the name of a field, tag or value, if any.
        """
        return self._stable_names is not None and names not in self._stable_names

    def is_unstable_method(self, method: Method) -> bool:
        """Return whether a method is missing from the stable surface."""
        return self.is_unstable("", *key_of(method))

    def type_links(self, name: str) -> tuple[SurfaceLink, ...]:
        """Return links to the pages about a definition or class in all surfaces."""
        return tuple(other.type_link(name) for other in self._others)

    def method_links(self, method: Method) -> tuple[SurfaceLink, ...]:
        """Return links to the pages about a method in all surfaces."""
        return tuple(other.method_link(method) for other in self._others)

    def type_counterpart(self, name: str) -> Counterpart | None:
        """Return the counterpart of a definition in the other version, if there is one."""
        return self._comparison.of_type(self._surface, name) if self._comparison else None

    def method_counterpart(self, method: Method) -> Counterpart | None:
        """Return the counterpart of a method in the other version, if there is one."""
        return self._comparison.of_method(self._surface, method) if self._comparison else None


class _Other:
    """The counterparts of a surface's types and methods in another surface or in the same one."""

    def __init__(self, surface: Surface, other: Surface) -> None:
        self._is_this = surface.name == other.name
        self._title = surface_title(other.name)
        self._links = Links(other)
        self._classes = {name: name for name in CodecContext(other).class_names()}
        self._methods = {key_of(method): method for method in other.methods}
        self._keys: dict[MethodKey, MethodKey] = {key: key for key in self._methods}
        if surface.version < other.version:
            matching = match(surface, other)
            self._classes |= find_successors(surface, other, matching.definitions)
            self._classes |= matching.definitions
            self._keys = dict(matching.methods)
        elif surface.version > other.version:
            matching = match(other, surface)
            self._classes |= {new: old for old, new in matching.definitions.items()}
            self._keys = {new: old for old, new in matching.methods.items()}

    def type_link(self, name: str) -> SurfaceLink:
        twin = self._classes.get(name)
        return self._link(self._links.type(twin) if twin else None, twin != name)

    def method_link(self, method: Method) -> SurfaceLink:
        key = self._keys.get(key_of(method))
        link = self._links.method(self._methods[key]) if key is not None else None
        return self._link(link, key != key_of(method))

    def _link(self, link: TextRun | None, is_renamed: bool) -> SurfaceLink:
        return SurfaceLink(self._title, link, self._is_this, is_renamed)


def _everything(surface: Surface) -> set[tuple[str, ...]]:
    """Return all names that `is_unstable` accepts."""
    names: set[tuple[str, ...]] = {(name,) for name in CodecContext(surface).class_names()}
    names |= {("", *key_of(method)) for method in surface.methods}
    for name, definition in surface.definitions.items():
        parts: list[str] = []
        match definition:
            case Record(members=members, subtypes=arms):
                parts = [*(member.wire for member in members), *(arm.tag for arm in arms)]
            case TaggedUnion(arms=arms):
                parts = [arm.tag for arm in arms]
            case Alias(shape=Enumeration(values)):
                parts = list(map(str, values))
            case _:
                pass
        names |= {(name, part) for part in parts}
    return names
