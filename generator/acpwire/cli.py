"""The commands for messages between programs: bridge, serve, connect, wrap, trace and conform.

They import the generated package late: `acpgen` also offers its other commands without it.
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
from acpgen.common.problems import InputError, Problem

# What follows the first word that is no option belongs to the program that is started.
_STARTING = {"allow_interspersed_args": False}
_MEGABYTE = 1_000_000

app = typer.Typer()
_file = partial(typer.Option, parser=parse_path, metavar="FILE")
AgentArgument = Annotated[
    list[str],
    typer.Argument(metavar="COMMAND...", help="The program of the agent, and its arguments."),
]


@contextmanager
def reported(as_json: bool = False) -> Iterator[None]:
    """Report problems; name the extra to install if the generated package is missing."""
    with arguments.reported(as_json):
        try:
            yield
        except ImportError as error:
            if not (error.name or "").startswith("acp_bindings"):
                raise
            message = f"cannot be imported ({error}); pip install 'acp-bindings[wire]'"
            raise InputError([Problem("acp_bindings", "", "missing-package", message)]) from error


@app.command(
    cls=Command,
    context_settings=_STARTING,
    epilog=(
        "Examples: `acpgen bridge -- python agent.py` · `acpgen bridge --speak 1 --log acp.log"
        " -- my-agent --acp` · Exit codes: that of the agent; 128 and the number of the signal"
        " that has ended the agent or the bridge; 2 if the agent cannot be started"
    ),
)
def bridge(
    command: AgentArgument,
    speak: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION",
            help="The only protocol version, such as 1, for responses to the client. Default:"
            " the version that it requests.",
        ),
    ] = None,
    log: Annotated[
        Path | None, _file(help="Record both sides there, as `log_to` does; for `acpgen trace`.")
    ] = None,
) -> None:
    """Start an agent, and let a client of another protocol version talk with it.

    The client is the program that has started this one: it talks over standard input and output.
    Where both speak the same version, everything passes as it is. What one version cannot say in
    the other is logged on standard error, once for each kind; so is what the agent logs.
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
        " and the number of the signal that has ended the command, such as 130 after Ctrl-C; 2"
        " if the agent cannot be served"
    ),
)
def serve(
    command: AgentArgument,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", help="Where to listen; port 0 for any free one.")
    ] = "127.0.0.1:8080",
    path: Annotated[str, typer.Option(metavar="PATH", help="The path of the URL.")] = "/acp",
    token_file: Annotated[
        Path | None,
        _file(
            help="Read the token that clients need from FILE; if there is no such file, make a"
            " token and write it there, for its owner only. Default: the variable ACP_TOKEN of"
            " the environment, or else a new token, which is printed once on standard error."
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
        Path | None, _file(help="Serve over TLS, with the certificate in FILE (PEM) and its --key.")
    ] = None,
    key: Annotated[Path | None, _file(help="The key of the certificate (PEM).")] = None,
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


class Transport(str, Enum):
    """The transports of remote agents."""

    websocket = "websocket"
    http = "http"


@app.command(
    cls=Command,
    epilog=(
        "Examples: `acpgen connect http://127.0.0.1:8080/acp` · `acpgen connect --token-file"
        " FILE --header 'X-Team: @TEAM' https://example.org/acp` · Exit codes: 0 at the end of"
        " the input; 1 if the connection fails or is lost; 128 and the number of the signal that"
        " has ended the command; 2 if there is no connection"
    ),
)
def connect(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="The agent, such as https://example.org/acp, or with wss:."
        ),
    ],
    token_file: Annotated[
        Path | None,
        _file(
            help="Read the token that the agent needs from FILE. Default: the variable ACP_TOKEN"
            " of the environment, if it is set."
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
        _file(
            help="Trust the authorities whose certificates are in FILE (PEM) instead of the"
            " system's."
        ),
    ] = None,
) -> None:
    """Connect to a remote agent, for clients that start their agents.

    The client is the program that has started this one: it talks over standard input and output, as
    with an agent on this machine. The connection ends with the input.
    """
    with reported():
        from acpwire import connect as command
        from acpwire.credentials import parse_headers, read_token

        chosen: command.Transport | None = None if transport is None else transport.value
        headers = parse_headers(header or ())
        code = command.run(command.Remote(url, headers, read_token(token_file), chosen, ca))
    raise typer.Exit(code)


@app.command(
    cls=Command,
    context_settings=_STARTING,
    epilog=(
        "Examples: `acpgen wrap --log acp.log -- python agent.py` · in another terminal,"
        " `acpgen trace --follow acp.log` · Exit codes: that of the agent; if a signal has ended"
        " the agent, the same ends this command; 2 if the agent cannot be started"
    ),
)
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
        _file(
            help="Record the conversation there, as `log_to` does. What FILE has from before"
            " becomes FILE.1."
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
    with reported():
        from acpwire.wrap.forwarding import end_like, run

        status = run(command, log, max_size * _MEGABYTE, keep, quiet=quiet)
    raise typer.Exit(end_like(status))


@app.command(
    cls=Command,
    epilog=(
        "Examples: `acpgen trace acp.log` · `acpgen trace acp.log --json` · `acpgen trace"
        " --follow acp.log` · `acpgen trace - --surface v2_unstable < lines.jsonl` · Exit codes:"
        " 0 no problem, 1 problems, 2 error"
    ),
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
        " my-client --agent '{agent}' --prompt hello` · Exit codes: 0 it conforms, 1 it fails a"
        " requirement that the baseline does not have or passes one that it has, 2 error"
    ),
)
def conform(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...",
            help="The program, and its arguments; or the URL of a remote agent.",
        ),
    ],
    client: Annotated[
        bool,
        typer.Option(
            "--client",
            help="Judge a client. In its COMMAND, {agent} stands for the command of the agent that"
            " it is to start, as one word, and the argument {agent...} for the same as words.",
        ),
    ] = False,
    stdin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="A line that a person types to the client, such as a prompt; may be repeated.",
        ),
    ] = None,
    protocol: Annotated[
        int | None,
        typer.Option(
            metavar="VERSION",
            help="The protocol version to check, such as 2. Default: all versions that it speaks.",
        ),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="A prompt that makes the agent use a tool, best one that it asks permission for;"
            " may be repeated. Without one, what concerns tools is skipped.",
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, help="How long to wait for each message, and each turn."
        ),
    ] = 30.0,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Only this requirement, or those of this area; may be repeated."
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        _file(
            help="Requirements that are expected to fail, with reasons: TOML, a table for each"
            ' version (`[v1]`), and a line `id = "reason"` for each.'
        ),
    ] = None,
    as_json: JsonOption = False,
    junit: Annotated[Path | None, _file(help="Write JUnit XML there, too.")] = None,
) -> None:
    """Judge whether an agent, or a client, does what the specification demands.

    Starts the agent once for each of some small conversations, and plays the client. What the agent
    does not advertise is skipped. It is sent prompts such as "Say hello.", in an empty
    folder that goes afterwards: let it use a model that costs nothing. The sessions that it opened
    are deleted, if it advertises that.

    A client is judged by the agents that are played to it, one each time that it is started. It has
    to start the agent that it is told, and to send a prompt.
    """
    with reported(as_json), terminal.progress("talking with the program", quiet=as_json) as on_step:
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
            message = "is for clients; use --client, or --prompt for an agent"
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
