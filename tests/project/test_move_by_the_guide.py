"""Tests of moving to a new schema as the maintainers' guide describes, for all kinds of changes."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from acpgen.analysis.surface import understand
from acpgen.commands.overlay_skeleton import write_skeleton
from acpgen.commands.undecided import find_undecided
from acpgen.common import paths
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError
from acpgen.diff.bridge_rules.build import build_bridge
from acpgen.inputs.overlay.reading import load_overlay
from acpgen.ir.surface import Surface

from tests.project.bumping import bump, make_script, path_of, without_entry
from tests.project.revisions import (
    Edit,
    add_capability,
    add_method,
    add_update,
    remove_method,
    rename,
)
from tests.support.paths import GUIDE_TEMPLATES, ROOT, SURFACES

pytestmark = pytest.mark.slow

PAGE = (GUIDE_TEMPLATES / "maintainers.md").read_text("utf-8")
WAY = PAGE.split("\n## Move to a new schema\n")[1].split("\n## ")[0]
FOLDER = "schema/overlay/"

# The values to fill in for missing entries, by overlay file.
ANSWERS = {
    "capabilities.toml": '"none"',
    "summaries.toml": '"Some words."',
    "updates.toml": '"passthrough"',
}
# The decisions to add to `bridge.toml`, by table.
ABSENT = 'absent = "nobody there knows it"'
DECISIONS = {
    'methods.agent."session/weather"': ABSENT,
    "updates.to_older.weather": ABSENT,
    "to_older.SessionUpdate": None,  # covered by the decision about the update
    "to_older.SessionCapabilities": "taken = [",
}


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the vendored schema without a record of its origin."""
    folder = tmp_path / "schema"
    shutil.copytree(paths.SCHEMA, folder, ignore=shutil.ignore_patterns("sources.json"))
    monkeypatch.setattr(paths, "SCHEMA", folder)
    return folder


def move(folder: Path, *edits: Edit) -> None:
    """Apply edits to both protocol 2 schemas to simulate a new version of the schema."""
    for surface in ("v2", "v2_unstable"):
        path = folder / SURFACES[surface]
        schema = json.loads(path.read_text("utf-8"))
        for edit in edits:
            edit(schema["$defs"])
        path.write_text(json.dumps(schema), "utf-8")


def build(folder: Path) -> list[Surface]:
    """Run the steps of `make generate` that precede rendering."""
    surfaces, _ = understand(None, [])
    assert build_bridge(surfaces, load_overlay(folder / "overlay").bridge) is not None
    return surfaces


def settle(folder: Path) -> list[str]:
    """Follow the guide's table of problems until generation succeeds. Return the problem codes."""
    codes: list[str] = []
    skeleton = folder / "missing.toml"
    for _ in range(3):
        try:
            build(folder)
        except InputError as error:
            problems = error.problems
        else:
            return codes
        codes += [problem.code for problem in problems]
        for problem in problems:
            if problem.code == "overlay":
                path = folder / "overlay" / problem.file.removeprefix(FOLDER)
                shorter = without_entry(path.read_text("utf-8"), path_of(problem))
                path.write_text(shorter, "utf-8")
        if write_skeleton(skeleton, problems):
            fill_in(folder / "overlay", skeleton.read_text("utf-8"))
    raise AssertionError(f"there is still something to settle: {codes}")


def fill_in(overlay: Path, skeleton: str) -> None:
    """Fill in the entries of a skeleton and move each to its table."""
    parts = re.split(rf"^# Missing in {FOLDER}(\S+): .*\n", skeleton, flags=re.M)[1:]
    for file, part in zip(parts[::2], parts[1::2], strict=True):
        path = overlay / file
        text = path.read_text("utf-8")
        for block in part.strip().split("\n\n"):
            head, *lines = block.replace("# ", "").split("\n")
            table = head.strip("[]")
            if file == "bridge.toml":
                text = decide(text, table)
                continue
            entries = "".join(f"{line}\n" for line in lines).replace('""', ANSWERS[file])
            if f"{head}\n" in text:
                text = text.replace(f"{head}\n", f"{head}\n{entries}", 1)
            else:
                text += f"\n{head}\n{entries}"
        path.write_text(text, "utf-8")


