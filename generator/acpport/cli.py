"""The command `acpgen port`: a program moves from the official SDK to the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli.arguments import JsonOption, parse_path, reported
from acpgen.cli.command_group import Command
from acpgen.cli.output import terminal
from acpgen.common.display import display_path

app = typer.Typer()


@app.command(cls=Command, epilog="Examples: `acpgen port src --diff` · `acpgen port src`")
def port(
    folder: Annotated[
        Path,
        typer.Argument(
            parser=parse_path,
            metavar="FOLDER",
            help="The program, or one module. Environments and hidden folders in it are left out.",
        ),
    ],
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what would change, and write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Move a program from the official SDK for Python to this package: the mechanical part.

    That is imports, names, the params of handlers and calls, tags, None where a member is left out,
    and the functions that connect. What has to be decided gets a comment, `TODO(acpgen port)`, and
    is listed. Run it again after you have settled these: what is done stays as it is.
    """
    with reported(as_json), terminal.progress(f"reading {folder}", quiet=as_json):
        from acpport import port as command

        ported = command.port(folder)
        if not diff:
            ported.write()
    changes = [(moved, *moved.counts()) for moved in ported.moved]
    if as_json:
        files = [
            {"file": str(moved.path), "added": added, "removed": removed}
            for moved, added, removed in changes
        ]
        left = [{"file": str(p.path), "line": p.line, "text": p.text} for p in ported.left]
        handed = [str(path) for path in ported.handed]
        terminal.data({"surface": ported.surface, "moved": files, "left": left, "handed": handed})
        return
    for moved, added, removed in changes:
        if diff:
            typer.echo(moved.diff(), nl=False)
        else:
            terminal.line(f"{display_path(moved.path)}: +{added} -{removed} lines")
    # With --diff, the output is a patch.
    for place in ported.left:
        terminal.line(f"{display_path(place.path)}:{place.line}: {place.text}", error=diff)
    for path in ported.handed:
        message = "does not import the SDK, but receives protocol values; check its attributes"
        terminal.line(f"{display_path(path)}: {message}", error=diff)
    files_text = f"{len(changes)} file{'' if len(changes) == 1 else 's'}"
    places = f"{len(ported.left)} place{'' if len(ported.left) == 1 else 's'} left to decide"
    would = "would change" if diff else "changed"
    terminal.line(f"{files_text} {would}, to {ported.surface}; {places}", error=diff)
