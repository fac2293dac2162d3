"""Tests that the default limits match the tables in the guide "Limits"."""

from __future__ import annotations

import re

import pytest
from acp_bindings.kit.files import FileLimits
from acp_bindings.kit.links import RestartPolicy
from acp_bindings.kit.permissions import PermissionLimits
from acp_bindings.kit.store import StoreLimits
from acp_bindings.kit.terminals import TerminalLimits
from acp_bindings.remote import RemoteLimits
from acp_bindings.runtime.jsonrpc import MAX_LINE, Limits

from tests.support.paths import GUIDE_TEMPLATES

CLASSES = (
    *(Limits, FileLimits, TerminalLimits, PermissionLimits, StoreLimits, RestartPolicy),
    RemoteLimits,
)
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}
# The class, name, number and unit in each row of the guide's tables, except `max_line`.
TEXT = (GUIDE_TEMPLATES / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| `(?:(\w+)\.)?(?!max_line)(\w+)` \| (?:no limit|([\d.,]*\d)(?: (KiB|MiB))?)",
    TEXT,
    re.MULTILINE,
)


def test_the_guide_lists_every_limit() -> None:
    listed = [f"{cls or 'Limits'}.{name}" for cls, name, *_ in ROWS]
    limits = [f"{cls.__name__}.{name}" for cls in CLASSES for name in cls.__slots__]
    limits.remove("RemoteLimits.connection")  # contains other limits
    assert sorted(listed) == sorted(limits)


@pytest.mark.parametrize(("cls", "name", "number", "unit"), ROWS)
def test_defaults_are_the_documented_ones(cls: str, name: str, number: str, unit: str) -> None:
    [limits] = [each() for each in CLASSES if each.__name__ == (cls or "Limits")]
    documented = float(number.replace(",", "")) * UNITS.get(unit, 1) if number else None
    assert getattr(limits, name) == documented


def test_the_default_length_of_lines_is_the_documented_one() -> None:
    assert f"\n| `max_line` | {MAX_LINE >> 20} MiB |" in TEXT
    assert MAX_LINE % UNITS["MiB"] == 0
