"""Every Python example of the README runs as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.S | re.M)


def test_readme_has_examples() -> None:
    assert len(EXAMPLES) == 7


@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_example_runs(index: int) -> None:
    exec(compile(EXAMPLES[index], f"README example {index + 1}", "exec"), {})


def test_first_example_prints_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    exec(EXAMPLES[0], {})
    assert capsys.readouterr().out == "Reading the file\n"


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b", README.read_text(encoding="utf-8"))) - {"test"}
    assert {"generate", "help"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target
