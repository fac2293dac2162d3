"""Text that goes into code: quoting, and shapes put into words.

Nothing that comes from a schema reaches a generated file except through here: a schema's strings
must never become code.
"""

from __future__ import annotations

import textwrap
from typing import Any

WIDTH = 100


def literal(value: Any) -> str:
    """A JSON value as a Python literal of ASCII characters."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]"
    quoted = ascii(value)
    if isinstance(value, str) and not {'"', "'", "\\"} & set(quoted[1:-1]):
        return f'"{quoted[1:-1]}"'  # as black writes it, which saves black the work
    return quoted


def names(classes: tuple[str, ...]) -> str:
    """A tuple of classes."""
    return f"({', '.join(classes)}{',' if len(classes) == 1 else ''})"


def words(value: str) -> str:
    """Text for the first line of a docstring: it cannot end it, nor escape from it."""
    return comment(value).replace("\\", "\\\\").replace('"', '\\"')


def comment(value: str) -> str:
    """Text for a comment: one line, printable."""
    return _visible(" ".join(value.split()))


def docstring(text: str, margin: int = 4) -> str:
    """A docstring literal that reads as the text does, whatever it holds.

    A line's indent is kept when it is wrapped, so that a list of attributes stays one.

    Args:
        margin: the indent of the code that it stands in.
    """
    lines: list[str] = []
    for line in text.strip().split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" ")))
        wrapped = textwrap.wrap(
            _visible(line.strip()),
            WIDTH - margin,
            initial_indent=indent,
            subsequent_indent=indent + ("    " if indent else ""),
            break_on_hyphens=False,
        )
        lines += wrapped or [""]
    body = ("\n" + " " * margin).join(line.rstrip() for line in lines)
    body = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if body.endswith('"'):
        body = body[:-1] + '\\"'
    if len(lines) > 1:
        body += "\n" + " " * margin
    return f'"""{body}"""'


def _visible(text: str) -> str:
    """Spell out characters that do not print; a file with them might not even compile."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text.replace("\t", " ")
    )
