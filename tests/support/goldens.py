"""Comparison of lines with a golden file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest


def check_golden(path: Path, lines: Sequence[str], request: pytest.FixtureRequest) -> None:
    """Compare lines with a golden, which `--update-goldens` rewrites."""
    if request.config.getoption("--update-goldens"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert lines == path.read_text("utf-8").splitlines()
