"""Write the package into another project, together with a lock file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from acpgen.commands.bump.sync import stripped_copy
from acpgen.commands.disk.files import find_obstacles, foreign_modules, restore, swap_in
from acpgen.commands.disk.lock import LOCK, Lock, find_edits, make_lock, read_lock
from acpgen.commands.generate import Check, GeneratedPackage, OnStep, generate
from acpgen.commands.running import signals
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.emit.layout import certain_modules
from acpgen.inputs.overlay.reading import load_overlay


@dataclass(frozen=True, slots=True)
class VendoredPackage:
    """The outcome of vendoring.

    Attributes:
        before: the lock of the package that was there; None if there was none.
        lock: the lock of the package that is there now.
        written: the paths written or removed.
        notes: remarks about the schema that are not errors.
    """

    before: Lock | None
    lock: Lock
    written: list[str]
    notes: list[Problem]


def vendor(
    folder: Path,
    source: str | None,
    surfaces: list[str],
    on_step: OnStep = lambda step, done, total: None,
    *,
    types_only: bool | None = None,
    bridge: bool | None = None,
    kit: bool | None = None,
    remote: bool | None = None,
    testing: bool | None = None,
    force: bool = False,
    strict: bool = False,
) -> VendoredPackage:
    """Generate a package and write it to a folder of another project, with a lock file.

    Args:
        source: the schema, as `fetch` takes it; None for the vendored schema.
        surfaces: the surfaces to write; empty for those of the package that is there, or else all.
        on_step: called as each step is done.
        types_only: whether to leave out methods, stubs and I/O; None to do as the last time.
        bridge: whether to include the bridge between two surfaces, and what it needs of these; None
            to do as the last time.
        kit: whether to include the kit; None to do as the last time.
        remote: whether to include remote connections; None to do as the last time.
        testing: whether to include what tests need; None to do as the last time.
        force: whether to overwrite files that were edited, or that acpgen did not write.
        strict: whether parts of the schema that would not be checked are errors.

    Raises:
        InputError: the schema cannot be used, or files would be lost; nothing was written.
        OSError: the disk fails; the old package is unchanged.
    """
    folder = folder.resolve()
    restore(folder)
    before = lock_to_replace(folder, force=force)
    if before is not None:
        surfaces = surfaces or sorted(before.schemas.keys() - (before.bridge or ()))
        types_only = before.types_only if types_only is None else types_only
        if bridge is None:
            bridge = before.bridge is not None and not types_only
    asked = {paths.KIT: kit, paths.REMOTE: remote, paths.TESTING: testing}
    extras = [
        extra
        for extra, wanted in asked.items()
        if (_has(before, extra) and not types_only if wanted is None else wanted)
    ]
    parts = _choose_parts(surfaces, types_only=bool(types_only), bridge=bool(bridge), extras=extras)

    def check(wanted: list[str]) -> None:
        modules = certain_modules(
            paths.TEMPLATES,
            wanted,
            types_only=parts.types_only,
            bridge=parts.bridge is not None,
            extras=parts.extras,
        )
        check_destination(folder, modules, before, force=force)

    package = _generate(source, parts, on_step, check, strict=strict)
    lock = make_lock(
        package.origins, package.files, types_only=parts.types_only, bridge=parts.bridge
    ).sealed(package.inputs)
    written = write(folder, package.files, lock, force=force)
    return VendoredPackage(before, lock, written, package.notes)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a package that are written.

    Attributes:
        surfaces: the surfaces; none for all.
        types_only: whether methods, stubs and I/O are left out.
        bridge: of the surfaces, those that are there for the bridge alone; None without a bridge.
        extras: which of `paths.EXTRAS` are included.
    """

    surfaces: list[str]
    types_only: bool
    bridge: tuple[str, ...] | None
    extras: list[str]


def _has(lock: Lock | None, extra: str) -> bool:
    return lock is not None and f"{extra}/__init__.py" in lock.files


def _choose_parts(
    surfaces: list[str], *, types_only: bool, bridge: bool, extras: list[str]
) -> _Parts:
    """Choose the parts: a bridge brings the surfaces that it is between.

    Raises:
        InputError: a bridge and extras need methods and I/O.
    """
    refused = [*(["--bridge"] if bridge else []), *(f"--{extra}" for extra in extras)]
    if types_only and refused:
        message = "needs methods and I/O; add --all, or leave out {}"
        raise InputError(
            [Problem(option, "", "usage", message.format(option)) for option in refused]
        )
    if not bridge:
        return _Parts(surfaces, types_only, None, extras)
    overlay = load_overlay(paths.SCHEMA / "overlay").bridge
    ends = (overlay["older"], overlay["newer"])
    added = tuple(name for name in ends if surfaces and name not in surfaces)
    return _Parts([*surfaces, *added], types_only, added, extras)


