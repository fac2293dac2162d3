"""A helper that ports a program consisting of a single module."""

from __future__ import annotations

from pathlib import Path

from acpport.port import port


def ported_lines(text: str, folder: Path) -> list[str]:
    """Port a module that needs changes, and return the lines of the result."""
    (folder / "a.py").write_text(text, encoding="utf-8")
    return port(folder).moved[0].new.decode().splitlines()
