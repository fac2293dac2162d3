"""Method attributes from the overlay: capabilities, pages and `ends_updates`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acpgen.analysis.build_context import BuildContext
from acpgen.inputs.overlay.decisions import NO_CAPABILITY
from acpgen.ir.model import (
    AnyJson,
    Boolean,
    Capability,
    CapabilityForm,
    CapabilityRequirement,
    Definition,
    Dictionary,
    Method,
    Reference,
    Shape,
)
from acpgen.ir.queries import class_of, find_member, handshake, members_along, unwrap

SITE = "https://agentclientprotocol.com"


def attach_capabilities(
    methods: tuple[Method, ...],
    definitions: Mapping[str, Definition],
    context: BuildContext,
    surface: str,
) -> tuple[Method, ...]:
    """Return methods with the capabilities, pages and `ends_updates` from the overlay."""
    overlay, matched = context.overlay, context.matched
    annotated: list[Method] = []
    for method in methods:
        capability: Capability | None = None
        needs: list[CapabilityRequirement] = []
        for entry in overlay.capabilities_of(surface, method.side, method.wire):
            matched.add(entry.path)
            if entry.capability == NO_CAPABILITY:
                continue
            needed = capability_of(methods, definitions, method.side, entry.capability)
            unknown = entry.capability if needed is None else entry.member
            if needed is not None and entry.member is None:
                capability = needed
            elif needed and (need := _requirement(entry.member or "", needed, method, definitions)):
                needs.append(need)
            else:
                message = f"{unknown!r} does not exist in {surface}; fix or remove the entry"
                context.note_misfit("capabilities.toml", entry.path, message)
        needs.sort(key=lambda need: (need.member, need.kind or ""))
        version_and_wire = (surface.partition("_")[0], method.wire or "")
        page = overlay.pages.get(version_and_wire)
        if page is not None:
            matched.add(version_and_wire)
            page = None if page == NO_CAPABILITY else _address(page, surface)
        ends_updates = version_and_wire in overlay.ends_updates
        if ends_updates:
            matched.add(("ends_updates", *version_and_wire))
        annotated.append(
            replace(
                method,
                capability=capability,
                needs=tuple(needs),
                page=page,
                ends_updates=ends_updates,
            )
        )
    return tuple(annotated)


def capability_roots(methods: tuple[Method, ...]) -> dict[str, str | None]:
    """Map each side to the definition of the message that advertises its capabilities."""
    initialize = handshake(methods)
    if initialize is None:
        return {}
    return {"agent": initialize.result, "client": initialize.params}


def capability_of(
    methods: tuple[Method, ...], definitions: Mapping[str, Definition], side: str, place: str
) -> Capability | None:
    """Return the capability at a pointer into a side's `initialize` message, if any."""
    root = capability_roots(methods).get(side)
    members = root and members_along(definitions, root, place.removeprefix("/"))
    if not members:
        return None
    path = tuple(member.name for member in members)
    return Capability(place, path, form_of(members[-1].shape, definitions))


def form_of(shape: Shape, definitions: Mapping[str, Definition]) -> CapabilityForm:
    """Return the form that a value must have to advertise a capability with this shape."""
    match unwrap(shape, definitions):
        case Boolean():
            return "boolean"
        case Reference() | Dictionary() | AnyJson():
            return "object"
        case _:
            return "value"


def _requirement(
    member_path: str,
    needed: Capability,
    method: Method,
    definitions: Mapping[str, Definition],
) -> CapabilityRequirement | None:
    """Return the capability that a params field requires, or None if there is no such field.

    `member_path` is the field's wire name, followed by `/TAG` if only items with that tag
    require the capability.
    """
    wire, _, tag = member_path.partition("/")
    member = find_member(definitions, method.params, wire)
    kind = class_of(definitions, method.params, wire, tag) if tag else None
    if member is None or (tag and kind is None):
        return None
    return CapabilityRequirement(member.name, kind, needed)


def _address(page: str, surface: str) -> str:
    """Return the URL of a page. The pages of unstable surfaces are in the `draft` folder."""
    if page.startswith("/"):
        return SITE + page
    version, _, stability = surface.partition("_")
    return f"{SITE}/protocol/{version}/{'draft/' if stability else ''}{page}"
