"""Shapes in words, with links to the definitions that they refer to."""

from __future__ import annotations

from acpgen.ir.model import Shape
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe

from acpdocs.content import RichText, TextRun
from acpdocs.links import type_page

# Encloses the names of definitions; `describe` prints it nowhere else.
_MARK = "\0"


class Phrases:
    """Describes the shapes of one surface."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._marked = {name: f"{_MARK}{name}{_MARK}" for name in surface.definitions}

    def of(self, shape: Shape) -> RichText:
        """Describe a shape in words."""
        parts = describe(shape, names=self._marked).split(_MARK)
        return tuple(
            self.link(part) if part in self._marked and index % 2 else TextRun(part)
            for index, part in enumerate(parts)
            if part
        )

    def link(self, name: str) -> TextRun:
        """Link the name of a definition or class to its page."""
        return TextRun(name, type_page(self._surface, name), code=True)
