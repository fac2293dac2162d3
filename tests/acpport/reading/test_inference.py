"""The types of values are found without annotations."""

from __future__ import annotations

from pathlib import Path

from acpport.port import port


def test_the_type_of_a_call_is_found_in_the_functions_returns(tmp_path: Path) -> None:
    text = """
from acp.schema import ToolCallUpdate

def make(id: str):
    return ToolCallUpdate(tool_call_id=id)

print(make("a").title is None)
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    last = port(tmp_path).moved[0].new.decode().splitlines()[-1]
    assert last == 'print(make("a").title in (None, UNSET))'
