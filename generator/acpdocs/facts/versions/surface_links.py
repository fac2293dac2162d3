"""The pages of all surfaces about one type or method."""

from __future__ import annotations

from collections.abc import Sequence

from acpgen.diff.matching import MethodKey, key_of, match
from acpgen.emit.contexts.codec import CodecContext
from acpgen.ir.model import Method
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title

from acpdocs.content import SurfaceLink, TextRun
from acpdocs.facts.versions.successors import find_successors
from acpdocs.links import method_page, surface_title, type_page


class SurfaceLinks:
    """Finds the pages about the types and methods of one surface in all surfaces."""

    def __init__(self, surface: Surface, surfaces: Sequence[Surface]) -> None:
        self._others = [_Other(surface, other) for other in surfaces]

    def of_type(self, name: str) -> tuple[SurfaceLink, ...]:
        """The pages about a definition or class."""
        return tuple(other.type_link(name) for other in self._others)

    def of_method(self, method: Method) -> tuple[SurfaceLink, ...]:
        """The pages about a method."""
        return tuple(other.method_link(method) for other in self._others)


class _Other:
    """What the types and methods of a surface are called in another one, or in itself."""

    def __init__(self, surface: Surface, other: Surface) -> None:
        self._surface, self._other = surface, other
        self._classes = {name: name for name in CodecContext(other).class_names()}
        self._keys: dict[MethodKey, MethodKey] = {}
        self._methods = {key_of(method): method for method in other.methods}
        if surface.version == other.version:
            self._keys = {key: key for key in self._methods}
        elif surface.version < other.version:
            matching = match(surface, other)
            self._classes |= find_successors(surface, other, matching.definitions)
            self._classes |= matching.definitions
            self._keys = dict(matching.methods)
        else:
            matching = match(other, surface)
            self._classes |= {new: old for old, new in matching.definitions.items()}
            self._keys = {new: old for old, new in matching.methods.items()}

    def type_link(self, name: str) -> SurfaceLink:
        class_ = self._classes.get(name)
        link = TextRun(class_, type_page(self._other, class_), code=True) if class_ else None
        return self._link(link, class_ != name)

    def method_link(self, method: Method) -> SurfaceLink:
        key = self._keys.get(key_of(method))
        twin = self._methods[key] if key is not None else None
        link = TextRun(title(twin), method_page(self._other, twin), code=True) if twin else None
        return self._link(link, key != key_of(method))

    def _link(self, link: TextRun | None, is_renamed: bool) -> SurfaceLink:
        is_this = self._surface.name == self._other.name
        return SurfaceLink(surface_title(self._other.name), link, is_this, is_renamed)
