"""Tests of quoting text as Python source code."""

from __future__ import annotations

import pytest
from acpgen.emit.python.quoting import WIDTH, docstring, literal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ("a'b", '"a\'b"'),
        ('a"b', "'a\"b'"),
        ("é\n", r"'\xe9\n'"),
        ({"a": [None, 1.5, True]}, '{"a": [None, 1.5, True]}'),
        (("a",), '("a",)'),
        (("a", ()), '("a", ())'),
    ],
)
def test_literals_have_double_quotes_if_they_need_no_escape(value: object, text: str) -> None:
    assert literal(value) == text


def test_a_docstring_that_fits_ends_on_its_line() -> None:
    longest = "x" * (WIDTH - len('    """"""'))
    assert [docstring(longest + more).count("\n") for more in ("", "x")] == [0, 1]
