"""The code that pages print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r'^```python(?: title="(?P<title>\S+)")?\n(?P<text>.*?)^```$', re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A block of Python.

    Attributes:
        title: the name of the file that it stands for; None if it runs by itself.
    """

    title: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    found = [Block(each["title"], each["text"]) for each in _BLOCK.finditer(text)]
    assert len(found) == text.count("```python"), f"{page}: a block that is not understood"
    return found


def fenced(page: Path, language: str) -> list[str]:
    """The texts of the blocks of a page in a language, in their order."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}(?: [^\n]*)?\n(.*?)^```$", text, re.S | re.M)
