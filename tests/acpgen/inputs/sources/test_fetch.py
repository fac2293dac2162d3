"""Tests of sources that are paths or git revisions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from acpgen.common import paths
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.sources import fetch as module
from acpgen.inputs.sources.fetch import Fetched, fetch, is_revision
from acpgen.inputs.sources.npm_download import NpmPackage

from tests.support.paths import SURFACES

FILE = SURFACES["v2"]
NO_SOURCE = (
    "is neither a path nor a git revision of this project; pass an existing path, a git revision, a"
    " URL or npm:PACKAGE@VERSION"
)


def commit() -> str:
    """The current commit of this project. If git or the history is missing, the test is skipped."""
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
    assert problem == Problem(source, "", "missing-file", NO_SOURCE)
    assert list(tmp_path.iterdir()) == []


def test_outside_a_checkout_there_are_no_git_revisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """If acpgen is installed inside an unrelated repository, that repository must not be used."""
    monkeypatch.setattr(paths, "IN_CHECKOUT", False)
    with pytest.raises(InputError) as caught, fetch("HEAD"):
        pass
    assert caught.value.problems == [Problem("HEAD", "", "missing-file", NO_SOURCE)]


def test_without_git_there_are_no_git_revisions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError) as caught, fetch("HEAD"):
        pass
    assert caught.value.problems == [Problem("HEAD", "", "missing-file", NO_SOURCE)]


def test_an_empty_source_is_not_the_working_directory() -> None:
    message = "does not exist; pass a path, npm:PACKAGE@VERSION, a URL or a git revision"
    with pytest.raises(InputError) as caught, fetch(""):
        pass
    assert caught.value.problems == [Problem("''", "", "missing-file", message)]


def test_a_package_is_labelled_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = NpmPackage(tmp_path, "sample", "1.2.3", "sha512-a")
    monkeypatch.setattr(module.npm_download, "download", lambda source, scratch: package)
    with fetch("npm:sample@latest") as fetched:
        copied = "npm:sample@latest"
        assert fetched == Fetched(tmp_path, "npm:sample", "1.2.3", "sha512-a", copied)
        assert fetched.label == "npm:sample@1.2.3"


@pytest.mark.parametrize(
    ("vendored", "expected"),
    [
        ([], ["v1/schema.json", "v1/schema.unstable.json"]),
        (
            ["v1", "v2", "v2_unstable"],
            [
                "v1/schema.json",
                "v2/schema.json",
                "v2/schema.unstable.json",
                "v3/schema.json",
                "v3/schema.unstable.json",
            ],
        ),
    ],
)
def test_at_a_url_the_schemas_of_the_next_version_are_tried_too(
    vendored: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def download(source: str, scratch: Path, names: tuple[str, ...]) -> Path:
        tried.extend(names)
        return scratch

    monkeypatch.setattr(module, "vendored_surfaces", lambda: [*vendored])
    monkeypatch.setattr(module, "download", download)
    with fetch("https://example.org/schemas/"):
        assert tried == [*expected, module.LEGACY_V1]
