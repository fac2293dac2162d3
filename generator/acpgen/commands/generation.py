"""Generation of packages from schema files. Surfaces are loaded, built and emitted in parallel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from concurrent.futures import Executor, as_completed
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from acpgen.analysis.surface import Built, build_source, combine
from acpgen.commands import disk, interruption
from acpgen.commands.lock_file import LOCK, Lock, fingerprint, make_lock, merge_locks, read_lock
from acpgen.commands.parallel import InPlace, processes
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.diff.bridge_rules.build import build_bridge
from acpgen.emit.layout import certain_modules
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.inputs.resemblance import find_gaps, find_other_versions
from acpgen.inputs.sources.fetch import fetch
from acpgen.inputs.sources.files import Source, locate_schemas, surface_order
from acpgen.ir.bridge import Bridge
from acpgen.ir.model import Origin
from acpgen.ir.surface import Surface

# The rest of `acpgen.emit` is only imported where it is used, in the workers.

Check: TypeAlias = Callable[[list[str]], None]
# Called after each step with the step's name, the number of finished steps and the total.
OnStep: TypeAlias = Callable[[str, int, int], None]

# The total size of schemas, in bytes, above which surfaces are generated in parallel processes.
_WORTH_PROCESSES = 200_000


@dataclass(frozen=True, slots=True)
class SurfaceResult:
    """The result of generating a surface: its schema, definition counts and rendering time."""

    surface: str
    origin: Origin
    counts: dict[str, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class GeneratedPackage:
    """A generated package: its files by path, and the result for each surface.

    `inputs` is the fingerprint of the inputs, or None if the schema is not the vendored schema.
    """

    files: dict[str, bytes]
    results: list[SurfaceResult]
    notes: list[Problem]
    inputs: str | None = None

    def lock(self, *, types_only: bool = False, bridge: tuple[str, ...] | None = None) -> Lock:
        """Return the unsealed lock of this package."""
        origins = {result.surface: result.origin for result in self.results}
        return make_lock(origins, self.files, types_only=types_only, bridge=bridge)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a package to generate, in addition to its surfaces."""

    types_only: bool = False  # omit methods and sessions
    bridge: bool | None = None  # None: include it if its surfaces and all decisions are present
    bridge_only: tuple[str, ...] = ()  # surfaces with only the parts that the bridge needs
    extras: Collection[str] = paths.EXTRAS


ALL = Parts()


def generate_from(
    source: str | None,
    surfaces: list[str],
    on_step: OnStep = lambda step, done, total: None,
    *,
    check: Check = lambda surfaces: None,
    strict: bool = False,
) -> GeneratedPackage:
    """Generate a package from a source that `fetch` accepts, or from the vendored schema.

    See `generate` for the other arguments.
    """
    if source is None:
        return generate(None, surfaces, on_step, check=check, strict=strict)
    with fetch(source) as fetched:
        label = fetched.label if fetched.copy_of else None
        package = generate(fetched.path, surfaces, on_step, check=check, label=label, strict=strict)
    return replace(package, notes=fetched.renamed(package.notes))


def generate(
    schema: Path | None,
    surfaces: list[str],
    on_step: OnStep = lambda step, done, total: None,
    parts: Parts = ALL,
    *,
    check: Check = lambda surfaces: None,
    label: str | None = None,
    strict: bool = False,
) -> GeneratedPackage:
    """Generate surfaces and their shared runtime without writing to disk.

    Args:
        schema: a folder or file, or None for the vendored schema.
        surfaces: the names of the surfaces. If there are none, all surfaces are generated.
        on_step: called after each step.
        parts: the parts to generate in addition to the surfaces.
        check: called with the names of the surfaces before anything is built. Can raise errors.
        label: the name of the schema's source, if the source isn't the folder or file itself.
        strict: whether to report unsupported parts of the schema as problems. In the vendored
            schema, they are always reported.

    Raises:
        InputError: If the input cannot be used. The error lists every problem.
    """
    inputs = fingerprint() if schema is None else None
    overlay = load_overlay(paths.SCHEMA / "overlay")
    sources = locate_schemas(schema or paths.SCHEMA, surfaces, label)
    check([source.surface for source in sources])
    results: list[SurfaceResult] = []
    with _workers(sources) as workers:
        shared = workers.submit(_render_shared, parts)
        count, vendored, whole = len(sources), schema is None, not surfaces
        total = 2 * count + 1
        building = [
            workers.submit(build_source, source, overlay, strict or vendored) for source in sources
        ]
        outcomes: list[Built | InputError] = []
        for source, built in zip(sources, building, strict=True):
            outcomes.append(built.result())
            on_step(f"built {source.surface}", len(outcomes), total)
        mistaken = [] if vendored else find_other_versions(sources, paths.SCHEMA)
        try:
            understood, notes = combine(outcomes, overlay, vendored=vendored, whole=whole)
        except InputError as error:  # a likely cause is a schema from another version
            raise InputError([*error.problems, *mistaken]) from error
        bridged: Bridge | None = None
        if parts.bridge is not False and not parts.types_only:
            bridged = _find_bridge(understood, overlay, required=vendored or bool(parts.bridge))
        largest_first = sorted(understood, key=lambda surface: -len(surface.definitions))
        futures = [workers.submit(_render_one, surface, parts) for surface in largest_first]
        texts = shared.result()
        on_step("rendered the runtime", count + 1, total)
        for future in as_completed(futures):
            result, rendered = future.result()
            texts.update(rendered)
            results.append(result)
            on_step(f"rendered {result.surface}", count + 1 + len(results), total)
    if bridged is not None:
        from acpgen.emit.bridge import render_bridge

        texts.update(render_bridge(bridged, paths.TEMPLATES))
    if paths.REMOTE in parts.extras and not parts.types_only:
        from acpgen.emit.package import render_remote

        texts.update(render_remote(understood, paths.TEMPLATES))
    encoded = {path: text.encode("utf-8") for path, text in sorted(texts.items())}
    results.sort(key=lambda result: surface_order(result.surface))
    if vendored and fingerprint() != inputs:  # an input changed during generation
        inputs = None
    notes = sorted({*notes, *mistaken, *find_gaps(sources)})
    return GeneratedPackage(encoded, results, notes, inputs)


