"""Comparisons with tags become calls of `isinstance`."""

from __future__ import annotations

from pathlib import Path

from acpport.port import port


def test_a_comparison_with_every_tag_of_a_union_is_converted(tmp_path: Path) -> None:
    text = """
from acp.schema import RequestPermissionResponse

def is_known(response: RequestPermissionResponse) -> bool:
    return response.outcome.outcome in ("selected", "cancelled")
"""
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    ported = port(tmp_path)
    assert ported.left == []
    assert ported.moved[0].new.decode().splitlines()[-1].strip() == (
        "return isinstance(response.outcome, "
        "(v1.CancelledRequestPermissionOutcome, v1.SelectedPermissionOutcome))"
    )


def test_a_tag_with_a_common_name_is_only_marked(tmp_path: Path) -> None:
    text = "import acp\n\ndef f(answer):\n"
    comparison = '    return answer.outcome == "selected", answer.outcome'
    (tmp_path / "a.py").write_text(f"{text}{comparison}\n", encoding="utf-8")
    ported = port(tmp_path)
    assert ported.moved[0].new.decode().splitlines()[-1] == comparison
    assert [place.text for place in ported.left] == [
        "the tag `outcome` is not a field: use `isinstance` with v1.SelectedPermissionOutcome."
    ]
