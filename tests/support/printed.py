"""Helpers that extract and run the code blocks of documentation pages."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r'^```python(?: title="(?P<title>\S+)")?\n(?P<text>.*?)^```$', re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A block of Python.

    Attributes:
        title: the name of the file that the block represents, or None if the block runs by itself.
    """

    title: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the Python blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = [Block(each["title"], each["text"]) for each in _BLOCK.finditer(text)]
    assert len(found) == text.count("```python"), f"{page}: a block that is not understood"
    return found


def fenced(page: Path, language: str) -> list[str]:
    """Return the content of a page's code blocks in the given language, in order."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}(?: [^\n]*)?\n(.*?)^```$", text, re.S | re.M)


def run(block: Block) -> dict[str, Any]:
    """Run a block and return the names that it defines.

    If the block handles an exception, the exception must be raised.
    """
    tree = ast.parse(block.text)
    shown = [each for node in tree.body if isinstance(node, ast.Try) for each in node.handlers]
    caught: list[int] = []
    for number, handler in enumerate(shown):
        handler.body[:0] = ast.parse(f"_caught.append({number})").body
    names: dict[str, Any] = {"_caught": caught}
    name = block.title or "a page"
    # `dont_inherit` ignores the future features of this module, so that annotations are evaluated
    # as in a reader's program.
    exec(compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True), names)
    assert caught == list(range(len(shown))), "nothing is raised where the page shows an error"
    del names["_caught"]
    return names
