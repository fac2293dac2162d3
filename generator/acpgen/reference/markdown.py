"""Pages to Markdown: whatever a template prints is text, unless it was made Markdown here."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import black
import jinja2

from acpgen.emit import quoting
from acpgen.reference.content import Example, TextRun
from acpgen.reference.links import link, list_of, side_title, start_of, surface_title

# Narrower than code in files, so that most lines need no scrolling.
CODE = black.Mode(line_length=72)
_PLAIN = frozenset(" ,;")


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def escape(value: Any) -> str:
    """Text as one line of Markdown that shows it: every sign is spelled as an entity."""
    if isinstance(value, Markdown):
        return value
    given = str(value)
    line = quoting.comment(given)
    # Between pieces of text a space is more than nothing.
    before, after = (" " if end.isspace() else "" for end in (given[:1], given[-1:]))
    line = f"{before}{line}{after}"
    return "".join(char if char.isalnum() or char in _PLAIN else f"&#{ord(char)};" for char in line)


def code(value: object) -> Markdown:
    """A name or value; with no backticks, which text could hold as well."""
    return Markdown(f"<code>{escape(value)}</code>")


def prose(value: str) -> Markdown:
    """Words in which backticks enclose names."""
    parts = value.split("`")
    if len(parts) % 2 == 0:
        return Markdown(escape(value))
    shown = (code(part) if index % 2 else escape(part) for index, part in enumerate(parts))
    return Markdown("".join(shown))


def fence(value: str, language: str) -> Markdown:
    """A block of code; its lines are JSON or Python, so that none of them ends the block."""
    return Markdown(f"```{language}\n{value}\n```")


class Writer:
    """Writes pages with the templates of a folder."""

    def __init__(self, templates: Path) -> None:
        self._environment = environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(templates),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,  # `finalize` spells out far more than that would
            finalize=escape,
        )
        environment.filters.update(
            code=code,
            fence=fence,
            prose=prose,
            yaml=_yaml,
            raw=Markdown,
            many=lambda count, noun: f"{count} {noun}{'' if count == 1 else 's'}",
            python_example=python_example,
            title_of=surface_title,
        )
        environment.globals.update(start_of=start_of, list_of=list_of, side_title=side_title)

    def write(self, template: str, path: str, **names: Any) -> str:
        """A page.

        Args:
            path: its place, from which links start.
            names: what the template is about.
        """

        def span(each: TextRun) -> Markdown:
            shown = code(each.text) if each.code else Markdown(escape(each.text))
            return shown if each.to is None else linked(shown, each.to)

        def words(spans: Iterable[TextRun]) -> Markdown:
            return Markdown("".join(map(span, spans)))

        def linked(shown: str, to: str) -> Markdown:
            way = quote(link(path, to), safe="/:#.$%-_~?=&")
            return Markdown(f"[{escape(shown)}]({way})")

        return self._environment.get_template(template).render(
            names, path=path, span=span, words=words, linked=linked
        )


def python_example(example: Example, surface: str, name: str) -> Markdown:
    """Code that makes the value and encodes it."""
    names = sorted({*example.classes, name, "encode"})
    lines = [
        f"from acp_bindings.{surface} import {', '.join(names)}",
        "",
        f"value = {example.python}",
        f"encode(value, {name})",
    ]
    return fence(black.format_str("\n".join(lines), mode=CODE).rstrip(), "python")


def _yaml(value: str) -> Markdown:
    """Text for the title in a page's front matter, which ends up in HTML as it is."""
    return Markdown(json.dumps(html.escape(quoting.comment(value))))
