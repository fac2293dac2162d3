"""The pages' Markdown dialect: an extension for Python-Markdown, listed in `zensical.toml`.

The dialect supports only the syntax that the pages use. Searching for other syntax took a fifth of
the time that was needed to render over a thousand pages.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

import pygments
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name

# Python-Markdown tries each pattern on each piece of text, but pages contain only links, code,
# HTML, character references and emphasis.
_UNUSED = (
    "escape",
    "reference",
    "image_link",
    "image_reference",
    "short_reference",
    "short_image_ref",
    "autolink",
    "automail",
    "linebreak",
)
_FENCE = re.compile(r'^```(\w+)(?: title="([^"\n]*)")?\n(.*?)\n```$', re.M | re.S)
# A command in a console block. A command can span several lines.
_COMMAND = re.compile(r"^\$ (.*(?:(?<=\\)\n.*)*)", re.M)
_OPENING = '<div class="highlight"'
_lexer = cache(get_lexer_by_name)


class _Dialect(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        for name in _UNUSED:
            md.inlinePatterns.deregister(name)
        # Replace the preprocessor of superfences, an extension that Zensical always adds.
        md.preprocessors.register(_CodeBlocks(md), "fenced_code_block", 25)


class _CodeBlocks(Preprocessor):
    """A preprocessor that replaces code blocks with placeholders for their HTML."""

    def run(self, lines: list[str]) -> list[str]:
        return _FENCE.sub(self._placeholder, "\n".join(lines)).split("\n")

    def _placeholder(self, fence: re.Match[str]) -> str:
        language, title, source = fence.groups()
        if language == "signature":
            block = f'<div class="highlight acp-signature"><pre><code>{source}</code></pre></div>'
        else:
            block = highlight(source, language, title or "")
        return self.md.htmlStash.store(block)


def makeExtension(**_: Any) -> Extension:
    """Return the extension, which renders code blocks and removes unused syntax."""
    return _Dialect()


@cache
def highlight(source: str, language: str, title: str) -> str:
    """Highlight a code block and add its title.

    Results are cached, because surfaces share a lot of code.
    """
    block: str = pygments.highlight(source, _lexer(language), _formatter(title)).rstrip()
    if language != "console":
        return block
    # The block's button copies only the commands, without prompts and output.
    commands = html.escape("\n".join(_COMMAND.findall(source)))
    return block.replace(_OPENING, f'{_OPENING} data-copy="{commands}"', 1)


@cache
def _formatter(title: str) -> HtmlFormatter[str]:
    """Return a cached formatter, since creating a formatter takes as long as using it."""
    return HtmlFormatter(cssclass="highlight", wrapcode=True, filename=title)
