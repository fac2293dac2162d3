"""Checks that compare the overlay with the surfaces and find unused and missing entries.

Optional entries, such as the page about a method, are easily forgotten when a protocol version is
added. Therefore, if the overlay contains an entry for one version, it must also contain an entry
for the next version, provided that the next version's schema has the corresponding method, field
or update.

An entry in `kit.toml` is either the name of a definition or method, or a form. A form is a JSON
value with placeholders. The schema must define the form's fields.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any, TypeAlias

from acpgen.analysis.capabilities import capability_roots
from acpgen.analysis.member_summaries import definition_of, members_by_class
from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import IMPLIED_UPDATES, NO_CAPABILITY, Overlay
from acpgen.ir.model import (
    Alias,
    Definition,
    Enumeration,
    Method,
    Record,
    Reference,
    Shape,
    TaggedUnion,
)
from acpgen.ir.queries import (
    arms_by_tag,
    class_of,
    find_member,
    inner_shapes,
    members_of,
    resolve_alias,
)
from acpgen.ir.surface import Surface

Path: TypeAlias = tuple[str, ...]
# The overlay file with the missing entry, the entry's path, and the previous version's entry.
_Lack: TypeAlias = tuple[str, Path, str]

# Problem codes.
MISSING_CAPABILITY = "missing-capability"
MISSING_ENTRY = "missing-entry"
MISSING_SUMMARY = "missing-summary"
# Advice for messages about missing entries, by file: the value to add if the previous version's
# entry no longer applies.
_REFUSALS = {
    "capabilities.toml": f", or {NO_CAPABILITY!r}",
    "kit.toml": ", or an empty table",
    "pages.toml": f", or {NO_CAPABILITY!r}",
    "policy.toml": f", or {NO_CAPABILITY!r}",
    "requirements.toml": f", or {NO_CAPABILITY!r}",
    "updates.toml": ", or an empty table",
}


def _problem(file: str, path: Iterable[str], code: str, message: str) -> Problem:
    return Problem(f"schema/overlay/{file}", pointer(*path), code, message)


# --- unused entries, missing summaries and capabilities ----------------------------------------


def find_unmatched(
    overlay: Overlay, surfaces: list[Surface], matched: Collection[Path]
) -> list[Problem]:
    """Return a problem for each overlay entry that no surface used."""
    entries: list[Path] = [
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
        *(("updates.toml", *path) for path in _leaves(overlay.updates, 2)),
        *(("updates.toml", IMPLIED_UPDATES, *path) for path in _leaves(overlay.implied_updates, 3)),
        *(("summaries.toml", "members", *path) for path in overlay.members),
    ]
    unused: list[Path] = [entry for entry in entries if entry[1:] not in matched]
    unused += [
        ("summaries.toml", section, *path)
        for section, named, summarised in _summaries(overlay, surfaces)
        for path in summarised - named
    ]
    unused += [("requirements.toml", *path) for path in _unknown_methods(overlay, surfaces)]
    repeats = "repeats the stable surface's entry, which also applies here; remove this entry"
    found = [(entry, "matches nothing in the schema; remove the entry") for entry in unused]
    found += [(entry, repeats) for entry in _repeated(overlay)]
    return [_problem(file, path, "overlay", message) for (file, *path), message in found]


def _repeated(overlay: Overlay) -> Iterator[Path]:
    """Yield the unstable surfaces' entries that repeat an entry of the stable surface.

    Repeated entries are left over when a part of the unstable schema becomes stable.
    """
    for (surface, side, wire), entries in overlay.capabilities.items():
        stable = surface.partition("_")[0]
        if stable != surface:
            others = overlay.capabilities.get((stable, side, wire), ())
            known = {(other.member, other.capability) for other in others}
            for entry in entries:
                if (entry.member, entry.capability) in known:
                    yield "capabilities.toml", *entry.path
    rules, implied = _leaves(overlay.updates, 2), _leaves(overlay.implied_updates, 3)
    for start, stated in (((), rules), ((IMPLIED_UPDATES,), implied)):
        for (surface, *path), entry in stated.items():
            stable = surface.partition("_")[0]
            if stable != surface and stated.get((stable, *path)) == entry:
                yield "updates.toml", *start, surface, *path


def _leaves(table: Mapping[str, Any], depth: int) -> dict[Path, Any]:
    """Return the entries of tables that are nested `depth` levels deep, by path."""
    if depth == 1:
        return {(key,): entry for key, entry in table.items()}
    return {
        (key, *path): entry
        for key, inner in table.items()
        for path, entry in _leaves(inner, depth - 1).items()
    }


def _unknown_methods(overlay: Overlay, surfaces: list[Surface]) -> Iterator[Path]:
    """Yield the paths of requirements for methods that don't exist in the specified versions."""
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
    """Return a problem for each type, field, constant or method without a summary."""
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
    message = "has no summary; write one line that describes it"
    return [_problem("summaries.toml", path, MISSING_SUMMARY, message) for path in sorted(missing)]


