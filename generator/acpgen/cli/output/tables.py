"""Tables that fit the terminal width. Text from schemas is never interpreted as markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import typer
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from acpgen.cli.output import terminal
from acpgen.common.display import printable

_GAP = 2  # spaces between table columns


def table(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows with identical columns as a table."""
    listed = list(rows)
    grid(tuple(listed[0]), [tuple(map(str, row.values())) for row in listed])


def grid(headings: Sequence[str], rows: Iterable[Sequence[str | Text]], title: str = "") -> None:
    """Print a table.

    In piped output, cells are separated by tabs. If the terminal is too narrow to show the table
    without splitting words, each row is printed as a block of lines.
    """
    plain = [[cell if isinstance(cell, Text) else _plain(cell) for cell in row] for row in rows]
    if not terminal.FOLDS:
        for cells in [list(map(_plain, headings)), *plain]:
            typer.echo("\t".join([*([title] if title else []), *(cell.plain for cell in cells)]))
        return
    columns = list(zip(map(_plain, headings), *plain, strict=True))
    widths = _widths(columns, terminal.out.width - _GAP * (len(columns) - 1))
    if widths is None:
        _blocks(headings, plain, title)
        return
    drawn = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), title_justify="left")
    drawn.title = _plain(title) if title else None
    for heading, width in zip(headings, widths, strict=True):
        drawn.add_column(heading, width=width)
    for cells in plain:
        drawn.add_row(*cells)
    terminal.out.print(drawn)


def _widths(columns: Sequence[Sequence[Text]], space: int) -> list[int] | None:
    """Return column widths that avoid splitting words, or None if the space is too small."""
    widths = [
        max((cell_len(word) for cell in cells for word in cell.plain.split()), default=1)
        for cells in columns
    ]
    missing = [
        max(cell.cell_len for cell in column) - widths[n] for n, column in enumerate(columns)
    ]
    space -= sum(widths)
    if space < 0:
        return None
    # First, widen the columns that need the least space. The others share the remaining space.
    for done, n in enumerate(sorted(range(len(columns)), key=missing.__getitem__)):
        share = min(missing[n], space // (len(columns) - done))
        widths[n] += share
        space -= share
    return widths


def _blocks(headings: Sequence[str], rows: Iterable[Sequence[Text]], title: str) -> None:
    """Print each row as a block: the first cell, then a line for each other non-empty cell."""
    if title:
        terminal.line(title)
    for first, *others in rows:
        terminal.folded(Text(), first)
        for heading, cell in zip(headings[1:], others, strict=True):
            if cell.plain:
                terminal.folded(Text(f"  {heading}: "), cell)


def _plain(text: str) -> Text:
    """Return plain text on a single line, with control characters escaped."""
    return Text(printable(" ".join(text.split())))
