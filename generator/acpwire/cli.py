"""The commands that handle messages: bridge, serve, connect, wrap, trace and conform.

The commands import the generated package only when they run, so that `acpgen` can offer its other
commands even if the package is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli import arguments
from acpgen.cli.arguments import (
    JsonOption,
    parse_path,
    parse_surface,
    require_version,
)
from acpgen.cli.command_group import Command
from acpgen.cli.output import terminal
from acpgen.common.exit_codes import FINE, PROBLEMS
from acpgen.common.extras import install_command
from acpgen.common.problems import InputError, Problem

# The first argument that isn't an option, and all arguments after it, belong to the command to
# start.
_STARTING = {"allow_interspersed_args": False}
_MEGABYTE = 1_000_000

app = typer.Typer()
_file = partial(typer.Option, parser=parse_path, metavar="FILE")
AgentArgument = Annotated[
    list[str],
    typer.Argument(metavar="COMMAND...", help="The agent program and its arguments."),
]


@contextmanager
def reported(as_json: bool = False) -> Iterator[None]:
    """Report problems, and name the extra to install if the generated package is missing."""
    with arguments.reported(as_json):
        try:
            yield
        except ImportError as error:
            if not (error.name or "").startswith("acp_bindings"):
                raise
            message = f"cannot be imported ({error}); run {install_command('wire')}"
            raise InputError([Problem("acp_bindings", "", "missing-package", message)]) from error


@app.command(
    cls=Command,
    context_settings=_STARTING,
    epilog=(
        "Examples: `acpgen bridge -- python agent.py` · `acpgen bridge --speak 1 --log acp.log"
        " -- my-agent --acp` · Exit codes: the agent's exit code; 128 plus the signal number if a"
        " signal terminates the agent or the bridge; 2 if the agent cannot be started"
    ),
)
def bridge(
    command: AgentArgument,
    speak: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION",
            help="Protocol version to use with the client, such as 1. Default: the version that"
            " the client requests.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        _file(
            help="Record the messages of both sides to FILE, in the format of `log_to`, for"
            " `acpgen trace`."
        ),
    ] = None,
) -> None:
    """Start an agent and convert its messages for a client that uses another protocol version.

    The client is the program that starts this command and communicates with it over standard input
    and output. If both sides use the same version, messages are forwarded unchanged. Values that
    cannot be converted are logged to standard error, once for each kind of loss. The agent's
    standard error is forwarded to the standard error of this command.
    """
    with reported(), nullcontext() if log is None else log.open("w", encoding="utf-8") as file:
        from acpwire.bridge import VERSIONS, run

        require_version(speak, VERSIONS, "--speak")
        versions = None if speak is None else (speak,)
        code = run(command, versions, file)
    raise typer.Exit(code)


@app.command(
    cls=Command,
    context_settings=_STARTING,
    epilog=(
        "Examples: `acpgen serve -- python agent.py` · `acpgen serve --listen 0.0.0.0:8443"
        " --token-file FILE --certificate FILE --key FILE -- my-agent --acp` · Exit codes: 128"
        " plus the signal number when a signal stops the server, such as 130 after Ctrl-C; 2 if"
        " the server cannot be started"
    ),
)
def serve(
    command: AgentArgument,
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS:PORT", help="Address to listen on. Port 0 selects a free port."
        ),
    ] = "127.0.0.1:8080",
    path: Annotated[
        str, typer.Option(metavar="PATH", help="Path of the URL at which the agent is served.")
    ] = "/acp",
    token_file: Annotated[
        Path | None,
        _file(
            help="Read the token from FILE. Clients must send this token. If FILE does not exist,"
            " create it with a new token and make it readable only by its owner. Default: the value"
            " of the environment variable ACP_TOKEN, or else a new token, which is printed once to"
            " standard error."
        ),
    ] = None,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token",
            help="Accept clients on this machine without a token, regardless of which user runs"
            " them. Web pages are not accepted.",
        ),
    ] = False,
    anyone: Annotated[
        bool,
        typer.Option(
            "--anyone",
            help="With --no-token, accept every client that can reach the address. Use this if a"
            " proxy authenticates the clients.",
        ),
    ] = False,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Allow connections from web pages with this origin, such as https://example.org."
            " Repeatable. Default: no web pages.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        _file(help="Serve over TLS with the certificate in FILE (PEM). Requires --key."),
    ] = None,
    key: Annotated[Path | None, _file(help="Private key of the certificate (PEM).")] = None,
    max_connections: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Maximum number of simultaneous connections. Each connection has its own agent"
            " process.",
        ),
    ] = 100,
) -> None:
    """Serve an agent to remote clients over WebSocket and HTTP.

    An agent process is started for each connection. When the connection closes, the agent and all
    processes that it started are terminated. The agents' standard error is forwarded, prefixed with
    the connection number. The URL is printed on standard output.

    Experimental: ACP's proposal for these transports is not stable yet.
    """
    if path[:1] != "/":
        raise typer.BadParameter(f"{path!r} does not begin with a slash", param_hint="--path")
    if (certificate is None) != (key is None):
        message = "must be used together; pass both files"
        raise typer.BadParameter(message, param_hint="--certificate, --key")
    if no_token and token_file is not None:
        message = "are mutually exclusive; pass only one of them"
        raise typer.BadParameter(message, param_hint="--token-file, --no-token")
    if anyone and not no_token:
        raise typer.BadParameter("requires --no-token; add --no-token", param_hint="--anyone")
    with reported():
        from acpwire import serve as running
        from acpwire.credentials import token_to_serve
        from acpwire.processes import report

        try:
            address = running.parse_address(listen)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--listen") from error
        if no_token and not anyone and not address.is_loopback:
            message = (
                f"rejects clients on other machines, but they can reach {address.netloc}; remove"
                " --no-token, or add --anyone if a proxy authenticates users"
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


class Transport(str, Enum):
    """The transports for remote agents."""

    websocket = "websocket"
    http = "http"


@app.command(
    cls=Command,
    epilog=(
        "Examples: `acpgen connect http://127.0.0.1:8080/acp` · `acpgen connect --token-file"
        " FILE --header 'X-Team: @TEAM' https://example.org/acp` · Exit codes: 0 at the end of"
        " the input; 1 if the connection fails or is lost; 128 plus the signal number if a signal"
        " terminates the command; 2 if no connection can be opened"
    ),
)
def connect(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="The agent's URL, such as https://example.org/acp or wss://…."
        ),
    ],
    token_file: Annotated[
        Path | None,
        _file(
            help="Read the token for the server from FILE. Default: the value of the environment"
            " variable ACP_TOKEN, if it is set."
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: VALUE'",
            help="Send this header with each request. Use @VARIABLE to read the value from the"
            " environment or @./FILE to read it from a file. Repeatable.",
        ),
    ] = None,
    transport: Annotated[
        Transport | None,
        typer.Option(
            metavar="TRANSPORT",
            help="Transport to use: websocket or http. Default: websocket, or http if the server"
            " does not support WebSocket.",
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        _file(
            help="Trust the certificate authorities in FILE (PEM) instead of the system's"
            " authorities."
        ),
    ] = None,
    reconnect: Annotated[
        bool,
        typer.Option(
            "--reconnect",
            help="If the connection is lost, connect again and restore the open sessions. Requests"
            " without a response fail, and running turns end.",
        ),
    ] = False,
) -> None:
    """Connect a client to a remote agent even if the client can only start local agents.

    The client is the program that starts this command and communicates with it over standard input
    and output, as with a local agent. The connection is closed at the end of the input.
    """
    with reported():
        from acpwire import connect as command
        from acpwire.credentials import parse_headers, read_token

        chosen: command.Transport | None = None if transport is None else transport.value
        headers = parse_headers(header or ())
        token = read_token(token_file)
        code = command.run(command.Remote(url, headers, token, chosen, ca, reconnect))
    raise typer.Exit(code)


@app.command(
    cls=Command,
    context_settings=_STARTING,
    epilog=(
        "Examples: `acpgen wrap --log acp.log -- python agent.py` · in another terminal,"
        " `acpgen trace --follow acp.log` · Exit codes: the agent's exit code; 2 if the agent"
        " cannot be started. If a signal terminates the agent, the same signal terminates this"
        " command"
    ),
)
def wrap(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...",
            help="The agent program and its arguments, or the URL of a remote agent.",
        ),
    ],
    log: Annotated[
        Path | None,
        _file(
            help="Record the messages to FILE, in the format of `log_to`. An existing FILE is"
            " renamed to FILE.1."
        ),
    ] = None,
    max_size: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="MEGABYTES",
            help="Maximum size of FILE. When FILE is full, it is renamed to FILE.1, FILE.1 to"
            " FILE.2, and so on.",
        ),
    ] = 50,
    keep: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Number of renamed files to keep.")
    ] = 4,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Record problems without printing them to standard error. If recording fails, the"
            " error is still printed.",
        ),
    ] = False,
) -> None:
    """Record and check the messages that an agent exchanges with its client.

    The client is the program that starts this command instead of the agent. All input and output
    is forwarded immediately and unchanged, even if it isn't valid. The end of the input, signals,
    the exit code and the agent's standard error are forwarded as well. Violations of the schema or
    the protocol are recorded. The first violation of each kind is also printed to standard error.

    All processes that the agent started are terminated when the input ends, when the agent exits,
    or when this command receives SIGTERM or SIGHUP.
    """
    with reported():
        from acpwire.wrap.forwarding import end_like, run

        status = run(command, log, max_size * _MEGABYTE, keep, quiet=quiet)
    raise typer.Exit(end_like(status))


@app.command(
    cls=Command,
    epilog=(
        "Examples: `acpgen trace acp.log` · `acpgen trace acp.log --json` · `acpgen trace"
        " --follow acp.log` · `acpgen trace - --surface v2_unstable < lines.jsonl` · Exit codes:"
        " 0 no problems, 1 problems, 2 error"
    ),
)
def trace(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A recording written by `acpgen wrap` or `log_to`, or a file of JSON-RPC messages,"
            " one per line. Use - for standard input.",
        ),
    ],
    surface: Annotated[
        str | None,
        typer.Option(
            parser=parse_surface,
            metavar="SURFACE",
            help="Surface to check against. Default: the stable surface of the negotiated protocol"
            " version, or its unstable surface for messages that only the unstable surface"
            " defines.",
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            "-f",
            help="Show messages as they are recorded until the connection closes or you press"
            " Ctrl-C. FILE does not need to exist yet.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the messages in a recording and their protocol violations.

    With `--follow`, `--json` prints one line of JSON for each message.
    """
    with reported(as_json):
        from acpwire.trace import following, printing

        stdin = typer.get_binary_stream("stdin")
        if not follow:
            with stdin if file == "-" else parse_path(file).open("rb") as source:
                recorded = following.trace(source, file, surface)
            counts = following.counts(recorded)
        else:
            growing = stdin if file == "-" else parse_path(file)
            followed = following.Following(surface)
            counts = followed.counts
            if not as_json:
                printing.show_live(followed, growing)
            else:
                with suppress(KeyboardInterrupt):
                    for entry in followed.entries(growing):
                        terminal.json_line(following.entry_as_json(entry))
    if not follow and as_json:
        terminal.data(following.as_json(recorded))
    elif not follow:
        printing.show(recorded)
    raise typer.Exit(PROBLEMS if counts["problems"] else FINE)


