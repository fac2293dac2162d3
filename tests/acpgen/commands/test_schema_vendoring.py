"""Tests of manual edits to a vendored schema, which commands report and `sync` can record."""

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
from tests.support.paths import GOLDEN, SURFACES

FILE = SURFACES["v2"]
THING = {"Thing": record("a", a=STRING)}
PATCHED = {"Thing": record("a", a=STRING, b=STRING)}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def vendored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a small vendored schema, inside the working directory."""
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
    told = f"error[edited-schema]: schema/{FILE}: was edited by hand: sources.json lists"
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


GOLDEN_SCHEMA = GOLDEN / "schema.json"


@pytest.fixture
def writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable copy of the schema folder."""
    folder = tmp_path / "schema"
    shutil.copytree(paths.SCHEMA, folder)
    monkeypatch.setattr(paths, "SCHEMA", folder)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.json")}


def folder_of_one(folder: Path) -> str:
    (folder / "v2").mkdir(parents=True)
    shutil.copy(GOLDEN_SCHEMA, folder / "v2" / "schema.json")
    return str(folder)


def test_sync_of_a_folder_keeps_the_structure_only(tmp_path: Path, writable: Path) -> None:
    folder_of_one(tmp_path / "package" / "schema")
    result = run("sync", str(tmp_path / "package"), "--json")
    assert result.exit_code == 0, result.stderr
    removed = ["v1/schema.json", "v1/schema.unstable.json", "v2/schema.unstable.json"]
    assert json.loads(result.stdout)["removed"] == removed
    assert json.loads(result.stdout)["notes"] == []
    assert not any((writable / path).exists() for path in removed)
    written = json.loads((writable / "v2" / "schema.json").read_text(encoding="utf-8"))
    assert "description" not in written["$defs"]["DrawRequest"]
    record = json.loads((writable / "sources.json").read_text(encoding="utf-8"))
    [(name, entry)] = record["files"].items()
    assert (name, entry["path"]) == ("v2/schema.json", "schema/v2/schema.json")
    assert entry["version"] is None
    assert (writable / "overlay" / "names.toml").exists()


def test_sync_of_one_file_leaves_the_others(tmp_path: Path, writable: Path) -> None:
    before = (writable / "v1" / "schema.json").read_bytes()
    result = run("sync", str(GOLDEN_SCHEMA), "--surface", "v2_unstable", "--json")
    assert result.exit_code == 0, result.stderr
    assert "v2/schema.unstable.json" in json.loads(result.stdout)["written"]
    record = json.loads((writable / "sources.json").read_text(encoding="utf-8"))
    assert len(record["files"]) == 4
    assert record["files"]["v2/schema.unstable.json"]["source"] == "schema.json"
    assert (writable / "v1" / "schema.json").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "invalid-json"),
        ('{"$defs": {}}', "not-acp"),
        ('{"$defs": {"A": {"x-method": "a", "type": 3}}}', "invalid-schema"),
        (None, "missing-file"),
    ],
)
def test_sync_of_something_else_changes_nothing(
    content: str | None, code: str, tmp_path: Path, writable: Path
) -> None:
    source = tmp_path / "schema.json"
    if content is not None:
        source.write_text(content, encoding="utf-8")
    before = contents(writable)
    result = run("sync", str(source), "--surface", "v1")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error[{code}]: ")
    assert contents(writable) == before


@pytest.mark.parametrize(
    ("record", "lacks"),
    [("{}", "'files'"), ('{"files": {"v1/schema.json": {"version": null}}}', "'source'")],
)
def test_sync_beside_a_record_that_cannot_be_used_changes_nothing(
    record: str, lacks: str, tmp_path: Path, writable: Path
) -> None:
    (writable / "sources.json").write_text(record, encoding="utf-8")
    before = contents(writable)
    changelog = tmp_path / "CHANGELOG.md"
    # The vendored schema isn't read, because the changelog section compares other schemas.
    text = f"## Unreleased\n\n### Schema: `{GOLDEN_SCHEMA}` → `b`\n\nold\n"
    changelog.write_text(text, encoding="utf-8")
    source = str(writable / "v2" / "schema.json")
    result = run("sync", source, "--surface", "v2", "--changelog", str(changelog))
    assert result.exit_code == 2
    assert result.stderr.startswith("error[invalid-schema]: ")
    assert result.stderr.endswith(
        f"sources.json: lacks {lacks}; run `acpgen sync` again, without --surface\n"
    )
    assert contents(writable) == before
    assert changelog.read_text(encoding="utf-8") == text


def test_sync_with_a_changelog_that_cannot_be_used_changes_nothing(
    tmp_path: Path, writable: Path
) -> None:
    source = folder_of_one(tmp_path / "source")
    before = contents(writable)
    result = run("sync", source, "--changelog", str(tmp_path / "CHANGELOG.md"))
    assert result.exit_code == 2
    assert contents(writable) == before


def test_sync_notes_the_changes_of_the_chosen_surfaces_only(tmp_path: Path, writable: Path) -> None:
    source = tmp_path / "source"
    for surface in ("v1", "v1_unstable", "v2"):
        save(writable / SURFACES[surface], {"Thing": record(a=STRING)})
        save(source / SURFACES[surface], {"Thing": record(a=STRING, b=STRING)})
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("## Unreleased\n", encoding="utf-8")
    chosen = ("--surface", "v1", "--surface", "v2")
    result = run("sync", str(source), *chosen, "--changelog", str(changelog))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith(" files changed\nnext: `acpgen generate`\n")
    noted = changelog.read_text(encoding="utf-8")
    assert re.findall(r"^#### (.*)$", noted, re.M) == ["v1", "v2"]
    assert noted.count("`Thing.b`") == 2


def test_sync_records_the_name_of_the_working_directory(
    tmp_path: Path, writable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder_of_one(tmp_path / "upstream"))
    result = run("sync", ".")
    assert result.exit_code == 0, result.stderr
    record = json.loads((writable / "sources.json").read_text(encoding="utf-8"))
    assert record["files"]["v2/schema.json"]["source"] == "upstream"


def test_sync_of_an_empty_source_does_not_take_the_working_directory(
    writable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(writable)
    result = run("sync", "")
    assert result.exit_code == 2
    assert result.stderr.startswith("error[missing-file]: '': does not exist")
