"""Tests of the schema section in the changelog."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from acpgen.commands import changelog
from acpgen.common import paths
from acpgen.common.problems import InputError

TEXT = """# Changelog

## Unreleased

### Added

- a thing

## 0.1.0

### Schema: `a` → `b`

old
"""


PART = "### Schema: `b` → `c`\n\nnew things\n"


def test_the_part_stands_under_unreleased_and_is_replaced() -> None:
    noted = changelog.with_part(Path("C"), TEXT, PART)
    assert noted.index("- a thing") < noted.index("new things") < noted.index("## 0.1.0")
    assert (changelog.first_schema(TEXT), changelog.first_schema(noted)) == (None, "b")
    assert noted.endswith("### Schema: `a` → `b`\n\nold\n")
    again = changelog.with_part(Path("C"), noted, PART.replace("new things", "others"))
    assert "others" in again
    assert "new things" not in again
    assert changelog.with_part(Path("C"), noted, None) == TEXT
    with pytest.raises(InputError, match="has no heading `## Unreleased`"):
        changelog.with_part(Path("C"), "# Changelog\n", PART)


def test_a_text_without_the_heading_names_no_schema() -> None:
    assert changelog.first_schema("# Changelog\n\n### Schema: `a` → `b`\n") is None


def test_the_part_of_an_older_release_is_not_read() -> None:
    assert changelog.first_schema(TEXT.replace("- a thing", "- another")) is None
    assert changelog.first_schema("## Unreleased\n\n" + PART) == "b"


def test_missing_surfaces_are_omitted_unless_only_one_is_given(tmp_path: Path) -> None:
    log = tmp_path / "CHANGELOG.md"
    log.write_text(TEXT, encoding="utf-8")
    source = tmp_path / "source"
    shutil.copytree(paths.SCHEMA / "v2", source / "v2")
    assert changelog.note_move(log, str(source), ["v1", "v2"]).undecided == []
    with pytest.raises(InputError, match="has no schema for v1"):
        changelog.note_move(log, str(source), ["v1"])
