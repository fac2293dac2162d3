"""The parts of a docstring, as parsed by Griffe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby

import griffe

from acpdocs.content import Block

_BULLET = "- "


def blocks(documented: griffe.Object) -> tuple[Block, ...]:
    """Return a docstring's paragraphs, lists, code and sections, without its Attributes section."""
    return tuple(block for section in _sections(documented) for block in _blocks(section))


def attributes(documented: griffe.Object) -> dict[str, str]:
    """Return the attribute descriptions from a class's docstring, by name."""
    return {
        attribute.name: _line(attribute.description)
        for section in _sections(documented)
        if isinstance(section, griffe.DocstringSectionAttributes)
        for attribute in section.value
    }


def _sections(documented: griffe.Object) -> list[griffe.DocstringSection]:
    if documented.docstring is None:
        return []
    return documented.docstring.parse(
        "google", warnings=False, returns_named_value=False, returns_multiple_items=False
    )


def _blocks(section: griffe.DocstringSection) -> Iterator[Block]:
    match section:
        case griffe.DocstringSectionText():
            yield from _paragraphs(section.value)
        case griffe.DocstringSectionParameters():
            yield _list("Args", [(each.name, each.description) for each in section.value])
        case griffe.DocstringSectionRaises():
            errors = [(str(each.annotation), each.description) for each in section.value]
            yield _list("Raises", errors)
        case griffe.DocstringSectionReturns() | griffe.DocstringSectionYields():
            values = [("", each.description) for each in section.value]
            yield _list(section.kind.value.capitalize(), values)


def _paragraphs(text: str) -> Iterator[Block]:
    """Yield paragraphs, lists and code, which can contain blank lines."""
    for is_code, paragraphs in groupby(text.split("\n\n"), _is_code):
        if is_code:
            yield Block("code", textwrap.dedent("\n\n".join(paragraphs)))
            continue
        for paragraph in paragraphs:
            if paragraph.startswith(_BULLET):
                items = f"\n{paragraph}".split(f"\n{_BULLET}")[1:]
                yield _list("", [("", item) for item in items])
            else:
                yield Block("text", _line(paragraph))


def _is_code(paragraph: str) -> bool:
    return all(line.startswith("    ") for line in paragraph.split("\n") if line)


def _list(title: str, entries: Iterable[tuple[str, str]]) -> Block:
    return Block("list", title, tuple((name, _line(text)) for name, text in entries))


def _line(text: str) -> str:
    return " ".join(text.split())
