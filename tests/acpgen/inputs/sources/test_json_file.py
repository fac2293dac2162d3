"""Tests of the nesting limit for JSON files."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpgen.common.problems import InputError
from acpgen.inputs.sources.json_file import read_json


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_hundred_levels_are_read(tmp_path: Path, opening: str, closing: str) -> None:
    path = tmp_path / "deep.json"
    inner = "1" if closing == "}" else ""
    path.write_text(opening * 100 + inner + closing * 100)
    read_json(path)
    path.write_text(opening * 101 + inner + closing * 101)
    with pytest.raises(InputError, match="nested deeper than 100 levels"):
        read_json(path)
