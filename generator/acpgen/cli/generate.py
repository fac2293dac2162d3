"""The command `acpgen generate`: generate the package."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.arguments import (
    JsonOption,
    OutOption,
    SchemaOption,
    StrictOption,
    SurfaceOption,
    reported,
)
from acpgen.cli.output import tables, terminal
from acpgen.commands.lock_file import LOCK
from acpgen.common.display import display_path

EPILOG = (
    "Examples: `acpgen generate` · `acpgen generate --surface v2` ·"
    " `acpgen generate --schema schema.json --surface v1 --out myproject/acp`"
)


def generate(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    strict_schema: StrictOption = False,
    skeleton: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write missing overlay entries to FILE as comments to fill in, and list only the"
            " first problems of each kind.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Generate the package."""
    with (
        reported(as_json, skeleton),
        terminal.progress("reading the schema", quiet=as_json) as on_step,
    ):
        from acpgen.commands import disk, generation

        folder = disk.package_folder(out_dir)
        package = generation.generate_from(
            schema,
            surface or [],
            on_step,
            check=lambda surfaces: generation.check_destination(folder, surfaces),
            strict=strict_schema,
        )
        written = generation.write_package(folder, package, whole=not surface)
    rows = [
        {"surface": result.surface, **result.counts, "seconds": round(result.seconds, 1)}
        for result in package.results
    ]
    if as_json:
        report = {"out": str(folder), "surfaces": rows, "written": written}
        terminal.data({**report, "notes": terminal.lines(package.notes)})
        return
    terminal.notes(package.notes)
    tables.table(rows)
    print_written(folder, written, package.files)


def print_written(folder: Path, touched: Iterable[str], files: Collection[str]) -> None:
    """Print how many of a package's files changed or were removed.

    Args:
        touched: the paths written or removed.
        files: the paths of the package's files, except the lock file.
    """
    touched = set(touched)
    changed = {path for path in touched if path in files or path == LOCK}
    removed = f", {len(touched - changed)} removed" if touched - changed else ""
    terminal.line(
        f"{display_path(folder)}: {len(changed)} of {len(files) + 1} files changed{removed}"
    )
