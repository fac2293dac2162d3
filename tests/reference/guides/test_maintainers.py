"""The guide for maintainers: its tables are whole, and its command prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from acpgen import __version__
from support.guides import commands, run_command
from support.paths import GUIDE_TEMPLATES, ROOT, SCHEMA

GUIDE = "maintainers.md"
TEXT = (GUIDE_TEMPLATES / GUIDE).read_text(encoding="utf-8")


def first_cells(heading: str) -> list[str]:
    """The cells in the first column of the table with a heading."""
    table = TEXT.split(f"| {heading} |", 1)[1].split("\n\n")[0]
    return re.findall(r"^\| (.*?) \|", table, re.M)


def test_the_command_prints_what_the_guide_shows(tmp_path: Path) -> None:
    [command] = commands(GUIDE)
    command.assert_prints(run_command(command.text, tmp_path))


def test_each_target_is_listed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):.*## ", makefile, re.M)
    assert len(targets) > 15
    listed = re.findall(r"`make ([a-z-]+)`", " ".join(first_cells("target")))
    assert sorted([*listed, "all"]) == sorted(targets)


def test_each_file_of_the_overlay_is_listed() -> None:
    files = sorted(path.name for path in (SCHEMA / "overlay").iterdir())
    assert len(files) == 6
    assert sorted(cell.strip("`") for cell in first_cells("file")) == files


def test_the_version_is_the_same_in_both_places() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.findall(r'^version = "(.*)"$', project, re.M) == [__version__]
