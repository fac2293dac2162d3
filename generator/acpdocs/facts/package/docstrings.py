"""The parts of a docstring, as Griffe parses it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import griffe

from acpdocs.content import Block


def blocks(documented: griffe.Object) -> tuple[Block, ...]:
    """Split a docstring into paragraphs, code and sections, without the section on attributes."""
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
            yield from map(_paragraph, section.value.split("\n\n"))
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


def _paragraph(text: str) -> Block:
    if all(line.startswith("    ") for line in text.split("\n")):
        return Block("code", inspect.cleandoc(text))
    return Block("text", _line(text))


def _line(text: str) -> str:
    return " ".join(text.split())
