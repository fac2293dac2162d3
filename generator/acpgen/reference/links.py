"""Where everything stands in the reference: paths and anchors, made of Python names only."""

from __future__ import annotations

import posixpath

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


def start_of(surface: str) -> str:
    """The first page about a surface."""
    return f"{surface}/index.md"


def list_of(surface: str, what: str) -> str:
    """The page that lists `types`, `capabilities`, or the methods of a side."""
    return f"{surface}/{what}.md"


def type_at(surface: Surface, name: str) -> str:
    """The page of a definition or class."""
    return f"{surface.name}/types/{name}.md"


def member_anchor(member: Member) -> str:
    """The anchor of a member on the page of its type."""
    return f"member-{member.name}"


def member_at(surface: Surface, owner: str, member: Member) -> str:
    """A member on the page of a type."""
    return f"{type_at(surface, owner)}#{member_anchor(member)}"


def method_at(surface: Surface, method: Method) -> str:
    """The page of a method."""
    return f"{surface.name}/methods/{method.side}/{method.name}.md"


def capability_anchor(side: str, path: tuple[str, ...]) -> str:
    """The anchor of a capability, by its path in Python names."""
    return ".".join((side, *path))


def capability_at(surface: Surface, side: str, capability: Capability) -> str:
    """A capability on the page of all capabilities."""
    page = list_of(surface.name, "capabilities")
    return f"{page}#{capability_anchor(side, capability.path)}"


def link(page: str, place: str) -> str:
    """The way from a page to a place; addresses of other sites stay what they are."""
    if place.startswith("https://"):
        return place
    path, mark, anchor = place.partition("#")
    if path == page and mark:
        return f"#{anchor}"
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor


def surface_title(name: str) -> str:
    """Such as `v1`, or `v1 unstable`."""
    return name.replace("_", " ")


def side_title(side: str) -> str:
    """The title of the methods that a side handles."""
    return "Methods of either side" if side == "protocol" else f"Methods of the {side}"


def kind_of(definition: Definition) -> str:
    """What kind of thing a definition is."""
    if isinstance(definition, TaggedUnion):
        return "tagged union"
    if not isinstance(definition, Alias):
        return "object"
    if isinstance(definition.shape, Enumeration):
        return "enumeration"
    return "untagged union" if isinstance(definition.shape, UntaggedUnion) else "alias"
