"""The command `acpgen bridge`: a process between a client and an agent of different versions."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli.arguments import parse_path, reported, require_version

EPILOG = (
    "Examples: `acpgen bridge -- python agent.py` · `acpgen bridge --speak 1 --log acp.log --"
    " my-agent --acp` · Exit codes: that of the agent; 128 and the number of the signal that has"
    " ended the agent or the bridge; 2 if the agent cannot be started"
)


def bridge(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND...", help="The program of the agent, and its arguments."),
    ],
    speak: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION",
            help="The only protocol version, such as 1, for responses to the client. Default:"
            " the version that it requests.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Record both sides there, as `log_to` does; for `acpgen trace`.",
        ),
    ] = None,
) -> None:
    """Start an agent, and let a client of another protocol version talk with it.

    The client is the program that has started this one: it talks over standard input and output.
    Where both speak the same version, everything passes as it is. What one version cannot say in
    the other is logged on standard error, once for each kind; so is what the agent logs.
    """
    with (
        reported(as_json=False),
        nullcontext() if log is None else log.open("w", encoding="utf-8") as file,
    ):
        from acpwire.bridge import VERSIONS, run

        require_version(speak, VERSIONS, "--speak")
        versions = None if speak is None else (speak,)
        code = run(command, versions, file)
    raise typer.Exit(code)
