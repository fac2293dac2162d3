"""Every Python example of the README runs as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.S | re.M)


def test_readme_has_examples() -> None:
    assert len(EXAMPLES) == 13


@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_example_runs(index: int) -> None:
    exec(compile(EXAMPLES[index], f"README example {index + 1}", "exec"), {})


AGENTS_AND_CLIENTS = sorted((README.parent / "tests" / "examples").glob("*_v?.py"))


@pytest.mark.parametrize("path", AGENTS_AND_CLIENTS, ids=lambda path: path.stem)
def test_agents_and_clients_are_printed_as_they_are(path: Path) -> None:
    assert path.read_text(encoding="utf-8") in EXAMPLES


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_agent_and_client_run_as_printed(version: str, tmp_path: Path) -> None:
    for path in AGENTS_AND_CLIENTS:
        [printed] = [text for text in EXAMPLES if text == path.read_text(encoding="utf-8")]
        (tmp_path / path.name).write_text(printed, encoding="utf-8")
    agent = (sys.executable, f"agent_{version}.py")
    done = subprocess.run(
        [sys.executable, f"client_{version}.py", *agent],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "Hello, agent!\n[end_turn]\n"
    assert done.stderr == ""


def test_first_example_prints_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    exec(EXAMPLES[0], {})
    assert capsys.readouterr().out == "Reading the file\n"


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b", README.read_text(encoding="utf-8"))) - {"test"}
    assert {"generate", "help"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target
