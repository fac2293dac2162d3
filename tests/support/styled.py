"""Printed lines with their styles as Rich markup."""

from __future__ import annotations

from itertools import pairwise

import pytest
from acpgen.cli.output import terminal
from rich.text import Text


def styled_lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each line is added that is printed from now on."""
    lines: list[str] = []
    monkeypatch.setattr(
        terminal, "folded", lambda head, body: lines.append(_markup(Text.assemble(head, body)))
    )
    return lines


def _markup(text: Text) -> str:
    ends = sorted({0, len(text), *(end for span in text.spans for end in span[:2])})
    parts = []
    for start, end in pairwise(ends):
        styles = [str(span.style) for span in text.spans if span.start <= start < span.end]
        part = text.plain[start:end]
        parts.append(f"[{' '.join(styles)}]{part}[/]" if styles else part)
    return "".join(parts)