@app.command(
    cls=Command,
    context_settings=_STARTING,
    epilog=(
        "Examples: `acpgen conform -- python agent.py` · `acpgen conform --protocol 2 --prompt"
        " 'run the tests' --junit report.xml -- my-agent --acp` · `acpgen conform --client --"
        " my-client --agent '{agent}' --prompt hello` · Exit codes: 0 the program conforms; 1 it"
        " fails a requirement that is not in the baseline, or passes a requirement that is in the"
        " baseline; 2 error"
    ),
)
def conform(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...",
            help="The program to check and its arguments, or the URL of a remote agent.",
        ),
    ],
    client: Annotated[
        bool,
        typer.Option(
            "--client",
            help="Check a client. In COMMAND, {agent} is replaced by the command that starts the"
            " simulated agent, quoted as a single word. The argument {agent...} is replaced by the"
            " same command, split into separate arguments.",
        ),
    ] = False,
    stdin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Line to write to the client's standard input, such as a prompt. Repeatable.",
        ),
    ] = None,
    protocol: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION",
            help="Protocol version to check, such as 2. Default: all versions that the program"
            " supports.",
        ),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Prompt that makes the agent use a tool, preferably a tool that requires"
            " permission. Without such a prompt, requirements for tools are skipped. Repeatable.",
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, help="Time limit for each message and for each turn."
        ),
    ] = 30.0,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Check only the requirement with this id, or all requirements in this area."
            " Repeatable.",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        _file(
            help="Read the expected failures from FILE, a TOML file with a table for each protocol"
            ' version (`[v1]`) and lines such as `id = "reason"`.'
        ),
    ] = None,
    as_json: JsonOption = False,
    junit: Annotated[Path | None, _file(help="Write a JUnit report to FILE.")] = None,
) -> None:
    """Check whether an agent or a client meets the protocol's requirements.

    The check consists of several small tests. For each test, acpgen starts the agent and acts as
    its client. The agent receives prompts such as "Say hello." in an empty temporary directory. To
    avoid costs, configure the agent to use a free model. Requirements for unadvertised capabilities
    are skipped. Sessions that the tests open are deleted if the agent advertises `session/delete`.

    With --client, acpgen starts the client for each test and acts as its agent. The client must
    start the agent specified in its command and send a prompt.
    """
    with reported(as_json), terminal.progress("checking the program", quiet=as_json) as on_step:
        from acpwire.conform import printing
        from acpwire.conform import report as reports
        from acpwire.conform.judging import conform as judge
        from acpwire.conform.player import Player, Task
        from acpwire.conform.probes_of_agents import PlayedClient
        from acpwire.conform.probes_of_clients import PlayedAgent
        from acpwire.conform.probes_of_clients.started_client import task_of_client
        from acpwire.surfaces import VERSIONS

        require_version(protocol, VERSIONS, "--protocol")
        played: list[str] = []

        def on_probe(name: str, count: int) -> None:
            played.append(name)
            on_step(name.replace("_", " "), len(played), count)

        task = Task(tuple(command), timeout, tuple(prompt or ()), tuple(only or ()))
        if client:
            task = task_of_client(task, tuple(stdin or ()))
        elif stdin:
            message = "requires --client; add --client, or use --prompt for an agent"
            raise InputError([Problem("--stdin", "", "usage", message)])
        versions = VERSIONS if protocol is None else (protocol,)
        player: type[Player] = PlayedAgent if client else PlayedClient
        report = judge(player, task, versions, baseline, on_probe)
        if junit is not None:
            junit.write_text(reports.as_junit(report), "utf-8")
    if as_json:
        terminal.data(reports.as_json(report))
    else:
        printing.show(report)
    raise typer.Exit(FINE if report.conforms else PROBLEMS)
