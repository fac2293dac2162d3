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


def test_all_guides_are_in_the_menu() -> None:
    assert {path.name for path in GUIDE_TEMPLATES.glob("*.md*")} == set(GUIDES)


@pytest.mark.parametrize("block", SNIPPETS.values(), ids=SNIPPETS)
def test_snippet_runs(block: Block) -> None:
    assert len(run(block)) > 1


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_blocks_need_no_scrolling(block: Block) -> None:
    assert black.format_str(block.text, mode=CODE) == block.text
    assert max(map(len, block.text.splitlines())) <= 90
