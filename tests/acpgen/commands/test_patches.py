"""A vendored schema that is edited by hand: commands say so, and `sync` records it as a patch."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from acpgen.cli.app import app
from acpgen.common import paths
from acpgen.inputs.sources.files import RECORD
from typer.testing import CliRunner, Result

from tests.acpgen.diff.small import STRING, record, save
from tests.support.paths import SURFACES

FILE = SURFACES["v2"]
THING = {"Thing": record("a", a=STRING)}
PATCHED = {"Thing": record("a", a=STRING, b=STRING)}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def vendored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a small schema that was vendored, in the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "schema"
    shutil.copytree(paths.SCHEMA / "overlay", folder / "overlay")
    monkeypatch.setattr(paths, "SCHEMA", folder)
    save(tmp_path / "upstream" / FILE, THING)
    assert run("sync", "upstream").exit_code == 0
    return folder


def entry(folder: Path) -> Any:
    return json.loads((folder / RECORD).read_text("utf-8"))["files"][FILE]


def sources_in(package: Path) -> list[str]:
    return re.findall(r"source=\"(.*)\"", (package / "v2" / "codec.py").read_text("utf-8"))


@pytest.mark.parametrize("command", ["generate", "check", "check --full", "inspect Thing"])
def test_an_edit_by_hand_is_told(command: str, vendored: Path) -> None:
    told = f"error[edited-schema]: schema/{FILE}: was edited by hand: sources.json has"
    assert told not in run(*command.split()).stderr
    save(vendored / FILE, PATCHED)
    found = run(*command.split())
    assert found.exit_code == 2
    assert told in found.stderr
    assert "record it as patched with `acpgen sync schema`" in found.stderr


@pytest.mark.parametrize("source", ["schema", f"schema/{FILE} --surface v2"])
def test_a_patch_is_recorded_with_what_it_was_made_from(source: str, vendored: Path) -> None:
    base = entry(vendored)
    assert run("sync", *source.split()).exit_code == 0
    assert entry(vendored) == base
    for patch in (PATCHED, {**PATCHED, "Another": STRING}):
        save(vendored / FILE, patch)
        assert run("sync", *source.split()).exit_code == 0
        patched = entry(vendored)
        assert patched["patched_from"] == base["vendored_sha256"] != patched["vendored_sha256"]
        assert {**patched, **base} == {**base, "patched_from": base["vendored_sha256"]}
        assert "edited-schema" not in run("check").stderr
    save(vendored / FILE, THING)
    assert run("sync", *source.split()).exit_code == 0
    assert entry(vendored) == base


def test_a_package_says_that_its_schema_is_patched(vendored: Path) -> None:
    save(vendored / FILE, PATCHED)
    assert run("sync", "schema").exit_code == 0
    assert run("generate", "--schema", "schema", "--out", "made").exit_code == 0
    assert sources_in(Path("made")) == ["patched upstream"]


def test_the_next_schema_takes_the_place_of_a_patched_one(vendored: Path) -> None:
    save(vendored / FILE, PATCHED)
    assert run("sync", "schema").exit_code == 0
    save(vendored.parent / "upstream" / FILE, {**THING, "Another": STRING})
    log = vendored.parent / "CHANGELOG.md"
    log.write_text("# Changelog\n\n## Unreleased\n", encoding="utf-8")
    assert run("sync", "upstream", "--changelog", str(log)).exit_code == 0
    assert "patched_from" not in entry(vendored)
    assert "### Schema: `patched upstream` → " in log.read_text("utf-8")
