"""Tests of the README's table, which lists each requirement's tests or explains their absence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen.inputs.overlay.reading import load_overlay

from tests.support.paths import ROOT, SCHEMA

HERE = Path(__file__).resolve().parent
TEXT = (HERE / "README.md").read_text(encoding="utf-8")
DOCUMENTS = {"draft", "1", "2", "proposal", "schema"}


def rows(heading: str) -> list[list[str]]:
    """Return the cells of each row in the table under a heading."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


DEMANDS = rows("Requirements")
NAMED = sorted({name for row in DEMANDS for name in re.findall(r"`(tests/\S+::\w+)`", row[4])})


def test_the_table_is_whole() -> None:
    assert len(DEMANDS) >= 40
    for who, demand, where, *_ in DEMANDS:
        assert who in ("agent", "client")
        assert demand
        assert set(where.split(", ")) <= DOCUMENTS
    assert len(rows("Where the documents and the schema differ")) == 14


def test_what_is_judged_of_a_turn_is_demanded() -> None:
    """The table contains each requirement whose specification page is about the prompt turn."""
    named = {id_ for row in DEMANDS for id_ in re.findall(r"`([a-z-]+)`", row[3])}
    requirements = load_overlay(SCHEMA / "overlay").requirements.demands
    assert named <= {requirement.id for requirement in requirements}
    of_turns = {
        requirement.id
        for requirement in requirements
        if "/prompt-" in requirement.page(requirement.versions[0])
    }
    assert len(of_turns) >= 15
    assert of_turns <= named


@pytest.mark.parametrize("row", DEMANDS, ids=[f"{row[0]} {row[1]}" for row in DEMANDS])
def test_a_demand_has_a_test_or_a_reason(row: list[str]) -> None:
    shown = row[4]
    names = re.findall(r"`(tests/\S+::\w+)`", shown)
    if names:
        assert shown == " ".join(f"`{name}`" for name in names)
    else:
        assert re.fullmatch(r"Left to the (agent|client): .{20,}\.", shown)


def test_the_named_tests_run() -> None:
    """Each named test exists and isn't skipped or expected to fail, so the suite runs it."""
    assert len(NAMED) >= 40
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    # Options of the outer test run must not apply to the inner run.
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, "-m", "not (skip or skipif or xfail)", *NAMED],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    found = {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}
    assert set(NAMED) <= found
