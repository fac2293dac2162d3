"""Tests of the mutation tool, which checks whether the tests detect changes to the sources."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.tools.mutation import run_mutants

SOURCE = "def is_small(number):\n    return number < 10\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one module that has no tests."""
    for folder in ("generator/sample", "generated", "templates", "tests/sample"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "generator/sample/sizes.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(run_mutants, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["run_mutants.py", "1", "--workers", "1"])
    return tmp_path


def _write_test(checkout: Path, assertion: str) -> None:
    text = f"from sample.sizes import is_small\n\n\ndef test_sizes():\n    assert {assertion}\n"
    (checkout / "tests/sample/test_sizes.py").write_text(text, encoding="utf-8")


def test_a_detected_mutant_is_killed(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write_test(checkout, "is_small(9) is True and is_small(10) is False")
    assert run_mutants.main() == 0
    output = capsys.readouterr().out
    test = "tests/sample/test_sizes.py::test_sizes"
    assert output.startswith(f"killed by {test}: generator/sample/sizes.py:2:")
    assert output.endswith("seed 0: 1 of 1 killed; survivors:\n")


def test_an_undetected_mutant_survives(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write_test(checkout, "callable(is_small)")
    assert run_mutants.main() == 1
    survived, count, listed = capsys.readouterr().out.splitlines()
    assert survived.startswith("survived: generator/sample/sizes.py:2:")
    assert count == "seed 0: 0 of 1 killed; survivors:"
    assert listed.strip() == survived.removeprefix("survived: ")


def test_sources_are_restored_after_a_mutant(checkout: Path) -> None:
    _write_test(checkout, "is_small(9) is True and is_small(10) is False")
    run_mutants.main()
    assert (checkout / "generator/sample/sizes.py").read_text("utf-8") == SOURCE


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_signals_that_the_caller_ignores_are_restored(checkout: Path) -> None:
    """Programs started by `nohup` inherit ignored signals, which would make some tests fail."""
    code = "import signal; raise SystemExit(signal.getsignal(signal.SIGHUP) != signal.SIG_DFL)"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run_mutants._run(checkout, "-c", code) == ""
    finally:
        signal.signal(signal.SIGHUP, before)
