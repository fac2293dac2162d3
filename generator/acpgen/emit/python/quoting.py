"""Quoting of text for Python source.

Strings of a schema reach generated files only through these functions, so they never become code.
"""

from __future__ import annotations

import json
import textwrap
from typing import Any

from acpgen.common.display import printable

WIDTH = 100


def literal(value: Any) -> str:
    """Write a JSON value as a Python literal, in ASCII."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]"
    quoted = ascii(value)
    if isinstance(value, str) and not {'"', "'", "\\"} & set(quoted[1:-1]):
        return f'"{quoted[1:-1]}"'  # already in the style of black
    return quoted


def json_text(value: str) -> str:
    """Write a string as JSON, as the runtime does."""
    return json.dumps(value, ensure_ascii=False)


def fragment(text: str) -> str:
    """Quote text for an f-string in single quotes, in ASCII."""
    escaped = text.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return escaped.replace("{", "{{").replace("}", "}}")


def names(classes: tuple[str, ...]) -> str:
    """Write a tuple of classes."""
    return f"({', '.join(classes)}{',' if len(classes) == 1 else ''})"


def codec_module(surface: str) -> str:
    """Return an extension's name for the codec of the surface that it extends."""
    return f"{surface}_codec"


def in_codec(name: str, function: str) -> str:
    """Return a function of another surface's codec: `v2.Cost` to `v2_codec.decode_Cost`."""
    surface, _, own = name.rpartition(".")
    return f"{codec_module(surface)}.{function}_{own}"


def words(value: str) -> str:
    """Quote text for the first line of a docstring, which it cannot end."""
    return comment(value).replace("\\", "\\\\").replace('"', '\\"')


def comment(value: str) -> str:
    """Quote text for a comment: one printable line."""
    return _visible(" ".join(value.split()))


def docstring(text: str, margin: int = 4) -> str:
    """Write a docstring with the text as its value, wrapped; the text can contain anything.

    A wrapped line keeps its indent, so that a list of attributes remains a list. `margin` is the
    indent of the surrounding code.
    """
    lines: list[str] = []
    quotes = '"""'
    for line in text.strip().split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" ")))
        wrapped = textwrap.wrap(
            _visible(line.strip()),
            WIDTH - margin,
            initial_indent=indent if lines else quotes,
            subsequent_indent=indent + ("    " if indent else ""),
            break_on_hyphens=False,
        )
        lines += wrapped or [""]
    is_short = len(lines) == 1 and len(lines[0] + quotes) <= WIDTH - margin
    body = textwrap.indent("\n".join(lines), " " * margin).strip().removeprefix(quotes)
    bare = (len(body) - len(body.rstrip('"'))) % 3  # trailing quotes that are not in a triple
    body = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if bare:
        body = body[:-1] + '\\"'
    if not is_short:
        body += "\n" + " " * margin
    return f'"""{body}"""'


def _visible(text: str) -> str:
    """Escape nonprinting characters; a file that contains them might not compile."""
    return printable(text.replace("\t", " "))
