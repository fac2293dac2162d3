"""Tests that tables fit the terminal and are tab-separated when piped."""

from __future__ import annotations

import pytest
from acpgen.cli.output import tables, terminal

ROWS = [("sessionConfigOptions", "one of two, three or four", ""), ("name", "text", "yes")]


def table(width: int | None, monkeypatch: pytest.MonkeyPatch, title: str = "") -> list[str]:
    monkeypatch.setattr(terminal, "FOLDS", width is not None)
    monkeypatch.setattr(terminal.out, "_width", width or 1000)
    with terminal.out.capture() as captured:
        tables.grid(("wire", "type", "required"), ROWS, title)
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            60,
            [
                "wire                  type                       required",
                "sessionConfigOptions  one of two, three or four",
                "name                  text                       yes",
            ],
        ),
        (
            48,
            [
                "wire                  type              required",
                "sessionConfigOptions  one of two,",
                "                      three or four",
                "name                  text              yes",
            ],
        ),
        (
            37,
            [
                "wire                  type   required",
                "sessionConfigOptions  one",
                "                      of",
                "                      two,",
                "                      three",
                "                      or",
                "                      four",
                "name                  text   yes",
            ],
        ),
    ],
)
def test_a_table_that_fits_does_not_split_words(
    width: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table(width, monkeypatch) == expected
    assert [line.rstrip() for line in table(width, monkeypatch, "v2")] == ["v2", *expected]


def test_the_columns_that_need_least_are_widened_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "FOLDS", True)
    monkeypatch.setattr(terminal.out, "_width", 24)
    with terminal.out.capture() as captured:
        tables.table([{"a": "b c", "d": "e f g h i j k l", "m": "n o p q r s t u"}])
    assert [line.rstrip() for line in captured.get().splitlines()] == [
        "a    d         m",
        "b c  e f g h   n o p q r",
        "     i j k l   s t u",
    ]


def test_a_table_can_take_the_entire_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "FOLDS", True)
    monkeypatch.setattr(terminal.out, "_width", 6)
    with terminal.out.capture() as captured:
        tables.table([{"a": "bb", "c": "dd"}])
    assert captured.get().split() == ["a", "c", "bb", "dd"]


def test_a_narrow_table_is_a_list_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(30, monkeypatch, "v2") == [
        "v2",
        "sessionConfigOptions",
        "  type: one of two, three or",
        "        four",
        "name",
        "  type: text",
        "  required: yes",
    ]


def test_a_table_becomes_blocks_when_a_word_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(36, monkeypatch)[:2] == [
        "sessionConfigOptions",
        "  type: one of two, three or four",
    ]


def test_in_a_pipe_cells_are_separated_by_tabs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table(None, monkeypatch)
    assert capsys.readouterr().out == (
        "wire\ttype\trequired\nsessionConfigOptions\tone of two, three or four\t\nname\ttext\tyes\n"
    )