def check_destination(folder: Path, surfaces: list[str]) -> None:
    """Check, before anything is generated, that `write_package` can write to a folder."""
    modules = certain_modules(paths.TEMPLATES, surfaces, types_only=False)
    disk.refuse_foreign(folder, [*modules, LOCK])


def write_package(folder: Path, package: GeneratedPackage, *, whole: bool) -> list[str]:
    """Write a package and its lock to a folder, and return the paths written or removed.

    The lock is written last. While files are being written, the old lock does not match them, so
    `acpgen check` does not trust it. If `whole` is true, files of other surfaces are removed.

    Raises:
        InputError: If the folder contains an obstacle or a module that acpgen did not generate.
            Nothing is written.
    """
    disk.refuse_foreign(folder, [*package.files, LOCK])
    lock = lock_of(package, folder, whole=whole)
    with interruption.writing():
        written = disk.write(folder, package.files, whole=whole)
        return written + disk.write(folder, {LOCK: lock.encode()}, whole=False)


def lock_of(package: GeneratedPackage, folder: Path, *, whole: bool) -> Lock:
    """Return the lock for a package in a folder.

    Unless `whole` is true, the folder can contain other surfaces, and the lock includes the entries
    for these surfaces.
    """
    lock = package.lock()
    if whole:
        return lock.sealed(package.inputs)
    try:
        previous = read_lock(folder)
    except InputError:
        previous = None
    return merge_locks(lock, previous, package.inputs)


def _workers(sources: list[Source]) -> AbstractContextManager[Executor]:
    """Return an executor, which uses parallel processes only for several large schemas.

    For a single schema or small schemas, starting processes takes more time than it saves.
    """
    size = sum(source.path.stat().st_size for source in sources)
    if len(sources) == 1 or size < _WORTH_PROCESSES:
        return InPlace()
    return processes(min(len(sources), os.cpu_count() or 1))


def _find_bridge(surfaces: list[Surface], overlay: Overlay, *, required: bool) -> Bridge | None:
    """Return the bridge between two of the surfaces, or None if it cannot be built.

    The overlay contains decisions only for the vendored schema. If another schema contains
    additions that require decisions, either an error is raised (if `required` is true) or no bridge
    is built.
    """
    try:
        return build_bridge(surfaces, overlay.bridge)
    except InputError:
        if required:
            raise
        return None


def _render_shared(parts: Parts) -> dict[str, str]:
    from acpgen.emit.package import render_package

    return render_package(
        paths.TEMPLATES,
        types_only=parts.types_only,
        bridge=parts.bridge is not False,
        extras=parts.extras,
    )


def _render_one(surface: Surface, parts: Parts) -> tuple[SurfaceResult, dict[str, str]]:
    from acpgen.emit.contexts.codec import CodecContext
    from acpgen.emit.package import render_surface

    start = time.perf_counter()
    rendered = render_surface(
        surface,
        paths.TEMPLATES,
        types_only=parts.types_only,
        bridge_only=surface.name in parts.bridge_only,
        extras=parts.extras,
    )
    counts = CodecContext(surface).counts()
    counts["lines"] = sum(text.count("\n") for text in rendered.values())
    seconds = time.perf_counter() - start
    return SurfaceResult(surface.name, surface.origin, counts, seconds), rendered
