"""`acpgen new`: what it writes is short, typed and tested, and conforms."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.wire.conform.agent import AGENT
from acpgen.wire.conform.judging import Task, judge
from examples.driving import IMPORTED
from support import preloaded
from typer.testing import CliRunner

KINDS = ("agent", "client")
LINES = 120
PATIENCE = 60.0


def begin(kind: str, folder: Path) -> list[Path]:
    result = CliRunner().invoke(app, ["new", kind, str(folder)])
    assert result.exit_code == 0, result.output
    *files, advice = result.output.splitlines()
    assert advice.startswith("next: read ")
    assert len(files) == 4
    return sorted(folder.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_short_typed_and_tested(kind: str, tmp_path: Path) -> None:
    files = begin(kind, tmp_path / "my.tool")
    texts = [path.read_text("utf-8") for path in files]
    assert sum(text.count("\n") for text in texts) <= LINES
    assert all("my.tool" in text and f"my-{kind}" not in text for text in texts[:2])
    for command, end in (("mypy .", "no issues found"), ("pytest -q", "6 passed")):
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=tmp_path / "my.tool",
            capture_output=True,
            text=True,
            check=False,
        )
        assert end in done.stdout.splitlines()[-1], done.stdout + done.stderr


def test_the_agent_conforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin("agent", tmp_path / "it")
    monkeypatch.chdir(tmp_path)
    command = preloaded.command(sys.executable, IMPORTED, str(tmp_path / "it" / "agent.py"))
    task = Task(tuple(command), PATIENCE, ("note Buy milk",))
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("agent")
    report = asyncio.run(judge(AGENT, task, requirements, (1, 2)))
    assert report.versions == (1, 2)
    judged = [each for each in report.verdicts if each.status != "skipped"]
    assert {each.status for each in judged} == {"passed"}
    assert len(judged) > 90


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    result = CliRunner().invoke(app, ["new", "agent", str(tmp_path)])
    assert result.exit_code == 2
    assert "is not empty; choose another folder" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ['"""', "a b", "é", "x\ny", "-"])
def test_a_name_cannot_become_code(name: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["new", "client", str(tmp_path / name)])
    assert result.exit_code == 2
    assert "cannot name a project" in result.output
    assert list(tmp_path.iterdir()) == []
