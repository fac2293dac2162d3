"""`make bump`: from one schema to another and back, and where it stops."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acpgen.commands import changelog
from acpgen.diagnostics import InputError
from support.paths import ROOT

PARTS = ("schema", "generator", "templates", "generated", "Makefile", "CHANGELOG.md")
SCHEMA = "v2/schema.json"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what `make bump` works on."""
    copy = tmp_path / "checkout"
    for part in PARTS:
        source, target = ROOT / part, copy / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    # A stand-in for the whole test suite.
    (copy / "tests").mkdir()
    (copy / "tests" / "test_it.py").write_text(
        "def test_it():\n    from acp_bindings import v2\n    assert len(v2.TYPES) > 100\n"
    )
    shutil.copy2(ROOT / "pyproject.toml", copy / "pyproject.toml")
    # The tools are installed already; acpgen is the copy's own.
    path = f"{copy / 'generator'}{os.pathsep}{copy / 'generated'}"
    for name, module in (("python", ""), ("acpgen", "-m acpgen")):
        script = f'#!/bin/sh\nPYTHONPATH="{path}" exec "{sys.executable}" {module} "$@"\n'
        make_script(copy / ".venv" / "bin" / name, script)
    (copy / ".venv" / ".ready").touch()
    return copy


def make_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def bump(checkout: Path, *choices: str) -> subprocess.CompletedProcess[str]:
    """Run `make bump`; a folder `bin` beside the checkout comes first on the path."""
    command = ["make", "bump", *choices, "TESTS=tests", "WORKERS=0"]
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "MAKE"))}
    variables["PATH"] = f"{checkout.parent / 'bin'}{os.pathsep}{variables['PATH']}"
    return subprocess.run(
        command, cwd=checkout, env=variables, capture_output=True, text=True, check=False
    )


def contents(checkout: Path) -> dict[str, bytes]:
    """All files of the parts, by path, except the record of where the schemas came from."""
    files = [each for part in PARTS for each in (checkout / part, *(checkout / part).rglob("*"))]
    return {
        path.relative_to(checkout).as_posix(): path.read_bytes()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts and path.name != "sources.json"
    }


def another(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The vendored schema with a change to the definitions of stable protocol 2."""
    copy = folder / "another"
    ignored = shutil.ignore_patterns("overlay", "sources.json")
    shutil.copytree(ROOT / "schema", copy, ignore=ignored)
    schema = json.loads((copy / SCHEMA).read_text(encoding="utf-8"))
    change(schema["$defs"])
    (copy / SCHEMA).write_text(json.dumps(schema), encoding="utf-8")
    return copy


# A stand-in for `npm pack`; its registry is a folder with a folder of schemas for each version.
NPM = """#!{python}
import json, sys, tarfile
name, _, version = sys.argv[-1].rpartition("@")
with tarfile.open("packed.tgz", "w:gz") as tarball:
    tarball.add(f"{registry}/{{version}}", "package/schema")
packed = {{"name": name, "version": version, "filename": "packed.tgz", "integrity": "sha512-x"}}
print(json.dumps([packed]))
"""


def test_there_and_back_again(checkout: Path, tmp_path: Path) -> None:
    def widen(definitions: dict[str, Any]) -> None:
        definitions["Implementation"]["properties"]["nickname"] = {"type": "string"}

    registry = tmp_path / "registry"
    record = json.loads((ROOT / "schema" / "sources.json").read_text(encoding="utf-8"))
    present = record["files"][SCHEMA]["version"]
    another(registry, widen).rename(registry / "9.9.9")
    another(registry, lambda definitions: None).rename(registry / present)
    make_script(tmp_path / "bin" / "npm", NPM.format(python=sys.executable, registry=registry))
    before = contents(checkout)
    there = bump(checkout, "VERSION=9.9.9")
    assert there.returncode == 0, there.stdout + there.stderr
    noted = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "| `Implementation.nickname` | compatible | compatible | member added |" in noted
    types = (checkout / "generated/acp_bindings/v2/types.py").read_text(encoding="utf-8")
    assert "nickname: str | UnsetType = UNSET" in types
    back = bump(checkout, f"VERSION={present}")
    assert back.returncode == 0, back.stdout + back.stderr
    assert contents(checkout) == before


def collide(definitions: dict[str, Any]) -> None:
    definitions["UnknownSessionUpdate"] = {"type": "object"}


def add_update(definitions: dict[str, Any]) -> None:
    definitions["Weather"] = {"type": "object", "properties": {"sky": {"type": "string"}}}
    tag = {"sessionUpdate": {"type": "string", "const": "weather"}}
    arm = {"type": "object", "properties": tag, "required": ["sessionUpdate"]}
    arms = definitions["SessionUpdate"]["anyOf"]
    arms.insert(0, {**arm, "allOf": [{"$ref": "#/$defs/Weather"}]})
    other = arms[-1]["not"]["anyOf"]
    other.append({"properties": tag, "required": ["sessionUpdate"], "type": "object"})


def turn_around(definitions: dict[str, Any]) -> None:
    definitions["PromptRequest"]["x-side"] = "client"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (collide, "error name-collision at"),
        (add_update, "overlay/updates.toml#/v2/weather: has no rule;"),
        (turn_around, "error direction at"),
    ],
)
def test_bump_stops_where_a_person_has_to_decide(
    change: Callable[[dict[str, Any]], None], problem: str, checkout: Path, tmp_path: Path
) -> None:
    generated = {k: v for k, v in contents(checkout).items() if k.startswith("generated/")}
    stopped = bump(checkout, f"SOURCE={another(tmp_path, change)}")
    assert stopped.returncode == 2
    assert problem in stopped.stderr
    assert "make bump stopped: settle what is listed above in schema/overlay" in stopped.stdout
    after = contents(checkout)
    assert {k: v for k, v in after.items() if k.startswith("generated/")} == generated


# --- the changelog ---------------------------------------------------------------------------

TEXT = """# Changelog

## Unreleased

### Added

- a thing

## 0.1.0

### Schema: `a` → `b`

old
"""
PART = "### Schema: `b` → `c`\n\nnew things\n"


def test_the_part_stands_under_unreleased() -> None:
    noted = changelog.with_part(Path("C"), TEXT, PART)
    assert noted.index("- a thing") < noted.index("new things") < noted.index("## 0.1.0")
    assert changelog.first_schema(TEXT) is None
    assert changelog.first_schema(noted) == "b"
    assert noted.endswith("### Schema: `a` → `b`\n\nold\n")


def test_another_part_replaces_it() -> None:
    noted = changelog.with_part(Path("C"), TEXT, PART)
    again = changelog.with_part(Path("C"), noted, PART.replace("new things", "others"))
    assert "others" in again
    assert "new things" not in again


def test_removing_the_part_restores_the_text() -> None:
    noted = changelog.with_part(Path("C"), TEXT, PART)
    assert changelog.with_part(Path("C"), noted, None) == TEXT


def test_a_changelog_without_the_heading_is_an_error() -> None:
    with pytest.raises(InputError, match="has no heading `## Unreleased`"):
        changelog.with_part(Path("C"), "# Changelog\n", PART)
