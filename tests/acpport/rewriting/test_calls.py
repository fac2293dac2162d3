"""Tests of converting constructor calls for classes from earlier SDK versions."""

from __future__ import annotations

from pathlib import Path

from acpport.port import port


def test_a_class_that_is_now_a_union_is_constructed_as_its_variant(tmp_path: Path) -> None:
    text = 'from acp.schema import AuthMethod\n\nmethod = AuthMethod(id="a", name="A")\n'
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    last = ported.moved[0].new.decode().splitlines()[-1]
    assert last == 'method = v1.AuthMethodAgent(id="a", name="A")'