def _generate(
    source: str | None, parts: _Parts, on_step: OnStep, check: Check, *, strict: bool
) -> GeneratedPackage:
    """Generate from a source without its descriptions, as the vendored schema is."""

    def run(path: Path | None, label: str | None = None) -> GeneratedPackage:
        return generate(
            path,
            parts.surfaces,
            on_step,
            check=check,
            label=label,
            types_only=parts.types_only,
            bridge=parts.bridge is not None,
            bridge_only=parts.bridge or (),
            extras=parts.extras,
            strict=strict,
        )

    if source is None:
        return run(None)
    with stripped_copy(source, parts.surfaces) as copy:
        package = run(copy.path, copy.label)
    return replace(package, notes=copy.renamed(package.notes))


def check_destination(
    folder: Path, modules: Collection[str], before: Lock | None, *, force: bool
) -> None:
    """Refuse what `write` would refuse, as far as that is known before generating.

    Args:
        folder: the folder, resolved.
        modules: the paths of modules that will be written for certain.
        before: the lock of the package that is there.
        force: whether to overwrite files that were edited, or that acpgen did not write.

    Raises:
        InputError: something there would be lost, or is in the way.
    """
    _refuse_obstacles(folder, modules, before)
    if not force:
        _refuse_losses(folder, foreign_modules(folder, modules), before)


def write(folder: Path, files: Mapping[str, bytes], lock: Lock, *, force: bool) -> list[str]:
    """Replace the package in a folder.

    Files that acpgen did not write stay; files of the old package that the new one lacks go.

    Args:
        force: whether to overwrite files that were edited, or that acpgen did not write.

    Returns:
        The paths written or removed.

    Raises:
        InputError: such files are there; nothing was written.
        OSError: the disk fails; the old package is unchanged.
    """
    folder = folder.resolve()
    restore(folder)
    before = lock_to_replace(folder, force=force)
    owned = before.files if before else {}
    _refuse_obstacles(folder, files, before)
    if not force:
        written = [path for path, content in files.items() if _content(folder / path) != content]
        _refuse_losses(folder, [path for path in written if (folder / path).is_file()], before)
    wanted = {**files, LOCK: lock.encode()}
    changed = [path for path, content in wanted.items() if _content(folder / path) != content]
    gone = [path for path in owned if path not in wanted and (folder / path).exists()]
    if changed or gone:
        with signals.writing():
            swap_in(folder, wanted, {*owned, LOCK})
    return sorted([*changed, *gone])


def lock_to_replace(folder: Path, *, force: bool) -> Lock | None:
    """Read the lock of the package to replace; with force, ignore one that cannot be read."""
    try:
        return read_lock(folder)
    except InputError:
        if not force:
            raise
        return None


def _refuse_obstacles(folder: Path, files: Collection[str], lock: Lock | None) -> None:
    """Refuse to write over a file, folder or link where something else has to be, or was.

    Args:
        folder: the folder of the package.
        files: the files to write.
        lock: the lock of the package; what it names may be removed.
    """
    if Path.cwd().is_relative_to(folder):
        message = "contains the working directory, and is replaced; run acpgen from elsewhere"
        raise InputError([Problem(str(folder), "", "usage", message)])
    problems = find_obstacles(folder, {*files, LOCK, *(lock.files if lock else ())})
    problems += find_obstacles(folder.parent, [f".{folder.name}"])  # the new one is built there
    if problems:
        raise InputError(problems)


def _refuse_losses(folder: Path, files: Collection[str], lock: Lock | None) -> None:
    """Refuse to overwrite files that were edited, or that acpgen did not write.

    Args:
        folder: the folder of the package.
        files: the files there that would be changed.
        lock: the lock of the package.
    """
    edits = find_edits(folder, lock) if lock is not None else []
    edited = "was edited by hand; keep the change elsewhere, or overwrite it with --force"
    losses = [(edit.path, edited) for edit in edits if edit.kind == "edited"]
    foreign = "was not written by acpgen; move it, or overwrite it with --force"
    losses += [(path, foreign) for path in files if lock is None or path not in lock.files]
    if losses:
        raise InputError(
            [
                Problem(display_path(folder / path), "", "edited", message)
                for path, message in losses
            ]
        )


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