def find_without_capability(overlay: Overlay, surfaces: list[Surface]) -> list[Problem]:
    """Return a problem for each method without an entry for its required capability."""
    missing: dict[tuple[int, str, str], str] = {}
    # An entry for a stable surface also applies to the unstable surface, so report a missing entry
    # only once.
    for surface in sorted(surfaces, key=lambda surface: surface.name, reverse=True):
        sides = capability_roots(surface.methods)
        for method in surface.methods:
            side, wire = method.side, method.wire
            if wire is None or side not in sides:
                continue
            entries = overlay.capabilities_of(surface.name, side, wire)
            if all(entry.member for entry in entries):
                missing[surface.version, side, wire] = surface.name
    message = f"has no entry for the method; add its capability, or {NO_CAPABILITY!r}"
    return [
        _problem("capabilities.toml", (surface_name, side, wire), MISSING_CAPABILITY, message)
        for (_, side, wire), surface_name in missing.items()
    ]


def _summaries(
    overlay: Overlay, surfaces: list[Surface]
) -> Iterator[tuple[str, AbstractSet[Path], AbstractSet[Path]]]:
    """Yield the sections of `summaries.toml`, each with its expected and its actual keys."""
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


# --- entries of the previous version ------------------------------------------------------------


def find_left_behind(overlay: Overlay, surfaces: list[Surface]) -> list[Problem]:
    """Return a problem for each entry that exists for one version but not for the next one."""
    by_name = {surface.name: surface for surface in surfaces}
    versions = sorted({surface.version for surface in surfaces})
    lacks: dict[tuple[str, Path], str] = _lacks_of_kit(overlay, surfaces)
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
        _problem(
            file,
            path,
            MISSING_ENTRY,
            f"is missing, but the previous version has {entry}; add it{_REFUSALS.get(file, '')}",
        )
        for (file, path), entry in lacks.items()
    ]
    return sorted({*problems, *_without_end(overlay, surfaces)})


def _lacks(overlay: Overlay, old: str, new: Surface) -> Iterator[_Lack]:
    version, before = f"v{new.version}", old.partition("_")[0]
    wires = {method.wire for method in new.methods}
    if before in overlay.batches and version not in overlay.batches:
        yield "policy.toml", ("batches", version), f"{overlay.batches[before]!r}"
    yield from _capabilities(overlay, old, new)
    yield from _implied_updates(overlay, old, new)
    for (stated, wire), page in overlay.pages.items():
        if stated == before and wire in wires and (version, wire) not in overlay.pages:
            yield "pages.toml", (version, wire), f"{page!r}"
    if new.name == version:  # only stable surfaces have requirements
        for demand in overlay.requirements.demands:
            is_about = not demand.methods or not wires.isdisjoint(demand.methods)
            stated_page = demand.pages.get(int(before[1:]))
            if stated_page and is_about and new.version not in {*demand.pages, *demand.dropped}:
                path = (demand.side, demand.area, demand.id, "pages", version)
                yield "requirements.toml", path, f"{stated_page!r}"


def _lines(overlay: Overlay, old: str, new: Surface, versions: list[int]) -> Iterator[_Lack]:
    """Yield missing summaries of fields that have a summary for the previous version.

    A summary for all versions is treated as a summary for the new version only if each earlier
    version has a separate summary. Otherwise, it might have been written for one of the earlier
    versions.
    """
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


def _capabilities(overlay: Overlay, old: str, new: Surface) -> Iterator[_Lack]:
    """Yield missing entries for capabilities that params fields require."""
    methods = {(method.side, method.wire): method for method in new.methods}
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


