"""What the overlay adds to methods: the capabilities that they need, and their pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acpgen.diagnostics import Problem, pointer
from acpgen.inputs.overlay import CapabilityEntry, Overlay
from acpgen.ir.model import Capability, CapabilityRequirement, Definition, Method
from acpgen.ir.queries import class_of, find_member, resolve_path

SITE = "https://agentclientprotocol.com"
_FILE = "overlay/capabilities.toml"
# The method whose params and result advertise capabilities.
_HANDSHAKE = ("agent", "initialize")


@dataclass(frozen=True, slots=True)
class WithFacts:
    """Methods with what the overlay says about them.

    Attributes:
        methods: the methods, in their order.
        matched: the overlay's entries that had a use.
        notes: entries about what the schema does not have.
    """

    methods: tuple[Method, ...]
    matched: frozenset[tuple[str, ...]]
    notes: tuple[Problem, ...]


def attach_capabilities(
    methods: tuple[Method, ...],
    definitions: Mapping[str, Definition],
    overlay: Overlay,
    surface: str,
) -> WithFacts:
    """Add capabilities and pages to methods."""
    matched: set[tuple[str, ...]] = set()
    notes: list[Problem] = []
    roots = _roots(methods)
    found: list[Method] = []
    for method in methods:
        capability: Capability | None = None
        needs: list[CapabilityRequirement] = []
        for entry in overlay.capabilities_of(surface, method.side, method.wire):
            matched.add(entry.path)
            needed = _capability(entry, roots.get(method.side), definitions)
            missing = entry.capability if needed is None else None
            if needed is not None and entry.member is None:
                capability = needed
            elif needed is not None:
                requirement = _requirement(entry, needed, method, definitions)
                needs += [requirement] if requirement is not None else []
                missing = entry.member if requirement is None else None
            if missing is not None:
                message = f"{missing!r} is not there in {surface}; fix or remove the entry"
                notes.append(Problem(_FILE, pointer(*entry.path), "overlay", message))
        place = (surface.partition("_")[0], method.wire or "")
        page = overlay.pages.get(place)
        if page is not None:
            matched.add(place)
        needs.sort(key=lambda need: (need.member, need.kind or ""))
        address = page and _address(page, surface)
        found.append(replace(method, capability=capability, needs=tuple(needs), page=address))
    return WithFacts(tuple(found), frozenset(matched), tuple(notes))


def _roots(methods: tuple[Method, ...]) -> dict[str, str | None]:
    """By side, the definition that its capabilities are advertised in."""
    return {
        side: name
        for method in methods
        if (method.side, method.wire) == _HANDSHAKE
        for side, name in (("agent", method.result), ("client", method.params))
    }


def _capability(
    entry: CapabilityEntry, root: str | None, definitions: Mapping[str, Definition]
) -> Capability | None:
    """The capability of an entry; None if the schema does not have it."""
    path = root and resolve_path(definitions, root, entry.capability.removeprefix("/"))
    return Capability(entry.capability, tuple(name for name, _ in path)) if path else None


def _requirement(
    entry: CapabilityEntry,
    needed: Capability,
    method: Method,
    definitions: Mapping[str, Definition],
) -> CapabilityRequirement | None:
    """What a member of the params requires; None if the schema has no such member."""
    wire, _, tag = (entry.member or "").partition("/")
    member = find_member(definitions, method.params, wire)
    kind = class_of(definitions, method.params, wire, tag) if tag else None
    if member is None or (tag and kind is None):
        return None
    return CapabilityRequirement(member.name, kind, needed)


def _address(page: str, surface: str) -> str:
    if page.startswith("/"):
        return SITE + page
    version, _, stability = surface.partition("_")
    return f"{SITE}/protocol/{version}/{'draft/' if stability else ''}{page}"
