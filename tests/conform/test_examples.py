"""Our example agents do what the specification demands."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from acpgen.common import paths
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.wire.conform.agent import AGENT
from acpgen.wire.conform.judging import Task, judge
from examples.driving import IMPORTED
from support import preloaded
from support.paths import EXAMPLES, PROGRAMS

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
    command = preloaded.command(sys.executable, IMPORTED, str(program))
    requirements = load_overlay(paths.SCHEMA / "overlay").requirements.of("agent")
    report = asyncio.run(
        judge(AGENT, Task(tuple(command), PATIENCE, prompts), requirements, versions)
    )
    failed = [each for each in report.verdicts if each.status not in ("passed", "skipped")]
    assert failed == []
    assert report.versions == versions
    assert list(tmp_path.iterdir()) == []  # saved sessions were deleted
