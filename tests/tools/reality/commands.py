"""Functions that fill in placeholders in commands and wrap commands to record messages."""

from __future__ import annotations

import sys
from pathlib import Path


def fill(text: str, values: dict[str, str]) -> str:
    """Replace the placeholders that `programs.toml` describes."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def wrapped(command: list[str], log: Path) -> list[str]:
    """Return a command that runs an agent and records its messages."""
    return [sys.executable, "-m", "acpgen", "wrap", "--quiet", "--log", str(log), "--", *command]
