"""Helpers that port a program consisting of a single module."""

from __future__ import annotations

import re
from pathlib import Path

from acpport.port import port

# The beginning of a comment about a manual decision.
TODO = "# TODO(acpgen port): "


def ported_lines(text: str, folder: Path) -> list[str]:
    """Port a module that needs changes, and return the lines of the result."""
    (folder / "a.py").write_text(text, encoding="utf-8")
    return port(folder).moved[0].new.decode().splitlines()


def ported_body(start: str, body: str, folder: Path) -> list[str]:
    """Port a module that ends with a function, and return the lines of the function's new body.

    `start` is the text before the body. It must end with the function's first line.
    """
    lines = ported_lines(f"{start}\n    {body}\n", folder)
    [*_, last] = [at for at, line in enumerate(lines) if re.match(r"(async )?def ", line)]
    return [line.removeprefix("    ") for line in lines[last + 1 :]]
