"""The command `acpgen serve`: an agent for remote clients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from acpgen.cli.arguments import parse_path, reported
from acpgen.cli.output import terminal

if TYPE_CHECKING:
    from acpwire.serve import Address

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
    if path[:1] != "/":
        raise typer.BadParameter(f"{path!r} does not begin with a slash", param_hint="--path")
    if (certificate is None) != (key is None):
        message = "belong together; give both files"
        raise typer.BadParameter(message, param_hint="--certificate, --key")
    if no_token and token_file is not None:
        message = "contradict each other; give one of them"
        raise typer.BadParameter(message, param_hint="--token-file, --no-token")
    if anyone and not no_token:
        raise typer.BadParameter("is for --no-token; add that", param_hint="--anyone")
    with reported(as_json=False):
        from acpwire import serve as running
        from acpwire.credentials import token_to_serve
        from acpwire.process import report

        address = _parse_address(listen)
        if no_token and not anyone and not address.is_loopback:
            message = (
                f"serves other machines at {address.netloc}, but refuses them; leave it out, or"
                " add --anyone if a proxy admits users"
            )
            raise typer.BadParameter(message, param_hint="--no-token")
        token, place = (None, "") if no_token else token_to_serve(token_file)

        def on_ready(url: str) -> None:
            if token is not None:
                report("serve", f"token {place}")
            terminal.line(url)

        tls = None if certificate is None or key is None else (certificate, key)
        service = running.Service(
            command, address, path, token, anyone, origin or (), tls, max_connections
        )
        code = running.run(service, on_ready)
    raise typer.Exit(code)


def _parse_address(text: str) -> Address:
    from acpwire.serve import parse_address

    try:
        return parse_address(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--listen") from error
