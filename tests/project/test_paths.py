"""Tests that each path mentioned in a source file or in a contributor guide exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import GUIDE_TEMPLATES, ROOT

GUIDES = [ROOT / "CONTRIBUTING.md", GUIDE_TEMPLATES / "maintainers.md"]
TOPS = ("generator", "generated", "templates", "tests", "schema")
NAMED = re.compile(rf"(?<![\w./*-])(?:{'|'.join(TOPS)})/[\w./-]*\w(?![\w*]|/?[*{{<])")
SOURCES = [
    path
    for top in TOPS
    if top != "generated"
    for path in sorted((ROOT / top).rglob("*"))
    if path.suffix in (".py", ".jinja", ".toml")
    and not {"goldens", "node_modules", "__pycache__", "data"} & {*path.parts}
]


def text_of(path: Path) -> str:
    """Return a source's text, or only the docstring of a test, since tests can use fake paths."""
    text = path.read_text("utf-8")
    is_test = path.is_relative_to(ROOT / "tests") and path.suffix == ".py"
    return ast.get_docstring(ast.parse(text)) or "" if is_test else text


def missing_in(text: str) -> Iterator[str]:
    for name in NAMED.findall(text):
        if not (ROOT / name).exists():
            yield name


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_paths_in_guides_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    assert len(NAMED.findall(text)) > 20
    assert not list(missing_in(text))


def test_paths_in_sources_exist() -> None:
    texts = {path: text_of(path) for path in SOURCES}
    assert sum(bool(NAMED.search(text)) for text in texts.values()) > 15
    missing = {path.relative_to(ROOT): [*missing_in(text)] for path, text in texts.items()}
    assert not {path: names for path, names in missing.items() if names}
