"""Every Python example of the README runs as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import EXAMPLES, README

PRINTED = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.S | re.M)


def test_readme_has_examples() -> None:
    assert len(PRINTED) == 15


# Examples that are programs run as programs.
SNIPPETS = [
    index
    for index, text in enumerate(PRINTED)
    if text not in {path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
]


@pytest.mark.parametrize("index", SNIPPETS)
def test_example_runs(index: int) -> None:
    exec(compile(PRINTED[index], f"README example {index + 1}", "exec"), {})


AGENTS_AND_CLIENTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", AGENTS_AND_CLIENTS, ids=lambda path: path.stem)
def test_agents_and_clients_are_printed_as_they_are(path: Path) -> None:
    assert path.read_text(encoding="utf-8") in PRINTED


def test_the_agent_and_client_of_both_versions_take_60_lines() -> None:
    texts = [(EXAMPLES / f"{name}.py").read_text(encoding="utf-8") for name in ("agent", "client")]
    assert sum(len(text.splitlines()) for text in texts) <= 60


@pytest.mark.parametrize(
    ("client", "agent"),
    [
        ("client_v1.py", "agent_v1.py"),
        ("client_v2.py", "agent_v2.py"),
        ("client_v1.py", "agent.py"),
        ("client.py", "agent.py"),
        ("client.py", "agent_v1.py"),
        ("client.py", "agent_v2.py"),
    ],
)
def test_agent_and_client_run_as_printed(client: str, agent: str, tmp_path: Path) -> None:
    for path in AGENTS_AND_CLIENTS:
        [printed] = [text for text in PRINTED if text == path.read_text(encoding="utf-8")]
        (tmp_path / path.name).write_text(printed, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, client, sys.executable, agent],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "Hello, agent!\n[end_turn]\n"
    if client != "client.py":  # which reports the updates there
        assert done.stderr == ""


def test_first_example_prints_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    exec(PRINTED[0], {})
    assert capsys.readouterr().out == "Reading the file\n"


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b", README.read_text(encoding="utf-8"))) - {"test"}
    assert {"generate", "help"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target
