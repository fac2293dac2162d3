"""The command `acpgen connect`: a remote agent as a program."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli.arguments import parse_path, reported

EPILOG = (
    "Examples: `acpgen connect http://127.0.0.1:8080/acp` · `acpgen connect --token-file FILE"
    " --header 'X-Team: @TEAM' https://example.org/acp` · Exit codes: 0 at the end of the input;"
    " 1 if the connection fails or is lost; 128 and the number of the signal that has ended the"
    " command; 2 if there is no connection"
)


class Transport(str, Enum):
    """The transports of remote agents."""

    websocket = "websocket"
    http = "http"


def connect(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="The agent, such as https://example.org/acp, or with wss:."
        ),
    ],
    token_file: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Read the token that the agent needs from FILE. Default: the variable ACP_TOKEN"
            " of the environment, if it is set.",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: VALUE'",
            help="Send this header with each request. The value @VARIABLE is that of the"
            " environment; @./FILE, that of a file. Repeatable.",
        ),
    ] = None,
    transport: Annotated[
        Transport | None,
        typer.Option(
            metavar="TRANSPORT",
            help="Use only this one: websocket or http. Default: WebSocket, or HTTP if the agent"
            " has only that.",
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Trust the authorities whose certificates are in FILE (PEM) instead of the"
            " system's.",
        ),
    ] = None,
) -> None:
    """Connect to a remote agent, for clients that start their agents.

    The client is the program that has started this one: it talks over standard input and output, as
    with an agent on this machine. The connection ends with the input.
    """
    with reported(as_json=False):
        from acpwire import connect as command
        from acpwire.credentials import parse_headers, read_token

        chosen: command.Transport | None = None if transport is None else transport.value
        headers = parse_headers(header or ())
        code = command.run(command.Remote(url, headers, read_token(token_file), chosen, ca))
    raise typer.Exit(code)
