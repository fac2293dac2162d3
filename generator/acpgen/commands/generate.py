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

from acpgen import paths
from acpgen.build.surface import _judge, _understand_one
from acpgen.diagnostics import Problem
from acpgen.inputs.overlay import load_overlay
from acpgen.inputs.sources import SURFACES, locate_schemas
from acpgen.ir.model import Origin
from acpgen.ir.surface import Surface


@dataclass(frozen=True, slots=True)
class SurfaceResult:
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
class GeneratedPackage:
    """The package, by path, with a result for each surface and notes about the overlay."""

    files: dict[str, bytes]
    results: list[SurfaceResult]
    notes: list[Problem]


def generate(
    schema: Path | None,
    surfaces: list[str],
    on_result: Callable[[SurfaceResult, int], None] = lambda result, total: None,
    *,
    types_only: bool = False,
) -> GeneratedPackage:
    """Render surfaces and what they share.

    Args:
        schema: a folder or file; None for the vendored schema.
        surfaces: their names; empty for all there are.
        on_result: called as each surface is done, with the number of surfaces.
        types_only: whether to leave out all that is about methods and sessions.

    Raises:
        InputError: with every problem found; nothing was rendered then.
    """
    from acpgen.emit.package import render_package

    overlay = load_overlay(paths.SCHEMA / "overlay")
    sources = locate_schemas(schema or paths.SCHEMA, surfaces)
    texts = render_package(paths.TEMPLATES, types_only=types_only)
    results: list[SurfaceResult] = []
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
    return GeneratedPackage(encoded, results, notes)


def _workers(count: int) -> Executor:
    """Processes for several surfaces; one surface is not worth starting one."""
    if count == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(min(count, os.cpu_count() or 1), mp_context=get_context("spawn"))


def _render_one(surface: Surface, types_only: bool) -> tuple[SurfaceResult, dict[str, str]]:
    from acpgen.emit.codec import View
    from acpgen.emit.package import render_surface

    start = time.perf_counter()
    files = render_surface(surface, paths.TEMPLATES, types_only=types_only)
    counts = View(surface).counts()
    counts["lines"] = sum(text.count("\n") for text in files.values())
    return SurfaceResult(surface.name, surface.origin, counts, time.perf_counter() - start), files
