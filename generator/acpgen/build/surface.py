"""Turn a checked schema document into the intermediate representation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from acpgen import paths
from acpgen.build.context import BuildContext
from acpgen.build.protocol.capabilities import attach_capabilities
from acpgen.build.protocol.index import SchemaIndex
from acpgen.build.protocol.methods import find_methods
from acpgen.build.protocol.sessions import Sessions, find_updates_union, read_sessions
from acpgen.build.protocol.updates import FILE as UPDATES_FILE
from acpgen.build.protocol.updates import read_updates
from acpgen.build.types.aliases import mark_annotated
from acpgen.build.types.definitions import build_definitions
from acpgen.diagnostics import InputError, Problem, pointer
from acpgen.inputs.document import Document, load_document, subschemas
from acpgen.inputs.overlay import Overlay, load_overlay
from acpgen.inputs.sources import Source, locate_schemas
from acpgen.inputs.unsupported import find_unsupported
from acpgen.ir import naming
from acpgen.ir.model import Definition
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class Built:
    """A surface, which entries of the overlay it had a use for, and which contradict it."""

    surface: Surface
    matched: frozenset[tuple[str, ...]]
    notes: tuple[Problem, ...]


def build(document: Document, overlay: Overlay, surface: str) -> Built:
    """Build one surface.

    Args:
        document: a schema that `load` accepted.
        overlay: our decisions.
        surface: its name: `v1`, `v2_unstable` and so on.

    Raises:
        InputError: with every problem found.
    """
    context = BuildContext(document, overlay)
    for at, schema in subschemas(document.root):
        if at:  # the document as a whole is no type
            for place, message in find_unsupported(at, schema):
                context.problem(place, "unsupported", message)
    if context.problems:
        raise InputError(context.problems)
    build_definitions(context)
    methods = find_methods(document, context)
    if context.problems:
        raise InputError(context.problems)
    version, _, stability = surface.removeprefix("v").partition("_")
    definitions = dict(sorted(mark_annotated(context.definitions).items()))
    facts = attach_capabilities(methods, definitions, overlay, surface)
    index = SchemaIndex(facts.methods, definitions)
    union = find_updates_union(index)
    updates = read_updates(index, union, overlay, surface)
    sessions = read_sessions(index, updates.rules, updates.content)
    _note_unmet(context, sessions, surface)
    deprecated = _deprecated(definitions, overlay)
    built = Surface(
        name=surface,
        version=int(version),
        stability=stability or "stable",
        origin=document.origin,
        definitions=definitions,
        methods=facts.methods,
        summaries=overlay.summaries,
        class_summaries=overlay.classes,
        method_summaries=overlay.methods,
        updates=updates.rules,
        session_update=union.name if union else None,
        content_block=updates.content,
        session=sessions.spec,
        deprecated=deprecated,
    )
    renamed = {("deprecated", old) for old in deprecated}
    matched = context.matched | facts.matched | updates.matched | renamed
    return Built(built, frozenset(matched), (*context.notes, *facts.notes, *updates.notes))


def _note_unmet(context: BuildContext, sessions: Sessions, surface: str) -> None:
    """Note what keeps a surface from having sessions."""
    without = "without it there are no agent and client sessions"
    for unmet in sessions.unmet:
        advice = "fix the schema, or teach acpgen.build.protocol.sessions"
        context.note(unmet.pointer, "unsupported", f"{unmet.message}: {without}; {advice}")
    for message in sessions.unmet_rules:
        problem = f"{message}: {without}; fix the rules"
        context.notes.append(Problem(UPDATES_FILE, pointer(surface), "overlay", problem))


def _deprecated(
    definitions: Mapping[str, Definition], overlay: Overlay
) -> dict[str, tuple[str, str]]:
    """Those former names whose class this surface has under its new name only."""
    return {
        old: (new, since)
        for old, (new, since) in sorted(overlay.deprecated.items())
        if new in definitions and old not in definitions and naming.is_class_name(old)
    }


def understand(schema: Path | None, surfaces: list[str]) -> tuple[list[Surface], list[Problem]]:
    """Load and build surfaces.

    Args:
        schema: a folder or file; None for the vendored schema.
        surfaces: their names; empty for all there are.

    Returns:
        The surfaces, and notes about overlay entries that matched nothing.

    Raises:
        InputError: with the problems of all surfaces.
    """
    overlay = load_overlay(paths.SCHEMA / "overlay")
    return _judge(
        [
            _understand_one(source, overlay)
            for source in locate_schemas(schema or paths.SCHEMA, surfaces)
        ],
        overlay,
        vendored=schema is None,
        whole=not surfaces,
    )


def _judge(
    outcomes: list[Built | InputError], overlay: Overlay, *, vendored: bool, whole: bool
) -> tuple[list[Surface], list[Problem]]:
    """Put the problems of all surfaces, and of the overlay, together."""
    built = [each for each in outcomes if isinstance(each, Built)]
    problems = [p for each in outcomes if isinstance(each, InputError) for p in each.problems]
    notes = _unmatched(overlay, built) if whole and not problems else []
    if not problems:
        notes += [note for each in built for note in each.notes]
    if vendored:
        problems += notes + _unsummarised(overlay, built)
        notes = []
    if problems:
        raise InputError(problems)
    return [each.surface for each in built], sorted(set(notes))


def _understand_one(source: Source, overlay: Overlay) -> Built | InputError:
    try:
        return build(load_document(source.path, source.origin), overlay, source.surface)
    except InputError as error:
        return error


def _unmatched(overlay: Overlay, built: list[Built]) -> list[Problem]:
    """Entries of the overlay that no surface had a use for."""
    used = {entry for each in built for entry in each.matched}
    entries: list[tuple[str, ...]] = [
        *(("names.toml", "classes", each) for each in overlay.names),
        *(("names.toml", "deprecated", each) for each in overlay.deprecated),
        *(("policy.toml", "closed", each) for each in overlay.closed),
        *(("policy.toml", "exclusive", each) for each in overlay.exclusive),
        *(("policy.toml", "directions", each) for each in overlay.directions),
        *(
            ("capabilities.toml", *entry.path)
            for entries in overlay.capabilities.values()
            for entry in entries
        ),
        *(("pages.toml", *place) for place in overlay.pages),
        *(
            ("updates.toml", surface, tag)
            for surface, rules in overlay.updates.items()
            for tag in rules
        ),
    ]
    unused: list[tuple[str, ...]] = [entry for entry in entries if entry[1:] not in used]
    unused += [
        ("summaries.toml", section, name)
        for section, named, summarised in _summaries(overlay, built)
        for name in summarised - named
    ]
    return [
        Problem(
            f"overlay/{file}",
            pointer(*path),
            "overlay",
            "matches nothing in the schema; remove the entry",
        )
        for file, *path in unused
    ]


def _unsummarised(overlay: Overlay, built: list[Built]) -> list[Problem]:
    """Definitions, classes and methods of the vendored schema without a summary of our own."""
    return [
        Problem(
            "overlay/summaries.toml",
            pointer(section, name),
            "overlay",
            "has no summary; write one line that says what it is",
        )
        for section, named, summarised in _summaries(overlay, built)
        for name in named - summarised
    ]


def _summaries(
    overlay: Overlay, built: list[Built]
) -> Iterator[tuple[str, set[str], AbstractSet[str]]]:
    """Yield the sections of `summaries.toml`: what the schema names, and what has an entry."""
    surfaces = [each.surface for each in built]
    definitions = [each for surface in surfaces for each in surface.definitions.values()]
    types = {each.definition for each in definitions if each.definition is not None}
    yield "types", types, overlay.summaries.keys()
    classes = {each.name for each in definitions if each.definition is None}
    yield "classes", classes, overlay.classes.keys()
    methods = {each.wire for surface in surfaces for each in surface.methods if each.wire}
    yield "methods", methods, overlay.methods.keys()
