"""The capabilities that each side can advertise in a surface, and their uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from acpgen.ir.model import Alias, Boolean, Member, Method, Record, Shape
from acpgen.ir.queries import find_member, members_along, members_of, strip_null, target
from acpgen.ir.surface import Surface

from acpdocs.content import CapabilityRow, RichText, TextRun
from acpdocs.facts.other_surfaces import OtherSurfaces
from acpdocs.links import Links, capability_anchor

# Maps the pointer of a capability to the methods and fields that require it.
_Uses: TypeAlias = dict[str, list[RichText]]


@dataclass(frozen=True, slots=True)
class _Node:
    """A capability in the tree: a field, its owner, and the names on the path to the field."""

    owner: str
    member: Member
    wires: tuple[str, ...]
    names: tuple[str, ...]


class Capabilities:
    """The capabilities in a surface."""

    def __init__(self, surface: Surface, others: OtherSurfaces) -> None:
        self._surface = surface
        self._others = others
        self._links = Links(surface)

    def all(self) -> dict[str, tuple[CapabilityRow, ...]]:
        """Return the capabilities, grouped by the side that advertises them."""
        rows: dict[str, tuple[CapabilityRow, ...]] = {}
        for side in dict.fromkeys(method.side for method in self._surface.methods):
            uses = self._uses(side)
            nodes = [node for root in _roots(uses) for node in self._tree(side, root, uses)]
            if nodes:
                rows[side] = tuple(self._row(side, node, uses) for node in nodes)
        return rows

    def _uses(self, side: str) -> _Uses:
        uses: _Uses = {}
        for method in self._surface.methods:
            if method.side != side:
                continue
            link = self._links.method(method)
            if method.capability is not None:
                uses.setdefault(method.capability.pointer, []).append((link,))
            for need in method.needs:
                use = (link, TextRun(" with "), *self._part(method, need.member, need.kind))
                uses.setdefault(need.capability.pointer, []).append(use)
        return uses

    def _part(self, method: Method, name: str, kind: str | None) -> RichText:
        """Return links to the params field that requires a capability and to its item type."""
        members = members_of(self._surface.definitions, method.params)
        member = next(member for member in members if member.name == name)
        link = self._links.member(method.params, member, member.wire)
        return (self._links.type(kind), TextRun(" in "), link) if kind else (link,)

    # --- the tree ----------------------------------------------------------------------------

    def _tree(self, side: str, root: str, uses: _Uses) -> Iterator[_Node]:
        """Yield the capability at a pointer and all capabilities nested in it."""
        definitions = self._surface.definitions
        pointers = [pointer for pointer in uses if f"{pointer}/".startswith(f"{root}/")]
        for name in self._handshakes(side):
            if all(
                members_along(definitions, name, pointer.removeprefix("/")) for pointer in pointers
            ):
                wire = root.removeprefix("/")
                member = find_member(definitions, name, wire)
                if member is not None:
                    yield from self._walk(_Node(name, member, (wire,), (member.name,)), ())
                return

    def _handshakes(self, side: str) -> list[str]:
        """Return the definitions that can contain a side's capabilities.

        The agent's capabilities are in results, and the client's capabilities are in params.
        """
        methods = [method for method in self._surface.methods if method.side == "agent"]
        if side == "agent":
            return [method.result for method in methods if method.result]
        return [method.params for method in methods]

    def _walk(self, node: _Node, above: tuple[str, ...]) -> Iterator[_Node]:
        yield node
        name = target(node.member.shape)
        definition = self._surface.definitions.get(name or "")
        if not isinstance(definition, Record) or definition.name in above:
            return
        for member in definition.members:
            if self._is_capability(member.shape):
                wires, names = (*node.wires, member.wire), (*node.names, member.name)
                below = _Node(definition.name, member, wires, names)
                yield from self._walk(below, (*above, definition.name))

    def _is_capability(self, shape: Shape) -> bool:
        """Return whether a field with this shape can be a capability: a flag or an object."""
        name = target(shape)
        if name is None:
            return isinstance(strip_null(shape), Boolean)
        definition = self._surface.definitions[name]
        if isinstance(definition, Alias):
            return self._is_capability(definition.shape)
        return isinstance(definition, Record)

    def _row(self, side: str, node: _Node, uses: _Uses) -> CapabilityRow:
        pointer = "/" + "/".join(node.wires)
        name = target(node.member.shape)
        return CapabilityRow(
            anchor=capability_anchor(side, node.names),
            pointer=pointer,
            python=".".join(node.names),
            shape=self._links.shape(node.member.shape),
            summary=self._surface.summaries.get(name or "", node.member.description or ""),
            needed_by=tuple(uses.get(pointer, ())),
            unstable=self._others.is_unstable(node.owner, node.member.wire),
        )


def _roots(uses: _Uses) -> list[str]:
    """Return the pointers to the outermost capabilities."""
    return list(dict.fromkeys("/" + pointer.split("/")[1] for pointer in sorted(uses)))
