"""Quotes text for Python source.

All strings from a schema pass through these functions, which prevents the strings from becoming
code in generated files.
"""

from __future__ import annotations

import json
import textwrap
from typing import Any

from acpgen.common.display import printable

WIDTH = 100


def literal(value: Any) -> str:
    """Return a JSON value as a Python literal in ASCII."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]"
    quoted = ascii(value)
    if isinstance(value, str) and not {'"', "'", "\\"} & set(quoted[1:-1]):
        return f'"{quoted[1:-1]}"'  # the quotes that black prefers
    return quoted


def json_text(value: str) -> str:
    """Return a string as JSON, in the form that the runtime writes."""
    return json.dumps(value, ensure_ascii=False)


def fragment(text: str) -> str:
    """Escape text as ASCII for use in a single-quoted f-string."""
    escaped = text.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return escaped.replace("{", "{{").replace("}", "}}")


def names(classes: tuple[str, ...]) -> str:
    """Return a tuple of classes as a Python expression."""
    return f"({', '.join(classes)}{',' if len(classes) == 1 else ''})"


def codec_module(surface: str) -> str:
    """Return the name that an extension uses for the codec of the extended surface."""
    return f"{surface}_codec"


def in_codec(name: str, function: str) -> str:
    """Return an expression for another surface's codec function, such as `v2_codec.decode_Cost`."""
    surface, _, own = name.rpartition(".")
    return f"{codec_module(surface)}.{function}_{own}"


def words(value: str) -> str:
    """Escape text for the first line of a docstring so that it cannot end the docstring."""
    return comment(value).replace("\\", "\\\\").replace('"', '\\"')


def comment(value: str) -> str:
    """Convert text to a single printable line for use in a comment."""
    return _visible(" ".join(value.split()))


def docstring(text: str, margin: int = 4) -> str:
    """Return a wrapped docstring for text that can contain arbitrary characters.

    Wrapped lines keep their indentation, so a list of attributes remains a list. `margin` is the
    indentation of the surrounding code.
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
    bare = (len(body) - len(body.rstrip('"'))) % 3  # trailing quotes, not counting groups of three
    body = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if bare:
        body = body[:-1] + '\\"'
    if not is_short:
        body += "\n" + " " * margin
    return f'"""{body}"""'


def _visible(text: str) -> str:
    """Escape nonprinting characters, since files that contain them might not compile."""
    return printable(text.replace("\t", " "))
