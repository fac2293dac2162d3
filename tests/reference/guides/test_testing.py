"""The guide about testing: the tests that it prints pass."""

from __future__ import annotations

from pathlib import Path

from support.guides import python, write_files


def test_printed_tests_pass(tmp_path: Path) -> None:
    assert "cleaner.py" in write_files("testing.md", tmp_path)
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=", "--rootdir", str(tmp_path))
    printed = python(tmp_path, ["-m", "pytest", *options, str(tmp_path)])
    assert printed.splitlines()[-1].startswith("4 passed")
