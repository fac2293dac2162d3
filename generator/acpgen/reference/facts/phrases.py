"""Shapes in words, with links to the definitions that they name."""

from __future__ import annotations

from acpgen.ir.model import Shape
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe
from acpgen.reference.content import RichText, TextRun
from acpgen.reference.links import type_at

# Stands around the names of definitions; no text of a schema that is shown holds it.
_MARK = "\0"


class Phrases:
    """Puts the shapes of one surface into words."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._marked = {name: f"{_MARK}{name}{_MARK}" for name in surface.definitions}

    def of(self, shape: Shape) -> RichText:
        """A shape in words."""
        parts = describe(shape, names=self._marked).split(_MARK)
        return tuple(
            self.link(part) if part in self._marked and index % 2 else TextRun(part)
            for index, part in enumerate(parts)
            if part
        )

    def link(self, name: str) -> TextRun:
        """The name of a definition or class, as a link to its page."""
        return TextRun(name, type_at(self._surface, name), code=True)