def _implied_updates(overlay: Overlay, old: str, new: Surface) -> Iterator[_Lack]:
    """Yield missing entries for session state in responses."""
    methods = {method.wire: method for method in new.methods if method.side == "agent"}
    tags = {rule.tag for rule in new.updates}
    known = {path[2:] for path, _ in overlay.implied_updates_of(new.name)}
    for wire, updates in overlay.implied_updates.get(old, {}).items():
        method = methods.get(wire)
        if method is None:
            continue
        for tag, members in updates.items():
            is_there = tag in tags and all(_leads(new, method, path) for path in members.values())
            if members and is_there and (wire, tag) not in known:
                yield "updates.toml", (IMPLIED_UPDATES, new.name, wire, tag), f"{members!r}"


def _leads(surface: Surface, method: Method, path: str) -> bool:
    """Return whether the field after `params` or `result` at the start of a path exists."""
    owner, step, *_ = path.split("/")
    record = (method.params if owner == "params" else method.result) or ""
    return find_member(surface.definitions, record, step) is not None


def _without_end(overlay: Overlay, surfaces: list[Surface]) -> Iterator[Problem]:
    """Yield a problem for each response that ends a sequence of updates but has no entry."""
    for surface in surfaces:
        session = surface.session
        if session is None:
            continue
        ending = [*session.loaders, *([] if session.activity else [session.prompt])]
        version = f"v{surface.version}"
        for method in ending:
            if method.wire and (version, method.wire) not in overlay.ends_updates:
                message = (
                    "is missing, but updates about this request precede its response; add an entry"
                    " that describes them"
                )
                path = ("ends_updates", version, method.wire)
                yield _problem("policy.toml", path, MISSING_ENTRY, message)


# --- kit.toml ----------------------------------------------------------------------------------


def find_unfit(overlay: Overlay, surfaces: Sequence[Surface]) -> list[Problem]:
    """Return a problem for each `kit.toml` entry that does not match any surface of its version."""
    problems: list[Problem] = []
    for version, kit in overlay.kit.items():
        found = [
            {place for _, misfits in _entries(kit, surface) for place in misfits}
            for surface in surfaces
            if version == f"v{surface.version}"
        ]
        unfit = set.intersection(*found) if found else {()}
        message = "matches nothing in the schema; fix or remove the entry"
        problems += [
            Problem("schema/overlay/kit.toml", pointer(version, *each), "overlay", message)
            for each in unfit
        ]
    return sorted(problems)


def _lacks_of_kit(overlay: Overlay, surfaces: Sequence[Surface]) -> dict[tuple[str, Path], str]:
    """Return the missing entries by file and path, each with the previous version's entry."""
    lacks: dict[tuple[str, Path], str] = {}
    for before, after in pairwise(sorted({surface.version for surface in surfaces})):
        old, new = (overlay.kit.get(f"v{version}", {}) for version in (before, after))
        for surface in surfaces:
            for path, misfits in _entries(old, surface) if surface.version == after else ():
                if misfits or _at(new, path) is not None:
                    continue
                # Report a missing table as a single entry.
                top = next(path[:end] for end in range(1, 9) if _at(new, path[:end]) is None)
                lacks["kit.toml", (f"v{after}", *top)] = f"{top[-1]!r}"
    return lacks


