"""The "Works with" table for the README and the guide, rendered from the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .programs import Program, Quirk
from .results import MODES, NOT_OFFERED, PLAYED, Measured

_RULE = "|---|---|---|---|---|"


def render(kind: str, programs: Iterable[Program], results: dict[str, Measured]) -> str:
    """Return the table for a kind of program, without the reasons for known differences.

    Args:
        kind: `agent` or `client`.
    """
    return _table(kind, programs, results, lambda quirk: f"{quirk.says}.")


def render_with_reasons(
    kind: str, programs: Iterable[Program], results: dict[str, Measured]
) -> str:
    """Return the table with the reason for each known difference."""
    return _table(kind, programs, results, lambda quirk: f"{quirk.says}. {quirk.reason}.")


def replace(text: str, kind: str, table: str) -> str:
    """Replace the table for a kind of program in a page's text, and return the text.

    Raises:
        ValueError: If the page does not contain the table exactly once.
    """
    pattern = rf"^\| {kind} \| version \|.*\n(?:\|.*\n)*"
    changed, count = re.subn(pattern, lambda _: table, text, flags=re.M)
    if count != 1:
        raise ValueError(f"the page has {count} tables that begin with '| {kind} | version |'")
    return changed


def _table(
    kind: str,
    programs: Iterable[Program],
    results: dict[str, Measured],
    know: Callable[[Quirk], str],
) -> str:
    rows = [f"| {kind} | version | protocol | played | notes |", _RULE]
    for program in programs:
        measured = results[program.name]
        known = " ".join(know(quirk) for quirk in program.quirks)
        package = program.package.split(":")[1]
        name = f"{program.name}<br>`{package}`"
        spoken = ", ".join(str(each) for each in sorted({*measured.speaks.values()} - {0}))
        cells = [name, measured.version, spoken, _played(measured), known]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _played(measured: Measured) -> str:
    """Describe the scenes that a program played and the scenes that it does not offer."""
    if measured.unavailable:
        return "not installed"
    scenes = list(next(iter(measured.scenes.values())))
    outcomes = {
        scene: {mode: played[scene] for mode, played in measured.scenes.items()} for scene in scenes
    }
    parts = []
    for scene, each in outcomes.items():
        modes = [MODES[mode] for mode, outcome in each.items() if outcome == PLAYED]
        if len(modes) == len(each):
            parts.append(_name(scene))
        elif modes:
            parts.append(f"{_name(scene)} (only in {modes[0]})")
    if parts == [*map(_name, scenes)]:
        return "everything"
    missing = [_name(s) for s, each in outcomes.items() if set(each.values()) == {NOT_OFFERED}]
    texts = [", ".join(parts) or "nothing"]
    return "; ".join([*texts, *([f"not offered: {', '.join(missing)}"] if missing else [])])


def _name(scene: str) -> str:
    return "MCP" if scene == "mcp" else scene
