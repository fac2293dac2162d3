"""Tests of the Markdown dialect: code blocks, and syntax that pages do not use."""

from __future__ import annotations

import re

import markdown
import pytest


def rendered(text: str) -> str:
    return markdown.markdown(text, extensions=["acpdocs.zensical.dialect"])


def test_a_code_block_is_highlighted_and_has_its_title() -> None:
    page = rendered('Before.\n\n```python title="a.py"\nx = 1\n```\n\n```json\n{}\n```\n\nAfter.')
    assert '<div class="highlight"><span class="filename">a.py</span><pre>' in page
    assert '<span class="n">x</span>' in page
    assert page.count('<div class="highlight">') == 2
    assert page.count("filename") == 1
    assert "data-copy" not in page
    assert page.startswith("<p>Before.</p>")
    assert page.endswith("<p>After.</p>")


def test_only_the_commands_of_a_console_block_are_copied() -> None:
    page = rendered('```console\n$ acpgen a \\\n    --b "<c>"\nprinted $ x\n$ ls\n```')
    copied = re.findall('<div class="highlight" data-copy="([^"]*)">', page)
    assert copied == ["acpgen a \\\n    --b &quot;&lt;c&gt;&quot;\nls"]
    assert "printed $ x" in page


def test_the_html_of_a_signature_stays() -> None:
    page = rendered("```signature\n<b>f</b>()\n```")
    assert page == '<div class="highlight acp-signature"><pre><code><b>f</b>()</code></pre></div>'


@pytest.mark.parametrize(
    "text", ["a\\*b", "![a](b)", "[a][b]", "[a]", "![a][b]", "<https://a.example>"]
)
def test_syntax_that_pages_do_not_use_stays(text: str) -> None:
    assert rendered(f"{text}\n\n[b]: c\n\n[a]: c\n") == f"<p>{text}</p>"


def test_a_space_at_the_end_breaks_no_line() -> None:
    assert "<br" not in rendered("a  \nb")
