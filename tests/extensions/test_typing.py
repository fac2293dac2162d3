"""mypy and pyright, in strict mode, understand the packages of extensions and their use."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acpgen.common import paths
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
        [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True, check=False
    )


def refused(output: str) -> set[tuple[str, int]]:
    """The files and lines that an output names as errors."""
    found = re.findall(r"([^\s:/]+\.py):(\d+)(?::\d+)*:? (?:- )?error", output)
    summary = output.strip().splitlines()[-1]
    assert re.search(rf"\b{len(found)} error", summary), summary
    return {(file, int(line)) for file, line in found}


@pytest.mark.parametrize("checker", [("mypy", "--strict"), ("pyright",)], ids=lambda each: each[0])
def test_wrong_lines_are_reported_and_nothing_else(project: Path, checker: tuple[str, ...]) -> None:
    done = run(project, *checker, "consumer.py", "wrong.py", *SAMPLES)
    assert done.returncode == 1, done.stdout
    assert len(WRONG) == 6
    assert refused(done.stdout) == {("wrong.py", line) for line in WRONG}, done.stdout
