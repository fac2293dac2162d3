"""Every guide: its blocks run as printed and need no scrolling; `guides/` tests the rest."""

from __future__ import annotations

import black
import pytest
from acpdocs.markdown import CODE
from acpdocs.pages.guides import GUIDES
from support.guides import PRINTED
from support.paths import GUIDE_TEMPLATES
from support.printed import Block, run

BLOCKS = {
    f"{name} {number}": block
    for name, found in PRINTED.items()
    for number, block in enumerate(found, 1)
}
SNIPPETS = {label: block for label, block in BLOCKS.items() if block.title is None}

# How many blocks of Python each guide prints: those that run by themselves, and those that stand
# for files.
COUNTS = {
    "getting-started.md": (3, 2),
    "agent.md": (0, 6),
    "client.md": (0, 5),
    "sessions-and-turns.md": (4, 0),
    "states.md": (6, 0),
    "v1-to-v2.md": (5, 0),
    "official-sdk.md": (5, 0),
    "official-sdk-names.md.jinja": (0, 0),
    "extending.md": (0, 1),
    "vendoring.md": (0, 0),
    "testing.md": (0, 6),
    "limits.md": (4, 0),
    "versions.md": (1, 0),
    "maintainers.md": (0, 0),
}


def test_all_guides_are_in_the_menu() -> None:
    assert {path.name for path in GUIDE_TEMPLATES.glob("*.md*")} == set(GUIDES)


@pytest.mark.parametrize("guide", GUIDES)
def test_guide_prints_examples(guide: str) -> None:
    files = sum(block.title is not None for block in PRINTED[guide])
    assert (len(PRINTED[guide]) - files, files) == COUNTS[guide]


@pytest.mark.parametrize("block", SNIPPETS.values(), ids=SNIPPETS)
def test_snippet_runs(block: Block) -> None:
    assert len(run(block)) > 1


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_blocks_need_no_scrolling(block: Block) -> None:
    assert black.format_str(block.text, mode=CODE) == block.text
    assert max(map(len, block.text.splitlines())) <= 90
