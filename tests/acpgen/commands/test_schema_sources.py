"""Tests that commands accept all schema sources, name them consistently, and report notes."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from acpgen.analysis import surface as analysis
from acpgen.analysis.surface import Built, build_source
from acpgen.cli.app import app
from acpgen.commands import generation
from acpgen.commands.generation import SurfaceResult
from acpgen.commands.lock_file import read_lock
from acpgen.common.display import display_path
from acpgen.common.problems import InputError, Problem
from acpgen.inputs.overlay.decisions import Overlay
from acpgen.inputs.sources import fetch
from acpgen.inputs.sources.files import Source
from acpgen.ir.surface import Surface
from typer.testing import CliRunner, Result

from tests.acpgen.diff.small import STRING, Schema, envelopes, method, record, save
from tests.support.paths import SURFACES

DEFINITIONS: dict[str, Schema] = {
    "AskRequest": method("a/ask", what=STRING),
    "AskResponse": method("a/ask", answer=STRING),
    "Thing": {**record("a", a=STRING), "description": "Words of the schema."},
    **envelopes({"AskRequest": "AskResponse"}),
}
BAD: dict[str, Schema] = {"Thing": {"type": "strnig"}}
COMMANDS = ("generate", "check", "inspect", "vendor", "diff")

# A fake `npm` that packs a local folder.
NPM = """#!{python}
import json, sys, tarfile
name, _, version = sys.argv[-1].rpartition("@")
with tarfile.open("packed.tgz", "w:gz") as tarball:
    tarball.add("{folder}", "package/schema")
packed = {{"name": name, "version": version, "filename": "packed.tgz", "integrity": "sha512-x"}}
print(json.dumps([packed]))
"""


@dataclass(frozen=True)
class Case:
    """A source of a protocol 2 schema, as written in arguments, records and messages."""

    argument: str  # as a command-line argument
    label: str  # as recorded by `generate`
    vendored: str  # as recorded by `vendor`
    file: str  # the schema file, as named in messages


def run(command: str, source: str, *more: str) -> Result:
    """Run a command on a schema. Commands that write a package write it to the folder `made`."""
    schema = ("--schema", source, "--surface", "v2")
    arguments = {
        "generate": (*schema, "--out", "made"),
        "check": (*schema, "--out", "made"),
        "inspect": ("Thing", *schema),
        "vendor": ("made", *schema),
        "diff": (source, source, "--surface", "v2"),
    }[command]
    return CliRunner().invoke(app, [command, *arguments, *more])


def succeeded(result: Result) -> str:
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for the schema, inside the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "upstream"


@pytest.fixture(params=["folder", "file", "npm", "address", "address of a file", "revision"])
def case(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    file = SURFACES["v2"]
    npm, address = "npm:@a/sdk@1.2.0", "https://example.org/schema/"
    at = {
        "folder": Case("upstream", "schema.json", "upstream", f"upstream/{file}"),
        "file": Case(f"upstream/{file}", "schema.json", "schema.json", f"upstream/{file}"),
        "npm": Case(npm, npm, npm, f"{npm}/schema/{file}"),
        "address": Case(address, address, address, f"{address}{file}"),
        "address of a file": Case(*([f"{address}{file}"] * 4)),
        "revision": Case("v1.0", "git:0123456789ab", "git:0123456789ab", f"v1.0/{file}"),
    }
    script = NPM.format(python=sys.executable, folder=folder)
    npm_command = folder.parent / "bin" / "npm"
    npm_command.parent.mkdir()
    npm_command.write_text(script, encoding="utf-8")
    npm_command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm_command.parent}{os.pathsep}{os.environ['PATH']}")

    def download(address: str, scratch: Path, paths: tuple[str, ...]) -> Path:
        shutil.copytree(folder, scratch, dirs_exist_ok=True)
        return scratch if address.endswith("/") else scratch / file

    def check_out(revision: str, scratch: Path) -> str:
        shutil.copytree(folder, scratch, dirs_exist_ok=True)
        return "0123456789ab"

    monkeypatch.setattr(fetch, "download", download)
    monkeypatch.setattr(fetch, "check_out", check_out)
    save(folder / file, DEFINITIONS)
    return at[request.param]


# --- labels ----------------------------------------------------------------------------------


def label_in(package: Path) -> str:
    """Return the source that a package's `SCHEMA` constant contains."""
    codec = (package / "v2" / "codec.py").read_text("utf-8")
    header = codec.splitlines()[0]
    [digest] = re.findall(r" from \S+ \(sha256 ([0-9a-f]{64})\)\. DO NOT EDIT\.$", header)
    assert digest in codec.removeprefix(header)
    [said] = re.findall(r"^    source=[\"'](.*)[\"'],$", codec, re.M)
    return str(said)


