"""Find entries of the overlay that a protocol version lacks although the version before has them.

Optional entries about a version, such as the page about a method, are easily forgotten for a new
version. So an entry about a version is required for the next version if its subject exists there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from acpgen.analysis.member_summaries import definition_of, members_by_class
from acpgen.analysis.overlay_kit import find_lacking
from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import NO_CAPABILITY, SEEDS, Overlay
from acpgen.ir.model import Method
from acpgen.ir.queries import class_of, find_member
from acpgen.ir.surface import Surface

MISSING_ENTRY = "missing-entry"  # the code of a problem

# How an entry states that the previous version's entry no longer applies.
_REFUSALS = {
    "capabilities.toml": f", or {NO_CAPABILITY!r}",
    "kit.toml": ", or an empty table",
    "pages.toml": f", or {NO_CAPABILITY!r}",
    "policy.toml": f", or {NO_CAPABILITY!r}",
    "requirements.toml": f", or {NO_CAPABILITY!r}",
    "updates.toml": ", or an empty table",
}
# A file of the overlay, the path of the entry that it lacks, and the entry of the version before.
_Lack: TypeAlias = tuple[str, tuple[str, ...], str]


def find_left_behind(overlay: Overlay, surfaces: list[Surface]) -> list[Problem]:
    """Return problems about overlay entries for a version that the next version lacks.

    Args:
        overlay: our decisions.
        surfaces: the surfaces that they are about.
    """
    by_name = {surface.name: surface for surface in surfaces}
    versions = sorted({surface.version for surface in surfaces})
    lacks: dict[tuple[str, tuple[str, ...]], str] = find_lacking(overlay, surfaces)
    for before, after in pairwise(versions):
        for stability in ("", "_unstable"):
            old, new = f"v{before}{stability}", by_name.get(f"v{after}{stability}")
            if new is not None:
                for file, path, entry in (
                    *_lacks(overlay, old, new),
                    *_lines(overlay, old, new, versions),
                ):
                    lacks.setdefault((file, path), entry)
    problems = [
        Problem(
            f"schema/overlay/{file}",
            pointer(*path),
            MISSING_ENTRY,
            f"is missing, and the version before has {entry}; add it{_REFUSALS.get(file, '')}",
        )
        for (file, path), entry in lacks.items()
    ]
    return sorted({*problems, *_without_end(overlay, surfaces)})


def _lacks(overlay: Overlay, old: str, new: Surface) -> Iterator[_Lack]:
    version, before = f"v{new.version}", old.partition("_")[0]
    methods = {(method.side, method.wire): method for method in new.methods}
    wires = {method.wire for method in new.methods}
    if before in overlay.batches and version not in overlay.batches:
        yield "policy.toml", ("batches", version), f"{overlay.batches[before]!r}"
    yield from _capabilities(overlay, old, new, methods)
    yield from _seeds(overlay, old, new, methods)
    for (stated, wire), page in overlay.pages.items():
        if stated == before and wire in wires and (version, wire) not in overlay.pages:
            yield "pages.toml", (version, wire), f"{page!r}"
    if new.name == version:  # requirements are about stable surfaces
        for demand in overlay.requirements.demands:
            is_about = not demand.methods or not wires.isdisjoint(demand.methods)
            stated_page = demand.pages.get(int(before[1:]))
            if stated_page and is_about and new.version not in {*demand.pages, *demand.dropped}:
                path = (demand.side, demand.area, demand.id, "pages", version)
                yield "requirements.toml", path, f"{stated_page!r}"


def _lines(overlay: Overlay, old: str, new: Surface, versions: list[int]) -> Iterator[_Lack]:
    """Yield the lines about fields where the line for all versions is one for earlier versions."""
    version, before = f"v{new.version}", old.partition("_")[0]
    earlier = [f"v{number}" for number in versions if number < new.version]
    for name, member in members_by_class(new.definitions):
        for owner in dict.fromkeys((name, definition_of(member))):
            line = overlay.members.get((owner, before, member.wire))
            stated = [(owner, each, member.wire) in overlay.members for each in earlier]
            is_free = (owner, member.wire) in overlay.members and all(stated)
            is_stated = (owner, version, member.wire) in overlay.members
            if line is not None and not is_free and not is_stated:
                yield "summaries.toml", ("members", owner, version, member.wire), f"{line!r}"


def _capabilities(
    overlay: Overlay,
    old: str,
    new: Surface,
    methods: Mapping[tuple[str, str | None], Method],
) -> Iterator[_Lack]:
    """Yield the capabilities of members of params."""
    for (surface, side, wire), entries in overlay.capabilities.items():
        method = methods.get((side, wire)) if surface == old else None
        if method is None:
            continue
        for entry in entries:
            member, _, tag = (entry.member or "").partition("/")
            is_there = (
                class_of(new.definitions, method.params, member, tag) is not None
                if tag
                else find_member(new.definitions, method.params, member) is not None
            )
            known = {each.member for each in overlay.capabilities_of(new.name, side, wire)}
            if entry.member and is_there and entry.member not in known:
                path = (new.name, side, f"{wire}#{entry.member}")
                yield "capabilities.toml", path, f"{entry.capability!r}"


def _seeds(
    overlay: Overlay,
    old: str,
    new: Surface,
    methods: Mapping[tuple[str, str | None], Method],
) -> Iterator[_Lack]:
    """Yield the session state that responses contain."""
    tags = {rule.tag for rule in new.updates}
    known = {path[2:] for path, _ in overlay.seeds_of(new.name)}
    for wire, updates in overlay.seeds.get(old, {}).items():
        method = methods.get(("agent", wire))
        if method is None:
            continue
        for tag, members in updates.items():
            is_there = tag in tags and all(_leads(new, method, path) for path in members.values())
            if members and is_there and (wire, tag) not in known:
                yield "updates.toml", (SEEDS, new.name, wire, tag), f"{members!r}"


def _leads(surface: Surface, method: Method, path: str) -> bool:
    """Return whether the first step of a path from `params` or `result` exists."""
    owner, step, *_ = path.split("/")
    record = (method.params if owner == "params" else method.result) or ""
    return find_member(surface.definitions, record, step) is not None


def _without_end(overlay: Overlay, surfaces: list[Surface]) -> Iterator[Problem]:
    """Yield the responses that end a sequence of updates without an entry that says so."""
    for surface in surfaces:
        session = surface.session
        if session is None:
            continue
        ending = [*session.loaders, *([] if session.activity else [session.prompt])]
        version = f"v{surface.version}"
        for method in ending:
            if method.wire and (version, method.wire) not in overlay.ends_updates:
                message = (
                    "is missing, and the response follows the updates of its request;"
                    " list these updates"
                )
                place = pointer("ends_updates", version, method.wire)
                yield Problem("schema/overlay/policy.toml", place, MISSING_ENTRY, message)
