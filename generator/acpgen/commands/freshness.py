"""Freshness checks for generated and vendored packages on disk."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from acpgen import __version__
from acpgen.commands.disk import leftovers, restore
from acpgen.commands.lock_file import LOCK, Finding, Lock, find_edits, fingerprint, read_lock
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.files import schema_digests

if TYPE_CHECKING:
    from acpgen.commands.generation import OnStep


@dataclass(frozen=True, slots=True)
class Difference:
    """A package file that differs from the generator's current output.

    `kind` is `changed`, `missing` or `extra`. `diff` is a unified diff from the file on disk to the
    generated file.
    """

    path: str
    kind: str
    diff: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check: the number of checked files, and the files that differ."""

    count: int
    differences: list[Difference]
    notes: list[Problem]


def check(
    folder: Path,
    source: str | None,
    surfaces: list[str],
    on_step: OnStep = lambda step, done, total: None,
    *,
    full: bool = False,
    strict: bool = False,
) -> Checked:
    """Check whether a package matches the output of the current generator.

    For the vendored schema, the package is generated only if `full` is true or the package's lock
    does not prove that the inputs and files are unchanged. See `generate_from` for the other
    arguments.

    Raises:
        InputError: If the input cannot be used. The error lists every problem.
    """
    if not folder.is_dir():
        message = "does not exist; generate the package there first, or pass another --out"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    if source is None and not full:
        count = count_if_unchanged(folder, surfaces)
        if count is not None:
            return Checked(count, [], [])

    from acpgen.commands.generation import generate_from, lock_of  # a slow import, rarely needed

    package = generate_from(source, surfaces, on_step, strict=strict)
    whole = not surfaces
    lock = lock_of(package, folder, whole=whole)
    return Checked(
        len(package.files) + 1, compare(folder, package.files, lock, whole=whole), package.notes
    )


def count_if_unchanged(folder: Path, surfaces: list[str]) -> int | None:
    """Return the number of package files, or None if the lock doesn't prove that they are fresh.

    If `surfaces` is not empty, files in other surfaces are ignored.
    """
    try:
        lock = read_lock(folder)
    except InputError:
        return None
    if lock is None or lock.inputs is None or lock.types_only:
        return None
    if not set(surfaces or schema_digests(paths.SCHEMA)) <= lock.schemas.keys():
        return None
    unwanted = lock.schemas.keys() - surfaces if surfaces else set()
    wanted = {
        path: digest
        for path, digest in lock.files.items()
        if PurePosixPath(path).parts[0] not in unwanted
    }
    if find_edits(folder, replace(lock, files=wanted)):
        return None
    if not surfaces and leftovers(folder, wanted):
        return None
    return len(wanted) + 1 if lock.proves(fingerprint()) else None


def compare(
    folder: Path, files: dict[str, bytes], lock: Lock, *, whole: bool = True
) -> list[Difference]:
    """Compare the files in a folder with the generated files and their lock, byte for byte.

    If `whole` is true, the generated files are a complete package, and other generated modules in
    the folder are reported as extra.
    """
    extra = leftovers(folder, files) if whole else []
    return [
        difference
        for path, generated in [
            *sorted(files.items()),
            *((path, None) for path in extra),
            (LOCK, lock.encode()),
        ]
        if (difference := _difference(folder, path, generated)) is not None
    ]


def _difference(folder: Path, path: str, generated: bytes | None) -> Difference | None:
    target = folder / path
    present = target.read_bytes() if target.is_file() else None
    if present == generated:
        return None
    kind = "missing" if present is None else "extra" if generated is None else "changed"
    lines = difflib.unified_diff(
        (present or b"").decode("utf-8", "replace").splitlines(),
        (generated or b"").decode("utf-8").splitlines(),
        f"on disk: {path}",
        f"generated: {path}",
        lineterm="",
    )
    return Difference(path, kind, "\n".join(lines))


def check_vendored(folder: Path) -> list[Finding]:
    """Check whether a vendored package was edited or is outdated.

    The package is up to date if `acpgen vendor` would leave all files unchanged. Apart from undoing
    an interrupted replacement of the package, this function writes nothing.

    Raises:
        InputError: If the lock file is missing or unreadable.
    """
    folder = folder.resolve()
    restore(folder)
    lock = read_lock(folder)
    if lock is None:
        message = "has no lock file; write the package with `acpgen vendor`"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    findings = find_edits(folder, lock)
    if lock.generator != __version__:
        reason = f"was written by acpgen {lock.generator}, but this is acpgen {__version__}"
        findings.append(Finding(LOCK, "outdated", reason))
    current = schema_digests(paths.SCHEMA)
    for surface, schema in lock.schemas.items():
        if surface in current and schema["sha256"] != current[surface]:
            reason = (
                f"{surface} was generated from {schema['label']}, but this acpgen contains a"
                " different schema; run `acpgen vendor` again to update"
            )
            findings.append(Finding(LOCK, "outdated", reason))
    if not findings and lock.inputs is not None and not lock.proves(fingerprint()):
        reason = "was written with different templates or tools; run `acpgen vendor` to update it"
        findings.append(Finding(LOCK, "outdated", reason))
    return sorted(findings)
