"""Tests of `acpgen vendor`: the files it writes, the files it never overwrites, and `--check`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from acpgen import __version__
from acpgen.cli.app import app
from acpgen.commands import freshness, generation, package_vendoring, schema_vendoring
from acpgen.commands.disk import restore
from acpgen.commands.lock_file import Lock, read_lock
from acpgen.common import paths
from acpgen.common.display import display_path
from acpgen.common.problems import InputError
from acpgen.inputs.sources.fetch import Fetched
from typer.testing import CliRunner, Result

from tests.acpgen.diff.small import (
    STRING,
    Schema,
    envelopes,
    method,
    record,
    ref,
    save,
    tagged,
    union,
)
from tests.support.paths import GOLDEN, SURFACES

SCHEMA = paths.SCHEMA
LOCK = "acpgen.lock"
RUNTIME = {"__init__.py", "py.typed", "runtime/__init__.py"} | {
    f"runtime/values/{path.name}" for path in (paths.TEMPLATES / "runtime/values").glob("*.py")
}
TYPES = {"__init__.py", "codec.py", "definitions.py", "types.py"}

DEFINITIONS: dict[str, Schema] = {
    "AskRequest": method("a/ask", what=STRING),
    "AskResponse": method("a/ask", answer=ref("Thing")),
    "Thing": union(tagged("part", "Part"), rest=True),
    "Part": record("partId", partId=STRING, note=STRING),
    **envelopes({"AskRequest": "AskResponse"}),
}
NEWER = {**DEFINITIONS, "Part": record("partId", partId=STRING, note=STRING, more=STRING)}
# A round trip through vendored types. The preceding code must import `surface`.
WORK = """
data = {"kind": "part", "partId": "p", "x-new": 1}
text = surface.dumps(surface.decode(surface.Thing, data), surface.Thing)
value = surface.loads(surface.Thing, text)
print([surface.encode(value, surface.Thing) == data, value.part_id, value.note is surface.UNSET])
"""


def real_schema(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a slow test that vendors the real schema.

    One worker runs all these tests so that each module is formatted only once.
    """
    return pytest.mark.slow(pytest.mark.xdist_group("vendored")(test))


