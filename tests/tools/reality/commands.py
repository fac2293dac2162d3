"""The commands of programs: their placeholders, and the recorder in front of an agent."""

from __future__ import annotations

import sys
from pathlib import Path


def fill(text: str, values: dict[str, str]) -> str:
    """Replace the placeholders of `programs.toml`."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def wrapped(command: list[str], log: Path) -> list[str]:
    """Return the command that runs an agent behind a recorder."""
    return [sys.executable, "-m", "acpgen", "wrap", "--quiet", "--log", str(log), "--", *command]
