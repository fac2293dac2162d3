"""The commands `acpgen generate` and `acpgen check`."""

from __future__ import annotations

import shlex
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
from acpgen.cli.output import packages, tables, terminal
from acpgen.common.exit_codes import FRESH, STALE

GENERATE_EPILOG = (
    "Examples: `acpgen generate` · `acpgen generate --surface v2` ·"
    " `acpgen generate --schema schema.json --surface v1 --out myproject/acp`"
)
CHECK_EPILOG = "Example: `acpgen check` · Exit codes: 0 fresh, 1 stale, 2 error"


def generate(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    strict_schema: StrictOption = False,
    skeleton: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the entries that the overlay lacks to FILE, as comments to fill in, and"
            " list only the first problems of each kind.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Generate the package."""
    with (
        reported(as_json, skeleton),
        terminal.progress("reading the schema", quiet=as_json) as on_step,
    ):
        from acpgen.commands import disk
        from acpgen.commands import generate as command

        folder = disk.package_folder(out_dir)
        package = command.generate_from(
            schema,
            surface or [],
            on_step,
            check=lambda surfaces: command.check_destination(folder, surfaces),
            strict=strict_schema,
        )
        written = command.write_package(folder, package, whole=not surface)
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
    packages.written(folder, written, package.files)


def check(
    schema: SchemaOption = None,
    out_dir: OutOption = None,
    surface: SurfaceOption = None,
    strict_schema: StrictOption = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Generate for the comparison even if the lock file proves it fresh."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check that the package is what would be generated now, byte for byte.

    The lock file records the digests of the package's files and of all that they follow from: the
    vendored schema, the overlay, the templates, acpgen and its tools. If these are as recorded,
    nothing has to be generated for the comparison.
    """
    with reported(as_json), terminal.progress("reading the lock", quiet=as_json) as on_step:
        from acpgen.commands import check as command
        from acpgen.commands import disk

        folder, names = disk.package_folder(out_dir), surface or []
        checked = command.check(folder, schema, names, on_step, full=full, strict=strict_schema)
    words = ["acpgen", "generate", *(["--schema", schema] if schema else [])]
    words += [word for name in names for word in ("--surface", name)]
    words += ["--out", str(out_dir)] if out_dir else []
    packages.checked(folder, checked, shlex.join(words), as_json=as_json)
    raise typer.Exit(STALE if checked.differences else FRESH)
