"""The way from schema files to the files of the package; nothing here touches the disk but reads.

sources -> load -> build -> render (in parallel processes) -> files by path
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from acpgen.build import Built, build
from acpgen.diagnostics import InputError, Problem, pointer
from acpgen.load import load
from acpgen.model import Origin, Surface
from acpgen.overlay import Overlay, load_overlay
from acpgen.sources import SURFACES, Source, find


def _root() -> Path:
    """The folder that holds `schema` and `templates`: the checkout, or the installed package."""
    package = Path(__file__).resolve().parent
    checkout = package.parent.parent
    return checkout if (checkout / "templates").is_dir() else package


ROOT = _root()
SCHEMA = ROOT / "schema"
TEMPLATES = ROOT / "templates"
PACKAGE = ROOT / "generated" / "acp_bindings"
IN_CHECKOUT = (ROOT / "pyproject.toml").is_file()


@dataclass(frozen=True, slots=True)
class Result:
    """What one surface came to.

    Attributes:
        origin: the schema that it was made from.
        counts: records, unions, enums, methods, lines.
        seconds: how long rendering took.
    """

    surface: str
    origin: Origin
    counts: dict[str, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Generated:
    """The package, by path, with a result for each surface and notes about the overlay."""

    files: dict[str, bytes]
    results: list[Result]
    notes: list[Problem]


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
    overlay = load_overlay(SCHEMA / "overlay")
    return _judge(
        [_understand_one(source, overlay) for source in find(schema or SCHEMA, surfaces)],
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
        return build(load(source.path, source.origin), overlay, source.surface)
    except InputError as error:
        return error


def _unmatched(overlay: Overlay, built: list[Built]) -> list[Problem]:
    """Entries of the overlay that no surface had a use for."""
    used = {entry for each in built for entry in each.matched}
    known = {d.definition for each in built for d in each.surface.definitions.values()}
    methods = {method.wire for each in built for method in each.surface.methods if method.wire}
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
    unused += [("summaries.toml", "types", each) for each in overlay.summaries.keys() - known]
    unused += [("summaries.toml", "methods", each) for each in overlay.methods.keys() - methods]
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
    """Definitions and methods of the vendored schema without a summary of our own."""
    types = {d.definition for each in built for d in each.surface.definitions.values()} - {None}
    methods = {method.wire for each in built for method in each.surface.methods if method.wire}
    missing = [("types", str(each)) for each in types - overlay.summaries.keys()]
    missing += [("methods", each) for each in methods - overlay.methods.keys()]
    return [
        Problem(
            "overlay/summaries.toml",
            pointer(section, name),
            "overlay",
            "has no summary; write one line that says what it is",
        )
        for section, name in missing
    ]


def generate(
    schema: Path | None,
    surfaces: list[str],
    on_result: Callable[[Result, int], None] = lambda result, total: None,
    *,
    types_only: bool = False,
) -> Generated:
    """Render surfaces and what they share.

    Args:
        schema: a folder or file; None for the vendored schema.
        surfaces: their names; empty for all there are.
        on_result: called as each surface is done, with the number of surfaces.
        types_only: whether to leave out all that is about methods and sessions.

    Raises:
        InputError: with every problem found; nothing was rendered then.
    """
    from acpgen.render import render_package

    overlay = load_overlay(SCHEMA / "overlay")
    sources = find(schema or SCHEMA, surfaces)
    texts = render_package(TEMPLATES, types_only=types_only)
    results: list[Result] = []
    with _workers(len(sources)) as workers:
        outcomes = list(workers.map(_understand_one, sources, [overlay] * len(sources)))
        vendored, whole = schema is None, not surfaces
        understood, notes = _judge(outcomes, overlay, vendored=vendored, whole=whole)
        # The largest first, so that no worker is left alone with it at the end.
        understood.sort(key=lambda surface: -len(surface.definitions))
        futures = [workers.submit(_render_one, surface, types_only) for surface in understood]
        for future in as_completed(futures):
            result, files = future.result()
            texts.update(files)
            results.append(result)
            on_result(result, len(understood))
    encoded = {path: text.encode("utf-8") for path, text in sorted(texts.items())}
    results.sort(key=lambda result: list(SURFACES).index(result.surface))
    return Generated(encoded, results, notes)


def _workers(count: int) -> Executor:
    """Processes for several surfaces; one surface is not worth starting one."""
    if count == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(min(count, os.cpu_count() or 1), mp_context=get_context("spawn"))


def _render_one(surface: Surface, types_only: bool) -> tuple[Result, dict[str, str]]:
    from acpgen.render import render_surface
    from acpgen.view import View

    start = time.perf_counter()
    files = render_surface(surface, TEMPLATES, types_only=types_only)
    counts = View(surface).summary_json()
    counts["lines"] = sum(text.count("\n") for text in files.values())
    return Result(surface.name, surface.origin, counts, time.perf_counter() - start), files
