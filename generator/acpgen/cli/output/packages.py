"""Print what became of a package, and whether it is fresh."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from acpgen.cli.output.terminal import data, line, lines, notes
from acpgen.commands.disk.lock import LOCK
from acpgen.common.display import display_path

if TYPE_CHECKING:
    from acpgen.commands.check import Checked, Difference
    from acpgen.commands.disk.lock import Finding
    from acpgen.commands.vendor import VendoredPackage

DIFF_LINES = 60


def differences(stale: Iterable[Difference]) -> None:
    """Print the start of each file's diff, then the list of files."""
    stale = list(stale)
    for file in stale:
        lines = file.diff.splitlines()
        for text in lines[:DIFF_LINES]:
            line(text)
        if len(lines) > DIFF_LINES:
            line(f"... {len(lines) - DIFF_LINES} more lines of {file.path}")
    for file in stale:
        line(f"{file.kind}: {file.path}")


def checked(folder: Path, outcome: Checked, command: str, *, as_json: bool) -> None:
    """Print whether a package is fresh.

    Args:
        folder: the folder of the package.
        outcome: the outcome of the check.
        command: the command that makes it fresh.
        as_json: whether to print JSON.
    """
    stale = outcome.differences
    if as_json:
        listed = [{"path": file.path, "kind": file.kind} for file in stale]
        data({"fresh": not stale, "stale": listed, "notes": lines(outcome.notes)})
        return
    notes(outcome.notes)
    if stale:
        differences(stale)
        line(f"{display_path(folder)} is stale: run `{command}`")
    else:
        line(f"{display_path(folder)} is fresh: {outcome.count} files as generated")


def findings(folder: Path, listed: Iterable[Finding]) -> None:
    """Print why a vendored package is not fresh."""
    for finding in listed:
        line(f"{finding.kind}: {display_path(folder / finding.path)}: {finding.reason}")


def written(folder: Path, touched: Iterable[str], files: Collection[str]) -> None:
    """Print how many files of a package were changed, and how many others were removed.

    Args:
        folder: the folder of the package.
        touched: the paths written or removed.
        files: the files that the package has now, without the lock file.
    """
    touched = set(touched)
    changed = {path for path in touched if path in files or path == LOCK}
    removed = f", {len(touched - changed)} removed" if touched - changed else ""
    line(f"{display_path(folder)}: {len(changed)} of {len(files) + 1} files changed{removed}")


def vendored(folder: Path, package: VendoredPackage) -> None:
    """Print which schemas a vendored package has now, and had before, and what was written."""
    notes(package.notes)
    schemas = package.lock.schemas
    before = package.before.schemas if package.before else {}
    for name in sorted(before.keys() - schemas):
        line(f"{name}: removed")
    for name, schema in schemas.items():
        earlier = before.get(name, schema)["label"]
        change = "" if earlier == schema["label"] else f"{earlier} → "
        purpose = ", for the bridge alone" if name in (package.lock.bridge or ()) else ""
        line(f"{name}: {change}{schema['label']}{purpose}")
    written(folder, package.written, package.lock.files)
