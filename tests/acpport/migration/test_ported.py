"""Tests of the SDK examples as converted by `acpgen port`, and of the later manual edits.

The other tests in this folder run sessions with the resulting programs.
"""

from __future__ import annotations

import ast
import tokenize
from collections import Counter
from pathlib import Path

import pytest
from acpport.port import port

from tests.acpport.migration import originals
from tests.acpport.migration.originals import EDITS, NAMES, OURS, PORTED, VERSIONS


def test_edits_are_few() -> None:
    """Each example needs at most ten edited lines, counting added and removed lines."""
    counts: Counter[str] = Counter()
    name = ""
    for line in EDITS.read_text("utf-8").splitlines():
        if line.startswith("+++ "):
            name = Path(line.split()[1]).stem
        elif line[:1] in ("+", "-") and not line.startswith("---"):
            counts[name] += 1
    assert set(counts) <= set(NAMES)
    assert 0 < max(counts.values()) <= 10


def test_both_versions_become_the_same_programs() -> None:
    """The programs from both versions are identical, so the other tests run only one version."""
    trees = [
        {path.name: ast.dump(ast.parse(path.read_text("utf-8"))) for path in folder.glob("*.py")}
        for folder in map(originals.ported, VERSIONS)
    ]
    assert trees[0] == trees[1]
    assert {f"{name}.py" for name in NAMES} == set(trees[0])


def test_comments_are_kept() -> None:
    for name in NAMES:
        before, after = (
            comments(folder(VERSIONS[-1]) / f"{name}.py")
            for folder in (originals.folder, originals.ported)
        )
        assert {text for text in before if "agent-client-protocol" not in text} <= after


def comments(path: Path) -> set[str]:
    with path.open("rb") as file:
        tokens = [*tokenize.tokenize(file.readline)]
    return {token.string for token in tokens if token.type == tokenize.COMMENT}


@pytest.mark.parametrize("who", [OURS, PORTED])
def test_a_program_without_the_sdk_stays_as_it_is(who: str) -> None:
    ported = port(originals.folder(who))
    assert (ported.moved, ported.left) == ([], [])


def test_twice_is_as_once() -> None:
    again = port(originals.ported(VERSIONS[-1]))
    assert again.moved == []
    marked = ["gemini", "http_client", "http_server", "ws_client"]
    assert [place.path.stem for place in again.left] == marked
