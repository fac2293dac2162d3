"""Conversion of a checked schema document to the intermediate representation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acpgen.analysis.build_context import BuildContext
from acpgen.analysis.capabilities import attach_capabilities
from acpgen.analysis.definitions import build_definitions, mark_annotated
from acpgen.analysis.member_summaries import summarise_members
from acpgen.analysis.methods import find_methods
from acpgen.analysis.overlay_checks import (
    find_left_behind,
    find_unfit,
    find_unmatched,
    find_unsummarised,
    find_without_capability,
)
from acpgen.analysis.schema_index import SchemaIndex
from acpgen.analysis.sessions import find_updates_union, read_sessions
from acpgen.analysis.updates import (
    MISSING_RULE,
    find_content,
    read_implied_updates,
    read_updates,
    without_repeated,
)
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.sources.files import RECORD, Source, locate_schemas
from acpgen.inputs.sources.json_file import JsonObject
from acpgen.ir import naming
from acpgen.ir.surface import Surface
from acpgen.schema import keywords
from acpgen.schema.document import Document, load_document
from acpgen.schema.keywords import REF_PREFIX
from acpgen.schema.pruning import at_pointer, prunable, prune


@dataclass(frozen=True, slots=True)
class Built:
    """A surface, with the overlay entries that it uses and notes about its schema."""

    surface: Surface
    # The overlay entries that were used, as paths within their files.
    matched: frozenset[tuple[str, ...]]
    notes: tuple[Problem, ...]  # for the vendored schema, these notes are errors


# The codes of problems that can be solved by removing part of a schema. Values are checked less
# strictly if an assertion is removed, and as strictly as before if an annotation is removed.
ASSERTIONS = frozenset({"unsupported"})
_ANNOTATIONS = frozenset(
    {"unknown-keyword", "unknown-vendor-keyword", "misplaced-keyword", "bad-default"}
)


def build(document: Document, overlay: Overlay, surface: str, *, strict: bool = True) -> Built:
    """Build one surface, such as `v1` or `v2_unstable`.

    If `strict` is false, unsupported parts are removed with a note.

    Raises:
        InputError: If the schema cannot be used. The error lists every problem.
    """
    return build_pruned(
        document, lambda pruned, parts: _build(pruned, overlay, surface, parts), strict=strict
    )


def build_pruned(
    document: Document,
    build_once: Callable[[Document, frozenset[str] | None], Built],
    *,
    strict: bool,
    noted: frozenset[str] = ASSERTIONS | _ANNOTATIONS,
) -> Built:
    """Build a surface from a document, first removing unsupported parts if `strict` is false.

    Args:
        document: the document.
        build_once: a function that builds a surface from a document. Its second argument lists the
            removed parts, or is None if every part must be supported.
        strict: whether unsupported parts are errors. Otherwise, they are removed with a note.
        noted: the codes of problems that can be solved by removing a part.

    Raises:
        InputError: If the schema cannot be used. The error lists every problem.
    """
    notes: dict[str, Problem] = {}
    pruned = document
    while True:
        try:
            parts = None if strict else _parts(notes.values())
            built = build_once(pruned, parts)
            break
        except InputError as error:
            tolerated = () if strict else _unchecked(pruned.root, error.problems, noted)
            if not tolerated:
                raise
            notes |= {note.pointer: note for note in tolerated}
            pruned = replace(document, root=prune(document.root, notes))
    unread = {
        at: json.dumps(at_pointer(document.root, at), sort_keys=True)
        for at in sorted(_parts(notes.values()))
    }
    # `schemas` includes the removed parts because other tools might support them.
    schemas = _schemas(document, built.surface)
    return replace(
        built,
        surface=replace(built.surface, unread=unread, schemas=schemas),
        notes=(*built.notes, *notes.values()),
    )


def _schemas(document: Document, surface: Surface) -> dict[str, JsonObject]:
    """Return the JSON Schema of each definition in a surface, with class names in references."""
    names = {
        definition.definition: naming.unqualified(name)
        for name, definition in surface.known.items()
        if definition.definition is not None
    }

    def renamed(schema: Any) -> Any:
        if isinstance(schema, list):
            return [renamed(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = reference.removeprefix(REF_PREFIX)
            schema = {**schema, "$ref": REF_PREFIX + names.get(target, target)}
        return {key: renamed(part) for key, part in schema.items()}

    return {
        name: renamed(document.definitions[definition.definition])
        for name, definition in surface.definitions.items()
        if definition.definition is not None
    }


def _unchecked(
    root: JsonObject, problems: list[Problem], noted: frozenset[str]
) -> tuple[Problem, ...]:
    """Return notes about the parts that can be removed, with pointers to them."""
    notes: list[Problem] = []
    # Unsupported keywords can cause the other problems.
    for problem in _of_unread(problems) or problems:
        if problem.code not in noted:
            continue
        at = prunable(root, problem.pointer)
        reason, _, _ = problem.message.partition("; ")
        if at is not None and problem.code in _ANNOTATIONS:
            notes.append(replace(problem, pointer=at, message=f"{reason}; it is ignored"))
        elif at is not None:
            message = f"{reason}; strict mode does not check this"
            notes.append(Problem(problem.file, at, "unchecked", message))
    return tuple(notes)


def _of_unread(problems: list[Problem]) -> list[Problem]:
    """Return the problems with unsupported keywords and with keywords that complement them."""
    split = [(problem, *problem.pointer.rpartition("/")[::2]) for problem in problems]
    unread = {(holder, key) for _, holder, key in split if key in keywords.UNREAD}
    return [
        problem
        for problem, holder, key in split
        if key in keywords.UNREAD or (holder, keywords.OF_THE_REST.get(key)) in unread
    ]


def _parts(notes: Iterable[Problem]) -> frozenset[str]:
    """Return the pointers to unchecked parts, except those inside other unchecked parts."""
    pointers = {note.pointer for note in notes if note.code == "unchecked"}
    return frozenset(at for at in pointers if not any(at.startswith(f"{out}/") for out in pointers))


def _build(
    document: Document, overlay: Overlay, surface: str, pruned: frozenset[str] | None
) -> Built:
    context = BuildContext(document, overlay, pruned)
    context.problems += context.find_unread()
    if context.problems:
        raise InputError(context.problems)
    build_definitions(context)
    methods = find_methods(context)
    if context.problems:
        raise InputError(context.problems)
    version, _, stability = surface.removeprefix("v").partition("_")
    definitions = dict(sorted(mark_annotated(context.definitions).items()))
    methods = attach_capabilities(methods, definitions, context, surface)
    index = SchemaIndex(methods, definitions)
    union = find_updates_union(index)
    rules = read_updates(index, union, context, surface)
    content = find_content(index, rules)
    # Deprecated class names that this surface's schema no longer defines.
    deprecated = {
        old: (new, since)
        for old, (new, since) in sorted(overlay.deprecated.items())
        if new in definitions and old not in definitions and naming.is_class_name(old)
    }
    context.matched |= {("deprecated", old) for old in deprecated}
    built = Surface(
        name=surface,
        version=int(version),
        stability=stability or "stable",
        origin=document.origin,
        definitions=definitions,
        methods=methods,
        summaries=overlay.summaries,
        class_summaries=overlay.classes,
        member_summaries=summarise_members(definitions, context, f"v{version}"),
        value_summaries=overlay.values,
        method_summaries=overlay.methods,
        updates=rules,
        implied_updates=read_implied_updates(index, union, rules, context, surface),
        session_update=union.name if union else None,
        content_block=content,
        session=read_sessions(index, rules, content, context, surface),
        batches=context.has_batches(f"v{version}"),
        deprecated=deprecated,
        deprecations=context.deprecations(),
        kit=overlay.kit.get(f"v{version}", {}),
    )
    return Built(built, frozenset(context.matched), tuple(context.notes))


def understand(
    schema: Path | None, surfaces: list[str], *, strict: bool = False
) -> tuple[list[Surface], list[Problem]]:
    """Load and build surfaces and return them with notes about their schemas.

    Args:
        schema: a folder or file, or None for the vendored schema.
        surfaces: the names of the surfaces. If there are none, all surfaces are built.
        strict: whether unsupported parts are problems, as they always are in the vendored schema.

    Raises:
        InputError: If a schema cannot be used. The error lists the problems of all surfaces.
    """
    overlay = load_overlay(paths.SCHEMA / "overlay")
    return combine(
        [
            build_source(source, overlay, strict or schema is None)
            for source in locate_schemas(schema or paths.SCHEMA, surfaces)
        ],
        overlay,
        vendored=schema is None,
        whole=not surfaces,
    )


def combine(
    outcomes: list[Built | InputError], overlay: Overlay, *, vendored: bool, whole: bool
) -> tuple[list[Surface], list[Problem]]:
    """Return the surfaces that were built and notes about their schemas.

    Args:
        outcomes: the surfaces that were built, and the errors for other surfaces.
        overlay: the overlay that was used to build the surfaces.
        vendored: whether the schemas are vendored. If they are, the overlay must match them, and
            notes about them are reported as problems.
        whole: whether `outcomes` covers all surfaces, which together must use every overlay entry.

    Raises:
        InputError: If any problems were found. The error lists the problems of all surfaces.
    """
    built = [outcome for outcome in outcomes if isinstance(outcome, Built)]
    surfaces = [outcome.surface for outcome in built]
    matched = {entry for outcome in built for entry in outcome.matched}
    problems = [
        p for outcome in outcomes if isinstance(outcome, InputError) for p in outcome.problems
    ]
    notes = [] if problems else [note for outcome in built for note in outcome.notes]
    if vendored:
        unmatched = find_unmatched(overlay, surfaces, matched) if whole and not problems else []
        unmatched += find_unfit(overlay, surfaces) if whole and not problems else []
        problems += [*unmatched, *notes, *find_unsummarised(overlay, surfaces)]
        problems += find_without_capability(overlay, surfaces)
        problems += find_left_behind(overlay, surfaces)
        problems = without_repeated(problems)
    # The overlay describes the vendored schema, so it does not have to match other schemas.
    notes = [note for note in notes if note.code not in ("overlay", MISSING_RULE)]
    if problems:
        raise InputError(problems)
    return surfaces, sorted(set(notes))


def build_source(source: Source, overlay: Overlay, strict: bool) -> Built | InputError:
    """Load a source and build its surface, or return the source's problems."""
    try:
        document = load_document(source.path, source.origin)
        built = build(document, overlay, source.surface, strict=strict)
    except InputError as error:
        return error
    read, recorded = document.origin.sha256, source.origin and source.origin.sha256
    if not recorded or read == recorded:
        return built
    message = (
        f"was edited by hand: {RECORD} lists sha256 {recorded[:12]}…, but the file has"
        f" {read[:12]}…; restore it, or record it as patched with"
        f" `acpgen sync {display_path(paths.SCHEMA)}`"
    )
    edited = Problem(document.file, "", "edited-schema", message)
    return replace(built, notes=(*built.notes, edited))
