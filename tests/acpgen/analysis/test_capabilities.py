"""Tests of capabilities, and of entries in `capabilities.toml` that don't match the schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpgen.analysis.capabilities import capability_of, capability_roots, form_of
from acpgen.ir.model import AnyJson, Array, Boolean, Dictionary, Nullable, Reference, Shape, String

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
    place = f"/{surface}/client/{entry.replace('/', '~1')}"
    assert problems(overlay, surface) == [
        f"error[overlay]: schema/overlay/capabilities.toml#{place}: {missing} does not exist in"
        f" {surface}; fix or remove the entry"
    ]


def test_nothing_is_advertised_without_initialize() -> None:
    assert capability_roots(()) == {}
    assert capability_of((), {}, "agent", "/capabilities/session") is None


@pytest.mark.parametrize(
    ("shape", "form"),
    [
        (Boolean(), "boolean"),
        (Nullable(Boolean()), "boolean"),
        (Reference("Capability"), "object"),
        (Dictionary(String()), "object"),
        (AnyJson(), "object"),
        (Array(String()), "value"),
        (String(), "value"),
    ],
)
def test_capabilities_have_forms(shape: Shape, form: str) -> None:
    assert form_of(shape, {}) == form