def _at(kit: Mapping[str, Any], path: Path) -> Any:
    value: Any = kit
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _entries(kit: Mapping[str, Any], surface: Surface) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the path of each of a version's entries, with the nonexistent paths in that entry.

    A path does not exist if the surface does not define the corresponding part.
    """
    if surface.session is None or surface.session_update is None:
        return
    known, update = surface.known, [surface.session_update]

    def form(path: Path, definitions: Collection[str | None]) -> tuple[Path, list[Path]]:
        return path, [
            at
            for at, _, found in _fields(_at(kit, path), definitions, known, path)
            if found is None
        ]

    tool, saved, workspace = (kit.get(part, {}) for part in ("tool", "saved", "workspace"))
    updates: list[Path] = [("tool", name) for name in ("begin", "change") if name in tool]
    updates += [("tool", "terminal", name) for name in tool.get("terminal", ())]
    updates += [("saved", name) for name in saved if name not in ("listed", "methods", "stated")]
    yield from (form(path, update) for path in updates)
    question = surface.session.permission.params
    values = dict(_values(tool.get("change"), update, known))
    values |= _values(tool.get("question"), [question], known)
    if tool:
        yield ("tool", "kind"), [("tool", "kind")] * (tool["kind"] not in known)
        yield form(("tool", "question"), [question])
        yield form(("tool", "option"), values.get("$options", ()))
        yield form(("tool", "location"), values.get("$locations", ()))
        for name in tool["content"]:
            yield form(("tool", "content", name), values.get("$content", ()))
    methods: list[tuple[Path, str]] = [
        *((("cancelling", wire), "agent") for wire in kit.get("cancelling", ())),
        *((("saved", "methods", wire), "agent") for wire in saved.get("methods", ())),
        *((("workspace", "methods", wire), "client") for wire in workspace.get("methods", ())),
    ]
    for path, side in methods:
        method, entry = _request(surface, side, path[-1]), _at(kit, path)
        if method is None:
            yield path, [path]
        elif isinstance(entry, str):
            yield path, [path] * (find_member(known, method.params, entry) is None)
        elif "result" in entry:
            at, misfits = form((*path, "result"), [method.result])
            yield at, misfits
            values |= _values(entry["result"], [method.result], known)
        else:
            yield path, []
    if saved:
        yield form(("saved", "listed"), values.get("$sessions", ()))
    tags = {rule.tag for rule in surface.updates if rule.slot is not None}
    for name, entry in saved.get("stated", {}).items():
        path, of = ("saved", "stated", name), entry["type"]
        unknown = [key for key in ("type",) if of not in known]
        unknown += [key for key in ("update",) if entry[key] not in tags]
        yield path, [(*path, key) for key in unknown]
        if "key" in entry:
            has_key = find_member(known, of, entry["key"]) is not None
            yield (*path, "key"), [] if has_key else [(*path, "key")]
    if workspace:
        introduction = members_of(known, capability_roots(surface.methods).get("client"))
        yield form(
            ("workspace", "capabilities"),
            [name for member in introduction for name in _named(member.shape, known)],
        )


def _request(surface: Surface, side: str, wire: str) -> Method | None:
    requests = (each for each in surface.methods if each.side == side and each.kind == "request")
    return next((each for each in requests if each.wire == wire), None)


def _values(
    form: Any, definitions: Collection[str | None], known: Mapping[str, Definition]
) -> dict[str, list[str]]:
    """Return the definitions of the values that replace each placeholder in a form."""
    fields = _fields(form, definitions, known, ())
    return {value: found for _, value, found in fields if isinstance(value, str) and found}


def _fields(
    form: Any, definitions: Collection[str | None], known: Mapping[str, Definition], path: Path
) -> Iterator[tuple[Path, Any, list[str] | None]]:
    """Yield the fields of a form, each with its path, its value and the definitions of its type.

    The definitions are None if the schema does not define the field.
    """
    if isinstance(form, list):
        for number, item in enumerate(form):
            yield from _fields(item, definitions, known, (*path, str(number)))
        return
    if not isinstance(form, dict):
        return
    records, tags = _select(form, definitions, known)
    for key, value in form.items():
        if key == "$in" or value in tags.get(key, ()):
            continue
        members = [each for record in records for each in record.members if each.wire == key]
        if not members:
            yield (*path, key), value, None
            continue
        inner = [name for member in members for name in _named(member.shape, known)]
        yield (*path, key), value, inner
        yield from _fields(value, inner, known, (*path, key))


def _select(
    form: Mapping[str, Any], definitions: Collection[str | None], known: Mapping[str, Definition]
) -> tuple[list[Record], dict[str, list[str]]]:
    """Return the records that a form can represent, and the allowed values of their tags."""
    records: list[Record] = []
    tags: dict[str, list[str]] = {}
    pending = [known[name] for name in definitions if name is not None and name in known]
    while pending:
        definition = pending.pop()
        arms = arms_by_tag(definition)
        if isinstance(definition, Record):
            records.append(definition)
            tag = definition.discriminator
        else:
            tag = definition.tag if isinstance(definition, TaggedUnion) else None
        if isinstance(definition, TaggedUnion) and definition.default is not None:
            pending += [known[name] for name in _named(definition.default, known)]
        stated = form.get(tag or "")
        tags.setdefault(tag or "", []).extend(arms)
        if stated in arms:
            pending.append(known[arms[stated]])
    return records, tags


def _named(shape: Shape, known: Mapping[str, Definition]) -> list[str]:
    """Return the definitions that a shape and the shapes inside it refer to."""
    shape = resolve_alias(shape, known)
    if isinstance(shape, Reference):
        return [shape.name]
    return [name for inner in inner_shapes(shape) for name in _named(inner, known)]
