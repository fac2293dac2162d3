"""The pages and anchors of the reference, and the titles of its pages.

Paths and anchors consist of Python names alone, never of text from a schema.
"""

from __future__ import annotations

import posixpath
from functools import cache

from acpgen.ir.model import (
    Alias,
    Capability,
    Definition,
    Enumeration,
    Member,
    Method,
    TaggedUnion,
    UntaggedUnion,
)
from acpgen.ir.surface import Surface

# The start page of the reference, and the one about the turns of a client.
REFERENCE = "reference/index.md"
TURN_PHASES = "reference/turn-phases.md"


def surface_page(surface: str) -> str:
    """The start page of a surface."""
    return f"{surface}/index.md"


def list_page(surface: str, topic: str) -> str:
    """The page that lists `types`, `capabilities`, or the methods of a side."""
    return f"{surface}/{topic}.md"


def type_page(surface: Surface, name: str) -> str:
    """The page of a definition or class, which may be of another surface, as `v2.ToolCall` is."""
    other, _, plain = name.rpartition(".")
    return f"{other or surface.name}/types/{plain}.md"


def member_anchor(member: Member) -> str:
    """The anchor of a member on the page of its type."""
    return f"member-{member.name}"


def member_target(surface: Surface, owner: str, member: Member) -> str:
    """The target of links to a member."""
    return f"{type_page(surface, owner)}#{member_anchor(member)}"


def method_page(surface: Surface, method: Method) -> str:
    """The page of a method."""
    return f"{surface.name}/methods/{method.side}/{method.name}.md"


def capability_anchor(side: str, path: tuple[str, ...]) -> str:
    """The anchor of a capability, by its path in Python names."""
    return ".".join((side, *path))


def capability_target(surface: Surface, side: str, capability: Capability) -> str:
    """The target of links to a capability."""
    page = list_page(surface.name, "capabilities")
    return f"{page}#{capability_anchor(side, capability.path)}"


@cache
def relative_link(page: str, target: str) -> str:
    """A target relative to a page; addresses of other sites are returned unchanged."""
    if target.startswith("https://"):
        return target
    path, mark, anchor = target.partition("#")
    if path == page and mark:
        return f"#{anchor}"
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor


def surface_title(name: str) -> str:
    """The title of a surface, such as `v1` or `v1 unstable`."""
    return name.replace("_", " ")


def side_title(side: str) -> str:
    """The title of the methods that a side handles."""
    return "Methods of either side" if side == "protocol" else f"Methods of the {side}"


def kind_of(definition: Definition) -> str:
    """The kind of a definition, in the words of the reference."""
    if isinstance(definition, TaggedUnion):
        return "tagged union"
    if not isinstance(definition, Alias):
        return "object"
    if isinstance(definition.shape, Enumeration):
        return "enumeration"
    return "untagged union" if isinstance(definition.shape, UntaggedUnion) else "alias"
