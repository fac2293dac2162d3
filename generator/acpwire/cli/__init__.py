"""The commands about what passes between programs, which `acpgen` offers."""

from __future__ import annotations

import typer
from acpgen.cli.command_group import Command

from acpwire.cli import bridge, conform, connect, serve, trace, wrap

# What follows the first word that is no option belongs to the program that is started.
_STARTING = {"allow_interspersed_args": False}

app = typer.Typer()
app.command(cls=Command, epilog=bridge.EPILOG, context_settings=_STARTING)(bridge.bridge)
app.command(cls=Command, epilog=serve.EPILOG, context_settings=_STARTING)(serve.serve)
app.command(cls=Command, epilog=connect.EPILOG)(connect.connect)
app.command(cls=Command, epilog=wrap.EPILOG, context_settings=_STARTING)(wrap.wrap)
app.command(cls=Command, epilog=trace.EPILOG)(trace.trace)
app.command(cls=Command, epilog=conform.EPILOG, context_settings=_STARTING)(conform.conform)
