"""What the commands refuse, each with one line and exit code 2, before anything is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from acpgen.cli import app
from diff.small import STRING, method, record, save
from typer.testing import CliRunner, Result

VENDOR = ("vendor", "acp", "--surface", "v2", "--schema", "schema.json", "--types-only")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, whose name could be that of a package, with a small schema."""
    made = tmp_path / "work"
    made.mkdir()
    save(made / "schema.json", {"Thing": record("a", a=STRING)})
    monkeypatch.chdir(made)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "arguments",
    [
        ("vendor", "", "--schema", "schema.json", "--surface", "v2"),
        ("vendor", ".", "--schema", "schema.json", "--surface", "v2"),
        ("vendor", "..", "--schema", "schema.json", "--surface", "v2"),
        ("vendor", "acp", "--schema", "", "--surface", "v2"),
        ("vendor", "class", "--schema", "schema.json", "--surface", "v2"),
        ("vendor", "--check", "acp", "--surface", "v2"),
        ("vendor", "--check", "acp", "--force"),
        ("vendor", "--check", "acp", "--schema", "schema.json"),
        ("vendor", "--check", "acp", "--all"),
        ("generate", "--out", "", "--schema", "schema.json", "--surface", "v2"),
        ("generate", "--schema", "", "--out", "acp"),
        ("check", "--out", ""),
    ],
)
def test_arguments_that_cannot_be_meant(arguments: tuple[str, ...], folder: Path) -> None:
    before = contents(folder.parent)
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr
    assert contents(folder.parent) == before


def test_modules_of_others_are_not_generated_over(folder: Path) -> None:
    own = folder / "acp" / "__init__.py"
    own.parent.mkdir()
    own.write_text("MINE = 1\n", encoding="utf-8")
    before = contents(folder)
    result = run("generate", "--out", "acp", "--schema", "schema.json", "--surface", "v2")
    assert result.exit_code == 2
    assert "error edited at acp/__init__.py#: is not a file of ours" in result.stderr
    assert contents(folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("place", ["v2/types.py", "v2"])
def test_links_in_a_vendored_package_are_not_written_through(place: str, folder: Path) -> None:
    assert run(*VENDOR).exit_code == 0
    target = folder / "acp" / place
    target.rename(folder / "elsewhere")
    target.symlink_to(os.path.relpath(folder / "elsewhere", target.parent))
    save(folder / "schema.json", {"Thing": record("a", a=STRING, b=STRING)})
    before = contents(folder)
    result = run(*VENDOR)
    assert result.exit_code == 2
    assert f"error edited at acp/{place}#: is a link" in result.stderr
    assert contents(folder) == before


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(
    ("definitions", "words"),
    [
        ({"Thing": True}, "#/$defs/Thing: true is no definition"),
        ({"Thing": False}, "#/$defs/Thing: false is no definition"),
        ({"Thing": {"anyOf": [STRING, True]}}, "#/$defs/Thing/anyOf/1: true is no alternative"),
        ({"Thing": {**STRING, "not": True}}, "#/$defs/Thing/not: is only read in"),
        ({"Thing": nested(400)}, "nested too deeply"),
    ],
)
@pytest.mark.parametrize("command", ["generate", "inspect", "diff", "vendor"])
def test_schemas_that_cannot_be_read(
    command: str, definitions: dict[str, Any], words: str, folder: Path
) -> None:
    text = json.dumps({"$defs": {"Request": method("some/method"), **definitions}})
    (folder / "bad.json").write_text(text, encoding="utf-8")
    before = contents(folder)
    arguments = {
        "generate": ("--schema", "bad.json", "--out", "acp", "--surface", "v2"),
        "inspect": ("Thing", "--schema", "bad.json", "--surface", "v2"),
        "diff": ("schema.json", "bad.json", "--surface", "v2"),
        "vendor": ("acp", "--schema", "bad.json", "--surface", "v2"),
    }[command]
    result = run(command, *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert all(line.startswith("error ") for line in result.stderr.splitlines())
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["A\nerror io at x#: forged", "A\x1b[31m", "A\u2028B", "A\rB"])
def test_what_is_refused_is_told_in_a_line(name: str, folder: Path) -> None:
    text = json.dumps({"$defs": {"Request": method("some/method"), name: STRING}})
    (folder / "bad.json").write_text(text, encoding="utf-8")
    result = run("generate", "--schema", "bad.json", "--out", "acp", "--surface", "v2")
    assert result.exit_code == 2
    [line] = result.stderr.removesuffix("\n").split("\n")
    assert line.isprintable()
    assert line.startswith("error bad-name at bad.json#/$defs/A")


def test_an_encoding_without_arrows_changes_no_exit_code(folder: Path) -> None:
    save(folder / "v1.json", {"Thing": record("a", a=STRING)})
    (folder / "v1" / "v1").mkdir(parents=True)
    (folder / "v2" / "v2").mkdir(parents=True)
    save(folder / "v1" / "v1" / "schema.json", {"Thing": record("a", a=STRING)})
    save(folder / "v2" / "v2" / "schema.json", {"Thing": record("a", "b", a=STRING, b=STRING)})
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "diff", "./v1", "./v2"],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, b"")
    assert b"v1 \\u2192 v2" in done.stdout
