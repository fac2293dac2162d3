"""Tests that the changelog mentions all breaking changes to public names since the last release."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.package.api.released import breaking, extract, last_tag, unexplained
from tests.support.paths import PACKAGE, ROOT


def test_the_changelog_names_what_breaks(tmp_path: Path) -> None:
    tag = last_tag(ROOT)
    if tag is None:
        return  # nothing is released
    extract(ROOT, tag, "generated/acp_bindings", tmp_path)
    names = breaking(tmp_path / "generated" / "acp_bindings", PACKAGE)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert unexplained(names, changelog) == [], "say in CHANGELOG.md, under Unreleased, what breaks"


OLD = {
    "__init__.py": "",
    "v1/__init__.py": 'from .types import Tool, use\n\n__all__ = ["Tool", "use"]\n',
    "v1/types.py": """
class Tool:
    name: str
    size: int

def use(tool, times=1): ...

def inner(): ...
""",
    "v2/__init__.py": "__all__ = []\n",
}
TYPES = OLD["v1/types.py"]
ONLY_TOOL = 'from .types import Tool\n\n__all__ = ["Tool"]\n'
# Changes to the package, and the public names that each change breaks.
NEW: dict[str, tuple[dict[str, str], list[str]]] = {
    "same": (OLD, []),
    "member": (
        {**OLD, "v1/types.py": TYPES.replace("    size: int\n", "")},
        ["v1.types.Tool.size"],
    ),
    "parameter": ({**OLD, "v1/types.py": TYPES.replace("times=1", "often=1")}, ["v1.types.use"]),
    "internal": ({**OLD, "v1/types.py": TYPES.replace("inner", "other")}, []),
    "name": ({**OLD, "v1/__init__.py": ONLY_TOOL}, ["v1.use"]),
    "module": ({"__init__.py": "", "v2/__init__.py": ""}, ["v1"]),
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("files", "expected"), NEW.values(), ids=NEW.keys())
def test_public_names_that_break_are_found(
    files: dict[str, str], expected: list[str], tmp_path: Path
) -> None:
    old = write(tmp_path / "old" / "package", OLD)
    new = write(tmp_path / "new" / "package", files)
    assert breaking(old, new, ["v1", "v2", "later"]) == expected


NAMES = ["v1.types.Tool.size", "v1.use", "runtime.aio.Peer.name"]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("- new", NAMES),
        ("- `Tool` and `use` are gone, and `Peer.name`.", []),
        ("- `Tool.size` is gone.", NAMES[1:]),
        ("- new\n\n## 0.1.0\n\n- `Tool` is gone.", NAMES),
    ],
)
def test_a_name_that_breaks_needs_a_word(words: str, left: list[str]) -> None:
    assert unexplained(NAMES, f"# Changelog\n\n## Unreleased\n\n{words}\n") == left
