"""Tests of quoting text as Python source code."""

from __future__ import annotations

from acpgen.emit.python.quoting import WIDTH, docstring


def test_a_docstring_that_fits_ends_on_its_line() -> None:
    longest = "x" * (WIDTH - len('    """"""'))
    assert [docstring(longest + more).count("\n") for more in ("", "x")] == [0, 1]
