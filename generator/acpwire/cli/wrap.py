"""The command `acpgen wrap`: records and checks what passes between a client and an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli.arguments import parse_path, reported

EPILOG = (
    "Examples: `acpgen wrap --log acp.log -- python agent.py` · in another terminal, `acpgen trace"
    " --follow acp.log` · Exit codes: that of the agent; if a signal has ended the agent, the same"
    " ends this command; 2 if the agent cannot be started"
)
_MEGABYTE = 1_000_000


def wrap(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...",
            help="The program of the agent, and its arguments; or the URL of a remote agent.",
        ),
    ],
    log: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Record the conversation there, as `log_to` does. What FILE has from before"
            " becomes FILE.1.",
        ),
    ] = None,
    max_size: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="MEGABYTES",
            help="The size of FILE; when it is full, it becomes FILE.1, and so on.",
        ),
    ] = 50,
    keep: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="How many older files are kept.")
    ] = 4,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Only record problems, without printing them on standard error. Failures to record"
            " are still printed.",
        ),
    ] = False,
) -> None:
    """Start an agent, and record and check what passes between it and its client.

    The client is the program that has started this one, in place of the agent. Everything passes
    unchanged and at once, in both directions, valid or not; so do the end of the input, signals and
    the exit code, and what the agent writes on standard error. What violates the schema or the
    protocol is in the recording and on standard error, there only the first of each kind.

    All processes that the agent started are stopped when the input or the agent ends, on SIGTERM
    and on SIGHUP.
    """
    with reported(as_json=False):
        from acpwire.wrap.passing import end_like, run

        status = run(command, log, max_size * _MEGABYTE, keep, quiet=quiet)
    raise typer.Exit(end_like(status))
