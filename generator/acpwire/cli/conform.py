"""The command `acpgen conform`: whether a program does what the specification demands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from acpgen.cli.arguments import JsonOption, parse_path, reported, require_version
from acpgen.cli.output import terminal
from acpgen.common.exit_codes import FINE, PROBLEMS

EPILOG = (
    "Examples: `acpgen conform -- python agent.py` · `acpgen conform --protocol 2 --prompt 'run"
    " the tests' --junit report.xml -- my-agent --acp` · `acpgen conform --client -- my-client"
    " --agent '{agent}' --prompt hello` · Exit codes: 0 it conforms, 1 it fails a"
    " requirement that the baseline does not have or passes one that it has, 2 error"
)
CONFORMS, FAILS = FINE, PROBLEMS
TIMEOUT = 30.0


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
    ] = TIMEOUT,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Only this requirement, or those of this area; may be repeated."
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path,
            metavar="FILE",
            help="Requirements that are expected to fail, with reasons: TOML, a table for each"
            ' version (`[v1]`), and a line `id = "reason"` for each.',
        ),
    ] = None,
    as_json: JsonOption = False,
    junit: Annotated[
        Path | None,
        typer.Option(parser=parse_path, metavar="FILE", help="Write JUnit XML there, too."),
    ] = None,
) -> None:
    """Judge whether an agent, or a client, does what the specification demands.

    Starts the agent once for each of some small conversations, and plays the client. What the agent
    does not advertise is skipped. It is sent prompts such as "Say hello.", in an empty
    folder that goes afterwards: let it use a model that costs nothing. The sessions that it opened
    are deleted, if it advertises that.

    A client is judged by the agents that are played to it, one each time that it is started. It has
    to start the agent that it is told, and to send a prompt.
    """
    with (
        reported(as_json),
        terminal.progress("talking with the program", quiet=as_json) as on_step,
    ):
        from acpgen.common.problems import InputError, Problem

        from acpwire.conform import running as running
        from acpwire.conform.agent import AGENT
        from acpwire.conform.client import CLIENT
        from acpwire.conform.judging import Task
        from acpwire.conform.junit import as_junit
        from acpwire.trace.surfaces import VERSIONS

        require_version(protocol, VERSIONS, "--protocol")
        played: list[str] = []

        def on_probe(name: str, count: int) -> None:
            played.append(name)
            on_step(name.replace("_", " "), len(played), count)

        task = Task(tuple(command), timeout, tuple(prompt or ()), tuple(only or ()))
        if client:
            task = running.task_of_client(task, tuple(stdin or ()))
        elif stdin:
            message = "is for clients; use --client, or --prompt for an agent"
            raise InputError([Problem("--stdin", "", "usage", message)])
        versions = VERSIONS if protocol is None else (protocol,)
        side = CLIENT if client else AGENT
        report = running.conform(task, versions, baseline, side, on_probe)
        if junit is not None:
            junit.write_text(as_junit(report), "utf-8")
    if as_json:
        terminal.data(running.as_json(report))
    else:
        from acpwire.cli.output import verdicts

        verdicts.show(report)
    raise typer.Exit(CONFORMS if report.conforms else FAILS)
