"""Schemas out of npm packages, by npm's own client; these packages are files."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from acpgen.common.problems import InputError
from acpgen.inputs.sources.npm import download

MANIFEST = json.dumps({"name": "sample", "version": "1.2.3"})


def pack(path: Path, **files: str) -> str:
    """Write a package with files by their path, and return what names it."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {"package/package.json": MANIFEST, **files}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"npm:{path}"


def test_only_schemas_are_unpacked_and_none_outside_of_the_folder(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    files = {
        "package/schema/v1/schema.json": "{}",
        "package/index.js": "",
        "package/schema/../../../outside.json": "{}",
        "package/schema/../../inside.json": "{}",
        "/outside.json": "{}",
    }
    package = download(pack(tmp_path / "sample.tgz", **files), scratch)
    assert (package.name, package.version) == ("sample", "1.2.3")
    assert package.integrity.startswith("sha512-")
    unpacked = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".tgz"]
    assert unpacked == [package.folder / "schema/v1/schema.json"]


def test_package_without_schemas(tmp_path: Path) -> None:
    source = pack(tmp_path / "sample.tgz", **{"package/index.js": ""})
    with pytest.raises(InputError) as raised:
        download(source, tmp_path)
    assert [problem.code for problem in raised.value.problems] == ["fetch-failed"]
    assert raised.value.problems[0].message.startswith("has no folder `schema`; ")
