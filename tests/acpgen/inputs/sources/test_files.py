"""Tests of reading schema files from a folder, with the record of their origins."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.files import (
    is_schema_file,
    is_surface,
    locate_schemas,
    newest_surface,
    read_record,
    schema_digests,
    schema_file,
    vendored_surfaces,
)
from acpgen.ir.model import Origin

from tests.support.paths import SURFACES

ENTRY = {"source": "npm:sdk", "version": "1.0", "path": "schema/v2.json", "vendored_sha256": "ab"}


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [
        ("v1", True),
        ("v10_unstable", True),
        ("v0", False),
        ("v01", False),
        ("1", False),
        ("v2_stable", False),
        ("v2_unstable_", False),
    ],
)
def test_names_of_surfaces(name: str, is_valid: bool) -> None:
    assert is_surface(name) is is_valid


@pytest.mark.parametrize(
    ("path", "is_valid"),
    [
        ("schema.json", True),
        ("v2/schema.json", True),
        ("v2/schema.unstable.json", True),
        ("v2/schema.stable.json", False),
        ("v2/other.json", False),
        ("schema.unstable.json", False),
        ("a/v2/schema.json", False),
    ],
)
def test_paths_of_schema_files(path: str, is_valid: bool) -> None:
    assert is_schema_file(path) is is_valid


def test_the_newest_surface_is_the_newest_stable_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["v9", "v2", "v10", "v2_unstable", "v11_unstable"]
    monkeypatch.setattr(paths, "SCHEMA", touch(tmp_path, *map(schema_file, names)))
    assert vendored_surfaces() == ["v2", "v2_unstable", "v9", "v10", "v11_unstable"]
    assert newest_surface() == "v10"


def touch(folder: Path, *files: str) -> Path:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("{}", encoding="utf-8")
    return folder


def located(path: Path, *surfaces: str) -> dict[str, str]:
    """Return the relative paths of the located schemas, by surface."""
    found = locate_schemas(path, list(surfaces))
    return {source.surface: source.path.relative_to(path).as_posix() for source in found}


def refused(path: Path, *surfaces: str) -> str:
    """Return the error message about missing schemas."""
    with pytest.raises(InputError) as caught:
        locate_schemas(path, list(surfaces))
    [problem] = caught.value.problems
    assert (problem.code, problem.pointer) == ("missing-file", "")
    return problem.message


def test_files_of_a_folder_in_the_order_of_surfaces(tmp_path: Path) -> None:
    touch(tmp_path, *reversed(SURFACES.values()), "other.json")
    assert list(located(tmp_path).items()) == sorted(SURFACES.items())
    assert located(tmp_path, "v2", "v1") == {"v1": SURFACES["v1"], "v2": SURFACES["v2"]}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # An unpacked package.
        (["schema/v2/schema.json", "v1/schema.json"], {"v2": "schema/v2/schema.json"}),
        # Earlier packages contain only this file. It is ignored if there are protocol 1 files.
        (
            ["schema.json", SURFACES["v2_unstable"]],
            {"v1_unstable": "schema.json", "v2_unstable": SURFACES["v2_unstable"]},
        ),
        (["schema.json", SURFACES["v1"]], {"v1": SURFACES["v1"]}),
        (["schema.json", SURFACES["v1_unstable"]], {"v1_unstable": SURFACES["v1_unstable"]}),
    ],
    ids=["package", "one file", "v1", "v1_unstable"],
)
def test_files_elsewhere(files: list[str], expected: dict[str, str], tmp_path: Path) -> None:
    assert located(touch(tmp_path, *files)) == expected


def test_a_file_is_of_the_surface_asked_for(tmp_path: Path) -> None:
    file = touch(tmp_path, "any.json") / "any.json"
    [source] = locate_schemas(file, ["v2"])
    assert (source.surface, source.path, source.origin) == ("v2", file, None)


@pytest.mark.parametrize("surfaces", [(), ("v1", "v2")])
def test_a_file_needs_one_surface(surfaces: tuple[str, ...], tmp_path: Path) -> None:
    file = touch(tmp_path, "any.json") / "any.json"
    assert refused(file, *surfaces) == "is one file; specify its surface with --surface"


def test_what_cannot_be_located(tmp_path: Path) -> None:
    assert refused(tmp_path) == "has no schemas; expected files such as v2/schema.json"
    missing = refused(tmp_path / "none")
    assert missing == "does not exist; pass a folder with schemas, or one file"
    touch(tmp_path, SURFACES["v1"])
    lacking = refused(tmp_path, "v1", "v2")
    assert lacking == "has no schema for v2; omit the surface or add the file"


def record(folder: Path, **changes: object) -> Path:
    """Write a schema and the record of its origin: `ENTRY` with the given changes."""
    touch(folder, "v2/schema.json")
    text = json.dumps({"files": {"v2/schema.json": {**ENTRY, **changes}}})
    (folder / "sources.json").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "npm:sdk@1.0"),
        ({"version": None}, "npm:sdk"),
        ({"patched_from": "cd"}, "patched npm:sdk@1.0"),
    ],
)
def test_a_vendored_file_has_an_origin(changes: dict[str, Any], label: str, tmp_path: Path) -> None:
    [source] = locate_schemas(record(tmp_path, **changes), [])
    assert source.origin == Origin(label, "schema/v2.json", "ab")
    assert schema_digests(tmp_path) == {"v2": "ab"}


def test_a_file_that_the_record_does_not_have_has_no_origin(tmp_path: Path) -> None:
    assert schema_digests(touch(tmp_path, "v2/schema.json")) == read_record(tmp_path) == {}
    touch(record(tmp_path), "v1/schema.json")
    v1, v2 = locate_schemas(tmp_path, [])
    assert v1.origin is None
    assert v2.origin is not None
    assert schema_digests(tmp_path) == {"v2": "ab"}


def test_a_label_is_the_origin_of_what_the_record_does_not_have(tmp_path: Path) -> None:
    folder = record(tmp_path / "package" / "schema").parent
    touch(folder / "schema", "v1/schema.json")
    v1, v2 = locate_schemas(folder, [], "npm:other@1")
    assert v1.origin == Origin("npm:other@1", "schema/v1/schema.json", "")
    assert v2.origin == Origin("npm:sdk@1.0", "schema/v2.json", "ab")
    [file] = locate_schemas(folder / "schema" / "v1" / "schema.json", ["v1"], "https://a/b")
    assert file.origin == Origin("https://a/b", "schema.json", "")


@pytest.mark.parametrize("field", sorted(ENTRY))
def test_a_record_without_a_field(field: str, tmp_path: Path) -> None:
    entry = {key: value for key, value in ENTRY.items() if key != field}
    text = json.dumps({"files": {"v2/schema.json": entry}})
    (tmp_path / "sources.json").write_text(text, encoding="utf-8")
    assert broken(tmp_path) == f"lacks '{field}'; run `acpgen sync` again, without --surface"


@pytest.mark.parametrize("text", ["[]", '{"files": 1}', '{"files": {"v2/schema.json": 1}}'])
def test_what_is_no_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "sources.json").write_text(text, encoding="utf-8")
    message = "is not a record of files; run `acpgen sync` again, without --surface"
    assert broken(tmp_path) == message


def broken(folder: Path) -> str:
    """Return the error message about the record in a folder."""
    with pytest.raises(InputError) as caught:
        read_record(folder)
    [problem] = caught.value.problems
    assert problem == Problem(str(folder / "sources.json"), "", "invalid-schema", problem.message)
    return problem.message


def test_the_record_of_the_project_is_about_its_schemas() -> None:
    record = read_record(paths.SCHEMA)
    assert set(record) == set(SURFACES.values())
    assert set(schema_digests(paths.SCHEMA)) == set(SURFACES)
    for name, entry in record.items():
        digest = hashlib.sha256((paths.SCHEMA / name).read_bytes()).hexdigest()
        assert entry["vendored_sha256"] == digest
        if entry["source"].startswith("npm:"):
            assert entry["integrity"].startswith("sha512-")
            assert re.fullmatch(r"\d+\.\d+\.\d+", entry["version"])
