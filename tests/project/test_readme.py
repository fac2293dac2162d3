"""Tests that the README's Python examples run as printed and that it links to all documents."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpdocs.pages.guides import GUIDES
from acpgen.cli.app import app
from typer.testing import CliRunner

from tests.examples.driving import running
from tests.support.guides import run_command
from tests.support.paths import EXAMPLES, GUIDE_TEMPLATES, README, ROOT
from tests.support.printed import blocks, run

TEXT = README.read_text(encoding="utf-8")
BLOCKS = blocks(README)
PRINTED = [block.text for block in BLOCKS]
PROGRAMS = ("agent.py", "client.py")
LINKS = re.findall(r"\]\(([^)]+)\)", TEXT)


# Python blocks except the examples, which are run as complete programs.
SNIPPETS = [
    index
    for index, text in enumerate(PRINTED)
    if text not in {path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
]


@pytest.mark.parametrize("index", SNIPPETS)
def test_example_runs(index: int) -> None:
    assert len(run(BLOCKS[index])) > 1


def test_the_message_that_is_read_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run(BLOCKS[SNIPPETS[0]])
    assert capsys.readouterr().out == "Reading the file\n"


def test_it_begins_with_how_to_install_a_checkout_and_a_short_program() -> None:
    # Leave out the table "Works with", since its length depends on the number of tested programs.
    text, sections = re.subn(r"^## Works with\n.*?(?=^## )", "", TEXT, flags=re.M | re.S)
    assert sections == 1
    assert len(text.splitlines()) <= 200
    program = (EXAMPLES / "agent.py").read_text(encoding="utf-8")
    assert len(program.splitlines()) <= 12
    steps = ("pip install .\n", "pip wheel", "pip install acp-bindings", "make test", program)
    assert sorted(steps, key=TEXT.index) == list(steps)


AGENTS_AND_CLIENTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", AGENTS_AND_CLIENTS, ids=lambda path: path.stem)
def test_agents_and_clients_are_printed_as_they_are_or_linked(path: Path) -> None:
    if path.name in PROGRAMS:
        assert PRINTED.count(path.read_text(encoding="utf-8")) == 1
    else:
        assert path.relative_to(ROOT).as_posix() in LINKS


def test_agent_and_client_run_as_printed(tmp_path: Path) -> None:
    assert printed_by(tmp_path, "client.py") == "Hello, agent!\n[end_turn]\n"


def test_a_new_client_talks_to_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(EXAMPLES / "agent.py", tmp_path)
    [(new, start)] = re.findall(r"`(acpgen new client [^`]+)` and `(python [^`]+)`", TEXT)
    run_command(new, tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    with running(shlex.split(start), tmp_path) as client:
        client.type("Hello")
        client.wait_for("agent: Hello")
        client.wait_for("[end_turn]")


def test_the_shortest_programs_run_as_printed(tmp_path: Path) -> None:
    updates = printed_by(tmp_path, "client_v2.py").split()
    assert updates == ["UserMessage", "RunningStateUpdate", "AgentMessageChunk", "IdleStateUpdate"]


def printed_by(folder: Path, program: str) -> str:
    """Copy all programs to a folder, run one of them there, and return its output."""
    for path in AGENTS_AND_CLIENTS:
        shutil.copy(path, folder)
    # Use a script, since Python would not find its virtual environment through a link.
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    paths = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, program],
        cwd=folder,
        env={**os.environ, "PATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


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
