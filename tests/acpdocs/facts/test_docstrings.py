"""Tests of how docstrings are split into paragraphs, lists and code."""

from __future__ import annotations

from pathlib import Path

import griffe
from acpdocs.content import Block
from acpdocs.facts import docstrings

from tests.acpdocs.reference import on_one_worker

pytestmark = on_one_worker


def test_docstrings_keep_their_lists_and_code(built: Path) -> None:
    text = "First.\n\n- One\n  `two`.\n- Three.\n\n    if a:\n\n        b()\n\nLast."
    function = griffe.Function("f", docstring=griffe.Docstring(text))
    assert docstrings.blocks(function) == (
        Block("text", "First."),
        Block("list", "", (("", "One `two`."), ("", "Three."))),
        Block("code", "if a:\n\n    b()"),
        Block("text", "Last."),
    )
    page = (built / "testing" / "api" / "index.html").read_text(encoding="utf-8")
    assert "<li>A string, which the agent must send in a single message chunk.</li>" in page
