"""Formats text and paths for messages."""

from __future__ import annotations

from pathlib import Path


def printable(text: str) -> str:
    """Return text with line breaks and other control characters escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def display_path(path: Path) -> str:
    """Return a path for messages, relative to the working directory if the path is inside it."""
    absolute = path.absolute()
    return str(absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else path)
