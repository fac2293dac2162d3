"""The `acpgen` command line. Each command is defined in the module of the same name."""

from __future__ import annotations

from typing import Annotated

import typer

from acpgen import __version__
from acpgen.cli import check, diff, extend, generate, inspect, new, sync, vendor
from acpgen.cli.command_group import PROGRAMS, Command, Commands

# `acpgen --help` must not load black or jsonschema. Therefore, each command imports its
# implementation only when it runs.

app = typer.Typer(
    name="acpgen",
    cls=Commands,
    help="Generate typed Python bindings for the Agent Client Protocol from its JSON Schema.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"acpgen {__version__}")
        raise typer.Exit()


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Generate typed Python bindings for the Agent Client Protocol from its JSON Schema.

    Exit codes: 0 success; 1 stale (`check`), changes (`diff`), problems (`trace`) or failures
    (`conform`); 2 error; 3 failing changes (`diff`).
    """


app.command(cls=Command, epilog=generate.EPILOG)(generate.generate)
app.command(cls=Command, epilog=check.EPILOG)(check.check)
app.command(cls=Command, epilog=inspect.EPILOG)(inspect.inspect)
app.command(cls=Command, epilog=sync.EPILOG)(sync.sync)
app.command(cls=Command, epilog=new.EPILOG)(new.new)
app.command(cls=Command, epilog=vendor.EPILOG)(vendor.vendor)
app.add_typer(extend.app, name="extend")
app.command(cls=Command, epilog=diff.EPILOG)(diff.diff)
for program in PROGRAMS:
    app.add_typer(program.load())
