"""Print whether a package is fresh, and how many of its files were written."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from acpgen.cli.output.terminal import data, line, lines, notes
from acpgen.commands.lock_file import LOCK
from acpgen.common.display import display_path

if TYPE_CHECKING:
    from acpgen.commands.check import Checked

DIFF_LINES = 60


def checked(folder: Path, outcome: Checked, command: str, *, as_json: bool) -> None:
    """Print whether a package is fresh: the start of each file's diff, and the stale files.

    Args:
        command: the command that makes it fresh.
    """
    stale = outcome.differences
    if as_json:
        listed = [{"path": file.path, "kind": file.kind} for file in stale]
        data({"fresh": not stale, "stale": listed, "notes": lines(outcome.notes)})
        return
    notes(outcome.notes)
    if not stale:
        line(f"{display_path(folder)} is fresh: {outcome.count} files as generated")
        return
    for file in stale:
        diff = file.diff.splitlines()
        for text in diff[:DIFF_LINES]:
            line(text)
        if len(diff) > DIFF_LINES:
            line(f"... {len(diff) - DIFF_LINES} more lines of {file.path}")
    for file in stale:
        line(f"{file.kind}: {file.path}")
    line(f"{display_path(folder)} is stale: run `{command}`")


def written(folder: Path, touched: Iterable[str], files: Collection[str]) -> None:
    """Print how many files of a package were changed, and how many others were removed.

    Args:
        touched: the paths written or removed.
        files: the files that the package has now, without the lock file.
    """
    touched = set(touched)
    changed = {path for path in touched if path in files or path == LOCK}
    removed = f", {len(touched - changed)} removed" if touched - changed else ""
    line(f"{display_path(folder)}: {len(changed)} of {len(files) + 1} files changed{removed}")
