"""The command `acpgen new`: create an agent or a client from a template."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.arguments import JsonOption, parse_path, reported
from acpgen.cli.output import terminal
from acpgen.common.display import display_path

EPILOG = "Examples: `acpgen new agent my-agent` · `acpgen new client my-client`"


class Kind(str, Enum):
    """The kinds of programs that can be created."""

    agent = "agent"
    client = "client"


def new(
    kind: Annotated[Kind, typer.Argument(metavar="agent|client", help="The kind of program.")],
    folder: Annotated[
        Path,
        typer.Argument(
            parser=parse_path,
            metavar="FOLDER",
            help="The folder to create; an existing folder must be empty. The folder's name becomes"
            " the name of the program.",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Create an agent or a client, with tests and a README.

    The program supports protocols 1 and 2. An agent implements sessions and a tool that asks the
    user for permission. A client runs in the terminal.
    """
    with reported(as_json):
        from acpgen.commands import new_program

        written = new_program.new(kind.value, folder)
    if as_json:
        terminal.data({"written": [str(path) for path in written]})
        return
    for path in written:
        terminal.line(display_path(path))
    terminal.line(f"next: read {display_path(folder / 'README.md')}")
