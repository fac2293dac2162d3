"""Renders pages as Markdown. Values in templates are escaped unless they are `Markdown`."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import black
from acpgen.emit.python import quoting
from acpgen.emit.template_environment import environment
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, Token

from acpdocs.content import Example, Signature, TextRun
from acpdocs.links import list_page, relative_link, side_title, surface_page, surface_title

# Lines are shorter than in source files so that most of them can be read without scrolling.
CODE = black.Mode(line_length=72)
# The parts of a short line that Black would change. Short lines without such parts are not passed
# to Black, which takes a millisecond per line.
_REFORMATTED = re.compile(r"['\n]|,[)\]]")
_PUNCTUATION = re.compile(r"[^\w ,;]|_")
# The punctuation excluded here has no special meaning after a letter in Markdown. This punctuation
# is not escaped, because character references take more time to render.
_PUNCTUATION_AFTER_LETTERS = re.compile(r"[^\w ,;.:\-'/?=]|_")
# Text that can be enclosed in backticks, even in a table cell. Other text requires HTML, which
# takes more time to render.
_WORD = r"[\w.,:;/$\"'()\[\]{}=*#@+?!%^~…-]+"
_PLAIN_CODE = re.compile(f"{_WORD}( {_WORD})*")
_LAST_ADDRESS = re.compile(r"https://[\w./-]+$")


class Markdown(str):
    """Text that is already Markdown."""

    __slots__ = ()


def escape(value: Any) -> str:
    """Convert text to a line of Markdown, with punctuation escaped as character references."""
    return value if isinstance(value, Markdown) else _escaped(str(value))


@cache
def _escaped(text: str) -> str:
    """Escape text. Results are cached, because pages share a lot of text."""
    line = quoting.comment(text)
    # If the text begins or ends with spaces, keep one space to separate it from its neighbors.
    before, after = (" " if end.isspace() else "" for end in (text[:1], text[-1:]))
    line = f"{before}{line}{after}"
    start = next((index for index, char in enumerate(line) if char.isalpha()), len(line))

    def reference(char: re.Match[str]) -> str:
        return f"&#{ord(char[0])};"

    head = _PUNCTUATION.sub(reference, line[:start])
    return head + _PUNCTUATION_AFTER_LETTERS.sub(reference, line[start:])


def code(value: object, anchor: str | None = None) -> Markdown:
    """Format a name or value as inline code, which must not be followed by more inline code."""
    text = str(value)
    if _PLAIN_CODE.fullmatch(text):
        return Markdown(f"`{text}`{{ #{anchor} }}" if anchor else f"`{text}`")
    start = f'<code id="{anchor}">' if anchor else "<code>"
    return Markdown(f"{start}{escape(text)}</code>")


def prose(value: str) -> Markdown:
    """Format prose with names in backticks, and convert a URL at the end to a link."""
    if (address := _LAST_ADDRESS.search(value)) is not None:
        return Markdown(f"{prose(value[: address.start()])}<{address[0]}>")
    parts = value.split("`")
    if len(parts) % 2 == 0 or "``" in value:
        return Markdown(escape(value))
    shown = (code(part) if index % 2 else escape(part) for index, part in enumerate(parts))
    return Markdown("".join(shown))


def fence(value: str, language: str) -> Markdown:
    """Format JSON, Python or HTML as a code block. Such text cannot end the block early."""
    return Markdown(f"```{language}\n{value}\n```")


class PageRenderer:
    """A page renderer that uses the templates in a folder."""

    def __init__(self, templates: Path) -> None:
        # `autoescape` only escapes HTML, while `escape` also escapes Markdown.
        self._environment = environment(templates, finalize=escape)
        self._environment.filters.update(
            code=code,
            fence=fence,
            prose=prose,
            yaml=quoted_title,
            raw=Markdown,
            anchor=lambda title: Markdown(title.lower().replace(" ", "-")),
            counted=lambda count, noun: f"{count} {noun}{'' if count == 1 else 's'}",
            python_example=python_example,
            surface_title=surface_title,
        )
        self._environment.globals.update(
            surface_page=surface_page, list_page=list_page, side_title=side_title
        )

    def render(self, template: str, path: str, **names: Any) -> str:
        """Render a page from a template, with links relative to the page's path."""

        def text_run(run: TextRun) -> Markdown:
            shown = code(run.text) if run.code else Markdown(escape(run.text))
            return shown if run.target is None else link(shown, run.target)

        def rich_text(runs: Iterable[TextRun]) -> Markdown:
            return Markdown("".join(map(text_run, runs)))

        def link(text: str, target: str) -> Markdown:
            address = quote(relative_link(path, target), safe="/:#.$%-_~?=&")
            return Markdown(f"[{escape(text)}]({address})")

        def declaration(shown: Signature) -> Markdown:
            return _linked_code(shown, path)

        return self._environment.get_template(template).render(
            names,
            path=path,
            text_run=text_run,
            rich_text=rich_text,
            link=link,
            declaration=declaration,
        )


def _linked_code(shown: Signature, page: str) -> Markdown:
    """Format Python code as highlighted HTML with linked names.

    Markdown's code blocks can't contain links.
    """
    parts: list[str] = []
    for text, part, is_name in _tokens(shown.code):
        if is_name and text in shown.links:
            address = relative_link(page, shown.links[text]).replace(".md", ".html")
            part = f'<a href="{html.escape(address)}">{part}</a>'
        parts.append(part)
    return Markdown("".join(parts))


@cache
def _tokens(code: str) -> list[tuple[str, str, bool]]:
    """Return the text, the HTML and an `is_name` flag for each token of Python code.

    Results are cached, because surfaces share a lot of code.
    """
    tokens: list[tuple[str, str, bool]] = []
    for kind, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(code):
        # A vertical bar would end a table cell.
        plain = html.escape(text).replace("|", "&#124;")
        shown = f'<span class="{STANDARD_TYPES.get(kind, "")}">{plain}</span>'
        tokens.append((text, shown if text.strip() else text, kind[:1] == Token.Name))
    return tokens


def python_example(example: Example, name: str, package: str) -> Markdown:
    """Return formatted code that builds an example of a type and encodes it."""
    lines = [
        imports(package, {*example.classes, name, "encode"}),
        "",
        formatted(f"value = {example.python}"),
        formatted(f"encode(value, {name})"),
    ]
    return fence("\n".join(lines), "python")


def imports(package: str, names: Iterable[str]) -> str:
    """Return the imports for names. For a name such as `v2.ToolCall`, import its surface."""
    plain = sorted(name for name in names if "." not in name)
    others = sorted({name.partition(".")[0] for name in names if "." in name})
    line = f"from {package} import {', '.join(plain)}"
    if len(line) > CODE.line_length:
        line = "\n    ".join([f"from {package} import (", *(f"{name}," for name in plain)]) + "\n)"
    return "\n".join([*(f"from acp_bindings import {other}" for other in others), line])


@cache
def formatted(source: str) -> str:
    """Format code so that most lines can be read without scrolling.

    Results are cached, because surfaces share a lot of code.
    """
    if len(source) <= CODE.line_length and not _REFORMATTED.search(source):
        return source
    return black.format_str(source, mode=CODE).rstrip()


def quoted_title(value: str) -> Markdown:
    """Escape and quote a title for front matter and the menu. Zensical doesn't escape titles."""
    return Markdown(json.dumps(html.escape(quoting.comment(value)), ensure_ascii=False))
