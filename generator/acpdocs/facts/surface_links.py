"""The pages of all surfaces about one type or method."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.diff.matching import MethodKey, key_of, match
from acpgen.emit.contexts.codec import CodecContext
from acpgen.ir.model import Method
from acpgen.ir.surface import Surface

from acpdocs.content import SurfaceLink, TextRun
from acpdocs.facts.version_comparison import find_successors
from acpdocs.links import Links, surface_title


class SurfaceLinks:
    """Finds the pages about the types and methods of one surface in all surfaces."""

    def __init__(self, surface: Surface, surfaces: Sequence[Surface]) -> None:
        self._others = [_Other(surface, other) for other in surfaces]

    def of_type(self, name: str) -> tuple[SurfaceLink, ...]:
        """Return the pages about a definition or class."""
        return tuple(other.type_link(name) for other in self._others)

    def of_method(self, method: Method) -> tuple[SurfaceLink, ...]:
        """Return the pages about a method."""
        return tuple(other.method_link(method) for other in self._others)


class _Other:
    """The names of a surface's types and methods in another surface, or in itself."""

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
