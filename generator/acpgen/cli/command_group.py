"""Groups of commands: the group of all commands, and groups with a default."""

from __future__ import annotations

from typing import Any

import typer
import typer.core

from acpgen.cli import interruption
from acpgen.cli.arguments import ERROR
from acpgen.cli.output import terminal
from acpgen.common.problems import Problem

_AS_JSON = "acpgen.json"
_UsageError: Any = typer.BadParameter.__base__  # typer exports only this one of its kinds


class GroupWithDefault(typer.core.TyperGroup):
    """A group that runs its first command if none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with the name of the first command before them if it lacks."""
        is_named = not args or args[0] in (*self.commands, "--help")
        default = next(iter(self.commands))
        return super().parse_args(ctx, args if is_named else [default, *args])


class Commands(typer.core.TyperGroup):
    """Ends a command with one line at Ctrl-C, and reports mistakes in its arguments as JSON."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and remember whether JSON is asked for."""
        ctx.meta[_AS_JSON] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Parse the rest and call the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            interruption.end()
        except _UsageError as error:
            if not ctx.meta[_AS_JSON]:
                raise
            where = (error.ctx or ctx).command_path
            problem = Problem(where, "", "usage", error.format_message())
            terminal.data({"problems": [problem.as_json()]})
            raise typer.Exit(ERROR) from None
