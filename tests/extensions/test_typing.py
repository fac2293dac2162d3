"""mypy and pyright, in strict mode, understand the packages of extensions and their use."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen import paths
from acpgen.emit.extension import render_extension
from extensions.packages import HERE, SAMPLES, build, sample

WRONG = {
    number
    for number, line in enumerate((HERE / "wrong.py").read_text(encoding="utf-8").splitlines(), 1)
    if line.endswith("# E")
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the packages of all samples, and programs that use them."""
    folder = tmp_path_factory.mktemp("project")
    for name, surface in SAMPLES.items():
        built = build(sample(name), surface, unprefixed=True).surface
        (folder / name).mkdir()
        for path, text in render_extension(built, paths.TEMPLATES, "acp_bindings").items():
            (folder / name / path).write_text(text, encoding="utf-8")
    for program in ("consumer.py", "wrong.py"):
        shutil.copy(HERE / program, folder)
    environment = Path(sys.prefix)
    settings = {
        "typeCheckingMode": "strict",
        "venvPath": str(environment.parent),
        "venv": environment.name,
        "extraPaths": [str(paths.PACKAGE.parent)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )


def refused(output: str) -> set[int]:
    """The lines of `wrong.py` that an output names as errors."""
    return {int(line) for line in re.findall(r"wrong\.py:(\d+)(?::\d+)*:? (?:- )?error", output)}


def test_mypy(project: Path) -> None:
    done = run(project, "mypy", "--strict", "consumer.py", *SAMPLES)
    assert done.returncode == 0, done.stdout
    assert len(WRONG) == 6
    assert refused(run(project, "mypy", "--strict", "wrong.py").stdout) == WRONG


def test_pyright(project: Path) -> None:
    done = run(project, "pyright", "consumer.py", *SAMPLES)
    assert done.returncode == 0, done.stdout
    assert refused(run(project, "pyright", "wrong.py").stdout) == WRONG
