"""Tests of entries in `capabilities.toml` that don't match the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acpgen.analysis.refusals import problems


@pytest.mark.parametrize(
    ("surface", "entry", "value", "missing"),
    [
        ("v1_unstable", "session/update", "/clientCapabilities/no", "'/clientCapabilities/no'"),
        ("v2_unstable", "session/update#no", "/capabilities/auth", "'no'"),
    ],
)
def test_bad_capability(surface: str, entry: str, value: str, missing: str, overlay: Path) -> None:
    path = overlay / "capabilities.toml"
    head = f"[{surface}.client]\n"
    text = path.read_text("utf-8")
    assert head in text
    path.write_text(text.replace(head, f"{head}'{entry}' = '{value}'\n"), "utf-8")
    at = f"capabilities.toml#/{surface}/client/{entry.replace('/', '~1')}: {missing} does not exist"
    assert any(at in line for line in problems(overlay, surface))
