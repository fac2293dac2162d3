"""Helpers for tests of `make bump`: a copy of the project, and a fake npm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from acpgen.common.problems import Problem

from tests.support.paths import ROOT

PARTS = ("schema", "generator", "templates", "generated", "Makefile", "CHANGELOG.md")
PACKAGE = "npm:@agentclientprotocol/sdk"
RECORD = "sources.json"

# A fake `npm pack`. Its registry is a folder with one subfolder of schemas for each version.
NPM = """#!{python}
import json, sys, tarfile
name, _, version = sys.argv[-1].rpartition("@")
with tarfile.open("packed.tgz", "w:gz") as tarball:
    tarball.add(f"{registry}/{{version}}", "package/schema")
packed = {{"name": name, "version": version, "filename": "packed.tgz", "integrity": "sha512-x"}}
print(json.dumps([packed]))
"""


def make_checkout(copy: Path) -> None:
    """Copy the files that `make bump` uses, but write only one test instead of the entire suite."""
    for part in PARTS:
        source, target = ROOT / part, copy / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("*.egg-info")
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    (copy / "tests").mkdir()
    (copy / "tests" / "test_it.py").write_text(
        "def test_it():\n    from acp_bindings import v2\n    assert len(v2.TYPES) > 100\n"
    )
    shutil.copy2(ROOT / "pyproject.toml", copy / "pyproject.toml")
    # The tools are already installed, but acpgen must run from the copy.
    path = f"{copy / 'generator'}{os.pathsep}{copy / 'generated'}"
    for name, module in (("python", ""), ("acpgen", "-m acpgen")):
        script = f'#!/bin/sh\nPYTHONPATH="{path}" exec "{sys.executable}" {module} "$@"\n'
        make_script(copy / ".venv" / "bin" / name, script)
    (copy / ".venv" / ".ready").touch()


def make_npm(folder: Path, versions: dict[str, Path]) -> None:
    """Write a fake `npm` that packs the schemas of each version from the given folder."""
    registry = folder.parent / "registry"
    for version, schemas in versions.items():
        shutil.copytree(schemas, registry / version)
    make_script(folder / "npm", NPM.format(python=sys.executable, registry=registry))


def make_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def bump(checkout: Path, *choices: str) -> subprocess.CompletedProcess[str]:
    """Run `make bump` with the `bin` folder next to the checkout as the first entry of PATH."""
    command = ["make", "bump", *choices, "TESTS=tests", "WORKERS=0"]
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "MAKE"))}
    variables["PATH"] = f"{checkout.parent / 'bin'}{os.pathsep}{variables['PATH']}"
    return subprocess.run(
        command, cwd=checkout, env=variables, capture_output=True, text=True, check=False
    )


def contents(checkout: Path, *parts: str) -> dict[str, bytes]:
    """Return the contents of files in the checkout except the record of origins, by path."""
    files = [each for part in parts for each in (checkout / part, *(checkout / part).rglob("*"))]
    return {
        path.relative_to(checkout).as_posix(): path.read_bytes()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts and path.name != RECORD
    }


# --- entries of the overlay ------------------------------------------------------------------


def path_of(problem: Problem) -> tuple[str, ...]:
    """Return the path of the overlay entry with a problem, as a tuple of keys.

    If a rule for an update names a missing field, only the rule's `carries` entry is wrong.
    """
    parts = problem.pointer.split("/")[1:]
    path = tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)
    return (*path, "carries") if "has no field" in problem.message else path


def without_entry(text: str, path: tuple[str, ...]) -> str:
    """Remove an entry from the text of an overlay file and return the new text.

    The entry is a line of a table, an entire table, or a field of an inline table.
    """
    kept: list[str] = []
    table: tuple[str, ...] = ()
    for line in text.splitlines(keepends=True):
        key: tuple[str, ...] = ()
        if line.startswith("["):
            table = _keys(line.strip()[1:-1])
        elif " = " in line and not line.startswith("#"):
            key = _keys(line.partition(" = ")[0])
        place = (*table, *key)
        if key and len(place) < len(path) and path[: len(place)] == place:
            head, _, inline = line.partition(" = ")
            kept.append(f"{head} = {_without_field(inline, path[len(place) :])}\n")
        elif place[: len(path)] != path:
            kept.append(line)
    return "".join(kept)


def _without_field(table: str, path: tuple[str, ...]) -> str:
    kept: list[str] = []
    for field in _split(table.strip()[1:-1]):
        key, _, value = field.partition(" = ")
        if _keys(key) != path[:1]:
            kept.append(field)
        elif path[1:]:
            kept.append(f"{key} = {_without_field(value, path[1:])}")
    return f"{{ {', '.join(kept)} }}"


def _split(fields: str) -> list[str]:
    """Split the text of an inline table into its fields."""
    found, depth = [""], 0
    for token in re.findall(r'"[^"]*"|.', fields):
        depth += (token in "{[") - (token in "}]")
        if token == "," and not depth:
            found.append("")
        else:
            found[-1] += token
    return [field.strip() for field in found]


def _keys(dotted: str) -> tuple[str, ...]:
    found = re.findall(r'"([^"]*)"|([\w-]+)', dotted)
    return tuple(quoted or bare for quoted, bare in found)