@dataclass(frozen=True)
class Project:
    """A project to vendor into, and the schemas that acpgen ships in this test."""

    schema: Path  # the folder of the schemas that acpgen ships
    package: Path  # the folder to vendor into

    def bring(self, *surfaces: str, **definitions: Schema) -> None:
        """Ship schemas with these definitions for the given surfaces, as an upgrade would."""
        source = self.schema.parent / "source"
        shutil.rmtree(source, ignore_errors=True)
        for surface in surfaces:
            save(source / SURFACES[surface], definitions)
        for path, content in schema_vendoring.stripped_files(Fetched(source, "made"), []).items():
            (self.schema / path).parent.mkdir(parents=True, exist_ok=True)
            (self.schema / path).write_bytes(content)

    def vendor(self, *arguments: str) -> Result:
        command = ["vendor", str(self.package), "--schema", str(self.schema), *arguments]
        return CliRunner().invoke(app, command)

    def made(self, *arguments: str) -> None:
        result = self.vendor(*arguments)
        assert result.exit_code == 0, result.output

    def refused(self, *arguments: str) -> str:
        """Run `vendor`, which must fail without changing any file, and return the error output."""
        before = tree(self.package.parent)
        result = self.vendor(*arguments)
        assert result.exit_code == 2, repr(result.exception)
        assert tree(self.package.parent) == before
        return result.stderr

    def check(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, ["vendor", "--check", str(self.package), *arguments])

    def lock(self) -> Any:
        return json.loads((self.package / LOCK).read_text("utf-8"))

    def files(self) -> set[str]:
        return set(tree(self.package))

    def around(self) -> list[str]:
        """Return the names of the files and folders in the package's parent folder."""
        return sorted(path.name for path in self.package.parent.iterdir())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project(tmp_path / "schema", tmp_path / "src" / "acp")
    shutil.copytree(SCHEMA / "overlay", made.schema / "overlay")
    made.package.parent.mkdir()
    made.bring("v2", **DEFINITIONS)
    monkeypatch.setattr(paths, "SCHEMA", made.schema)
    return made


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def edit(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("# by hand\n")


def stamps(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in [folder, *folder.rglob("*")]}


def bare(folder: Path, code: str, *options: str) -> Any:
    """Run code in an isolated interpreter that imports from a folder, and return the output."""
    prelude = f"import sys\nsys.path.insert(0, {str(folder)!r})\nsys.dont_write_bytecode = True\n"
    command = [sys.executable, "-I", "-S", *options, "-c", prelude + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- writing ---------------------------------------------------------------------------------


def test_vendor_writes_a_package_and_a_lock(project: Project) -> None:
    result = project.vendor("--surface", "v2")
    assert (result.exit_code, result.stderr) == (0, "")
    files = project.files()
    assert files >= RUNTIME | {f"v2/{name}" for name in TYPES} | {LOCK, "v2/agent.py"}
    assert f"{len(files)} of {len(files)} files changed" in result.stdout
    lock = project.lock()
    assert (lock["generator"], lock["types_only"]) == (__version__, False)
    assert lock["files"] == {
        path: hashlib.sha256(content).hexdigest()
        for path, content in tree(project.package).items()
        if path != LOCK
    }
    content = (project.schema / "v2" / "schema.json").read_bytes()
    assert {name: each["sha256"] for name, each in lock["schemas"].items()} == {
        "v2": hashlib.sha256(content).hexdigest()
    }
    assert project.around() == ["acp"]
    before = stamps(project.package.parent)
    assert json.loads(project.vendor("--json").stdout)["written"] == []
    assert stamps(project.package.parent) == before


@pytest.mark.parametrize("name", ["acp", "vendored_acp", "_acp", "Acp2"])
def test_vendored_types_work_on_their_own_under_any_name(project: Project, name: str) -> None:
    Project(project.schema, project.package.parent / "host" / name).made()
    code = f"from host.{name} import v2 as surface\n{WORK}"
    assert bare(project.package.parent, code) == "[True, 'p', True]\n"


# Linters and formatters, each with its default rules.
TOOLS = [
    "ruff check --isolated",
    "ruff format --isolated --check",
    "isort --check",
    "black --check",
]


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_a_copy_excludes_itself_from(project: Project, tool: str) -> None:
    project.made("--testing")
    command = [sys.executable, "-m", *tool.split(), "."]
    done = subprocess.run(command, cwd=project.package, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_surfaces_come_and_go(project: Project) -> None:
    project.bring("v1", "v2", **DEFINITIONS)
    project.made("--surface", "v1", "--surface", "v2")
    assert sorted(project.lock()["schemas"]) == ["v1", "v2"]
    for surface in ("v1", "v2"):
        code = f"from acp import {surface} as surface\n{WORK}"
        assert bare(project.package.parent, code) == "[True, 'p', True]\n"
    assert project.check().exit_code == 0
    (project.package / "v1" / "mine.py").write_text("mine = 1\n", encoding="utf-8")
    result = project.vendor("--surface", "v2")
    label = project.lock()["schemas"]["v2"]["label"]
    assert result.stdout.splitlines()[:2] == ["v1: removed", f"v2: {label}"]
    assert [each for each in project.files() if each.startswith("v1/")] == ["v1/mine.py"]
    assert project.check().exit_code == 0
    project.made("--surface", "v1")
    assert not (project.package / "v2").exists()


def test_vendor_prints_json_and_an_upgrade_says_what_it_wrote(project: Project) -> None:
    report = json.loads(project.vendor("--json").stdout)
    before = project.lock()
    assert (sorted(report), report["notes"]) == (["dest", "notes", "schemas", "written"], [])
    assert (report["dest"], report["schemas"]) == (str(project.package), before["schemas"])
    assert set(report["written"]) == project.files()
    project.bring("v2", **NEWER)
    written = set(json.loads(project.vendor("--json").stdout)["written"])
    assert {"v2/types.py", LOCK} <= written <= project.files()
    assert "py.typed" not in written
    assert project.lock()["schemas"]["v2"]["sha256"] != before["schemas"]["v2"]["sha256"]
    assert "more: str" in (project.package / "v2" / "types.py").read_text("utf-8")


def test_what_is_not_checked_is_noted(project: Project) -> None:
    short = {**STRING, "maxLength": 5}
    project.bring("v2", **{**DEFINITIONS, "Part": record("partId", partId=short, note=STRING)})
    [note] = json.loads(project.vendor("--json").stdout)["notes"]
    assert "'maxLength' is not supported" in note
    assert note in project.vendor().output.splitlines()


def test_files_of_others_stay(project: Project) -> None:
    project.made()
    (project.package / "README.txt").write_text("ours\n", encoding="utf-8")
    script = project.package / "tools" / "run.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o755)
    (project.package / "link.txt").symlink_to("README.txt")
    (project.package / "empty").mkdir()
    (project.package / "v2" / "__pycache__").mkdir()
    (project.package / "v2" / "__pycache__" / "types.pyc").touch()
    project.bring("v2", **NEWER)
    project.made()
    assert (project.package / "README.txt").read_text("utf-8") == "ours\n"
    assert script.stat().st_mode & 0o777 == 0o755
    assert os.readlink(project.package / "link.txt") == "README.txt"
    assert (project.package / "empty").is_dir()
    assert project.check().exit_code == 0


def test_others_may_read_what_was_written(project: Project) -> None:
    """The folder and its files have default permissions."""
    (project.package.parent / "plain").mkdir()
    (project.package.parent / "plain" / "file").touch()
    project.made()
    for made, plain in ((".", "."), ("v2/types.py", "file"), ("v2", ".")):
        expected = (project.package.parent / "plain" / plain).stat().st_mode
        assert (project.package / made).stat().st_mode == expected


# --- files that are not overwritten ----------------------------------------------------------


def test_edited_files_are_neither_overwritten_nor_removed(project: Project) -> None:
    project.bring("v1", "v2", **DEFINITIONS)
    project.made()
    before = tree(project.package)
    edit(project.package / "v2" / "types.py")
    [line] = project.refused().splitlines()
    assert line.startswith("error[edited]: ")
    assert line.endswith(
        "acp/v2/types.py: was edited by hand; save the change elsewhere, or overwrite it with"
        " --force"
    )
    project.refused("--surface", "v1")  # for this surface, the file isn't generated
    edit(project.package / "runtime" / "values" / "codec.py")
    problems = json.loads(project.vendor("--json").stdout)["problems"]
    assert [(each["code"], each["file"].rpartition("/acp/")[2]) for each in problems] == [
        ("edited", "runtime/values/codec.py"),
        ("edited", "v2/types.py"),
    ]
    project.made("--force")
    assert tree(project.package) == before
    assert project.check().exit_code == 0


def test_what_is_missing_is_written_again(project: Project) -> None:
    project.made()
    before = tree(project.package)
    (project.package / "v2" / "types.py").unlink()
    project.made()
    assert tree(project.package) == before
    (project.package / LOCK).unlink()  # files with identical content are accepted without a lock
    project.made()
    assert tree(project.package) == before


def test_a_file_that_is_not_ours_is_not_overwritten(project: Project) -> None:
    (project.package / "v2").mkdir(parents=True)
    (project.package / "v2" / "types.py").write_text("mine = 1\n", encoding="utf-8")
    (project.package / "__init__.py").write_text("", encoding="utf-8")
    said = project.refused()
    assert len(said.splitlines()) == 2
    assert "was not written by acpgen; move it, or overwrite it with --force" in said
    project.made("--force")
    assert project.check().exit_code == 0


def test_a_link_to_the_folder_stays_one(project: Project) -> None:
    real = project.package.parent / "real"
    real.mkdir()
    project.package.symlink_to("real")
    project.made()
    assert project.package.is_symlink()
    assert tree(real) == tree(project.package)
    assert project.around() == ["acp", "real"]


def own(project: Project, path: str, content: bytes) -> None:
    """Add a file to the lock, as if acpgen had written it."""
    lock = project.lock()
    lock["files"][path] = hashlib.sha256(content).hexdigest()
    (project.package / LOCK).write_text(json.dumps(lock), encoding="utf-8")


OUTSIDE = ["../../victim.txt", "{folder}/victim.txt", "v2/../../../victim.txt", "", ".", "/"]
OUTSIDE += ["v2/.. ", "..\\..\\victim.txt", "C:/victim.txt", "C:victim.txt", "\\victim.txt"]
OUTSIDE += ["\\\\host\\share\\victim.txt", "v2/types.py/victim.txt", "v2/a\0b", "v2/\ud800"]


@pytest.mark.parametrize("where", OUTSIDE)
def test_a_lock_reaches_nothing_outside_its_folder(project: Project, where: str) -> None:
    """A lock from an untrusted source can list paths outside the package."""
    project.made()
    victim = project.package.parent.parent / "victim.txt"
    beside = project.package.parent / "victim.txt"
    for each in (victim, beside):
        each.write_text("mine\n", encoding="utf-8")
    name = where.format(folder=victim.parent)
    own(project, name, b"mine\n")
    [line] = project.refused().splitlines()
    assert victim.exists()
    assert line.startswith("error[bad-lock]: ")
    assert repr(name) in line


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("place", ["link/victim.txt", "link", "v2/link/deeper/victim.txt"])
def test_a_lock_reaches_nothing_behind_a_link(
    project: Project, place: str, force: tuple[str, ...]
) -> None:
    project.made()
    elsewhere = project.package.parent.parent / "elsewhere"
    (elsewhere / "deeper").mkdir(parents=True)
    for each in (elsewhere, elsewhere / "deeper"):
        (each / "victim.txt").write_text("mine\n", encoding="utf-8")
    link = project.package / place.partition("/victim")[0].partition("/deeper")[0]
    link.symlink_to(elsewhere / "victim.txt" if place == "link" else elsewhere)
    own(project, place, b"mine\n")
    before = tree(elsewhere)
    assert project.refused(*force) == (
        f"error[edited]: {display_path(link)}: is a link; move it out of the way\n"
    )
    assert tree(elsewhere) == before


def test_a_lock_that_names_a_folder_is_an_error(project: Project) -> None:
    project.made()
    mine = project.package / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine\n", encoding="utf-8")
    own(project, "mine", b"mine\n")
    assert project.refused() == (
        f"error[edited]: {display_path(mine)}: is a folder; move it out of the way\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("target", ["../../lock", LOCK, "nothing"])
def test_a_lock_that_is_a_link_is_an_error(project: Project, target: str) -> None:
    project.made()
    lock = project.package / LOCK
    lock.rename(project.package.parent.parent / "lock")
    lock.symlink_to(target)
    (project.package / "v2" / "types.py").unlink()
    assert project.refused() == (
        f"error[edited]: {display_path(lock)}: is a link; move it out of the way\n"
    )


# --- atomic writes ---------------------------------------------------------------------------

CALLS = 2


def failing(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[int], bool], error: BaseException
) -> list[int]:
    """Make some calls to `os.replace` fail, and return a list that collects the call numbers."""
    calls: list[int] = []
    real = os.replace

    def replace(source: Any, target: Any) -> None:
        calls.append(len(calls) + 1)
        if fails(calls[-1]):
            raise error
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    return calls


def upgraded(project: Project) -> tuple[dict[str, bytes], Lock]:
    """Vendor a package, ship a newer schema, and return the new files and lock as data."""
    project.made()
    project.bring("v2", **NEWER)
    made = generation.generate(project.schema, ["v2"])
    return made.files, made.lock()


def test_number_of_replacements(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The following tests interrupt each of these calls in turn."""
    files, lock = upgraded(project)
    calls = failing(monkeypatch, lambda call: False, OSError())
    package_vendoring.write(project.package, files, lock, force=False)
    assert len(calls) == CALLS
    assert project.check().exit_code == 0


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()], ids=["error", "ctrl-c"])
@pytest.mark.parametrize("broken", range(1, CALLS + 1))
def test_an_interrupted_run_leaves_the_old_copy(
    project: Project, monkeypatch: pytest.MonkeyPatch, broken: int, error: BaseException
) -> None:
    files, lock = upgraded(project)
    (project.package / "mine.txt").touch()
    before = tree(project.package)
    calls = failing(monkeypatch, lambda call: call == broken, error)
    with pytest.raises(type(error)):
        package_vendoring.write(project.package, files, lock, force=False)
    assert calls[-1] >= broken
    monkeypatch.undo()
    assert tree(project.package) == before
    assert project.around() == ["acp"]


@pytest.mark.parametrize("broken", range(1, CALLS + 1))
def test_a_disk_that_stays_broken_loses_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    """If the old package cannot be restored immediately, the next run restores it."""
    files, lock = upgraded(project)
    before = tree(project.package)
    failing(monkeypatch, lambda call: call >= broken, OSError("full"))
    with pytest.raises(OSError, match="full"):
        package_vendoring.write(project.package, files, lock, force=False)
    monkeypatch.undo()
    restore(project.package)
    assert tree(project.package) == before
    assert project.around() == ["acp"]


def test_a_first_run_that_fails_leaves_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = generation.generate(project.schema, ["v2"])
    lock = made.lock()
    failing(monkeypatch, lambda call: True, OSError("full"))
    with pytest.raises(OSError, match="full"):
        package_vendoring.write(project.package, made.files, lock, force=False)
    assert project.around() == []


def test_a_failing_disk_is_reported_in_a_line(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failure is reported as an error with exit code 2, without a traceback."""
    failing(monkeypatch, lambda call: True, OSError("no space left"))
    result = project.vendor()
    assert result.exit_code == 2, repr(result.exception)
    assert "no space left" in result.stderr


def killed(project: Project) -> Path:
    """Simulate a run that was killed after moving the package away, and return the backup."""
    backup = project.package.parent / ".acp.acpgen-old"
    os.replace(project.package, backup)
    return backup


def test_after_a_killed_run_the_old_copy_is_whole(project: Project) -> None:
    project.made()
    (project.package / "mine.txt").touch()
    before = tree(project.package)
    assert tree(killed(project)) == before
    assert project.check().exit_code == 0
    assert tree(project.package) == before
    killed(project)
    project.bring("v2", **NEWER)
    project.made()
    assert "mine.txt" in project.files()
    assert project.check().exit_code == 0
    assert project.around() == ["acp"]


def test_after_a_killed_run_choices_and_edits_are_still_kept(project: Project) -> None:
    project.bring("v1", "v2", **DEFINITIONS)
    project.made("--surface", "v2", "--types-only")
    killed(project)
    project.made()
    assert sorted(project.lock()["schemas"]) == ["v2"]
    assert project.lock()["types_only"] is True
    edit(project.package / "v2" / "types.py")
    before = tree(project.package)
    killed(project)
    assert project.vendor().exit_code == 2
    assert tree(project.package) == before


def test_after_a_run_killed_at_the_end_the_new_copy_counts(project: Project) -> None:
    project.made()
    shutil.copytree(project.package, project.package.parent / ".acp.acpgen-old")
    before = stamps(project.package.parent)
    assert project.check().exit_code == 0
    assert stamps(project.package.parent) == before  # `--check` keeps the backup
    project.bring("v2", **NEWER)
    project.made()
    assert project.around() == ["acp"]
    assert project.check().exit_code == 0


# --- checking --------------------------------------------------------------------------------


def test_check_of_an_unmodified_package_exits_with_0(project: Project) -> None:
    project.made()
    result = project.check()
    assert (result.exit_code, result.stderr) == (0, "")
    assert "is unmodified and up to date" in result.stdout
    assert json.loads(project.check("--json").stdout) == {"fresh": True, "findings": []}


def test_edited_and_missing_files_exit_with_1(project: Project) -> None:
    project.made()
    edit(project.package / "v2" / "types.py")
    (project.package / "runtime" / "values" / "codec.py").unlink()
    before = stamps(project.package.parent)
    result = project.check()
    assert (result.exit_code, result.stderr) == (1, "")
    assert [
        line.replace(f"{display_path(project.package)}/", "") for line in result.stdout.splitlines()
    ] == [
        "missing: runtime/values/codec.py: was removed after it was written",
        "edited: v2/types.py: was changed after it was written",
    ]
    result = project.check("--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["fresh"] is False
    assert [tuple(each.values()) for each in report["findings"]] == [
        ("runtime/values/codec.py", "missing", "was removed after it was written"),
        ("v2/types.py", "edited", "was changed after it was written"),
    ]
    assert list(report["findings"][0]) == ["path", "kind", "reason"]
    assert stamps(project.package.parent) == before


def test_another_schema_exits_with_1(project: Project) -> None:
    project.made()
    project.bring("v2", **NEWER)
    result = project.check("--json")
    assert result.exit_code == 1
    [finding] = json.loads(result.stdout)["findings"]
    assert (finding["path"], finding["kind"]) == (LOCK, "outdated")
    assert finding["reason"].startswith("v2 was generated from ")
    project.made()
    assert project.check().exit_code == 0


def test_another_acpgen_exits_with_1(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.made()
    monkeypatch.setattr(freshness, "__version__", "99.0.0")
    result = project.check()
    assert result.exit_code == 1
    assert f"was written by acpgen {__version__}, but this is acpgen 99.0.0" in result.stdout


@pytest.mark.parametrize("there", [False, True], ids=["no folder", "no lock"])
def test_no_lock_exits_with_2(project: Project, there: bool) -> None:
    if there:
        project.made()
        (project.package / LOCK).unlink()
    assert read_lock(project.package) is None
    result = project.check()
    assert result.exit_code == 2
    assert "has no lock file; write the package with `acpgen vendor`" in result.stderr
    [problem] = json.loads(project.check("--json").stdout)["problems"]
    assert problem["code"] == "missing-file"


GOOD: dict[str, Any] = {"format": 1, "generator": "1", "types_only": False, "schemas": {}}
BAD_LOCKS: dict[str, Any] = {
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b'{"\xff": 1}',
    "a conflict": b"<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
    "too deep": b"[" * 100_000,
    "a list": [],
    "nothing in it": {},
    "another format": {**GOOD, "files": {}, "format": 2},
    "no files": GOOD,
    "files in a list": {**GOOD, "files": ["a"]},
    "a schema that is a number": {**GOOD, "files": {}, "schemas": {"v2": 5}},
    "a schema without a digest": {**GOOD, "files": {}, "schemas": {"v2": {}}},
    "a digest that is a number": {**GOOD, "files": {"a.py": 5}},
    "a digest that is null": {**GOOD, "files": {"a.py": None}},
    "a choice that is text": {**GOOD, "files": {}, "types_only": "false"},
    "a version that is a number": {**GOOD, "files": {}, "generator": 1},
    "a label that is a list": {**GOOD, "files": {}, "schemas": {"v2": {"label": [], "sha256": ""}}},
    "inputs that are a number": {**GOOD, "files": {}, "inputs": 5},
}


@pytest.mark.parametrize("case", BAD_LOCKS)
def test_a_bad_lock_exits_with_2(project: Project, case: str) -> None:
    project.made()
    lock = BAD_LOCKS[case]
    content = lock if isinstance(lock, bytes) else json.dumps(lock).encode()
    (project.package / LOCK).write_bytes(content)
    checked = project.check()
    assert checked.exit_code == 2, repr(checked.exception)
    for said in (checked.stderr, project.refused()):
        [line] = said.splitlines()
        assert line.startswith("error[bad-lock]: ")
        assert "--force" in line
    project.made("--force")
    assert project.check().exit_code == 0


def test_check_needs_no_programs_and_no_network(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any, **more: Any) -> Any:
        raise AssertionError("the network was used, or a program started")

    project.made()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert project.check().exit_code == 0
    edit(project.package / "v2" / "types.py")
    assert project.check().exit_code == 1


# --- choices ---------------------------------------------------------------------------------


def test_types_only(project: Project) -> None:
    project.made("--types-only")
    assert project.files() == RUNTIME | {f"v2/{name}" for name in TYPES} | {LOCK}
    assert project.lock()["types_only"] is True
    assert project.check().exit_code == 0
    code = f"from acp import v2 as surface\n{WORK}"
    for options in ((), ("-O",), ("-W", "error")):
        assert bare(project.package.parent, code, *options) == "[True, 'p', True]\n"
    loaded = bare(project.package.parent, "import acp.v2, sys\nprint(*sys.modules)").split()
    assert not {"asyncio", "socket", "ssl", "subprocess", "typing_extensions"} & set(loaded)


@real_schema
def test_types_only_of_the_real_schema(tmp_path: Path) -> None:
    command = ["vendor", str(tmp_path / "acp"), "--surface", "v2", "--types-only"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    code = """
from acp import v2
data = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": None, "x": 1}
decoded = v2.decode(v2.SessionUpdate, data, strict=True)
value = v2.loads(v2.SessionUpdate, v2.dumps(decoded, v2.SessionUpdate))
print(v2.encode(value, v2.SessionUpdate) == data, value.title, value.status is v2.UNSET)
print(hasattr(v2, "AgentHandler"), hasattr(v2, "AgentStub"), hasattr(v2, "AGENT_METHODS"))
"""
    assert bare(tmp_path, code) == "True None True\nFalse False False\n"
    assert CliRunner().invoke(app, ["vendor", "--check", str(tmp_path / "acp")]).exit_code == 0


def test_choices_are_remembered(project: Project) -> None:
    def chosen() -> tuple[list[str], bool]:
        return sorted(project.lock()["schemas"]), project.lock()["types_only"]

    project.bring("v1", "v2", **DEFINITIONS)
    project.made("--surface", "v2", "--types-only")
    project.bring("v1", "v2", **NEWER)
    project.made()
    assert chosen() == (["v2"], True)
    edit(project.package / "v2" / "types.py")
    project.made("--force")
    assert chosen() == (["v2"], True)
    project.made("--all")
    assert chosen() == (["v2"], False)
    assert "v2/agent.py" in project.files()
    project.made("--types-only", "--surface", "v1")
    assert chosen() == (["v1"], True)
    assert not any(path.startswith("v2/") for path in project.files())


# --- the bridge ------------------------------------------------------------------------------

# A program that connects a protocol 1 client to a protocol 2 agent.
SERVE = """
import asyncio, json
from acp import v2
from acp.runtime.aio import memory_streams, serve
class Agent(v2.SessionAgent):
    async def turn(self, session, params):
        await session.say("Hello")
async def main():
    near, far = memory_streams()
    serving = asyncio.create_task(serve(far, Agent, bridge=True))
    ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    near.write(json.dumps(ask).encode() + b"\\n")
    print(json.loads(await near.read())["result"]["protocolVersion"])
    await near.close()
    await serving
asyncio.run(main())
"""


def vendor_real(folder: Path, *arguments: str) -> Any:
    """Vendor the schema that acpgen really ships, and return the lock."""
    result = CliRunner().invoke(app, ["vendor", str(folder), *arguments])
    assert result.exit_code == 0, result.output
    return json.loads((folder / LOCK).read_text("utf-8"))


@pytest.mark.parametrize(
    ("surfaces", "wanted", "brought"),
    [([], [], ()), (["v1"], ["v1", "v2"], ("v2",)), (["v1", "v2"], ["v1", "v2"], ())],
)
def test_a_bridge_adds_only_surfaces_that_are_missing(
    surfaces: list[str],
    wanted: list[str],
    brought: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[list[str], tuple[str, ...]]] = []

    def generate(
        source: None, names: list[str], on_step: object, parts: generation.Parts, **options: object
    ) -> None:
        seen.append((names, parts.bridge_only))
        raise InputError([])

    monkeypatch.setattr(package_vendoring, "generate", generate)
    with pytest.raises(InputError):
        package_vendoring.vendor(tmp_path / "acp", None, surfaces, bridge=True)
    assert seen == [(wanted, brought)]


@real_schema
def test_a_bridge_brings_what_it_needs_of_the_other_version(tmp_path: Path) -> None:
    folder = tmp_path / "acp"
    lock = vendor_real(folder, "--surface", "v2", "--bridge")
    assert (sorted(lock["schemas"]), lock["bridge"]) == (["v1", "v2"], ["v1"])
    brought = {path.name for path in (folder / "v1").iterdir()}
    assert brought == TYPES | {"methods.py", "session.py"}
    assert (folder / "v2" / "agent_session.py").exists()
    assert bare(tmp_path, SERVE) == "1\n"
    checked = CliRunner().invoke(app, ["vendor", "--check", str(folder)])
    assert (checked.exit_code, checked.output.count("\n")) == (0, 1)
    # The bridge stays in the lock until `--no-bridge` removes it.
    assert vendor_real(folder) == lock
    last = vendor_real(folder, "--no-bridge")
    assert (list(last["schemas"]), last.get("bridge")) == (["v2"], None)
    assert not [path for path in tree(folder) if "bridg" in path or path.startswith("v1/")]


@real_schema
def test_a_package_without_the_bridge_says_how_to_add_it(tmp_path: Path) -> None:
    vendor_real(tmp_path / "acp", "--surface", "v2")
    code = SERVE.replace("asyncio.run(main())", "try: asyncio.run(asyncio.wait_for(main(), 20))")
    code += "except (ImportError, asyncio.TimeoutError) as error: print(error)\n"
    code = code.replace("    print(json", "    await serving\n    print(json")
    advice = "acp was vendored without the bridge; `acpgen vendor DIR --bridge` adds it\n"
    assert bare(tmp_path, code) == advice


@pytest.mark.parametrize("option", ["--bridge", "--kit", "--remote", "--testing"])
def test_types_alone_have_nothing_that_talks(project: Project, option: str) -> None:
    problem = f"error[usage]: {option}: requires methods and I/O; add --all, or omit {option}\n"
    assert project.refused("--types-only", option) == problem


# --- test helpers ----------------------------------------------------------------------------

# A test of an agent that imports only the vendored package.
TESTED = """
import asyncio
from acp import v2
from acp.testing import Client
class Echo(v2.SessionAgent):
    async def turn(self, session, params):
        await session.say(params.prompt[0])
async def main():
    async with Client(Echo) as client:
        turn = await client.prompt("Hello")
        turn.expect(v2.AgentMessageChunk, v2.IdleStateUpdate(stop_reason="end_turn"))
        print(turn.text)
asyncio.run(main())
"""


@real_schema
def test_what_tests_need_is_remembered_until_it_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "acp"
    first = vendor_real(folder, "--surface", "v2", "--testing")
    assert bare(tmp_path, TESTED) == "Hello\n"
    assert vendor_real(folder) == first
    assert "testing" in {path.name for path in folder.iterdir()}
    vendor_real(folder, "--no-testing")
    assert not [path for path in tree(folder) if path.startswith("testing/")]


# --- the kit ---------------------------------------------------------------------------------

# A client launches an agent, which uses a tool. Both import the same vendored package.
EQUIPPED = """
import asyncio, sys, tempfile
from acp import v2
from acp.runtime.aio import serve_stdio
from acp.v2 import kit
class Agent(v2.SessionAgent):
    async def turn(self, session, params):
        async with session.tool("Print", kind="execute") as tool:
            await tool.run([sys.executable, "-c", "print('Hello')"], ask=False)
        await session.say(tool.result.split()[0])
async def main():
    with tempfile.TemporaryDirectory() as cwd:
        async with kit.launch([sys.executable, __file__, "agent"], v2.SessionClient) as link:
            session = await link.open(cwd=cwd)
            async with session.prompt("Hi") as turn:
                await turn.wait(timeout=30)
            print(session.state.messages[-1].text)
        try:
            async with kit.launch(["true"], v2.SessionClient, workspace=kit.Workspace()):
                pass
        except ImportError as error:
            print(error)
asyncio.run(serve_stdio(Agent) if sys.argv[1:] else main())
"""
WITHOUT = (
    "acp was vendored without surface v1, which a workspace requires; to add it, run "
    "`acpgen vendor DIR --surface v1` and select the other surfaces again\n"
)


@real_schema
def test_the_kit_is_remembered_until_it_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "acp"
    first = vendor_real(folder, "--surface", "v2", "--kit")
    program = tmp_path / "program.py"
    program.write_text(EQUIPPED, "utf-8")
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("Hello\n" + WITHOUT, "")
    assert vendor_real(folder) == first
    assert "kit" in {path.name for path in folder.iterdir()}
    vendor_real(folder, "--no-kit")
    assert not [path for path in tree(folder) if "kit" in path]
    again = vendor_real(folder)
    assert not [path for path in again["files"] if "kit" in path]


@real_schema
def test_a_package_has_the_kit_only_if_asked_for(tmp_path: Path) -> None:
    vendor_real(tmp_path / "acp", "--surface", "v1", "--surface", "v2")
    assert not [path for path in tree(tmp_path / "acp") if "kit" in path]
    code = (
        "from acp import v1, v2\n"
        "print([hasattr(s.AgentSession, 'tool') or 'kit' in dir(s) for s in (v1, v2)])"
    )
    assert bare(tmp_path, code) == "[False, False]\n"


@real_schema
def test_types_are_right_with_and_without_the_kit(tmp_path: Path) -> None:
    """All packages are written to the same path so that mypy's cache applies to shared modules."""
    for arguments in (
        ["--surface", "v2"],
        ["--surface", "v1", "--kit"],
        ["--surface", "v2", "--kit", "--remote"],
        ["--surface", "v2", "--kit", "--bridge"],
    ):
        shutil.rmtree(tmp_path / "acp", ignore_errors=True)
        vendor_real(tmp_path / "acp", *arguments)
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "acp"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stdout)


# --- remote connections ----------------------------------------------------------------------

# A program that serves an agent even though the extra for remote clients isn't installed.
REMOTE = """
import asyncio
from acp import v2
from acp.remote import remote_app
class Agent(v2.SessionAgent):
    async def turn(self, session, params): ...
async def main():
    app, events = remote_app(Agent), []
    async def send(event):
        events.append(event)
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,'
    body += b'"capabilities":{},"info":{"name":"test","version":"1"}}}'
    parts = [{"type": "http.disconnect"}, {"type": "http.request", "body": body}]
    async def receive():
        if len(parts) == 1:
            await asyncio.Event().wait()
        return parts.pop()
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    address = ("127.0.0.1", 80)
    scope = {"type": "http", "method": "POST", "path": "/acp", "headers": headers}
    await app({**scope, "client": address, "server": address}, receive, send)
    print(events[0]["status"])
    await app.aclose()
asyncio.run(main())
"""


@real_schema
def test_remote_connections_are_remembered_until_they_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "acp"
    first = vendor_real(folder, "--surface", "v2", "--remote")
    assert bare(tmp_path, REMOTE) == "200\n"
    assert vendor_real(folder) == first
    assert [path for path in tree(folder) if path.startswith("remote/")]
    vendor_real(folder, "--no-remote")
    assert not [path for path in tree(folder) if path.startswith("remote/")]


@real_schema
def test_a_package_has_remote_connections_only_if_asked_for(tmp_path: Path) -> None:
    vendor_real(tmp_path / "acp", "--surface", "v2")
    assert not [path for path in tree(tmp_path / "acp") if "remote" in path]


# --- hooks -----------------------------------------------------------------------------------


def hooks() -> dict[str, dict[str, str]]:
    """Return the hooks in `.pre-commit-hooks.yaml` by id. Each value must be on one line."""
    found: list[dict[str, str]] = []
    for line in (paths.ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines():
        if line.startswith("- "):
            found.append({})
        key, _, value = line[2:].partition(": ")
        found[-1][key] = value
    return {hook["id"]: hook for hook in found}


def run_hook(
    hook: dict[str, str], folder: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run a hook as pre-commit does: split its entry at spaces, and append the arguments."""
    command, *rest = hook["entry"].split()
    scripts = str(Path(sys.executable).parent)
    program = shutil.which(command, path=scripts)
    assert program is not None
    return subprocess.run(
        [program, *rest, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_the_hooks_find_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ("--schema", str(GOLDEN / "schema.json"), "--surface", "v2", "--out", "made")
    vendored = ("src/acp", "--surface", "v2", "--types-only")
    check, check_vendored = hooks()["acpgen-check"], hooks()["acpgen-vendor-check"]
    monkeypatch.chdir(tmp_path)
    for command in (["generate", *made], ["vendor", *vendored]):
        assert CliRunner().invoke(app, command).exit_code == 0
    edit(tmp_path / "made" / "v2" / "types.py")
    edit(tmp_path / "src" / "acp" / "v2" / "types.py")
    done = run_hook(check, tmp_path, *made)
    assert done.returncode == 1
    assert done.stdout.startswith("--- on disk: v2/types.py\n")
    assert done.stdout.count("\n--- on disk: ") == 0
    done = run_hook(check_vendored, tmp_path, "src/acp")
    assert done.returncode == 1
    assert done.stdout == "edited: src/acp/v2/types.py: was changed after it was written\n"
    assert run_hook(check_vendored, tmp_path, "src/none").returncode == 2
