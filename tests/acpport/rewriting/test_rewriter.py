"""Tests of marking possible calls to handlers and of keeping imports that are still needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpport.port import port


def marks(call: str, folder: Path) -> list[str]:
    """Return the TODO comments for a call on an object of unknown type. The call is unchanged."""
    text = f"import acp\n\nasync def f(other, value, params):\n    await {call}\n"
    (folder / "a.py").write_text(text, encoding="utf-8")
    ported = port(folder)
    new = ported.moved[0].new.decode()
    assert f"    await {call}\n" in new
    return [place.text for place in ported.left]


@pytest.mark.parametrize(
    "call",
    [
        "other.set_session_model(value)",  # no longer in the schema
        "other.write_file(value)",  # not a method of the SDK
        "other.prompt(value)",  # too common a name
        "other.session_update(params)",  # already passes a params object
    ],
)
def test_other_calls_have_no_mark(call: str, tmp_path: Path) -> None:
    assert marks(call, tmp_path) == []


def test_a_call_with_the_name_of_a_method_is_marked(tmp_path: Path) -> None:
    assert marks("other.session_update(value)", tmp_path) == [
        "if this calls the handler: `session_update` accepts one params object."
    ]


@pytest.mark.parametrize(
    ("statement", "value", "mark"),
    [
        ("import acp", "acp", "`acp` is an SDK module: import its names instead."),
        (
            "from acp import schema",
            "schema",
            "`schema` is an SDK module: import its names instead.",
        ),
        (
            "import acp.schema",
            "acp.schema",
            "`acp.schema` is an SDK module: import its names instead.",
        ),
        ("from acp import Nonsense", "Nonsense()", "acp.Nonsense: unknown SDK name."),
        ("import acp", "acp.Nonsense()", "acp.Nonsense: unknown SDK name."),
    ],
)
def test_a_name_that_stays_keeps_its_import(
    statement: str, value: str, mark: str, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(f"{statement}\n\nprint({value})\n", encoding="utf-8")
    ported = port(tmp_path)
    assert [place.text for place in ported.left] == [mark]
    new = ported.moved[0].new.decode()
    assert new == f"{statement}\n\n# TODO(acpgen port): {mark}\nprint({value})\n"