def decide(text: str, table: str) -> str:
    """Add the decision for a table to the text of `bridge.toml`."""
    decision = DECISIONS[table]
    if decision is None:
        return text
    head, line = f"[{table}]\n", f"[{table}]\n{decision}"
    return (
        text.replace(line, f'{line}"weather", ') if line in text else f"{text}\n{head}{decision}\n"
    )


def codes_on_the_page() -> set[str]:
    table = WAY.split("| problem |")[1].split("\n\n")[0]
    return set(re.findall("`(.*?)`", " ".join(re.findall(r"^\| (.*?) \|", table, re.M))))


def test_a_method_an_update_and_a_capability_are_settled_by_what_the_page_says(
    schema: Path,
) -> None:
    before = {surface.name: surface for surface in build(schema)}
    move(schema, add_method, add_update, add_capability)
    codes = Counter(settle(schema))
    assert codes == {
        "missing-capability": 1,
        "missing-rule": 1,
        "missing-summary": 7,
        "missing-decision": 4,
    }
    assert codes.keys() <= codes_on_the_page()
    after = {surface.name: surface for surface in build(schema)}
    notes = find_undecided(before, after, load_overlay(schema / "overlay").requirements)
    assert {(note.file.removeprefix(FOLDER), note.pointer) for note in notes} == {
        ("pages.toml", pointer("v2", "session/weather")),
        ("requirements.toml", pointer("untested", "agent", "v2", "session/weather")),
        ("requirements.toml", pointer("untested", "client", "v2", "session/weather")),
    }
    assert all(f"`{note.file.removeprefix(FOLDER)}`" in WAY for note in notes)


def test_a_rename_and_a_removal_are_settled_by_what_the_page_says(schema: Path) -> None:
    """The renamed class is also available under its former name, which is deprecated."""
    removal = remove_method("CancelToolCallRequest", "CancelToolCallResponse")
    move(schema, rename("Cost", "Price"), removal)
    names = schema / "overlay" / "names.toml"
    entry = '\n[deprecated.Cost]\nname = "Price"\nsince = "0.2.0"\n'
    names.write_text(names.read_text("utf-8") + entry, "utf-8")
    codes = Counter(settle(schema))
    assert codes == {"missing-summary": 3, "overlay": 9}
    assert codes.keys() <= codes_on_the_page()
    deprecated = {surface.name: dict(surface.deprecated) for surface in build(schema)}
    assert deprecated["v2"] == {"Cost": ("Price", "0.2.0")}
    assert deprecated["v1"] == {}


def test_the_places_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"`((?:tests|templates|generator)/[\w./-]+)`", WAY))
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(("code", "said"), [(0, ""), (1, "  tests: fix the failures above; ")])
def test_bump_ends_with_what_is_left(code: int, said: str, tmp_path: Path) -> None:
    note = "note[decide]: schema/overlay/pages.toml#/v2/session~1weather: the method is new"
    acpgen = f'#!/bin/sh\n[ "$1" = sync ] && echo "{note}" >&2\ntrue\n'
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    make_script(tmp_path / ".venv" / "bin" / "acpgen", acpgen)
    make_script(tmp_path / ".venv" / "bin" / "python", f"#!/bin/sh\necho tested\nexit {code}\n")
    (tmp_path / ".venv" / ".ready").touch()
    done = bump(tmp_path)
    assert bool(done.returncode) is bool(code), done.stderr
    *_, left = done.stdout.partition("tested\n")
    assert f"Remaining tasks, by file:\n  {note}\n{said}" in left
    assert ("fix the failures above" in left) is bool(code)
    assert "  schema/, generated/, CHANGELOG.md: " in left.splitlines()[-1]
