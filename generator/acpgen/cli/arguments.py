"""Options shared by several commands, and error reporting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from acpgen.cli import completion
from acpgen.cli.output import terminal
from acpgen.common.display import display_path
from acpgen.common.exit_codes import ERROR
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.files import is_surface, vendored_surfaces


def parse_path(text: str) -> Path:
    """Parse a path. Reject empty text, since Path("") is the working directory."""
    if not text:
        raise typer.BadParameter("is empty; pass a path")
    return Path(text)


def parse_surface(text: str) -> str:
    """Parse the name of a surface, which doesn't have to be in the vendored schema."""
    if not is_surface(text):
        known = ", ".join(vendored_surfaces())
        raise typer.BadParameter(f"{text!r} is not a surface; pass a name such as {known}")
    return text


def require_version(version: int | None, known: Iterable[int], option: str) -> None:
    """Reject a protocol version that an option does not accept."""
    if version is not None and version not in known:
        listed = " or ".join(map(str, sorted(known)))
        message = f"unsupported protocol version {version}; pass {listed}"
        raise typer.BadParameter(message, param_hint=option)


def surface_option(help: str) -> Any:
    """Return a `--surface` option, which is repeatable if the annotated type is a list."""
    return typer.Option(
        "--surface",
        parser=parse_surface,
        metavar="SURFACE",
        autocompletion=completion.complete_surface,
        help=help,
    )


SchemaOption = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="SOURCE",
        autocompletion=completion.complete_source,
        help="The schema: a folder laid out like the npm package, a single file (with one"
        " --surface), npm:PACKAGE@VERSION, an http(s) URL, or a git revision of this project."
        " Default: the vendored schema.",
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict-schema",
        help="Fail if parts of the schema cannot be checked, instead of printing a note."
        " Always on for the vendored schema.",
    ),
]
SurfaceOption = Annotated[
    list[str] | None,
    surface_option("Only use this surface, such as v1 or v2_unstable. Repeatable. Default: all."),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        parser=parse_path,
        metavar="DIR",
        help="The package folder. Its name is the import name. Default: generated/acp_bindings.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def reported(as_json: bool, skeleton: Path | None = None) -> Iterator[None]:
    """Print problems with the input, one per line, and exit with code 2.

    If `skeleton` is given, missing overlay entries are written to that file, and only a summary of
    the problems is printed.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # standard output was closed; `process` handles this
    except (InputError, RecursionError, UnicodeError, OSError) as error:
        problems = _problems_of(error)
        lines = [problem.line() for problem in problems]
        if skeleton is not None:
            from acpgen.commands.overlay_skeleton import summarise, write_skeleton

            count = write_skeleton(skeleton, problems)
            lines = list(summarise(problems))
            if count:
                lines.append(
                    f"missing entries written to {display_path(skeleton)}: {count}; fill them in"
                )
        if as_json:
            terminal.data({"problems": [problem.as_json() for problem in problems]})
        else:
            for line in lines:
                terminal.line(line, error=True)
        raise typer.Exit(ERROR) from None


def _problems_of(error: Exception) -> list[Problem]:
    match error:
        case InputError(problems=problems):
            return problems
        case RecursionError():
            message = "is nested too deeply; flatten it"
            return [Problem("the input", "", "unsupported", message)]
        case OSError():
            message = f"cannot be read or written ({error.strerror or error}); fix this and retry"
            return [Problem(str(error.filename or "the disk"), "", "io", message)]
        case _:
            return [Problem("the input", "", "io", f"is not valid UTF-8 ({error}); fix the file")]
