"""Conformance tests of our example agents."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpwire.conform.judging import judge
from acpwire.conform.player import Task
from acpwire.conform.probes_of_agents import PlayedClient

from tests.examples.driving import IMPORTED
from tests.support import preloaded
from tests.support.guides import write_files
from tests.support.paths import EXAMPLES, PROGRAMS

pytestmark = pytest.mark.slow

PATIENCE = 60.0


@pytest.mark.parametrize(
    ("program", "prompts", "versions"),
    [
        (EXAMPLES / "agent.py", (), (1,)),
        (EXAMPLES / "agent_v2.py", (), (2,)),
        (PROGRAMS / "agent_with_tools.py", ("run true",), (1, 2)),
        (PROGRAMS / "coder.py", ("run true", "write new.txt text"), (1, 2)),
    ],
    ids=["bridged", "v2", "tools", "coder"],
)
def test_example_conforms(
    program: Path,
    prompts: tuple[str, ...],
    versions: tuple[int, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AGENT_SESSIONS", str(tmp_path))
    monkeypatch.setenv("CODER_SESSIONS", str(tmp_path))
    assert_conforms(program, prompts, versions)
    assert list(tmp_path.iterdir()) == []  # no saved sessions remain


def test_agent_of_the_guide_conforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files("agent.md", tmp_path)
    runner = tmp_path / "pytest"
    runner.write_text("#!/bin/sh\n", "utf-8")
    runner.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert_conforms(tmp_path / "fixer.py", ("Fix it",), (1, 2))
    assert list((tmp_path / ".local/state/fixer").iterdir()) == []


def assert_conforms(program: Path, prompts: tuple[str, ...], versions: tuple[int, ...]) -> None:
    command = preloaded.command(sys.executable, IMPORTED, str(program))
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("agent")
    report = asyncio.run(
        judge(PlayedClient, Task(tuple(command), PATIENCE, prompts), requirements, versions)
    )
    failed = [each for each in report.verdicts if each.status not in ("passed", "skipped")]
    assert failed == []
    assert report.versions == versions
