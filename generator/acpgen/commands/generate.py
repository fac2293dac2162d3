"""Generate the package from schema files: load, build and emit each surface, in parallel."""

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
from acpgen.commands.disk import files
from acpgen.commands.disk.fingerprint import fingerprint
from acpgen.commands.disk.lock import LOCK, Lock, beside, make_lock, read_lock
from acpgen.commands.running import signals
from acpgen.commands.running.parallel import InPlace, processes
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

# The rest of `acpgen.emit` is imported where it is used: in the workers, each of which needs its
# own.

Check: TypeAlias = Callable[[list[str]], None]
# Called as each step is done: with its name, how many steps are done, and how many there are.
OnStep: TypeAlias = Callable[[str, int, int], None]

# The total size of schemas, in bytes, from which surfaces are generated in parallel processes.
_WORTH_PROCESSES = 200_000


@dataclass(frozen=True, slots=True)
class SurfaceResult:
    """The outcome of generating one surface.

    Attributes:
        origin: its schema.
        counts: its numbers of records, unions, enums, methods and lines.
        seconds: how long rendering took.
    """

    surface: str
    origin: Origin
    counts: dict[str, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class GeneratedPackage:
    """A generated package, in memory.

    Attributes:
        files: the content of each file, by path.
        results: the outcome for each surface.
        notes: remarks about the schema and the overlay that are not errors.
        inputs: the fingerprint of the inputs, if the schema is the vendored one.
    """

    files: dict[str, bytes]
    results: list[SurfaceResult]
    notes: list[Problem]
    inputs: str | None = None

    @property
    def origins(self) -> dict[str, Origin]:
        """The schema of each surface."""
        return {result.surface: result.origin for result in self.results}


def generate_from(
    source: str | None,
    surfaces: list[str],
    on_step: OnStep = lambda step, done, total: None,
    *,
    check: Check = lambda surfaces: None,
    strict: bool = False,
) -> GeneratedPackage:
    """Generate from a source, as `fetch` takes it; otherwise as `generate` does.

    Args:
        source: the schema; None for the vendored schema.
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
    *,
    check: Check = lambda surfaces: None,
    label: str | None = None,
    types_only: bool = False,
    bridge: bool | None = None,
    bridge_only: Collection[str] = (),
    extras: Collection[str] = paths.EXTRAS,
    strict: bool = False,
) -> GeneratedPackage:
    """Generate surfaces and the runtime they share; nothing is written to disk.

    Args:
        schema: a folder or file; None for the vendored schema.
        surfaces: their names; empty for all.
        on_step: called as each step is done.
        check: called with the names of the surfaces before anything is built or rendered; it may
            raise an error.
        label: where the schema came from; None if that is the folder or file.
        types_only: whether to leave out methods and sessions.
        bridge: whether to generate the bridge; None if its surfaces are there and decided on.
        bridge_only: the surfaces of which to generate no more than the bridge needs.
        extras: which of `paths.EXTRAS` to include.
        strict: whether a part of the schema that no rule reads is a problem, as it is in the
            vendored schema.

    Raises:
        InputError: the input cannot be used; lists every problem.
    """
    inputs = fingerprint() if schema is None else None
    overlay = load_overlay(paths.SCHEMA / "overlay")
    sources = locate_schemas(schema or paths.SCHEMA, surfaces, label)
    check([source.surface for source in sources])
    results: list[SurfaceResult] = []
    with _workers(sources) as workers:
        shared = workers.submit(_render_shared, types_only, bridge is not False, extras)
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
        except InputError as error:  # the wrong version is a likely reason
            raise InputError([*error.problems, *mistaken]) from error
        bridged: Bridge | None = None
        if bridge is not False and not types_only:
            bridged = _find_bridge(understood, overlay, required=vendored or bool(bridge))
        largest_first = sorted(understood, key=lambda surface: -len(surface.definitions))
        futures = [
            workers.submit(_render_one, surface, types_only, surface.name in bridge_only, extras)
            for surface in largest_first
        ]
        texts = shared.result()
        on_step("rendered the runtime", count + 1, total)
        for future in as_completed(futures):
            result, rendered = future.result()
            texts.update(rendered)
            results.append(result)
            on_step(f"rendered {result.surface}", count + 1 + len(results), total)
    if bridged is not None:
        texts.update(_render_bridge(bridged))
    if paths.REMOTE in extras and not types_only:
        texts.update(_render_remote(understood))
    encoded = {path: text.encode("utf-8") for path, text in sorted(texts.items())}
    results.sort(key=lambda result: surface_order(result.surface))
    if vendored and fingerprint() != inputs:  # some input changed, before it was read or after
        inputs = None
    notes = sorted({*notes, *mistaken, *find_gaps(sources)})
    return GeneratedPackage(encoded, results, notes, inputs)


def check_destination(folder: Path, surfaces: list[str]) -> None:
    """Check that a package can be written to a folder, as far as that is known before generating.

    Args:
        folder: the folder.
        surfaces: the surfaces to write.

    Raises:
        InputError: something there would be lost, or is in the way.
    """
    modules = certain_modules(paths.TEMPLATES, surfaces, types_only=False)
    files.refuse_foreign(folder, [*modules, LOCK])


def write_package(folder: Path, package: GeneratedPackage, *, whole: bool) -> list[str]:
    """Write a generated package to a folder, and its lock.

    The lock comes last: until then, the one that is there does not fit the files, so that
    `acpgen check` does not trust it.

    Args:
        whole: whether it has all surfaces, so that files of others are removed.

    Returns:
        The paths written or removed.

    Raises:
        InputError: a module there was not generated by acpgen, or something is in the way; nothing
            was written.
    """
    files.refuse_foreign(folder, [*package.files, LOCK])
    lock = lock_of(package, folder, whole=whole)
    with signals.writing():
        written = files.write(folder, package.files, whole=whole)
        return written + files.write(folder, {LOCK: lock.encode()}, whole=False)


def lock_of(package: GeneratedPackage, folder: Path, *, whole: bool) -> Lock:
    """The lock of a generated package, once it is written to a folder.

    Args:
        whole: whether it has all surfaces; if not, others may be in the folder.
    """
    lock = make_lock(package.origins, package.files)
    if whole:
        return lock.sealed(package.inputs)
    try:
        previous = read_lock(folder)
    except InputError:
        previous = None
    return beside(lock, previous, package.inputs)


def _workers(sources: list[Source]) -> AbstractContextManager[Executor]:
    """Processes for several large schemas; for others, starting them costs more than it saves."""
    size = sum(source.path.stat().st_size for source in sources)
    if len(sources) == 1 or size < _WORTH_PROCESSES:
        return InPlace()
    return processes(min(len(sources), os.cpu_count() or 1))


def _find_bridge(surfaces: list[Surface], overlay: Overlay, *, required: bool) -> Bridge | None:
    """The bridge between two of the surfaces; None if there is none.

    Args:
        required: whether it must be there if its surfaces are. If not, there is none where the
            schema has something that nobody has decided on: the decisions are about the vendored
            schema.

    Raises:
        InputError: the schema has something new that nobody has decided on.
    """
    try:
        return build_bridge(surfaces, overlay.bridge)
    except InputError:
        if required:
            raise
        return None


def _render_bridge(bridge: Bridge) -> dict[str, str]:
    from acpgen.emit.bridge import render_bridge

    return render_bridge(bridge, paths.TEMPLATES)


def _render_remote(surfaces: list[Surface]) -> dict[str, str]:
    from acpgen.emit.package import render_remote

    return render_remote(surfaces, paths.TEMPLATES)


def _render_shared(types_only: bool, bridge: bool, extras: Collection[str]) -> dict[str, str]:
    from acpgen.emit.package import render_package

    return render_package(paths.TEMPLATES, types_only=types_only, bridge=bridge, extras=extras)


def _render_one(
    surface: Surface, types_only: bool, bridge_only: bool, extras: Collection[str]
) -> tuple[SurfaceResult, dict[str, str]]:
    from acpgen.emit.contexts.codec import CodecContext
    from acpgen.emit.package import render_surface

    start = time.perf_counter()
    rendered = render_surface(
        surface,
        paths.TEMPLATES,
        types_only=types_only,
        bridge_only=bridge_only,
        extras=extras,
    )
    counts = CodecContext(surface).counts()
    counts["lines"] = sum(text.count("\n") for text in rendered.values())
    seconds = time.perf_counter() - start
    return SurfaceResult(surface.name, surface.origin, counts, seconds), rendered