def test_what_is_generated_says_where_it_came_from(case: Case) -> None:
    succeeded(run("generate", case.argument))
    assert label_in(Path("made")) == case.label
    lock = read_lock(Path("made"))
    assert lock is not None
    assert (lock.schemas["v2"]["label"], lock.inputs) == (case.label, None)
    assert "Words of the schema." in Path("made/v2/types.py").read_text("utf-8")
    assert "is fresh" in succeeded(run("check", case.argument))
    with Path("made/v2/types.py").open("a", encoding="utf-8") as file:
        file.write("# by hand\n")
    assert run("check", case.argument).exit_code == 1


def test_what_is_vendored_says_where_it_came_from(case: Case) -> None:
    assert f"v2: {case.vendored}\n" in succeeded(run("vendor", case.argument))
    assert label_in(Path("made")) == case.vendored
    assert "Words of the schema." not in Path("made/v2/types.py").read_text("utf-8")


def test_the_others_read_it(case: Case) -> None:
    assert json.loads(succeeded(run("inspect", case.argument, "--json")))["kind"] == "record"
    assert json.loads(succeeded(run("diff", case.argument, "--json")))["changes"] == []


# --- problems and notes ----------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_problems_name_the_source(command: str, case: Case, folder: Path) -> None:
    save(folder / SURFACES["v2"], BAD)
    if command == "check":
        Path("made").mkdir()
    result = run(command, case.argument)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error[invalid-schema]: {case.file}#/$defs/Thing/type: ")
    assert not any(Path("made").glob("*"))


UNCHECKED = "'multipleOf' is not supported"


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every schema report an unsupported part: an error in strict mode, otherwise a note."""

    def build_unchecked(source: Source, overlay: Overlay, strict: bool = False) -> Any:
        built = build_source(source, overlay, strict)
        assert isinstance(built, Built)
        problem = Problem(display_path(source.path), "/$defs/Thing", "unchecked", UNCHECKED)
        return InputError([problem]) if strict else replace(built, notes=(*built.notes, problem))

    monkeypatch.setattr(analysis, "build_source", build_unchecked)
    monkeypatch.setattr(generation, "build_source", build_unchecked)


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_not_checked_is_noted(command: str, case: Case) -> None:
    line = f"[unchecked]: {case.file}#/$defs/Thing: {UNCHECKED}"
    if command == "check":
        succeeded(run("generate", case.argument))
    told = run(command, case.argument)
    assert succeeded(told)
    assert f"note{line}" in told.stderr.splitlines()
    as_json = run(command, case.argument, "--json")
    assert f"note{line}" in json.loads(succeeded(as_json))["notes"]
    assert as_json.stderr == ""
    strictly = run(command, case.argument, "--strict-schema")
    assert strictly.exit_code == 2
    assert strictly.stderr.splitlines() == [f"error{line}"]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_report_is_not_mixed_with_notes(form: str, folder: Path) -> None:
    save(folder / SURFACES["v2"], DEFINITIONS)
    told = run("diff", "upstream", "--format", form)
    assert UNCHECKED not in succeeded(told)
    assert UNCHECKED in told.stderr


@pytest.mark.parametrize("command", ["generate", "check", "vendor"])
def test_another_protocol_version_is_noted(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages spell the schema file's path as the user did, even if the schema is unusable."""
    told = Problem("", "", "other-version", "looks like v1")

    def find(sources: list[Source], vendored: Path) -> list[Problem]:
        return [replace(told, file=display_path(each.path)) for each in sources]

    monkeypatch.setattr(generation, "find_other_versions", find)
    file = save(folder / SURFACES["v2"], DEFINITIONS)
    if command == "check":
        succeeded(run("generate", "upstream"))
    line = f"[other-version]: {display_path(file)}: looks like v1"
    assert f"note{line}" in run(command, "upstream").stderr.splitlines()
    schema = json.loads(file.read_text("utf-8"))
    schema["$defs"]["Thing"]["$ref"] = "#/$defs/Missing"
    file.write_text(json.dumps(schema), encoding="utf-8")
    failed = run(command, "upstream")
    assert failed.exit_code == 2
    assert f"error{line}" in failed.stderr.splitlines()


def test_the_vendored_schema_is_not_compared_with_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(sources: list[Source], vendored: Path) -> list[Problem]:
        raise AssertionError("the vendored schema was compared")

    def render(surface: Surface, *options: bool) -> tuple[SurfaceResult, dict[str, str]]:
        return SurfaceResult(surface.name, surface.origin, {}, 0.0), {}

    monkeypatch.setattr(generation, "find_other_versions", find)
    monkeypatch.setattr(generation, "_render_one", render)
    assert generation.generate(None, ["v1"]).notes == []
