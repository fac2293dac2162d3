"""Tests of tokens and HTTP headers that are passed on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from acpgen.common.problems import InputError
from acpwire import credentials
from acpwire.credentials import parse_headers, read_token, token_to_serve


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


def test_a_token_is_read_or_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    created, source = token_to_serve(file)
    assert source == f"created and written to {file}"
    assert (file.read_text("utf-8"), file.stat().st_mode & 0o777) == (f"{created}\n", 0o600)
    assert token_to_serve(file) == (created, f"from {file}")
    assert read_token(file) == created
    monkeypatch.setenv("ACP_TOKEN", " secret\n")
    assert token_to_serve(None) == ("secret", "from ACP_TOKEN")
    monkeypatch.setenv("ACP_TOKEN", "")
    assert read_token(None) is None
    other, source = token_to_serve(None)
    assert source == f"created for this run; not shown again: {other}"
    assert len(other) == len(created) == 43
    assert other != created


def test_a_token_that_cannot_be_written_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials.secrets, "token_urlsafe", lambda size: "\ud800")
    with pytest.raises(UnicodeEncodeError):
        token_to_serve(tmp_path / "token")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "is empty"),
        ("a b", "contains spaces or characters that are not allowed in headers"),
        ("é", "contains spaces or characters that are not allowed in headers"),
    ],
)
def test_unusable_tokens_are_problems(text: str, found: str, tmp_path: Path) -> None:
    (file := tmp_path / "token").write_text(text, "utf-8")
    with pytest.raises(InputError, match=f"{found}; use a token of visible ASCII characters"):
        read_token(file)
