"""Tests that escaped text and code are displayed verbatim and that imports match Black's style."""

from __future__ import annotations

import html
import re
from pathlib import Path

import black
import markdown
import pytest
from acpdocs.content import Signature, TextRun
from acpdocs.markdown import CODE, PageRenderer, code, escape, formatted, imports, prose


def test_escaped_text_reads_unchanged() -> None:
    text = "a *b* `c` | <d> & [e](f) 1. # ~ \\ é"
    escaped = escape(text)
    assert not re.search(r"[*`|<>\[\]()\\]", escaped)
    assert html.unescape(escaped) == text


@pytest.mark.parametrize(
    "text", ["_meta", 'a = "b"', "*a* [b](c) {d}", " a", "", "a|b", "`a` b", "<a>", "&lt;", "a\\"]
)
def test_code_reads_unchanged_in_a_table(text: str) -> None:
    extensions = ["attr_list", "tables", "acpdocs.zensical.dialect"]
    page = markdown.markdown(f"| a |\n|---|\n| {code(text, 'here')} |", extensions=extensions)
    found = re.search('<td><code id="here">(.*)</code></td>', page)
    assert found
    assert html.unescape(found[1]) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b` c", "<p>a <code>b</code> c</p>"),
        ("a `b`", "<p>a <code>b</code></p>"),
        ("a ` b", "<p>a ` b</p>"),
        ("a ``b`` c", "<p>a ``b`` c</p>"),
        ("`a` *b*", "<p><code>a</code> *b*</p>"),
    ],
)
def test_names_in_backticks_are_code(text: str, expected: str) -> None:
    assert html.unescape(markdown.markdown(prose(text))) == expected


@pytest.mark.parametrize("names", [["a"], ["b", "a"], ["a" * 60], [f"name_{n}" for n in range(9)]])
def test_imports_are_in_the_style_of_black(names: list[str]) -> None:
    lines = f"from acp_bindings import v2\nfrom acp_bindings.v1 import {', '.join(sorted(names))}\n"
    written = imports("acp_bindings.v1", [*names, "v2.ToolCall"])
    assert f"{written}\n" == black.format_str(lines, mode=CODE)


@pytest.mark.parametrize(
    "source",
    [
        "f(a, b)",
        "f('a')",
        "f(\n    a)",
        "f(a, b,)",
        "[a,]",
        f"f(\"{'x' * 67}\")",
        f"ff(\"{'x' * 67}\")",
        f"f({'x' * 60}, {'y' * 20})",
    ],
)
def test_code_is_in_the_style_of_black(source: str) -> None:
    assert formatted(source) == black.format_str(source, mode=CODE).rstrip()


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (TextRun("a*b"), "a&#42;b"),
        (TextRun("a*b", code=True), "`a*b`"),
        (TextRun("a b", "v2/types/Cost.md"), "[a b](types/Cost.md)"),
        (
            TextRun("Cost", "v2/types/Cost.md#currency", code=True),
            "[`Cost`](types/Cost.md#currency)",
        ),
        (TextRun("x", "https://example.org/a b"), "[x](https://example.org/a%20b)"),
    ],
)
def test_text_is_escaped_or_code_and_linked_from_its_page(
    run: TextRun, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "page.md.jinja").write_text("{{ text_run(run) }}", "utf-8")
    page = PageRenderer(tmp_path).render("page.md.jinja", "v2/index.md", run=run)
    assert page.strip() == expected


def test_names_in_a_declaration_are_linked(tmp_path: Path) -> None:
    (tmp_path / "page.md.jinja").write_text("{{ declaration(shown) }}", "utf-8")
    shown = Signature("price: Cost | None", {"Cost": "v2/types/Cost.md", "|": "v2/index.md"})
    page = PageRenderer(tmp_path).render("page.md.jinja", "v2/index.md", shown=shown)
    assert page.strip() == (
        '<span class="n">price</span><span class="p">:</span> '
        '<a href="types/Cost.html"><span class="n">Cost</span></a> '
        '<span class="o">&#124;</span> <span class="kc">None</span>'
    )
