"""The command `acpgen serve`: an agent for remote clients."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.arguments import parse_path, reported
from acpgen.cli.output import terminal

EPILOG = (
    "Examples: `acpgen serve -- python agent.py` · `acpgen serve --listen 0.0.0.0:8443 --token-file"
    " FILE --certificate FILE --key FILE -- my-agent --acp` · Exit codes: 128 and the number of the"
    " signal that has ended the command, such as 130 after Ctrl-C; 2 if the agent cannot be served"
)


def serve(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND...", help="The program of the agent, and its arguments."),
    ],
    listen: Annotated[
        str,
        typer.Option(metavar="ADDRESS:PORT", help="Where to listen; port 0 for any free one."),
    ] = "127.0.0.1:8080",
    path: Annotated[str, typer.Option(metavar="PATH", help="The path of the URL.")] = "/acp",
    token_file: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Read the token that clients need from FILE; if there is no such file, make a"
            " token and write it there, for its owner only. Default: the variable ACP_TOKEN of"
            " the environment, or else a new token, which is printed once on standard error.",
        ),
    ] = None,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token", help="Serve all programs of this machine, whoever runs them, but no page."
        ),
    ] = False,
    anyone: Annotated[
        bool,
        typer.Option(
            "--anyone",
            help="With --no-token, serve everyone who reaches the address, such as the clients"
            " that a proxy lets through.",
        ),
    ] = False,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Let the pages of this origin connect, such as https://example.org. Repeatable."
            " Default: none.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Serve over TLS, with the certificate in FILE (PEM) and its --key.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(parser=parse_path, metavar="FILE", help="The key of the certificate (PEM)."),
    ] = None,
    max_connections: Annotated[
        int,
        typer.Option(
            min=1, metavar="NUMBER", help="Refuse more connections at a time; each has a process."
        ),
    ] = 100,
) -> None:
    """Serve an agent to remote clients, over WebSocket and HTTP.

    Starts the agent for each connection, and ends it, with all processes that it has started, when
    the connection ends. What the agents write on standard error is passed on, after the number of
    the connection. Prints the URL on standard output.

    Experimental: the protocol's proposal of these transports is not stable.
    """
    with reported(as_json=False):
        from acpgen.commands.wire import serve as command_
        from acpgen.commands.wire.process import report

        address = _address(listen)
        ...
    raise typer.Exit(code)
