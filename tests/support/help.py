"""The help of a command as text that does not depend on the version of Typer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from acpgen.cli.app import app
from typer.main import get_command

from tests.support.goldens import check_golden
from tests.support.paths import ROOT

GOLDENS = ROOT / "tests" / "support" / "goldens" / "help"


def check_help(name: str, request: pytest.FixtureRequest) -> None:
    """Compare a command's help with its golden, which `--update-goldens` rewrites."""
    command: Any = get_command(app)
    lines = list(_lines(name, command.commands[name]))
    check_golden(GOLDENS / f"{name}.txt", lines, request)


def _lines(name: str, command: Any) -> Iterator[str]:
    yield f"{name}{' (hidden)' if command.hidden else ''}"
    for text in (command.help, command.epilog):
        yield from (text or "").splitlines()
    for parameter in command.params:
        named = " ".join((*parameter.opts, *parameter.secondary_opts))
        required = "required" if parameter.required else f"default: {parameter.default}"
        yield f"  {named} {parameter.metavar or ''} ({required})"
        yield f"    {parameter.help}"
    for inner, each in getattr(command, "commands", {}).items():
        yield from _lines(f"{name} {inner}", each)
