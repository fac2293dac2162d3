"""Parsing of Google-style docstrings."""

from __future__ import annotations

import inspect
import re

from acpgen.reference.content import Block

_SECTION = re.compile(r"(Args|Attributes|Raises|Returns|Values|Yields):\n")
_ENTRY = re.compile(r"    (\*{0,2}[\w.]+): (.*)")


def blocks(docstring: str | None) -> tuple[Block, ...]:
    """Split a docstring into paragraphs, sections and code."""
    parts = inspect.cleandoc(docstring or "").split("\n\n")
    return tuple(_block(part) for part in parts if part.strip())


def _block(part: str) -> Block:
    section = _SECTION.match(part)
    if section is not None:
        return _list(section[1], part[section.end() :].split("\n"))
    if all(line.startswith("    ") for line in part.split("\n")):
        return Block("code", inspect.cleandoc(part))
    return Block("text", " ".join(part.split()))


def _list(title: str, lines: list[str]) -> Block:
    entries: list[tuple[str, str]] = []
    for line in lines:
        entry = _ENTRY.fullmatch(line)
        if entry is not None:
            entries.append((entry[1], entry[2]))
        elif entries:
            name, text = entries[-1]
            entries[-1] = (name, f"{text} {line.strip()}")
        else:
            entries.append(("", line.strip()))
    return Block("list", title, tuple(entries))
