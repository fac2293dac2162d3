"""Tests of the exit codes of `acpgen diff`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acpgen.diff.projects import (
    project,
    run,
    run_in_project,
    two,
    written,
)
from tests.acpgen.diff.small import save
from tests.support.paths import GOLDEN


@pytest.fixture
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder that is also the working directory."""
    monkeypatch.chdir(tmp_path)
    return project(tmp_path)


FORMATS: list[tuple[str, ...]] = [
    (),
    ("--json",),
    ("--format", "markdown"),
    ("--format", "html"),
    ("--format", "junit"),
]
each_format = pytest.mark.parametrize("options", FORMATS, ids=lambda options: "".join(options))


@each_format
def test_exit_codes(options: tuple[str, ...], tmp_path: Path) -> None:
    """The exit code is 0 for no changes, 1 for compatible changes, and 3 for breaking changes."""
    old, broken = two(tmp_path / "broken", breaking=True)
    _, new = two(tmp_path / "new", breaking=False)
    for other, code in ((old, 0), (new, 1), (broken, 3)):
        result = run(old, other, "--surface", "v2", *options)
        assert (result.exit_code, result.stderr) == (code, "")
        assert ("Thing.x" in result.stdout) == (code != 0)
        assert result.stdout


def test_no_shape_differs_from_itself() -> None:
    """The golden schema contains every kind of shape."""
    schema = str(GOLDEN / "schema.json")
    result = run(schema, schema, "--surface", "v2", "--json")
    assert (result.exit_code, json.loads(result.stdout)["changes"]) == (0, [])


def test_a_change_that_breaks_code_only_exits_with_3(tmp_path: Path) -> None:
    old, new = two(tmp_path, breaking=False)
    result = run(new, old, "--surface", "v2", "--json")
    [change] = json.loads(result.stdout)["changes"]
    assert (change["wire"], change["python"]) == ("compatible", "breaking")
    assert result.exit_code == 3


@pytest.mark.parametrize("source", ["no-such-thing", "no/such/folder", "v3", "HEAD~1000000", "--x"])
def test_an_unknown_source_exits_with_2(source: str, tmp_path: Path) -> None:
    old, _ = two(tmp_path, breaking=True)
    for pair in ((source, old), (old, source)):
        result = run("--surface", "v2", "--", *pair)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("error[missing-file]: ")
        assert len(result.stderr.splitlines()) == 1


def test_problems_are_errors(tmp_path: Path) -> None:
    old, new = two(tmp_path, breaking=True)
    result = run(old, "no-such-thing", "--surface", "v2", "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    assert (problem["file"], problem["code"]) == ("no-such-thing", "missing-file")
    result = run(old, new)
    assert result.exit_code == 2
    assert "is one file; specify its surface with --surface" in result.stderr
    Path(new).write_text("{", encoding="utf-8")
    result = run(old, new, "--surface", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[invalid-json]: ")


@pytest.mark.parametrize("arguments", [(), ("v1",), ("v1", "v2", "v1"), ("v1", "v2", "--surface")])
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_problems_of_a_git_revision_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_out(revision: str, folder: Path) -> str:
        save(folder / "v2" / "schema.json", {"Thing": {"type": "strnig"}})
        return "abc"

    monkeypatch.setattr("acpgen.inputs.sources.fetch.check_out", check_out)
    result = run("then", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[invalid-schema]: then/v2/schema.json#/$defs/Thing/")


def test_two_surfaces_and_a_third_exit_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("v1", "v2", "--surface", "v2")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[usage]: --surface: ")


def test_output_that_is_no_terminal_is_not_wrapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that search piped output need complete names."""
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "acpgen", "diff", "v1", "v2"]
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 3
    assert [line for line in done.stdout.splitlines() if "\tauth/logout\t" in line]
    assert [line for line in done.stdout.splitlines() if "\tSetSessionConfigOptionRequest" in line]


def test_two_formats_at_once_exit_with_2() -> None:
    result = run("v2", "v2", "--format", "html", "--json")
    assert result.exit_code == 2
    [problem] = json.loads(result.stdout)["problems"]
    message = "Invalid value for --format, --json: cannot be used together; choose one of them"
    assert (problem["code"], problem["message"]) == ("usage", message)


def test_a_policy_decides_the_exit_code(in_project: Path) -> None:
    written(in_project / "src", "from acp import v2\nv2.Other\n")
    assert run_in_project().exit_code == 0  # the policy allows these changes
    written(in_project, "[[exceptions]]", "policy.toml")
    assert run_in_project().exit_code == 2
