"""Commands and groups of commands: their help, and how those of `acpgen` end."""

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


def _without_types_of_flags(options: list[Any]) -> list[Any]:
    """The same options; help states no type for those that take no value."""
    for option in options:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return options


class Command(typer.core.TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, as help lists them."""
        return _without_types_of_flags(super().get_params(ctx))


class Group(typer.core.TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, as help lists them."""
        return _without_types_of_flags(super().get_params(ctx))


class Commands(Group):
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
            # Typer asks pydantic, which says first that a value is wrong.
            error.message = error.message.removeprefix("Value error, ")
            if not ctx.meta[_AS_JSON]:
                raise
            where = (error.ctx or ctx).command_path
            problem = Problem(where, "", "usage", error.format_message())
            terminal.data({"problems": [problem.as_json()]})
            raise typer.Exit(ERROR) from None
