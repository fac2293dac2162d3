"""Tests of tables, which fit the terminal and are tab-separated in pipes."""

from __future__ import annotations

import pytest
from acpgen.cli.output import tables, terminal

ROWS = [("sessionConfigOptions", "one of two, three or four", ""), ("name", "text", "yes")]


def table(width: int | None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(terminal, "FOLDS", width is not None)
    monkeypatch.setattr(terminal.out, "_width", width or 1000)
    with terminal.out.capture() as captured:
        tables.grid(("wire", "type", "required"), ROWS)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_a_table_that_fits_does_not_split_names(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = table(48, monkeypatch)
    assert lines[0].split() == ["wire", "type", "required"]
    assert max(map(len, lines)) <= 48
    assert lines[1].startswith("sessionConfigOptions  one of")


def test_a_narrow_table_is_a_list_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(30, monkeypatch) == [
        "sessionConfigOptions",
        "  type: one of two, three or",
        "        four",
        "name",
        "  type: text",
        "  required: yes",
    ]


def test_in_a_pipe_cells_are_separated_by_tabs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table(None, monkeypatch)
    assert capsys.readouterr().out == (
        "wire\ttype\trequired\nsessionConfigOptions\tone of two, three or four\t\nname\ttext\tyes\n"
    )
