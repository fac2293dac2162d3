"""The command `acpgen port`, which migrates a program from the official SDK to this package."""

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
            help="The program's directory, or a single module. Virtual environments and hidden"
            " directories are skipped.",
        ),
    ],
    diff: Annotated[
        bool, typer.Option("--diff", help="Print the changes as a patch without writing files.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Migrate a program from the official Python SDK as far as possible.

    The command converts imports, names, the params of handlers and calls, tags, checks for absent
    fields, and functions that open connections. It adds a `TODO(acpgen port)` comment to code that
    needs a manual decision, and lists these comments. Resolve the comments and run the command
    again. Code that has already been converted is not changed again.
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
    # With --diff, standard output contains only the patch.
    for place in ported.left:
        terminal.line(f"{display_path(place.path)}:{place.line}: {place.text}", error=diff)
    for path in ported.handed:
        message = "not converted, but receives protocol values; check the attributes that it uses"
        terminal.line(f"{display_path(path)}: {message}", error=diff)
    files_text = f"{len(changes)} file{'' if len(changes) == 1 else 's'}"
    places = f"{len(ported.left)} manual decision{'' if len(ported.left) == 1 else 's'} left"
    would = "would be migrated" if diff else "migrated"
    terminal.line(f"{files_text} {would} to {ported.surface}; {places}", error=diff)
