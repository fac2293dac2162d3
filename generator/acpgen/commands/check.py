"""Check whether a package on disk is fresh: generated into this project, or vendored."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from acpgen import __version__, paths
from acpgen.commands.files import leftovers, restore
from acpgen.commands.lock import LOCK, Finding, find_edits, read_lock
from acpgen.diagnostics import InputError, Problem, display_path
from acpgen.inputs.sources import schema_digests


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that differs from the one that would be generated now.

    Attributes:
        path: its path in the package.
        kind: `changed`, `missing` or `extra`.
        diff: a unified diff from the file on disk to the generated one.
    """

    path: str
    kind: str
    diff: str


def compare(folder: Path, files: dict[str, bytes], *, whole: bool) -> list[Difference]:
    """Compare the files in a folder with generated ones, byte for byte.

    Args:
        whole: whether the files are the whole package, so that other generated modules are extra.
    """
    found: list[Difference] = []
    for path, generated in sorted(files.items()):
        target = folder / path
        present = target.read_bytes() if target.is_file() else None
        if present != generated:
            kind = "missing" if present is None else "changed"
            found.append(Difference(path, kind, _diff(path, present or b"", generated)))
    if whole:
        for path in leftovers(folder, files):
            present = (folder / path).read_bytes()
            found.append(Difference(path, "extra", _diff(path, present, b"")))
    return found


def _diff(path: str, present: bytes, generated: bytes) -> str:
    lines = difflib.unified_diff(
        present.decode("utf-8", "replace").splitlines(),
        generated.decode("utf-8").splitlines(),
        f"on disk: {path}",
        f"generated: {path}",
        lineterm="",
    )
    return "\n".join(lines)


def check_vendored(folder: Path) -> list[Finding]:
    """Check whether a vendored package was edited, and whether it is outdated.

    Nothing is written, except that an interrupted swap is undone.

    Raises:
        InputError: the folder has no lock file, or one that cannot be read.
    """
    folder = folder.resolve()
    restore(folder)
    lock = read_lock(folder)
    if lock is None:
        message = "has no lock file; write the package with `acpgen vendor`"
        raise InputError([Problem(display_path(folder), "", "missing-file", message)])
    found = find_edits(folder, lock)
    if lock.generator != __version__:
        reason = f"was written by acpgen {lock.generator}; this is {__version__}"
        found.append(Finding(LOCK, "outdated", reason))
    current = schema_digests(paths.SCHEMA)
    for surface, schema in lock.schemas.items():
        if surface in current and schema["sha256"] != current[surface]:
            reason = (
                f"{surface} was generated from {schema['label']}; this acpgen has another schema:"
                " run `acpgen vendor` again to update"
            )
            found.append(Finding(LOCK, "outdated", reason))
    return sorted(found)
