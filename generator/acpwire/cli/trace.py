"""The command `acpgen trace`: shows a recorded conversation, or one that is being recorded."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer
from acpgen.cli.arguments import JsonOption, parse_path, parse_surface, reported
from acpgen.cli.output import terminal
from acpgen.common.exit_codes import FINE, PROBLEMS

EPILOG = (
    "Examples: `acpgen trace acp.log` · `acpgen trace acp.log --json` · `acpgen trace --follow"
    " acp.log` · `acpgen trace - --surface v2_unstable < lines.jsonl` · Exit codes: 0 no problem, 1"
    " problems, 2 error"
)


def trace(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="What `acpgen wrap` or `log_to` wrote, or JSON-RPC messages, one a line; - for"
            " standard input.",
        ),
    ],
    surface: Annotated[
        str | None,
        typer.Option(
            parser=parse_surface,
            metavar="SURFACE",
            help="The surface to check against. Default: the stable one of the protocol version"
            " that `initialize` agrees on; what only the unstable one has is checked against that.",
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            "-f",
            help="Show messages as they are recorded, until the conversation ends or Ctrl-C is"
            " pressed. FILE need not exist yet.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a conversation between client and agent, and what in it violates the protocol.

    With `--follow`, `--json` prints a line for each message.
    """
    from acpwire.trace import following as command

    if follow:
        with reported(as_json):
            problems = _follow(file, surface, as_json=as_json)
        raise typer.Exit(PROBLEMS if problems else FINE)
    with reported(as_json):
        source = typer.get_binary_stream("stdin") if file == "-" else parse_path(file).open("rb")
        with source as opened:
            recorded = command.trace(opened, file, surface)
    if as_json:
        terminal.data(command.as_json(recorded))
    else:
        from acpwire.cli.output import conversation

        conversation.show(recorded)
    raise typer.Exit(PROBLEMS if command.counts(recorded)["problems"] else FINE)


def _follow(file: str, surface: str | None, *, as_json: bool) -> int:
    """Show messages as they come; return how many problems there are."""
    from acpwire.trace import following as command

    source = typer.get_binary_stream("stdin") if file == "-" else parse_path(file)
    following = command.Following(surface)
    if as_json:
        with suppress(KeyboardInterrupt):
            for entry in following.entries(source):
                terminal.json_line(command.entry_as_json(entry))
    else:
        from acpwire.cli.output import conversation

        conversation.show_live(following, source)
    return following.counts["problems"]
