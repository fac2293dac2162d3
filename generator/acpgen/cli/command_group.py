"""Command and group classes, which format help and handle interrupts and errors."""

from __future__ import annotations

from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any

import typer
import typer.core

from acpgen.cli import process
from acpgen.cli.output import terminal
from acpgen.commands import interruption
from acpgen.common.exit_codes import ERROR
from acpgen.common.problems import Problem

PROGRAMS = [
    program
    for program in entry_points(group="acpgen.programs")
    # A wheel declares entry points for all programs but contains only some of the programs.
    if find_spec(program.module.partition(".")[0]) is not None
]
# Maps each package to the extra that installs the dependencies of its commands.
EXTRAS = {
    "acpgen": "generator",
    **{program.module.partition(".")[0]: program.name for program in PROGRAMS},
}
_AS_JSON = "acpgen.json"
_UsageError: Any = typer.BadParameter.__base__  # typer does not export this class


class _FlagsWithoutType:
    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with flags' types hidden in the help."""
        options: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for option in options:
            if getattr(option, "is_flag", False):
                option.metavar = ""
        return options


class Command(_FlagsWithoutType, typer.core.TyperCommand):
    """A command whose help shows flags without a type."""


class Group(_FlagsWithoutType, typer.core.TyperGroup):
    """A group of commands whose help shows flags without a type."""


class Commands(Group):
    """The top-level group, which handles Ctrl-C and reports usage errors as JSON if requested."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments and remember whether `--json` is among them."""
        ctx.meta[_AS_JSON] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Parse the remaining arguments and run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            interruption.end()
        except ModuleNotFoundError as error:
            missing, _, _ = (error.name or "").partition(".")
            callback = self.commands[ctx.invoked_subcommand].callback  # None for a group
            program, _, _ = getattr(callback, "__module__", "acpgen").partition(".")
            if missing in ("", *EXTRAS):
                raise
            process.end_without(missing, f"acpgen {ctx.invoked_subcommand}", EXTRAS[program])
        except _UsageError as error:
            # Typer converts values with pydantic, which adds a prefix to messages.
            error.message = error.message.removeprefix("Value error, ")
            if not ctx.meta[_AS_JSON]:
                raise
            where = (error.ctx or ctx).command_path
            problem = Problem(where, "", "usage", error.format_message())
            terminal.data({"problems": [problem.as_json()]})
            raise typer.Exit(ERROR) from None
