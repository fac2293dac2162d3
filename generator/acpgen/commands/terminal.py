"""Print the results of commands as lines, tables and JSON. Text from a schema is never markup."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from rich.table import Table
from rich.text import Text

from acpgen.diagnostics import Problem, display_path, printable

if TYPE_CHECKING:
    from acpgen.commands.check import Checked, Difference
    from acpgen.commands.lock import Finding
    from acpgen.commands.vendor import VendoredPackage
    from acpgen.diff.report import Report

DIFF_LINES = 60
_STYLES = {"breaking": "bold red", "compatible": "green", "internal": "dim"}
# Do not break lines that go to a file or a pipe: other programs search them.
_FOLDS = sys.stdout.isatty() or "COLUMNS" in os.environ
_WIDTH = None if _FOLDS else 1000
out = Console(width=_WIDTH)
err = Console(stderr=True)


def line(text: str, *, error: bool = False) -> None:
    """Print a line with control characters escaped, to standard output or standard error."""
    console = err if error else out
    console.print(printable(text), markup=False, highlight=False, soft_wrap=True)


def folded(head: Text, body: Text) -> None:
    """Print a head, and beside it a text that is folded to the width; in a pipe, in one line."""
    if not _FOLDS:
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


def lines(found: Iterable[Problem]) -> list[str]:
    """Each note as one line."""
    return [note.line("note") for note in found]


def notes(found: Iterable[Problem]) -> None:
    """Print notes to standard error."""
    for text in lines(found):
        line(text, error=True)


def table(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows that have the same columns."""
    found = list(rows)
    drawn = Table(*found[0])
    for row in found:
        drawn.add_row(*map(str, row.values()))
    out.print(drawn)


def differences(found: Iterable[Difference]) -> None:
    """Print the start of each file's diff, then the list of files."""
    found = list(found)
    for each in found:
        lines = each.diff.splitlines()
        for text in lines[:DIFF_LINES]:
            line(text)
        if len(lines) > DIFF_LINES:
            line(f"... {len(lines) - DIFF_LINES} more lines of {each.path}")
    for each in found:
        line(f"{each.kind}: {each.path}")


def checked(folder: Path, found: Checked, command: str, *, as_json: bool) -> None:
    """Print whether a package is fresh.

    Args:
        folder: the folder of the package.
        found: the outcome of the check.
        command: the command that makes it fresh.
        as_json: whether to print JSON.
    """
    stale = found.differences
    if as_json:
        listed = [{"path": each.path, "kind": each.kind} for each in stale]
        data({"fresh": not stale, "stale": listed, "notes": lines(found.notes)})
        return
    notes(found.notes)
    if stale:
        differences(stale)
        line(f"{display_path(folder)} is stale: run `{command}`")
    else:
        line(f"{display_path(folder)} is fresh: {found.count} files as generated")


def findings(folder: Path, found: Iterable[Finding]) -> None:
    """Print why a vendored package is not fresh."""
    for each in found:
        line(f"{each.kind}: {display_path(folder / each.path)}: {each.reason}")


def vendored(folder: Path, package: VendoredPackage) -> None:
    """Print which schemas a vendored package has now, and had before, and what was written."""
    notes(package.notes)
    schemas = package.lock.schemas
    before = package.before.schemas if package.before else {}
    for name in sorted(before.keys() - schemas):
        line(f"{name}: removed")
    for name, schema in schemas.items():
        earlier = before.get(name, schema)["label"]
        change = "" if earlier == schema["label"] else f"{earlier} → "
        line(f"{name}: {change}{schema['label']}")
    total = len(package.lock.files) + 1  # the lock file itself
    line(f"{display_path(folder)}: {len(package.written)} of {total} files changed")


def changes(found: Report) -> None:
    """Print the changes between two revisions of the schema, and the number of each label."""
    for surface, listed in found.surfaces().items():
        drawn = Table(title=_plain(surface), title_justify="left")
        for heading in ("name", "what", "before", "after", "wire", "Python"):
            drawn.add_column(heading, overflow="fold")
        for change in listed:
            words = (change.name, f"{change.subject} {change.action}")
            values = (change.before or "", change.after or "")
            labels = [f"[{_STYLES[each]}]{each}[/]" for each in (change.wire, change.python)]
            drawn.add_row(*map(_plain, (*words, *values)), *labels)
        out.print(drawn)
    for label, counts in found.counts().items():
        line(f"{label}: {counts['wire']} on the wire, {counts['python']} in Python")


def definition(described: Mapping[str, Any]) -> None:
    """Print the description of a definition."""
    line(f"{described['name']}: {described['kind']} of {described['surface']}")
    line(f"schema: {described['pointer'].lstrip('/')}")
    if described.get("union"):
        mode = " (kept by the default mode)" if described["kept"] else ""
        line(f"any other {described['tag']} of {described['union']}{mode}")
    if described.get("alternatives"):
        line(f"alternatives: {described['alternatives']}")
    if described["methods"]:
        line(f"methods: {', '.join(described['methods'])}")
    if described.get("values"):
        line(f"values: {described['values']}")
    if described.get("members"):
        drawn = Table()
        for heading in ("wire", "python", "type", "required", "nullable", "vendor keywords"):
            drawn.add_column(heading, overflow="fold")
        for member in described["members"]:
            words = ", ".join(
                f"{key.removeprefix('x-deserialize-')}: {value}"
                for key, value in member["keywords"].items()
            )
            flags = ("yes" if member["required"] else "", "yes" if member["nullable"] else "")
            cells = (member["wire"], member["python"], member["type"], *flags, words)
            drawn.add_row(*map(_plain, cells))
        out.print(drawn)
    if described.get("arms"):
        drawn = Table(f"tag {described['tag']}", "decodes to")
        for arm in described["arms"]:
            drawn.add_row(_plain(arm["tag"] or "none"), _plain(arm["type"]))
        out.print(drawn)
    if described.get("classes"):
        line(f"classes: {', '.join(described['classes'])}")
    for text in ("", *described["python"].splitlines()):
        line(text)


@contextmanager
def progress(first: str, *, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show on a terminal what a command is doing.

    Args:
        first: what it does first.
        quiet: whether to show nothing.

    Yields:
        A function to call as each step is done, with its name, the number of steps that are done,
        and that of all.
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


def _plain(text: str) -> Text:
    """Text in one line, without markup and control characters."""
    return Text(printable(" ".join(text.split())))
