"""Print the results of commands as lines, tables and JSON. Text from a schema is never markup."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.cells import cell_len
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

from acpgen.commands.disk.lock import LOCK
from acpgen.common.display import display_path, printable
from acpgen.common.problems import Problem

if TYPE_CHECKING:
    from acpgen.commands.check import Checked, Difference
    from acpgen.commands.disk.lock import Finding
    from acpgen.commands.vendor import VendoredPackage
    from acpgen.diff.report import Report

DIFF_LINES = 60
_GAP = 2  # columns between those of a table
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
    grid(tuple(found[0]), [tuple(map(str, row.values())) for row in found])


def grid(headings: Sequence[str], rows: Iterable[Sequence[str | Text]], title: str = "") -> None:
    """Print a table: lines with tabs in a pipe, and blocks where names would have to be split."""
    plain = [[each if isinstance(each, Text) else _plain(each) for each in row] for row in rows]
    if not _FOLDS:
        for cells in [list(map(_plain, headings)), *plain]:
            typer.echo("\t".join([*([title] if title else []), *(cell.plain for cell in cells)]))
        return
    columns = list(zip(map(_plain, headings), *plain, strict=True))
    widths = _widths(columns, out.width - _GAP * (len(columns) - 1))
    if widths is None:
        _blocks(headings, plain, title)
        return
    drawn = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), title_justify="left")
    drawn.title = _plain(title) if title else None
    for heading, width in zip(headings, widths, strict=True):
        drawn.add_column(heading, width=width)
    for cells in plain:
        drawn.add_row(*cells)
    out.print(drawn)


def _widths(columns: Sequence[Sequence[Text]], space: int) -> list[int] | None:
    """Share out a width among columns, so that no word is split; None if it is too small."""
    widths = [_longest_word(cells) for cells in columns]
    missing = [
        max(cell.cell_len for cell in column) - widths[n] for n, column in enumerate(columns)
    ]
    space -= sum(widths)
    if space < 0:
        return None
    # Those that lack least come first; what they leave goes to the others.
    for done, n in enumerate(sorted(range(len(columns)), key=missing.__getitem__)):
        share = min(missing[n], space // (len(columns) - done))
        widths[n] += share
        space -= share
    return widths


def _longest_word(cells: Iterable[Text]) -> int:
    """The width of the longest word, which must not be split."""
    return max((cell_len(word) for cell in cells for word in cell.plain.split()), default=1)


def _blocks(headings: Sequence[str], rows: Iterable[Sequence[Text]], title: str) -> None:
    """Print each row as a block: its first cell, and below it a line for each of the others."""
    if title:
        line(title)
    for first, *others in rows:
        folded(Text(), first)
        for heading, cell in zip(headings[1:], others, strict=True):
            if cell.plain:
                folded(Text(f"  {heading}: "), cell)


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


def written(folder: Path, touched: Iterable[str], files: Collection[str]) -> None:
    """Print how many files of a package were changed, and how many others were removed.

    Args:
        folder: the folder of the package.
        touched: the paths written or removed.
        files: the files that the package has now, without the lock file.
    """
    touched = set(touched)
    changed = {path for path in touched if path in files or path == LOCK}
    removed = f", {len(touched - changed)} removed" if touched - changed else ""
    line(f"{display_path(folder)}: {len(changed)} of {len(files) + 1} files changed{removed}")


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
    written(folder, package.written, package.lock.files)


def changes(found: Report) -> None:
    """Print the changes between two revisions of the schema, and the number of each label."""
    for surface, listed in found.surfaces().items():
        rows: list[tuple[str | Text, ...]] = []
        for change in listed:
            words = (change.name, f"{change.subject} {change.action}")
            values = (change.before or "", change.after or "")
            labels = (Text(each, _STYLES[each]) for each in (change.wire, change.python))
            rows.append((*words, *values, *labels))
        grid(("name", "what", "before", "after", "wire", "Python"), rows, surface)
    for label, counts in found.counts().items():
        line(f"{label}: {counts['wire']} on the wire, {counts['python']} in Python")


def definition(described: Mapping[str, Any]) -> None:
    """Print the description of a definition."""
    line(f"{described['name']}: {described['kind']} of {described['surface']}")
    line(f"schema: {described['pointer'].lstrip('/')}")
    if described.get("summary"):
        line(described["summary"])
    for call in described.get("calls", ()):
        result = f" -> {call['result']}" if call["result"] else ""
        line(f"{call['kind']} to {call['side']}: {call['python']}({call['params']}){result}")
        if call["capability"]:
            line(f"capability: {call['capability']}")
        if call["page"]:
            line(f"page: {call['page']}")
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
        rows = [_member(each) for each in described["members"]]
        grid(("wire", "python", "type", "required", "nullable", "vendor keywords"), rows)
        if described["kind"] == "member":
            line(described["members"][0]["description"])
    if described.get("arms"):
        arms = [(arm["tag"] or "none", arm["type"]) for arm in described["arms"]]
        grid((f"tag {described['tag']}", "decodes to"), arms)
    if described.get("classes"):
        line(f"classes: {', '.join(described['classes'])}")
    if described["python"]:
        for text in ("", *described["python"].splitlines()):
            line(text)


def _member(described: Mapping[str, Any]) -> tuple[str, ...]:
    """The row of a member."""
    words = ", ".join(
        f"{key.removeprefix('x-deserialize-')}: {value}"
        for key, value in described["keywords"].items()
    )
    flags = ("yes" if described["required"] else "", "yes" if described["nullable"] else "")
    return (described["wire"], described["python"], described["type"], *flags, words)


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
