"""The command `acpgen check`: check that the package is up to date."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acpgen.cli.arguments import (
    JsonOption,
    OutOption,
    SchemaOption,
    StrictOption,
    SurfaceOption,
    reported,
)
from acpgen.cli.output import terminal
from acpgen.common.display import display_path
from acpgen.common.exit_codes import FRESH, STALE

if TYPE_CHECKING:
    from acpgen.commands.freshness import Checked

EPILOG = "Example: `acpgen check` · Exit codes: 0 fresh, 1 stale, 2 error"
DIFF_LINES = 60


def check(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    strict_schema: StrictOption = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Generate and compare the files even if the lock file shows no changes.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check that the package matches the output of `acpgen generate`.

    Files are compared byte for byte. The lock file records the digests of the package's files and
    of all inputs: the vendored schema, the overlay, the templates, acpgen and its tools. If all
    digests match, the package is not generated again for the comparison.
    """
    with reported(as_json), terminal.progress("reading the lock", quiet=as_json) as on_step:
        from acpgen.commands import disk, freshness

        folder, names = disk.package_folder(out_dir), surface or []
        checked = freshness.check(folder, schema, names, on_step, full=full, strict=strict_schema)
    words = ["acpgen", "generate", *(["--schema", schema] if schema else [])]
    words += [word for name in names for word in ("--surface", name)]
    words += ["--out", str(out_dir)] if out_dir else []
    print_checked(folder, checked, shlex.join(words), as_json=as_json)
    raise typer.Exit(STALE if checked.differences else FRESH)


def print_checked(folder: Path, outcome: Checked, command: str, *, as_json: bool) -> None:
    """Print whether a package is fresh. If not, print the stale files and the start of each diff.

    `command` is the suggested command for updating the package.
    """
    stale = outcome.differences
    if as_json:
        listed = [{"path": file.path, "kind": file.kind} for file in stale]
        terminal.data({"fresh": not stale, "stale": listed, "notes": terminal.lines(outcome.notes)})
        return
    terminal.notes(outcome.notes)
    if not stale:
        terminal.line(f"{display_path(folder)} is fresh: all {outcome.count} files match")
        return
    for file in stale:
        diff = file.diff.splitlines()
        for text in diff[:DIFF_LINES]:
            terminal.line(text)
        if len(diff) > DIFF_LINES:
            terminal.line(f"... {len(diff) - DIFF_LINES} more lines for {file.path}")
    for file in stale:
        terminal.line(f"{file.kind}: {file.path}")
    terminal.line(f"{display_path(folder)} is stale; run `{command}`")
