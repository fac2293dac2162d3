"""A module that is being converted, with the names that it needs and its manual decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from acpport.counterparts.surface import STUB, Side, Surface
from acpport.reading.sources import code_of

# The beginning of a comment about a manual decision.
MARK = "# TODO(acpgen port): "
_RUNTIME, _AIO = "acp_bindings.runtime", "acp_bindings.runtime.aio"


class Draft:
    """A module that is being converted.

    Attributes:
        surface: the surface that the converted module uses.
        name: the name under which the module imports the surface.
        needed: the names to import, by module.
        kept: the imported SDK names that are still used.
        types: the types of converted arguments and elements, used to find protocol values in JSON.
    """

    def __init__(self, surface: Surface, taken: set[str]) -> None:
        self.surface = surface
        self.name = "acp_v1" if "v1" in taken else "v1"
        self.needed: dict[str, set[str]] = {}
        self.kept: set[str] = set()
        self.types: dict[cst.BaseExpression, frozenset[Any]] = {}
        self._taken = taken
        self._marks: list[list[str]] = [[]]

    # --- names -------------------------------------------------------------------------------

    def of_surface(self, name: str) -> cst.Attribute:
        """Import the surface and return an expression for a name in it."""
        return cst.Attribute(self.surface_itself(), cst.Name(name))

    def surface_itself(self) -> cst.Name:
        """Import the surface and return its expression."""
        own = self.surface.name
        alias = own if own == self.name else f"{own} as {self.name}"
        self.needed.setdefault("acp_bindings", set()).add(alias)
        return cst.Name(self.name)

    def version(self) -> cst.Attribute:
        """Return an expression for the surface's protocol version."""
        return cst.Attribute(self.of_surface("SCHEMA"), cst.Name("protocol_version"))

    def stub(self, side: Side) -> cst.BaseExpression:
        """Return an expression for a stub that uses `peer` to call a side.

        Like the SDK, the stub does not check capabilities.
        """
        name = code_of(self.of_surface(STUB[side]))
        return cst.parse_expression(f"{name}(peer, check_capabilities=False)")

    def of_runtime(self, name: str) -> cst.Name:
        """Import a name from `acp_bindings.runtime` and return its expression."""
        return self.of_module(_RUNTIME, name)

    def of_aio(self, name: str) -> cst.Name:
        """Import a name from `acp_bindings.runtime.aio` and return its expression."""
        return self.of_module(_AIO, name)

    def of_module(self, module: str, name: str) -> cst.Name:
        """Import a name from a module, aliased if necessary, and return its expression."""
        own = f"acp_{name}" if name in self._taken else name
        self.needed.setdefault(module, set()).add(name if own == name else f"{name} as {own}")
        return cst.Name(own)

    # --- manual decisions --------------------------------------------------------------------

    def mark(self, text: str) -> None:
        """Add a comment about a manual decision to the current statement."""
        self._marks[-1].append(MARK + " ".join(text.split()))

    def begin_statement(self) -> None:
        """Begin collecting comments for a statement."""
        self._marks.append([])

    def end_statement(self, lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
        """Finish the statement and return the lines above it, followed by its new comments."""
        present = {line.comment.value for line in lines if line.comment is not None}
        new = [mark for mark in dict.fromkeys(self._marks.pop()) if mark not in present]
        return [*lines, *(cst.EmptyLine(comment=cst.Comment(mark)) for mark in new)]
