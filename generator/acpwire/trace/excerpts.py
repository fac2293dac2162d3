"""Excerpts of JSON for people: a few scalars that tell what a message is about.

Which ones follows from their places, not from names of types: the members of an object come before
the members of objects in it, and a word that an object starts with, such as a tag, needs no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from acpwire.json_values import ID, TEXT, quote, shorten

# How much is shown: scalars of a message, and levels of nesting.
_SCALARS = 6
_DEPTH = 5
_ID_ENDING = "Id"

_WORD = re.compile(r"[A-Za-z0-9_./:+-]+")
_TAG = re.compile(r"_?[a-z][a-z0-9_/]*")


class Part(NamedTuple):
    """A scalar of an excerpt.

    Attributes:
        name: the name of the member; empty if the value speaks for itself.
        value: the value as text.
    """

    name: str
    value: str


def excerpt(value: Any) -> list[Part]:
    """The scalars of a JSON value that a person looks at first."""
    parts: list[Part] = []
    for part in _scalars(value, depth=0):
        if parts and parts[-1] == ("", part.name):  # such as the tag `text` before `text="Hello"`
            parts.pop()
        elif len(parts) == _SCALARS:
            return [*parts, Part("", "…")]
        parts.append(part)
    return parts


def _scalars(value: Any, *, depth: int) -> Iterator[Part]:
    if depth > _DEPTH:
        return
    if type(value) is list:
        for first in value[:1]:
            yield from _scalars(first, depth=depth + 1)
        if len(value) > 1:
            yield Part("", f"(+{len(value) - 1})")
    elif type(value) is dict:
        yield from _members(value, depth=depth)
    else:
        yield Part("", quote(value))


def _members(value: dict[str, Any], *, depth: int) -> Iterator[Part]:
    members = [(name, item) for name, item in value.items() if name != "_meta"]
    nested = [item for _, item in members if type(item) in (dict, list)]
    for index, (name, item) in enumerate(members):
        if type(item) in (dict, list):
            continue
        is_first = depth > 0 and index == 0 and not name.endswith(_ID_ENDING)
        is_tag = is_first and type(item) is str and _TAG.fullmatch(item)
        yield Part("" if is_tag else shorten(name, TEXT), _value(name, item))
    for item in nested:
        yield from _scalars(item, depth=depth + 1)


def _value(name: str, value: Any) -> str:
    if type(value) is str and name.endswith(_ID_ENDING):
        return shorten(value, ID)
    if type(value) is str and _WORD.fullmatch(value):
        return shorten(value, TEXT)
    return quote(value)
