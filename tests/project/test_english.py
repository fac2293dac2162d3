"""Tests that the prose of each folder stays within its budget for discouraged phrases."""

from __future__ import annotations

import json

import pytest

from tests.project.prose import count_tics
from tests.support.paths import ROOT

BUDGET = ROOT / "tests" / "project" / "english.json"


def test_each_folder_keeps_its_budget(pytestconfig: pytest.Config) -> None:
    budget = json.loads(BUDGET.read_text("utf-8"))
    counts = {
        folder: {k: n for k, n in found.items() if n} for folder, found in count_tics().items()
    }
    over = [
        f"{folder}: {name}: {count}, budget {budget.get(folder, {}).get(name, 0)}"
        for folder, found in counts.items()
        for name, count in found.items()
        if count > budget.get(folder, {}).get(name, 0)
    ]
    if pytestconfig.getoption("--update-goldens") and not over:
        text = json.dumps({f: found for f, found in counts.items() if found}, indent=2)
        BUDGET.write_text(f"{text}\n", "utf-8")
    assert not over, "reword these; the budget is never raised"
    assert len(counts) > 30
