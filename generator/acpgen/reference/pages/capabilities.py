"""The capabilities of a surface: what a side may advertise, and what needs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acpgen.ir.model import Alias, Boolean, Member, Method, Record, Shape
from acpgen.ir.queries import members_of, resolve_path, target
from acpgen.ir.surface import Surface
from acpgen.ir.wording import title
from acpgen.reference.content import CapabilityRow, RichText, TextRun
from acpgen.reference.facts.phrases import Phrases
from acpgen.reference.facts.stability import Stability
from acpgen.reference.links import capability_anchor, member_at, method_at


@dataclass(frozen=True, slots=True)
class _Place:
    """A member on the way to capabilities, with the names that lead to it and its owner."""

    owner: str
    member: Member
    wires: tuple[str, ...]
    names: tuple[str, ...]


class Capabilities:
    """Finds the capabilities of one surface."""

    def __init__(self, surface: Surface, stability: Stability) -> None:
        self._surface = surface
        self._stability = stability
        self._phrases = Phrases(surface)

    def all(self) -> dict[str, tuple[CapabilityRow, ...]]:
        """The capabilities, by the side that advertises them."""
        found: dict[str, tuple[CapabilityRow, ...]] = {}
        for side in dict.fromkeys(method.side for method in self._surface.methods):
            needed = self._needed(side)
            places = [p for root in _roots(needed) for p in self._below(side, root, needed)]
            if places:
                found[side] = tuple(self._row(side, place, needed) for place in places)
        return found

    def _needed(self, side: str) -> dict[str, list[RichText]]:
        """What needs a capability, by its pointer."""
        found: dict[str, list[RichText]] = {}
        for method in self._surface.methods:
            if method.side != side:
                continue
            link = TextRun(title(method), method_at(self._surface, method), code=True)
            if method.capability is not None:
                found.setdefault(method.capability.pointer, []).append((link,))
            for need in method.needs:
                what = (link, TextRun(" with "), *self._part(method, need.member, need.kind))
                found.setdefault(need.capability.pointer, []).append(what)
        return found

    def _part(self, method: Method, name: str, kind: str | None) -> RichText:
        members = members_of(self._surface.definitions, method.params)
        member = next(each for each in members if each.name == name)
        link = TextRun(member.wire, member_at(self._surface, method.params, member), code=True)
        return (self._phrases.link(kind), TextRun(" in "), link) if kind else (link,)

    # --- the tree ----------------------------------------------------------------------------

    def _below(self, side: str, root: str, needed: dict[str, list[RichText]]) -> Iterator[_Place]:
        """The capability of that pointer, and all below it."""
        definitions = self._surface.definitions
        pointers = [each for each in needed if f"{each}/".startswith(f"{root}/")]
        for name in self._handshakes(side):
            if all(
                resolve_path(definitions, name, pointer.removeprefix("/")) for pointer in pointers
            ):
                wire = root.removeprefix("/")
                member = next(each for each in members_of(definitions, name) if each.wire == wire)
                yield from self._walk(_Place(name, member, (wire,), (member.name,)), ())
                return

    def _handshakes(self, side: str) -> list[str]:
        """Where capabilities may stand: the agent's in results, those of others in params."""
        methods = [method for method in self._surface.methods if method.side == "agent"]
        if side == "agent":
            return [method.result for method in methods if method.result]
        return [method.params for method in methods]

    def _walk(self, place: _Place, above: tuple[str, ...]) -> Iterator[_Place]:
        yield place
        name = target(place.member.shape)
        definition = self._surface.definitions.get(name or "")
        if not isinstance(definition, Record) or definition.name in above:
            return
        for member in definition.members:
            if self._is_capability(member.shape):
                wires, names = (*place.wires, member.wire), (*place.names, member.name)
                below = _Place(definition.name, member, wires, names)
                yield from self._walk(below, (*above, definition.name))

    def _is_capability(self, shape: Shape) -> bool:
        """Whether a member says yes or no, or holds members that do."""
        name = target(shape)
        if name is None:
            return isinstance(getattr(shape, "shape", shape), Boolean)
        definition = self._surface.definitions[name]
        if isinstance(definition, Alias):
            return self._is_capability(definition.shape)
        return isinstance(definition, Record)

    def _row(self, side: str, place: _Place, needed: dict[str, list[RichText]]) -> CapabilityRow:
        pointer = "/" + "/".join(place.wires)
        name = target(place.member.shape)
        return CapabilityRow(
            anchor=capability_anchor(side, place.names),
            pointer=pointer,
            python=".".join(place.names),
            depth=len(place.wires) - 1,
            shape=self._phrases.of(place.member.shape),
            summary=self._surface.summaries.get(name or "", place.member.description or ""),
            needed_by=tuple(needed.get(pointer, ())),
            unstable=self._stability.is_unstable(place.owner, place.member.wire),
        )


def _roots(needed: dict[str, list[RichText]]) -> list[str]:
    """The first members on the ways to what is needed."""
    return list(dict.fromkeys("/" + pointer.split("/")[1] for pointer in sorted(needed)))
