"""Terminal output: lines, JSON and progress. Text from schemas is never interpreted as markup."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from acpgen.common.display import printable
from acpgen.common.problems import Problem

# Lines written to a file or a pipe aren't wrapped, because tools such as grep search line by line.
# The width is fixed, because rich would otherwise use `COLUMNS`, which a shell can export even if
# output is piped.
FOLDS = sys.stdout.isatty()
_WIDTH = None if FOLDS else 1000
out = Console(width=_WIDTH)
err = Console(stderr=True)


def line(text: str, *, error: bool = False) -> None:
    """Print a line to standard output or standard error, with control characters escaped."""
    console = err if error else out
    console.print(printable(text), markup=False, highlight=False, soft_wrap=True)


def folded(head: Text, body: Text) -> None:
    """Print `head` and, next to it, `body` wrapped to the terminal width.

    In piped output, `head` and `body` are on one line.
    """
    if not FOLDS:
        out.print(Text.assemble(head, body), soft_wrap=True, highlight=False)
        return
    indent = Text(" " * max(head.cell_len, 2))
    for line in body.wrap(out, max(out.width - indent.cell_len, 1), overflow="fold"):
        line.rstrip()
        out.print(Text.assemble(head, line), soft_wrap=True, highlight=False)
        head = indent


def data(value: Any) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, indent=2))


def json_line(value: Any) -> None:
    """Print a value as JSON on a single line."""
    typer.echo(json.dumps(value))
    sys.stdout.flush()


def lines(problems: Iterable[Problem]) -> list[str]:
    """Return each problem as a one-line note."""
    return [note.line("note") for note in problems]


def notes(problems: Iterable[Problem]) -> None:
    """Print notes to standard error."""
    for text in lines(problems):
        line(text, error=True)


@contextmanager
def progress(first: str, *, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show a command's progress on a terminal. `first` is the name of the first step.

    Yield a function to call after each step with the step's name, the number of finished steps and
    the total number of steps.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    quiet = quiet or not err.is_terminal
    with Progress(*columns, console=err, transient=True, disable=quiet) as drawn:
        task = drawn.add_task(escape(first), total=None)

        def advance(step: str, done: int, total: int) -> None:
            drawn.update(task, description=escape(step), completed=done, total=total)

        yield advance
