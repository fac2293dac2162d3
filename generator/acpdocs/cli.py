"""The command `acpgen docs`: build the documentation site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli.arguments import parse_path, reported
from acpgen.cli.command_group import Command
from acpgen.cli.output import terminal
from acpgen.common.exit_codes import ERROR

app = typer.Typer()


@app.command(cls=Command, epilog="Example: `acpgen docs .venv/docs`")
def docs(
    folder: Annotated[
        Path, typer.Argument(parser=parse_path, metavar="FOLDER", help="The folder to write to.")
    ],
) -> None:
    """Build the documentation site.

    The site's sources are written to FOLDER, and the site is built in its subfolder `site`.
    """
    with reported(as_json=False), terminal.progress("writing the pages", quiet=False):
        from acpgen.analysis.surface import understand

        from acpdocs.pages.guides import sample_extension
        from acpdocs.site import write_site_sources
        from acpdocs.zensical.building import BuildError, build_site

        surfaces, _ = understand(None, [])
        pages = write_site_sources(surfaces, folder, sample=sample_extension())
        try:
            site = build_site(folder, [surface.name for surface in surfaces])
        except BuildError as error:
            typer.echo(error, err=True)
            raise typer.Exit(ERROR) from None
    terminal.line(f"{site / 'index.html'}: {len(pages)} pages about {len(surfaces)} surfaces")
