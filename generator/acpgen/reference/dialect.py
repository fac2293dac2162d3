"""The Markdown of the pages: extensions of Python-Markdown that `zensical.toml` names.

Zensical renders more than a thousand pages; what they do not need took a fifth of that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pygments
from markdown import Markdown
from markdown.extensions import Extension
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name

# Each is tried on each piece of text. Pages have only links, code, HTML, references and emphasis.
_UNUSED = (
    "reference",
    "image_link",
    "image_reference",
    "short_reference",
    "short_image_ref",
    "autolink",
    "automail",
    "linebreak",
)
_lexer = cache(get_lexer_by_name)


class _FewerPatterns(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        for name in _UNUSED:
            md.inlinePatterns.deregister(name)


def makeExtension(**_: Any) -> Extension:
    """The extension that leaves out the syntax that no page uses."""
    return _FewerPatterns()


def highlight(
    source: str, language: str, _class: str, options: Mapping[str, str], *_: Any, **__: Any
) -> str:
    """Highlight the source in a code block of the language, below its title if it has one."""
    return pygments.highlight(
        source, _lexer(language), _formatter(options.get("title", ""))
    ).rstrip()


@cache
def _formatter(title: str) -> HtmlFormatter[str]:
    """One for all blocks, unlike that of superfences: to make it takes as long as to use it."""
    return HtmlFormatter(cssclass="highlight", wrapcode=True, filename=title)
