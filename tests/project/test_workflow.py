"""Tests of the scheduled workflow, with fakes of the programs that access the network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT

WORKFLOW = ROOT / ".github" / "workflows" / "bump.yml"
# A fake `make bump`, which adds a file to the schema and exits with the code in `BUMP_CODE`.
MAKE = """
[ "$1" = bump ] || exit 0
echo "$2" > schema/new.json
echo "bumping with $2"
exit "$BUMP_CODE"
"""


@dataclass(frozen=True)
class Service:
    """A simulation of the service that runs workflows.

    Attributes:
        checkout: a clone of `remote`.
        remote: the repository that receives the pull requests.
        programs: the folder that contains the fake npm, make and gh.
    """

    checkout: Path
    remote: Path
    programs: Path

    def program(self, name: str, script: str) -> None:
        """Write a fake program."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, *, diff_code: int = 1, bump_code: int = 0) -> int:
        """Run the steps until one of them fails. Return the exit code of the last step."""
        self.checkout.joinpath(".venv", "bin").mkdir(parents=True, exist_ok=True)
        acpgen = self.checkout / ".venv" / "bin" / "acpgen"
        acpgen.write_text(f'#!/bin/sh\necho "diff of $3"\nexit {diff_code}\n', encoding="utf-8")
        acpgen.chmod(0o755)
        outputs: dict[str, dict[str, str]] = {}
        for step in steps():
            if "run" not in step or not is_wanted(step, outputs):
                continue
            code, outputs[step.get("id", "")] = self._step(step, outputs, bump_code)
            if code:
                return code
        return 0

    def _step(
        self, step: dict[str, Any], outputs: dict[str, dict[str, str]], bump_code: int
    ) -> tuple[int, dict[str, str]]:
        written = self.programs / "output"
        written.write_text("", encoding="utf-8")
        variables = {
            **os.environ,
            **{name: filled(value, outputs) for name, value in step.get("env", {}).items()},
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(written),
            "BUMP_CODE": str(bump_code),
        }
        command = ["bash", "--noprofile", "--norc", "-e", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=self.checkout, env=variables, capture_output=True, text=True, check=False
        )
        pairs = (line.split("=", 1) for line in written.read_text("utf-8").splitlines())
        return done.returncode, dict(pairs)

    def branches(self) -> list[str]:
        command = ("for-each-ref", "--format=%(refname:short)", "refs/heads")
        return git(self.remote, *command).split()

    def request(self) -> str | None:
        """Return `gh`'s arguments and the pull request's body, or None if `gh` didn't run."""
        path = self.programs / "request"
        return path.read_text("utf-8") if path.exists() else None


def steps() -> list[dict[str, Any]]:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = workflow["jobs"]["bump"]["steps"]
    assert sum("run" in step for step in found) == 4
    return found


def filled(text: str, outputs: dict[str, dict[str, str]]) -> str:
    """Return a workflow value with its expressions evaluated."""
    expression = r"\$\{\{ *steps\.(\w+)\.outputs\.(\w+) *\}\}"
    made = re.sub(expression, lambda m: outputs.get(m[1], {}).get(m[2], ""), text)
    return made.replace("${{ github.token }}", "token")


def is_wanted(step: dict[str, Any], outputs: dict[str, dict[str, str]]) -> bool:
    """Return whether a step has no condition or its condition is true."""
    return "if" not in step or filled(f"${{{{ {step['if']} }}}}", outputs) != ""


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def service(tmp_path: Path) -> Service:
    made = Service(tmp_path / "checkout", tmp_path / "remote.git", tmp_path / "programs")
    made.programs.mkdir()
    made.program("npm", "echo 2.5.0")
    made.program("make", MAKE)
    made.program("python", f'exec "{sys.executable}" "$@"')
    made.program("gh", f'{{ echo "$3 $4"; cat "$6"; }} > "{made.programs / "request"}"')
    git(tmp_path, "init", "--bare", str(made.remote))
    git(tmp_path, "clone", str(made.remote), str(made.checkout))
    record = {"files": {"v2/schema.json": {"version": "2.4.0"}}}
    (made.checkout / "schema").mkdir()
    (made.checkout / "schema" / "sources.json").write_text(json.dumps(record), encoding="utf-8")
    (made.checkout / ".gitignore").write_text("/build/\n/.venv/\n", encoding="utf-8")
    git(made.checkout, "add", "--all")
    git(made.checkout, "commit", "-m", "first")
    git(made.checkout, "push", "origin", "main")
    return made


def test_a_newer_version_becomes_a_pull_request_with_the_diff(service: Service) -> None:
    assert service.run() == 0
    assert service.branches() == ["main", "schema-2.5.0"]
    changed = git(service.remote, "diff", "--name-only", "main", "schema-2.5.0").split()
    assert changed == ["schema/new.json"]
    assert service.request() == (
        "--title Schema 2.5.0\ndiff of npm:@agentclientprotocol/sdk@2.5.0\n\n`make bump` passed.\n"
    )


def test_where_a_person_has_to_decide_the_request_says_so(service: Service) -> None:
    assert service.run(diff_code=3, bump_code=2) == 0
    assert service.branches() == ["main", "schema-2.5.0"]
    assert (service.request() or "").endswith(
        "\n`make bump` stopped:\n\n```\nbumping with VERSION=2.5.0\n```\n"
    )


@pytest.mark.parametrize("published", ["2.4.0", "2.3.1", "2.3.10"])
def test_what_is_no_newer_changes_nothing(published: str, service: Service) -> None:
    service.program("npm", f"echo {published}")
    assert service.run() == 0
    assert service.branches() == ["main"]
    assert service.request() is None


def test_what_was_proposed_is_not_proposed_again(service: Service) -> None:
    service.program("npm", "echo 2.10.0")  # versions are numbers
    assert service.run() == 0
    assert service.branches() == ["main", "schema-2.10.0"]
    (service.programs / "request").unlink()
    git(service.checkout, "switch", "main")
    assert service.run() == 0
    assert service.request() is None


@pytest.mark.parametrize(("registry", "diff_code"), [("echo 2.5.0", 2), ("exit 1", 1)])
def test_what_fails_fails_the_workflow(registry: str, diff_code: int, service: Service) -> None:
    service.program("npm", registry)
    assert service.run(diff_code=diff_code) == 1
    assert service.branches() == ["main"]
