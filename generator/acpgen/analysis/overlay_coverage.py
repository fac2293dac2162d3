"""Compare the overlay with the surfaces: entries without a use, names without a summary."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from acpgen.analysis.member_summaries import definition_of, members_by_class
from acpgen.analysis.protocol.capabilities import capability_roots
from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import NO_CAPABILITY, SEEDS, Overlay
from acpgen.ir.model import Alias, Enumeration
from acpgen.ir.surface import Surface

# The codes of problems.
MISSING_CAPABILITY = "missing-capability"
MISSING_SUMMARY = "missing-summary"


def find_unmatched(
    overlay: Overlay, surfaces: list[Surface], matched: Collection[tuple[str, ...]]
) -> list[Problem]:
    """Problems about entries of the overlay that no surface had a use for."""
    entries: list[tuple[str, ...]] = [
        *(("names.toml", "classes", name) for name in overlay.names),
        *(("names.toml", "deprecated", name) for name in overlay.deprecated),
        *(("policy.toml", "closed", name) for name in overlay.closed),
        *(("policy.toml", "directions", name) for name in overlay.directions),
        *(("policy.toml", "batches", version) for version in overlay.batches),
        *(("policy.toml", "ends_updates", *entry) for entry in sorted(overlay.ends_updates)),
        *(("policy.toml", "without_default", *entry) for entry in sorted(overlay.without_default)),
        *(
            ("capabilities.toml", *entry.path)
            for entries in overlay.capabilities.values()
            for entry in entries
        ),
        *(("pages.toml", *entry) for entry in overlay.pages),
        *(
            ("updates.toml", surface, tag)
            for surface, rules in overlay.updates.items()
            for tag in rules
        ),
        *(
            ("updates.toml", SEEDS, surface, wire, tag)
            for surface, methods in overlay.seeds.items()
            for wire, updates in methods.items()
            for tag in updates
        ),
        *(("summaries.toml", "members", *path) for path in overlay.members),
    ]
    unused: list[tuple[str, ...]] = [entry for entry in entries if entry[1:] not in matched]
    unused += [
        ("summaries.toml", section, *path)
        for section, named, summarised in _summaries(overlay, surfaces)
        for path in summarised - named
    ]
    unused += [("requirements.toml", *path) for path in _unknown_methods(overlay, surfaces)]
    found = [(entry, "matches nothing in the schema; remove the entry") for entry in unused]
    for entry in _repeated(overlay):
        found.append(
            (entry, "repeats the entry of the stable surface; remove it: that serves both")
        )
    return [
        Problem(f"schema/overlay/{file}", pointer(*path), "overlay", message)
        for (file, *path), message in found
    ]


def _repeated(overlay: Overlay) -> Iterator[tuple[str, ...]]:
    """Yield the entries of unstable surfaces that the stable one has as well, after a promotion."""
    for (surface, side, wire), entries in overlay.capabilities.items():
        stable = surface.partition("_")[0]
        if stable != surface:
            others = overlay.capabilities.get((stable, side, wire), ())
            known = {(other.member, other.capability) for other in others}
            for entry in entries:
                if (entry.member, entry.capability) in known:
                    yield "capabilities.toml", *entry.path
    for surface, rules in overlay.updates.items():
        stable = surface.partition("_")[0]
        for tag, rule in rules.items():
            if stable != surface and overlay.updates.get(stable, {}).get(tag) == rule:
                yield "updates.toml", surface, tag
    for surface, methods in overlay.seeds.items():
        stable = surface.partition("_")[0]
        for wire, updates in methods.items():
            for tag, members in updates.items():
                same = overlay.seeds.get(stable, {}).get(wire, {}).get(tag)
                if stable != surface and same == members:
                    yield "updates.toml", SEEDS, surface, wire, tag


def _unknown_methods(overlay: Overlay, surfaces: list[Surface]) -> Iterator[tuple[str, ...]]:
    """Yield the requirements about a method that no surface of their versions has."""
    known = {
        (surface.name.partition("_")[0], method.wire)
        for surface in surfaces
        for method in surface.methods
    }
    for demand in overlay.requirements.demands:
        for method in demand.methods:
            if known.isdisjoint((f"v{version}", method) for version in demand.versions):
                yield demand.side, demand.area, demand.id
    for (side, version), reasons in overlay.requirements.untested.items():
        for method in reasons:
            if (f"v{version}", method) not in known:
                yield "untested", side, f"v{version}", method


def find_unsummarised(overlay: Overlay, surfaces: list[Surface]) -> list[Problem]:
    """Problems about what has no summary of our own: types, members, constants and methods."""
    missing = {
        (section, *path)
        for section, named, summarised in _summaries(overlay, surfaces)
        for path in named - summarised
    } | {
        ("members", definition_of(member), member.wire)
        for surface in surfaces
        for name, member in members_by_class(surface.definitions)
        if (name, member.wire) not in surface.member_summaries
    }
    return [
        Problem(
            "schema/overlay/summaries.toml",
            pointer(*path),
            MISSING_SUMMARY,
            "has no summary; write one line that describes it",
        )
        for path in sorted(missing)
    ]


def find_without_capability(overlay: Overlay, surfaces: list[Surface]) -> list[Problem]:
    """Problems about methods of which nobody has said whether they need a capability."""
    missing: dict[tuple[int, str, str], str] = {}
    # An entry of a stable surface applies to the unstable one: it is asked for once.
    for surface in sorted(surfaces, key=lambda surface: surface.name, reverse=True):
        sides = capability_roots(surface.methods)
        for method in surface.methods:
            side, wire = method.side, method.wire
            if wire is None or side not in sides:
                continue
            entries = overlay.capabilities_of(surface.name, side, wire)
            if all(entry.member for entry in entries):
                missing[surface.version, side, wire] = surface.name
    return [
        Problem(
            "schema/overlay/capabilities.toml",
            pointer(surface_name, side, wire),
            MISSING_CAPABILITY,
            f"does not say what the method needs; name the capability, or {NO_CAPABILITY!r}",
        )
        for (_, side, wire), surface_name in missing.items()
    ]


def _summaries(
    overlay: Overlay, surfaces: list[Surface]
) -> Iterator[tuple[str, AbstractSet[tuple[str, ...]], AbstractSet[tuple[str, ...]]]]:
    """Yield the sections of `summaries.toml`: the keys in the schema, and those with an entry."""
    definitions = [
        definition for surface in surfaces for definition in surface.definitions.values()
    ]
    types = {
        (definition.definition,) for definition in definitions if definition.definition is not None
    }
    yield "types", types, {(name,) for name in overlay.summaries}
    classes = {(definition.name,) for definition in definitions if definition.definition is None}
    yield "classes", classes, {(name,) for name in overlay.classes}
    constants = {
        (definition.name, str(value))
        for definition in definitions
        if isinstance(definition, Alias) and isinstance(definition.shape, Enumeration)
        for value in definition.shape.values
    }
    yield "values", constants, set(overlay.values)
    methods = {(method.wire,) for surface in surfaces for method in surface.methods if method.wire}
    yield "methods", methods, {(wire,) for wire in overlay.methods}
