"""A source on disk: which files of it are schemas, and what the record says; others are copied."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources.fetch import Fetched, fetch, is_revision
from acpgen.inputs.sources.files import locate_schemas, read_record, schema_digests
from acpgen.inputs.sources.json_file import read_json
from acpgen.inputs.sources.npm_download import download
from acpgen.ir.model import Origin

from tests.support.paths import SURFACES

FILE = SURFACES["v2"]


def commit() -> str:
    """The present commit of this project. Skips the test if there is no history."""
    command = ["git", "-C", str(paths.ROOT), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        pytest.skip("git is not installed")
    if done.returncode != 0:
        pytest.skip("the checkout has no history")
    return done.stdout.strip()


def test_a_path_is_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with fetch(".") as fetched:
        assert (fetched.path, fetched.label, fetched.copy_of) == (Path("."), tmp_path.name, None)
        problem = Problem("x.json", "", "c", "m")
        assert fetched.renamed([problem]) == [problem]


def test_a_git_revision_is_the_schemas_of_its_commit() -> None:
    head = commit()
    shown = subprocess.run(
        ["git", "-C", str(paths.ROOT), "show", f"HEAD:schema/{FILE}"],
        capture_output=True,
        check=True,
    )
    with fetch("HEAD") as fetched:
        assert fetched.label == f"git:{head[:12]}"
        found = [path for path in fetched.path.rglob("*") if path.is_file()]
        assert {path.suffix for path in found} == {".json"}
        assert {path.relative_to(fetched.path).as_posix() for path in found} <= set(
            SURFACES.values()
        )
        assert (fetched.path / FILE).read_bytes() == shown.stdout
        problem = Problem(str(fetched.path / FILE), "", "c", "m")
        assert [each.file for each in fetched.renamed([problem])] == [f"HEAD/{FILE}"]
    assert not fetched.path.exists()
    with pytest.raises(InputError) as caught, fetch("HEAD") as fetched:
        raise InputError([Problem(str(fetched.path / FILE), "", "c", "m")])
    assert [each.file for each in caught.value.problems] == [f"HEAD/{FILE}"]


def test_a_path_goes_before_a_git_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_revision("HEAD")
    (tmp_path / "HEAD").mkdir()
    assert not is_revision("HEAD")
    with fetch("HEAD") as fetched:
        assert fetched == Fetched(Path("HEAD"), "HEAD")


@pytest.mark.parametrize("source", ["nothing-like-it", "--output=x", "HEAD:schema/none", " "])
def test_what_is_nothing_is_said_to_be_missing(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught, fetch(source):
        pass
    [problem] = caught.value.problems
    assert (problem.file, problem.code) == (source, "missing-file")
    assert problem.message.startswith("is neither a path nor a git revision of this project; ")
    assert list(tmp_path.iterdir()) == []


def test_outside_a_checkout_there_are_no_git_revisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """acpgen may be installed below somebody else's repository."""
    monkeypatch.setattr(paths, "IN_CHECKOUT", False)
    with pytest.raises(InputError, match="is neither a path nor a git revision"), fetch("HEAD"):
        pass


ENTRY = {"source": "npm:sdk", "version": "1.0", "path": "schema/v2.json", "vendored_sha256": "ab"}


def touch(folder: Path, *files: str) -> Path:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("{}", encoding="utf-8")
    return folder


def located(path: Path, *surfaces: str) -> dict[str, str]:
    """The paths that are located, by surface."""
    found = locate_schemas(path, list(surfaces))
    return {source.surface: source.path.relative_to(path).as_posix() for source in found}


def refused(path: Path, *surfaces: str) -> str:
    """The message that says why no schemas are located."""
    with pytest.raises(InputError) as caught:
        locate_schemas(path, list(surfaces))
    [problem] = caught.value.problems
    assert problem.code == "missing-file"
    return problem.message


def test_files_of_a_folder_in_the_order_of_surfaces(tmp_path: Path) -> None:
    touch(tmp_path, *reversed(SURFACES.values()), "other.json")
    assert list(located(tmp_path).items()) == sorted(SURFACES.items())
    assert located(tmp_path, "v2", "v1") == {"v1": SURFACES["v1"], "v2": SURFACES["v2"]}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # A package that was unpacked.
        (["schema/v2/schema.json", "v1/schema.json"], {"v2": "schema/v2/schema.json"}),
        # The one file of earlier packages, which counts only without files of protocol 1.
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
    assert refused(file, *surfaces) == "is one file; name the --surface that it describes"


