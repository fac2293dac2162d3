"""Vendors the package into another project, with a lock file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from acpgen.commands import interruption
from acpgen.commands.disk import find_obstacles, foreign_modules, restore, swap_in
from acpgen.commands.generation import GeneratedPackage, OnStep, Parts, generate
from acpgen.commands.lock_file import LOCK, Lock, find_edits, read_lock
from acpgen.commands.schema_vendoring import stripped_copy
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.emit.layout import certain_modules
from acpgen.inputs.overlay.reading import load_overlay


@dataclass(frozen=True, slots=True)
class VendoredPackage:
    """The result of vendoring: the old and the new lock, and the paths written or removed."""

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
    extras: Mapping[str, bool | None] | None = None,
    force: bool = False,
    strict: bool = False,
) -> VendoredPackage:
    """Generate a package and write it to a folder in another project, with a lock file.

    By default, surfaces, `types_only`, `bridge` and `extras` are the same as in the package to
    replace. If there is no such package, all surfaces are included. `force` allows overwriting
    files that were edited or that acpgen did not write.

    Raises:
        InputError: If the schema cannot be used, or if files would be lost. Nothing is written.
        OSError: If writing fails. The old package remains unchanged.
    """
    folder = folder.resolve()
    restore(folder)
    before = lock_to_replace(folder, force=force)
    if before is not None:
        surfaces = surfaces or sorted(before.schemas.keys() - (before.bridge or ()))
        types_only = before.types_only if types_only is None else types_only
        if bridge is None:
            bridge = before.bridge is not None and not types_only
    included: list[str] = []
    for extra in paths.EXTRAS:
        wanted = (extras or {}).get(extra)
        if wanted is None and before is not None and not types_only:
            wanted = f"{extra}/__init__.py" in before.files
        included += [extra] if wanted else []
    parts = Parts(bool(types_only), bool(bridge), (), included)
    refused = [*(["--bridge"] if bridge else []), *(f"--{extra}" for extra in included)]
    if types_only and refused:
        message = "requires methods and I/O; add --all, or omit {}"
        raise InputError(
            [Problem(option, "", "usage", message.format(option)) for option in refused]
        )
    if bridge:  # add the bridge's two surfaces
        overlay = load_overlay(paths.SCHEMA / "overlay").bridge
        ends = (overlay["older"], overlay["newer"])
        added = tuple(name for name in ends if surfaces and name not in surfaces)
        surfaces, parts = [*surfaces, *added], replace(parts, bridge_only=added)

    def check(wanted: list[str]) -> None:
        modules = certain_modules(
            paths.TEMPLATES,
            wanted,
            types_only=parts.types_only,
            bridge=bool(bridge),
            extras=parts.extras,
        )
        check_destination(folder, modules, before, force=force)

    def run(path: Path | None, label: str | None = None) -> GeneratedPackage:
        return generate(path, surfaces, on_step, parts, check=check, label=label, strict=strict)

    if source is None:
        package = run(None)
    else:
        with stripped_copy(source, surfaces) as copy:  # like `acpgen sync`, remove descriptions
            package = run(copy.path, copy.label)
        package = replace(package, notes=copy.renamed(package.notes))
    lock = package.lock(
        types_only=parts.types_only, bridge=parts.bridge_only if parts.bridge else None
    ).sealed(package.inputs)
    written = write(folder, package.files, lock, force=force)
    return VendoredPackage(before, lock, written, package.notes)


def check_destination(
    folder: Path, modules: Collection[str], before: Lock | None, *, force: bool
) -> None:
    """Check that modules can be written, before the package is generated."""
    _refuse_obstacles(folder, modules, before)
    if not force:
        _refuse_losses(folder, foreign_modules(folder, modules), before)


def write(folder: Path, files: Mapping[str, bytes], lock: Lock, *, force: bool) -> list[str]:
    """Replace the package in a folder and return the paths written or removed.

    Files that acpgen did not write are kept. Files in the old package that are not in the new
    package are removed.

    Raises:
        InputError: If files would be lost and `force` is false. Nothing is written.
        OSError: If writing fails. The old package remains unchanged.
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
        with interruption.writing():
            swap_in(folder, wanted, {*owned, LOCK})
    return sorted([*changed, *gone])


def lock_to_replace(folder: Path, *, force: bool) -> Lock | None:
    """Read the lock file of the package to replace. If `force` is true, ignore an invalid file."""
    try:
        return read_lock(folder)
    except InputError:
        if not force:
            raise
        return None


def _refuse_obstacles(folder: Path, files: Collection[str], lock: Lock | None) -> None:
    """Reject files, folders and links at paths that the new or the old package needs."""
    if Path.cwd().is_relative_to(folder):
        message = "contains the working directory and cannot be replaced; run acpgen elsewhere"
        raise InputError([Problem(str(folder), "", "usage", message)])
    problems = find_obstacles(folder, {*files, LOCK, *(lock.files if lock else ())})
    problems += find_obstacles(folder.parent, [f".{folder.name}"])  # the new folder is built here
    if problems:
        raise InputError(problems)


def _refuse_losses(folder: Path, files: Collection[str], lock: Lock | None) -> None:
    """Reject changes to files that were edited or that acpgen did not write."""
    edits = find_edits(folder, lock) if lock is not None else []
    edited = "was edited by hand; save the change elsewhere, or overwrite it with --force"
    losses = [(edit.path, edited) for edit in edits if edit.kind == "edited"]
    foreign = "was not written by acpgen; move it, or overwrite it with --force"
    losses += [(path, foreign) for path in files if lock is None or path not in lock.files]
    problems = [Problem(display_path(folder / path), "", "edited", why) for path, why in losses]
    if problems:
        raise InputError(problems)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
