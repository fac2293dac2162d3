"""The command `acpgen sync`: vendor a schema into the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli import completion
from acpgen.cli.arguments import JsonOption, SurfaceOption, reported
from acpgen.cli.output import terminal
from acpgen.common import paths
from acpgen.common.display import display_path

EPILOG = "Examples: `acpgen sync npm:@agentclientprotocol/sdk@2.4.0` · `acpgen sync ../schema`"


def sync(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            autocompletion=completion.complete_source,
            help="The schema: npm:PACKAGE@VERSION, an http(s) URL, a folder or file, or a git"
            " revision of this project.",
        ),
    ],
    surface: SurfaceOption = None,
    changelog: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Record the schema changes in FILE under Unreleased."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Vendor a schema into the checkout and record its source.

    Descriptions are removed from the schema.
    """
    with reported(as_json), terminal.progress(f"reading {source}", quiet=as_json):
        from acpgen.commands import schema_vendoring

        result = schema_vendoring.sync(source, surface or [], changelog)
    if as_json:
        listed = {"files": result.files, "written": result.written, "removed": result.removed}
        terminal.data({**listed, "notes": terminal.lines(result.undecided)})
        return
    terminal.notes(result.undecided)
    for path in result.removed:
        terminal.line(f"removed: {path}")
    counts = f"{len(result.written)} of {len(result.files)} files changed"
    terminal.line(f"{display_path(paths.SCHEMA)}: {counts}")
    terminal.line("next: `acpgen generate`")
