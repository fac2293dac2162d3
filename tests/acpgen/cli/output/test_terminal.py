"""Tests of output in terminals and in pipes."""

from __future__ import annotations

import pytest
from acpgen.cli.output import terminal


@pytest.mark.skipif(terminal.FOLDS, reason="the output is a terminal")
def test_the_width_of_a_terminal_does_not_matter_in_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal.out.width == 1000
