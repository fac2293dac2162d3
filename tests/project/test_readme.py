"""The README: its Python examples run as printed, and it leads to everything else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen.cli import app
from acpgen.reference.pages.guides import GUIDES
from support.paths import EXAMPLES, GUIDE_TEMPLATES, README, ROOT
from support.printed import blocks, run
from typer.testing import CliRunner

TEXT = README.read_text(encoding="utf-8")
BLOCKS = blocks(README)
PRINTED = [block.text for block in BLOCKS]
PROGRAMS = ("agent.py", "client.py")
LINKS = re.findall(r"\]\(([^)]+)\)", TEXT)


def test_the_readme_is_short() -> None:
    assert len(TEXT.splitlines()) <= 280


def test_readme_has_examples() -> None:
    assert len(PRINTED) == 1 + len(PROGRAMS) + 4


# Examples that are programs run as programs.
SNIPPETS = [
    index
    for index, text in enumerate(PRINTED)
    if text not in {path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
]


@pytest.mark.parametrize("index", SNIPPETS)
def test_example_runs(index: int) -> None:
    assert len(run(BLOCKS[index])) > 1


def test_first_example_prints_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    run(BLOCKS[0])
    assert capsys.readouterr().out == "Reading the file\n"
    assert len(PRINTED[0].splitlines()) <= 22


AGENTS_AND_CLIENTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", AGENTS_AND_CLIENTS, ids=lambda path: path.stem)
def test_agents_and_clients_are_printed_as_they_are_or_linked(path: Path) -> None:
    if path.name in PROGRAMS:
        assert PRINTED.count(path.read_text(encoding="utf-8")) == 1
    else:
        assert path.relative_to(ROOT).as_posix() in LINKS


def test_the_agent_and_client_of_both_versions_take_60_lines() -> None:
    texts = [(EXAMPLES / name).read_text(encoding="utf-8") for name in PROGRAMS]
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
        shutil.copy(path, tmp_path)
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


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+)\b", TEXT)) - {"test"}
    assert {"generate", "help", "docs"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_commands_named_in_the_readme_exist() -> None:
    named = set(re.findall(r"`acpgen ([a-z]+)\b", TEXT))
    assert {"generate", "vendor", "diff"} <= named
    for name in named:
        assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0, name


def test_links_lead_to_files() -> None:
    paths = [link for link in LINKS if not link.startswith("https://")]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_each_guide_is_linked() -> None:
    guides = [name for name in GUIDES if name.endswith(".md")]
    assert len(guides) > 5
    for name in guides:
        assert (GUIDE_TEMPLATES / name).relative_to(ROOT).as_posix() in LINKS
