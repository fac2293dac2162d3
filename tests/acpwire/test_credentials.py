"""HTTP headers given on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpgen.common.problems import InputError
from acpwire.credentials import parse_headers


def test_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("of a file\n", "utf-8")
    monkeypatch.setenv("SECRET", "of the environment")
    headers = ["A: plain: text", "B:@SECRET", f"C: @{tmp_path / 'secret'}"]
    expected = {"A": "plain: text", "B": "of the environment", "C": "of a file"}
    assert parse_headers(headers) == expected


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("Authorization: Bearer x", "the value of Authorization is a secret"),
        ("cookie: x", "the value of cookie is a secret"),
        ("A: @NO_SUCH_VARIABLE", "no variable 'NO_SUCH_VARIABLE' in the environment"),
        ("A", "expected 'NAME: VALUE', found 'A'"),
        ("A B: c", "expected 'NAME: VALUE', found 'A B: c'"),
        ("A: é", "the value of A contains characters that are not allowed in headers"),
    ],
)
def test_unusable_headers_are_problems(header: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_headers([header])
