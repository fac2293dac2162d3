"""Imports of the SDK are replaced in place."""

from __future__ import annotations

from pathlib import Path

from acpport.port import port


def test_the_import_after_a_block_is_replaced_in_place(tmp_path: Path) -> None:
    text = """
try:
    import fast
except ImportError:
    fast = None
import first
import acp
import last

acp.text_block("a")
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    new = port(tmp_path).moved[0].new.decode()
    assert [line for line in new.splitlines() if "import" in line][1:] == [
        "import first",
        "from acp_bindings import v1",
        "import last",
    ]
