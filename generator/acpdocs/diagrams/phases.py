"""The drawings of the phases of a turn, made from the tables of transitions in the runtime.

A turn that an update ends has too many transitions for boxes and arrows on a phone. So a drawing
has a vertical line for each phase and, as in a sequence diagram, an arrow in its own row for each
transition.
"""

from __future__ import annotations

import ast
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from acpgen.common import paths

# The next phase, by phase and event.
Transitions: TypeAlias = Mapping[str, Mapping[str, str]]

# The module with the tables of turns that an update ends.
_PHASES = paths.TEMPLATES / "runtime" / "session" / "turn_phases.py"
# What an agent of this package sends for a prompt, as events; drawn with heavy lines.
_USUAL = ("response", "echo", "busy", "output", "idle")

# Lengths in pixels: a drawing of eight phases fits a phone without being scaled down much.
_LEFT, _RIGHT, _TOP = 74, 40, 64
_WIDTH, _MAX_STEP = 244, 81
_ROW = 20


@dataclass(frozen=True, slots=True)
class Arrow:
    """A transition.

    Attributes:
        event: the event.
        source: the phase before it.
        target: the phase after it.
        is_usual: whether it is part of the usual course of a turn.
    """

    event: str
    source: str
    target: str
    is_usual: bool


def transitions(name: str) -> Transitions:
    """Return a table of transitions of the runtime.

    Args:
        name: the name of the constant.
    """
    module = ast.parse(_PHASES.read_text(encoding="utf-8"))
    [table] = [
        statement.value
        for statement in module.body
        if isinstance(statement, ast.AnnAssign)
        and statement.value is not None
        and ast.unparse(statement.target) == name
    ]
    read: Transitions = ast.literal_eval(table)
    return read


def arrows(table: Transitions) -> list[Arrow]:
    """The transitions of a table, event by event in the order of their first use."""
    usual: set[tuple[str, str]] = set()
    phase = next(iter(table))
    for event in _USUAL:
        if event in table[phase]:
            usual.add((phase, event))
            phase = table[phase][event]
    events = dict.fromkeys(event for row in table.values() for event in row)
    return [
        Arrow(event, source, row[event], (source, event) in usual)
        for event in events
        for source, row in table.items()
        if event in row
    ]


def draw(table: Transitions, name: str, id_: str) -> str:
    """Draw a table of transitions as SVG, in the colours of the text around it.

    Args:
        table: the transitions; a turn begins in the first phase.
        name: what it shows.
        id_: a name that no other element of the page has.

    Returns:
        HTML without empty lines, which would end a block of it in Markdown.
    """
    drawn = arrows(table)
    step = min(_MAX_STEP, _WIDTH // (len(table) - 1))
    places = {phase: _LEFT + step * number for number, phase in enumerate(table)}
    width, height = max(places.values()) + _RIGHT, _TOP + _ROW * len(drawn) + 8
    lines = [
        '<figure style="margin: 1em 0; width: 100%">',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'style="width: 100%; max-width: {width * 1.25:.0f}px; height: auto" role="img" '
        f'aria-labelledby="{id_}-title {id_}-text" fill="currentColor" stroke="none" '
        'font-family="inherit" font-size="12">',
        f'<title id="{id_}-title">{html.escape(name)}</title>',
        f'<desc id="{id_}-text">{html.escape(_in_words(table))}</desc>',
        *_bands(drawn, width),
        *_lifelines(table, places, height),
        *_rows(drawn, places),
        "</svg>",
        "</figure>",
    ]
    return "\n".join(lines)


def _in_words(table: Transitions) -> str:
    """The transitions as sentences, for those who do not see the drawing."""
    rows = {
        phase: ", ".join(f"{event} leads to {then}" for event, then in row.items())
        for phase, row in table.items()
    }
    return " ".join(f"{phase}: {row or 'the end'}." for phase, row in rows.items())


def _bands(drawn: Sequence[Arrow], width: int) -> Iterator[str]:
    """A band and a label for the rows of each event; every other band is shaded."""
    events = [arrow.event for arrow in drawn]
    for number, event in enumerate(dict.fromkeys(events)):
        top, rows = _TOP + _ROW * events.index(event), events.count(event)
        if number % 2 == 0:
            yield (f'<rect x="0" y="{top}" width="{width}" height="{_ROW * rows}" opacity="0.06"/>')
        yield f'<text x="6" y="{top + 14}" font-weight="600">{html.escape(event)}</text>'


def _lifelines(table: Transitions, places: Mapping[str, int], height: int) -> Iterator[str]:
    """A line for each phase, broken as long as there is no response."""
    for phase, x in places.items():
        dashes = ' stroke-dasharray="2 4"' if "response" in table[phase] else ""
        yield (
            f'<path d="M{x} {_TOP - 6}V{height - 2}" stroke="currentColor" opacity="0.5"{dashes}/>'
        )
        yield (
            f'<text transform="translate({x} {_TOP - 12}) rotate(-45)">{html.escape(phase)}</text>'
        )


def _rows(drawn: Sequence[Arrow], places: Mapping[str, int]) -> Iterator[str]:
    """The arrows, from top to bottom."""
    for number, arrow in enumerate(drawn):
        y = _TOP + _ROW * number + _ROW // 2
        start, end = places[arrow.source], places[arrow.target]
        back = -6 if end > start else 6
        heavy = 3 if arrow.is_usual else 1.25
        yield (
            f'<g data-transition="{html.escape(f"{arrow.source} {arrow.event} {arrow.target}")}">'
            f'<circle cx="{start}" cy="{y}" r="{2 + heavy / 2}"/>'
            f'<path d="M{start} {y}H{end + back}" stroke="currentColor" stroke-width="{heavy}"/>'
            f'<path d="M{end} {y}l{back * 1.5:g} -4.5v9z"/></g>'
        )
