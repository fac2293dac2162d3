"""Find stale and missing entries of `kit.toml`.

An entry names a definition or a method, or is a form: JSON whose fields the schema must define. It
is stale if it fits no surface of its version. It is missing if the version before has it, and it
would fit a surface of the version.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from acpgen.analysis.protocol.capabilities import capability_roots
from acpgen.common.pointers import pointer
from acpgen.common.problems import Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.ir.model import Definition, Method, Record, Reference, Shape, TaggedUnion
from acpgen.ir.queries import arms_by_tag, find_member, inner_shapes, members_of, resolve_alias
from acpgen.ir.surface import Surface

Path: TypeAlias = tuple[str, ...]
_FILE = "schema/overlay/kit.toml"


def find_unfit(overlay: Overlay, surfaces: Sequence[Surface]) -> list[Problem]:
    """Return problems about entries that name something which no surface of their version has."""
    problems: list[Problem] = []
    for version, kit in overlay.kit.items():
        found = [
            {place for _, misfits in _entries(kit, surface) for place in misfits}
            for surface in surfaces
            if version == f"v{surface.version}"
        ]
        unfit = set.intersection(*found) if found else {()}
        message = "names nothing in the schema; fix or remove the entry"
        problems += [Problem(_FILE, pointer(version, *each), "overlay", message) for each in unfit]
    return sorted(problems)


def find_lacking(overlay: Overlay, surfaces: Sequence[Surface]) -> dict[tuple[str, Path], str]:
    """Return the entries that versions lack, by file and path, with the entry of the one before."""
    lacks: dict[tuple[str, Path], str] = {}
    for before, after in pairwise(sorted({surface.version for surface in surfaces})):
        old, new = (overlay.kit.get(f"v{version}", {}) for version in (before, after))
        for surface in surfaces:
            for path, misfits in _entries(old, surface) if surface.version == after else ():
                if misfits or _at(new, path) is not None:
                    continue
                # A table that is missing is one entry.
                top = next(path[:end] for end in range(1, 9) if _at(new, path[:end]) is None)
                lacks["kit.toml", (f"v{after}", *top)] = f"{top[-1]!r}"
    return lacks


def _at(kit: Mapping[str, Any], path: Path) -> Any:
    value: Any = kit
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _entries(kit: Mapping[str, Any], surface: Surface) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the entries of a version, each with what a surface does not have, as paths."""
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
    """Return the definitions that the values of a form have, by placeholder."""
    fields = _fields(form, definitions, known, ())
    return {value: found for _, value, found in fields if isinstance(value, str) and found}


def _fields(
    form: Any, definitions: Collection[str | None], known: Mapping[str, Definition], path: Path
) -> Iterator[tuple[Path, Any, list[str] | None]]:
    """Yield the fields of a form, each with its value and the definitions of its type.

    Args:
        form: the form.
        definitions: the definitions that it can be of.
        known: the definitions of the surface.
        path: its path.

    Yields:
        The path, the value, and the definitions; None if the schema does not define the field.
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
    """Return the records that a form can be of, and the values of tags that select records."""
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
        chosen = [arms[stated]] if stated in arms else [] if stated else list(arms.values())
        pending += [known[name] for name in chosen]
    return records, tags


def _named(shape: Shape, known: Mapping[str, Definition]) -> list[str]:
    """Return the definitions of a shape, and of the items of a list."""
    shape = resolve_alias(shape, known)
    if isinstance(shape, Reference):
        return [shape.name]
    return [name for inner in inner_shapes(shape) for name in _named(inner, known)]
