"""The parts of a docstring, as Griffe parses it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

import griffe

from acpdocs.content import Block

_BULLET = "- "


def blocks(documented: griffe.Object) -> tuple[Block, ...]:
    """Split a docstring into paragraphs, lists, code and sections, except that on attributes."""
    return tuple(block for section in _sections(documented) for block in _blocks(section))


def attributes(documented: griffe.Object) -> dict[str, str]:
    """The descriptions of attributes in the docstring of a class."""
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
            entries = tuple(
                (parameter.name, _line(parameter.description)) for parameter in section.value
            )
            yield Block("list", "Args", entries)
        case griffe.DocstringSectionRaises():
            errors = tuple(
                (str(error.annotation), _line(error.description)) for error in section.value
            )
            yield Block("list", "Raises", errors)
        case griffe.DocstringSectionReturns() | griffe.DocstringSectionYields():
            lines = tuple(("", _line(value.description)) for value in section.value)
            yield Block("list", section.kind.value.capitalize(), lines)
        case _:
            pass


def _paragraphs(text: str) -> Iterator[Block]:
    """Yield paragraphs, lists and code; code may have blank lines."""
    for is_code, paragraphs in groupby(text.split("\n\n"), _is_code):
        if is_code:
            yield Block("code", textwrap.dedent("\n\n".join(paragraphs)))
            continue
        for paragraph in paragraphs:
            if paragraph.startswith(_BULLET):
                items = f"\n{paragraph}".split(f"\n{_BULLET}")[1:]
                yield Block("list", "", tuple(("", _line(item)) for item in items))
            else:
                yield Block("text", _line(paragraph))


def _is_code(paragraph: str) -> bool:
    return all(line.startswith("    ") for line in paragraph.split("\n") if line)


def _line(text: str) -> str:
    return " ".join(text.split())
