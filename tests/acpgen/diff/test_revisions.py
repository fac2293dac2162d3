"""Tests of how `acpgen diff` resolves its arguments to revisions."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from acpgen.common.paths import ROOT, SCHEMA

from tests.acpgen.diff.npm import PACKAGE, require_npm, revision
from tests.acpgen.diff.projects import (
    run,
)
from tests.acpgen.diff.small import STRING, save

pytestmark = pytest.mark.slow


def test_folder_and_file() -> None:
    """Compare the vendored folder with its own v2 file. There must be no changes."""
    result = run(str(SCHEMA), str(SCHEMA / "v2" / "schema.json"), "--surface", "v2", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["old"] == str(SCHEMA)
    assert report["changes"] == []


def test_a_surface_name_chooses_the_surface_of_the_other_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for other in (str(SCHEMA), str(SCHEMA / "v2" / "schema.json")):
        for sides in (("v2", other), (other, "v2")):
            result = run(*sides, "--json")
            assert (result.exit_code, json.loads(result.stdout)["changes"]) == (0, [])
    assert run("v2", str(SCHEMA / "v2" / "schema.json"), "--surface", "v2").exit_code == 0


def test_a_path_goes_before_a_surface_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `v1` in the working directory takes precedence over the surface."""
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "v1" / "v1" / "schema.json", {"Thing": STRING})
    result = run("v1", "v1", "--json")
    assert result.exit_code == 0
    result = run("v1", str(SCHEMA), "--surface", "v1", "--json")
    assert ("Thing", "removed") in [
        (change["name"], change["action"]) for change in json.loads(result.stdout)["changes"]
    ]


def test_a_git_revision_is_one_of_this_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git revisions are resolved in this project, regardless of the working directory."""
    command = ["git", "-C", str(ROOT), "show", "HEAD:schema/v2/schema.json"]
    try:
        shown = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        pytest.skip("git is not installed")
    if shown.returncode != 0:
        pytest.skip("the checkout has no history")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "head.json").write_bytes(shown.stdout)
    assert run("HEAD", "HEAD").exit_code == 0
    assert run("HEAD", "head.json", "--surface", "v2").exit_code == 0
    result = run("HEAD", "head.json", "--surface", "v1")
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("HEAD", "is neither a path nor a git revision of this project"),
        (f"{PACKAGE}@2.3.0", "needs the npm command"),
    ],
)
def test_without_programs_it_says_so(
    source: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    result = run(source, "v2")
    assert result.exit_code == 2
    assert words in result.stderr


def test_npm_and_the_folder_it_holds() -> None:
    require_npm("2.3.0")
    folder = str(revision("2.3.0"))
    result = run(f"{PACKAGE}@2.3.0", folder, "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["old"], report["new"]) == (f"{PACKAGE}@2.3.0", folder)


def test_npm_and_the_vendored_schema() -> None:
    """Apart from descriptions, the vendored schema matches the recorded npm version."""
    record = json.loads((SCHEMA / "sources.json").read_text(encoding="utf-8"))
    if any("patched_from" in entry for entry in record["files"].values()):
        pytest.skip("it is patched")
    [version] = {entry["version"] for entry in record["files"].values()}
    assert run(str(revision(version)), str(SCHEMA)).exit_code == 0


def test_a_surface_that_one_side_lacks(tmp_path: Path) -> None:
    save(tmp_path / "one" / "v1" / "schema.json", {"Thing": STRING})
    save(tmp_path / "other" / "v1" / "schema.json", {"Thing": STRING})
    save(tmp_path / "other" / "v2" / "schema.json", {"Thing": STRING})
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    result = run(one, other, "--json")
    assert result.exit_code == 1
    [change] = json.loads(result.stdout)["changes"]
    assert (change["subject"], change["name"], change["action"]) == ("surface", "v2", "added")
    assert run(other, one).exit_code == 3
    assert run(one, other, "--surface", "v1").exit_code == 0
    assert run(one, other, "--surface", "v2").exit_code == 2
