"""Write the package into another project, together with a lock file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from acpgen import interruption
from acpgen.commands.files import restore, swap_in
from acpgen.commands.generate import GeneratedPackage, OnStep, generate
from acpgen.commands.lock import LOCK, Lock, find_edits, make_lock, read_lock
from acpgen.commands.sync import stripped_copy
from acpgen.diagnostics import InputError, Problem, display_path


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
    force: bool = False,
    strict: bool = False,
) -> VendoredPackage:
    """Generate a package and write it to a folder of another project, with a lock file.

    Args:
        source: the schema, as `fetch` takes it; None for the vendored schema.
        surfaces: the surfaces to write; empty for those of the package that is there, or else all.
        on_step: called as each step is done.
        types_only: whether to leave out methods, stubs and I/O; None to do as the last time.
        force: whether to overwrite files that were edited, or that acpgen did not write.
        strict: whether parts of the schema that would not be checked are errors.

    Raises:
        InputError: the schema cannot be used, or files would be lost; nothing was written.
        OSError: the disk fails; the old package is unchanged.
    """
    folder = folder.resolve()
    restore(folder)
    before = _lock_to_replace(folder, force=force)
    surfaces = surfaces or sorted(before.schemas if before else ())
    if types_only is None:
        types_only = before is not None and before.types_only
    package = _generate(source, surfaces, on_step, types_only=types_only, strict=strict)
    lock = make_lock(package, types_only=types_only)
    written = write(folder, package.files, lock, force=force)
    # Users of acpgen cannot change the overlay that it ships.
    notes = [note for note in package.notes if note.code != "overlay"]
    return VendoredPackage(before, lock, written, notes)


def _generate(
    source: str | None,
    surfaces: list[str],
    on_step: OnStep,
    *,
    types_only: bool,
    strict: bool,
) -> GeneratedPackage:
    """Generate from a source without its descriptions, as the vendored schema is."""
    if source is None:
        return generate(None, surfaces, on_step, types_only=types_only, strict=strict)
    with stripped_copy(source, surfaces) as copy:
        package = generate(
            copy.path,
            surfaces,
            on_step,
            label=copy.label,
            types_only=types_only,
            strict=strict,
        )
    return replace(package, notes=copy.renamed(package.notes))


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
    if Path.cwd().is_relative_to(folder):
        message = "contains the working directory, and is replaced; run acpgen from elsewhere"
        raise InputError([Problem(str(folder), "", "usage", message)])
    restore(folder)
    before = _lock_to_replace(folder, force=force)
    owned = before.files if before else {}
    _refuse_obstacles(folder, files)
    if not force:
        _refuse_losses(folder, files, before)
    wanted = {**files, LOCK: lock.encode()}
    changed = [path for path, content in wanted.items() if _content(folder / path) != content]
    gone = [path for path in owned if path not in wanted and (folder / path).exists()]
    if changed or gone:
        with interruption.writing():
            swap_in(folder, wanted, {*owned, LOCK})
    return sorted([*changed, *gone])


def _lock_to_replace(folder: Path, *, force: bool) -> Lock | None:
    """Read the lock of the package to replace; with force, ignore one that cannot be read."""
    try:
        return read_lock(folder)
    except InputError:
        if not force:
            raise
        return None


def _refuse_obstacles(folder: Path, files: Mapping[str, bytes]) -> None:
    """Refuse to write over a file, folder or link where something else has to be."""
    found = [(folder, "is a file")] if folder.exists() and not folder.is_dir() else []
    found += [(folder / path, "is a folder") for path in files if (folder / path).is_dir()]
    parts = map(PurePosixPath, files)
    inside = {folder / each for part in parts for each in (part, *part.parents)}
    found += [(each, "is a link") for each in inside if each != folder and each.is_symlink()]
    if found:
        raise InputError(
            [
                Problem(display_path(path), "", "edited", f"{what}; move it out of the way")
                for path, what in found
            ]
        )


def _refuse_losses(folder: Path, files: Mapping[str, bytes], lock: Lock | None) -> None:
    """Refuse to overwrite files that were edited, or that acpgen did not write."""
    edits = find_edits(folder, lock) if lock is not None else []
    edited = "was edited by hand; keep the change elsewhere, or overwrite it with --force"
    found = [(edit.path, edited) for edit in edits if edit.kind == "edited"]
    for path, content in files.items():
        is_ours = lock is not None and path in lock.files
        if not is_ours and _content(folder / path) not in (None, content):
            found.append((path, "was not written by acpgen; move it, or overwrite it with --force"))
    if found:
        raise InputError(
            [Problem(display_path(folder / path), "", "edited", message) for path, message in found]
        )


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