def test_what_cannot_be_located(tmp_path: Path) -> None:
    assert refused(tmp_path).startswith("has no schemas; expected files such as v2/schema.json")
    assert refused(tmp_path / "none").startswith("does not exist; ")
    touch(tmp_path, SURFACES["v1"])
    assert refused(tmp_path, "v1", "v2").startswith("has no schema for v2; ")


# --- the record ------------------------------------------------------------------------------


def record(folder: Path, **changes: object) -> Path:
    """Write a schema and its record, with some fields of the entry changed."""
    touch(folder, "v2/schema.json")
    text = json.dumps({"files": {"v2/schema.json": {**ENTRY, **changes}}})
    (folder / "sources.json").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("version", "label"), [("1.0", "npm:sdk@1.0"), (None, "npm:sdk")])
def test_a_vendored_file_has_an_origin(version: str | None, label: str, tmp_path: Path) -> None:
    [source] = locate_schemas(record(tmp_path, version=version), [])
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
    with pytest.raises(InputError, match=f"lacks '{field}'; run `acpgen sync` again") as caught:
        read_record(tmp_path)
    assert [problem.code for problem in caught.value.problems] == ["invalid-schema"]


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


# --- JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_hundred_levels_are_read(tmp_path: Path, opening: str, closing: str) -> None:
    path = tmp_path / "deep.json"
    inner = "1" if closing == "}" else ""
    path.write_text(opening * 100 + inner + closing * 100)
    read_json(path)
    path.write_text(opening * 101 + inner + closing * 101)
    with pytest.raises(InputError, match="nested too deeply, more than 100 levels"):
        read_json(path)


# --- npm packages, by npm's own client; these packages are files ------------------------------


MANIFEST = json.dumps({"name": "sample", "version": "1.2.3"})


def pack(path: Path, **files: str) -> str:
    """Write a package with files by their path, and return what names it."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {"package/package.json": MANIFEST, **files}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"npm:{path}"


class Undated(SimpleHTTPRequestHandler):
    """Does not say when a file was changed, which may be twice in a second."""

    def send_header(self, keyword: str, value: str) -> None:
        if keyword != "Last-Modified":
            super().send_header(keyword, value)


class Registry:
    """An npm registry with one package, `sample`, on this machine."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.integrity: dict[str, str] = {}
        handler = partial(Undated, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Registry:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def publish(self, version: str) -> None:
        """Add a version, whose schema is its number, and make it the latest one."""
        tarball = self.folder / f"{version}.tgz"
        manifest = json.dumps({"name": "sample", "version": version})
        schema = {f"package/schema/{FILE}": version}
        pack(tarball, **{"package/package.json": manifest, **schema})
        digest = hashlib.sha512(tarball.read_bytes()).digest()
        self.integrity[version] = f"sha512-{base64.b64encode(digest).decode()}"
        versions = {
            known: {
                "name": "sample",
                "version": known,
                "dist": {"tarball": f"{self.address}{known}.tgz", "integrity": integrity},
            }
            for known, integrity in self.integrity.items()
        }
        packument = {"name": "sample", "dist-tags": {"latest": version}, "versions": versions}
        (self.folder / "sample").write_text(json.dumps(packument), encoding="utf-8")


def scratch(folder: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=folder))


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
    with pytest.raises(InputError, match=r"fetch-failed.*has no folder `schema`; "):
        download(source, tmp_path)


def test_a_version_is_downloaded_once_and_known_by_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was published since is found, too."""
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    with Registry(tmp_path / "registry") as registry:
        monkeypatch.setenv("npm_config_registry", registry.address)
        registry.publish("1.0.0")
        first = download("npm:sample@latest", scratch(tmp_path))
        registry.publish("1.1.0")
        later = download("npm:sample@1.1.0", scratch(tmp_path))
    offline = download("npm:sample@1.0.0", scratch(tmp_path))
    assert [each.version for each in (first, later, offline)] == ["1.0.0", "1.1.0", "1.0.0"]
    assert offline.integrity == first.integrity == registry.integrity["1.0.0"] != later.integrity
    assert (offline.folder / "schema" / FILE).read_text("utf-8") == "1.0.0"


def test_npm_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "npm"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("acpgen.inputs.sources.npm_download.TIMEOUT", 0.2)
    with pytest.raises(InputError, match="npm pack has not ended"):
        download("npm:sample", tmp_path)
