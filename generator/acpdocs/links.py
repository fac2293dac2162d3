"""The paths, anchors and titles of the reference's pages, and links to them.

Paths and anchors consist only of Python names, never of text from a schema.
"""

from __future__ import annotations

import posixpath
from functools import cache

from acpgen.ir.model import Capability, Member, Method, Shape
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe, title

from acpdocs.content import RichText, TextRun

# The start page of the reference, and the page about the phases of turns.
REFERENCE = "reference/index.md"
TURN_PHASES = "reference/turn-phases.md"
# Delimits the names of definitions in a description.
_MARK = "\0"


def surface_page(surface: str) -> str:
    """Return the path of a surface's start page."""
    return f"{surface}/index.md"


def list_page(surface: str, topic: str) -> str:
    """Return the path of the page that lists `types`, `capabilities` or a side's methods."""
    return f"{surface}/{topic}.md"


def type_page(surface: Surface, name: str) -> str:
    """Return the path of the page about a definition or class.

    A qualified name, such as `v2.ToolCall`, refers to a type in another surface.
    """
    other, _, plain = name.rpartition(".")
    return f"{other or surface.name}/types/{plain}.md"


def member_anchor(member: Member) -> str:
    """Return the anchor of a field on its type's page."""
    return f"member-{member.name}"


def method_page(surface: Surface, method: Method) -> str:
    """Return the path of the page about a method."""
    return f"{surface.name}/methods/{method.side}/{method.name}.md"


def capability_anchor(side: str, path: tuple[str, ...]) -> str:
    """Return the anchor of the capability at a path of Python names."""
    return ".".join((side, *path))


@cache
def relative_link(page: str, target: str) -> str:
    """Make a link target relative to a page, unless it is a URL on another site."""
    if target.startswith("https://"):
        return target
    path, mark, anchor = target.partition("#")
    if path == page and mark:
        return f"#{anchor}"
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor


def surface_title(name: str) -> str:
    """Return the title of a surface, such as `v1` or `v1 unstable`."""
    return name.replace("_", " ")


def side_title(side: str) -> str:
    """Return the title for the methods that a side handles."""
    return "Methods of either side" if side == "protocol" else f"Methods of the {side}"


class Links:
    """Links to the pages about a surface's types and methods."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._marked = {name: f"{_MARK}{name}{_MARK}" for name in surface.definitions}

    def type(self, name: str) -> TextRun:
        """Return a link to a definition or class."""
        return TextRun(name, type_page(self._surface, name), code=True)

    def method(self, method: Method) -> TextRun:
        """Return a link to a method."""
        return TextRun(title(method), method_page(self._surface, method), code=True)

    def member(self, owner: str, member: Member, text: str) -> TextRun:
        """Return a link to a field of a class, with the given text."""
        page = type_page(self._surface, owner)
        return TextRun(text, f"{page}#{member_anchor(member)}", code=True)

    def capability(self, side: str, capability: Capability) -> TextRun:
        """Return a link to a capability.

        Capabilities of extensions are not linked: they are in `_meta`, which has no page.
        """
        page = list_page(self._surface.name, "capabilities")
        target = f"{page}#{capability_anchor(side, capability.path)}"
        is_listed = self._surface.extension is None
        return TextRun(capability.pointer, target if is_listed else None, code=True)

    def shape(self, shape: Shape) -> RichText:
        """Return the description of a shape with links to the definitions that it refers to."""
        parts = describe(shape, names=self._marked).split(_MARK)
        return tuple(
            self.type(part) if part in self._marked else TextRun(part) for part in parts if part
        )
