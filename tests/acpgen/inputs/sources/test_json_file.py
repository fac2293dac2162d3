"""Tests that JSON files are read strictly, with limited nesting."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.json_file import read_json


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_hundred_levels_are_read(tmp_path: Path, opening: str, closing: str) -> None:
    path = tmp_path / "deep.json"
    inner = "1" if closing == "}" else ""
    path.write_text(opening * 100 + inner + closing * 100)
    read_json(path)
    path.write_text(opening * 101 + inner + closing * 101)
    with pytest.raises(InputError) as caught:
        read_json(path)
    message = "nested deeper than 100 levels; fix the file or fetch it again"
    assert caught.value.problems == [Problem(display_path(path), "", "invalid-json", message)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"a": }', "Expecting value at line 1 column 7"),
        (b'{\n"a" 1}', "Expecting ':' delimiter at line 2 column 5"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[1e999]", "1e999 is out of range"),
        (b"[-1e999]", "-1e999 is out of range"),
        (b"['\xff']", "'utf-8' codec can't decode byte 0xff in position 2: invalid start byte"),
    ],
)
def test_a_file_that_is_not_json_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_json(path)
    message = f"{reason}; fix the file or fetch it again"
    assert caught.value.problems == [Problem(display_path(path), "", "invalid-json", message)]


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "missing.json"
    with pytest.raises(InputError) as caught:
        read_json(path)
    message = "cannot be read (No such file or directory); check the file"
    assert caught.value.problems == [Problem(display_path(path), "", "missing-file", message)]


def test_numbers_keep_their_values_and_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"[1.5, 2]\n")
    value, found = read_json(path)
    assert value == [1.5, 2]
    assert found == hashlib.sha256(b"[1.5, 2]\n").hexdigest()
