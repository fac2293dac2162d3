"""Tests of `make bump`, which moves to another schema and stops to request manual decisions."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from acpgen.analysis.surface import understand
from acpgen.cli.app import app
from acpgen.commands.schema_vendoring import sync
from acpgen.common import paths
from acpgen.common.pointers import pointer
from acpgen.common.problems import InputError
from typer.testing import CliRunner

from tests.acpgen.diff.npm import revision
from tests.project.bumping import (
    PACKAGE,
    PARTS,
    RECORD,
    bump,
    contents,
    make_checkout,
    make_npm,
    make_script,
    path_of,
    without_entry,
)
from tests.project.revisions import add_update
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = "v2/schema.json"


OLD, NEW = "2.2.0", "2.4.0"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    copy = tmp_path / "checkout"
    make_checkout(copy)
    return copy


class Line(NamedTuple):
    """A line of output about an overlay entry."""

    level: str
    code: str
    file: str
    pointer: str
    advice: str


def lines(output: str) -> list[Line]:
    pattern = r"^(error|note)\[(\S+)\]: schema/overlay/(\S+?)#(\S*): .*; (.*)$"
    return [Line(*each) for each in re.findall(pattern, output, re.M)]


def forget(overlay: Path) -> set[tuple[str, str]]:
    """Remove the overlay entries that the schema doesn't need. Return their files and pointers."""
    with pytest.raises(InputError) as caught:
        understand(None, [])
    for problem in caught.value.problems:
        path = overlay / problem.file.removeprefix("schema/overlay/")
        text = path.read_text(encoding="utf-8")
        shorter = without_entry(text, path_of(problem))
        assert shorter != text, problem
        path.write_text(shorter, encoding="utf-8")
    return {
        (each.file.removeprefix("schema/overlay/"), each.pointer) for each in caught.value.problems
    }


def skeleton_entries(text: str) -> set[tuple[str, str]]:
    """Uncomment a skeleton's entries and return their files and pointers."""
    assert all(line.startswith("# ") for line in text.splitlines() if line)
    found: set[tuple[str, str]] = set()
    for part in re.split(r"^# Missing in schema/overlay/", text, flags=re.M)[1:]:
        file, _, rest = part.partition(":")
        entries = tomllib.loads(re.sub(r"^# ", "", rest.partition("\n")[2], flags=re.M))
        found |= {(file, at) for at in leaves(entries)}
    return found


def leaves(value: object, at: str = "") -> Iterator[str]:
    """Yield the pointers to all non-dictionary values in a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, at + pointer(key))
    else:
        yield at


def test_from_2_2_0_to_2_4_0(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the overlay contains only entries for 2.2.0, the bump requests the entries for 2.4.0."""
    record = json.loads((ROOT / "schema" / RECORD).read_text(encoding="utf-8"))["files"]
    assert {(each["source"], each["version"]) for each in record.values()} == {(PACKAGE, NEW)}
    make_npm(tmp_path / "bin", {each: revision(each) / "schema" for each in (OLD, NEW)})
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(paths, "SCHEMA", checkout / "schema")
    log = checkout / "CHANGELOG.md"
    unchanged = log.read_text(encoding="utf-8")

    sync(f"{PACKAGE}@{OLD}", [])
    forgotten = forget(paths.SCHEMA / "overlay")
    assert len(forgotten) > 50
    assert len({file for file, _ in forgotten}) >= 4
    understand(None, [])  # no problems remain
    # Make the package outdated. Generating the older schema's package would take too long.
    shutil.rmtree(checkout / "generated" / "acp_bindings" / "v1")
    start = contents(checkout, "schema")
    before = contents(checkout, "generated", "schema/overlay")
    assert before != contents(ROOT, "generated", "schema/overlay")

    stopped = bump(checkout, f"VERSION={NEW}")
    assert stopped.returncode == 2
    said = lines(stopped.stderr)
    skeleton = checkout / "overlay-missing.toml"
    assert skeleton.is_file(), stopped.stdout + stopped.stderr
    missing = skeleton_entries(skeleton.read_text(encoding="utf-8"))
    asked = {(line.file, line.pointer) for line in said} | missing
    # A rule already describes these fields. Entries could add details but aren't required.
    ruled = {(file, at) for file, at in forgotten - asked if at.startswith("/members/")}
    assert {at.rpartition("/")[2] for _, at in ruled} == {"_meta", "sessionId"}
    forgotten -= ruled
    assert len({at for _, at in forgotten if at.startswith("/members/")}) > 20
    # For rules about the state in responses, `make bump` names only the method.
    implied = {each for each in forgotten if each[1].startswith("/implied_updates/")}
    assert len(implied) >= 3
    forgotten -= implied
    forgotten |= {(file, at.rpartition("/")[0]) for file, at in implied}
    # For this missing requirement, `make bump` names the untested method.
    demand = ("requirements.toml", "/agent/cancelling/cancel-tool-call")
    forgotten.remove(demand)
    forgotten.add(("requirements.toml", "/untested/agent/v2/tool_call~1cancel"))
    # The kit works without new methods and fields, so `kit.toml` entries are requested only in
    # notes.
    kit = {at for file, at in forgotten if file == "kit.toml"}
    cancelling = {at for at in kit if at.startswith("/v2/cancelling/")}
    assert {at.rpartition("/")[2] for at in kit - cancelling} == {"capabilities"}
    updates = {("updates.toml", f"/v2/{tag}_update") for tag in ("tool_call", "terminal")}
    methods = {("pages.toml", at.replace("/cancelling", "")) for at in cancelling}
    assert len(methods) == 2
    assert updates | methods <= asked
    forgotten -= {("kit.toml", at) for at in kit}
    assert forgotten <= asked
    # All other requests are for optional entries.
    assert {line.code for line in said if (line.file, line.pointer) not in forgotten} == {"decide"}
    summaries = {each for each in forgotten if each[0] == "summaries.toml"}
    capabilities = {each for each in forgotten if each[0] == "capabilities.toml"}
    # Entries for capabilities that apply to fields of params are also optional.
    needed = summaries | {each for each in capabilities if "#" not in each[1]}
    errors = {(line.file, line.pointer) for line in said if line.level == "error"}
    assert len(errors) == 10 + 10
    assert errors <= needed
    assert missing == needed
    assert f"{len(summaries)} of kind missing-summary" in stopped.stderr
    assert f"{len(needed - summaries)} of kind missing-capability" in stopped.stderr
    assert f"... and {len(summaries) - 10} more" in stopped.stderr
    assert all(re.match("write|add|change|close|name", line.advice) for line in said)
    assert (
        "make bump stopped: resolve the problems listed above in schema/overlay" in stopped.stdout
    )
    assert contents(checkout, "generated", "schema/overlay") == before

    shutil.copytree(ROOT / "schema" / "overlay", paths.SCHEMA / "overlay", dirs_exist_ok=True)
    moved = CliRunner().invoke(app, ["sync", f"{PACKAGE}@{NEW}", "--changelog", str(log)])
    assert moved.exit_code == 0, moved.output
    remaining = {(line.file, line.pointer) for line in lines(moved.stderr)}
    assert remaining == asked - forgotten | {("updates.toml", "/v2/state_update")}
    # The same schema results in the same package, as `make check` verifies.
    understand(None, [])
    assert contents(checkout, "schema") == contents(ROOT, "schema")
    found = json.loads((paths.SCHEMA / RECORD).read_text(encoding="utf-8"))["files"]
    # The fake npm reports the same digest for each tarball.
    assert found == {name: {**each, "integrity": "sha512-x"} for name, each in record.items()}
    noted = log.read_text(encoding="utf-8")
    assert noted.count(f"### Schema: `{PACKAGE}@{OLD}` → `{PACKAGE}@{NEW}`") == 1
    assert "| `terminal/cancel` | compatible | compatible | method added |" in noted

    sync(f"{PACKAGE}@{OLD}", [], log)
    assert log.read_text(encoding="utf-8") == unchanged
    schemas = {name for name in start if "/overlay/" not in name}
    now = contents(checkout, "schema")
    assert {name: now[name] for name in schemas} == {name: start[name] for name in schemas}


def test_each_step_follows_if_the_one_before_it_has_succeeded(
    checkout: Path, tmp_path: Path
) -> None:
    steps = tmp_path / "steps"
    make_script(checkout / ".venv" / "bin" / "acpgen", f'#!/bin/sh\necho "$@" >> "{steps}"\n')
    done = bump(checkout, f"VERSION={NEW}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert steps.read_text(encoding="utf-8").splitlines() == [
        f"sync {PACKAGE}@{NEW} --changelog CHANGELOG.md",
        "generate --skeleton overlay-missing.toml",
    ]
    assert "1 passed" in done.stdout


def another(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Return a copy of the vendored schema with a change to the stable protocol 2 definitions."""
    copy = folder / "another"
    ignored = shutil.ignore_patterns("overlay", "sources.json")
    shutil.copytree(ROOT / "schema", copy, ignore=ignored)
    schema = json.loads((copy / SCHEMA).read_text(encoding="utf-8"))
    change(schema["$defs"])
    (copy / SCHEMA).write_text(json.dumps(schema), encoding="utf-8")
    return copy


def collide(definitions: dict[str, Any]) -> None:
    definitions["UnknownSessionUpdate"] = {"type": "object"}


def turn_around(definitions: dict[str, Any]) -> None:
    definitions["PromptRequest"]["x-side"] = "client"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (collide, "error[name-collision]: "),
        (add_update, "schema/overlay/updates.toml#/v2/weather: has no rule;"),
        (turn_around, "error[direction]: "),
    ],
)
def test_a_person_has_to_decide(
    change: Callable[[dict[str, Any]], None],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = another(tmp_path, change)
    shutil.copytree(ROOT / "schema" / "overlay", folder / "overlay")
    monkeypatch.setattr(paths, "SCHEMA", folder)
    with pytest.raises(InputError) as caught:
        understand(None, ["v2"])
    assert problem in str(caught.value)


def test_bump_writes_nothing_if_the_schema_cannot_be_used(checkout: Path, tmp_path: Path) -> None:
    def spoil(definitions: dict[str, Any]) -> None:
        definitions["Implementation"]["type"] = "thing"

    before = contents(checkout, *PARTS)
    stopped = bump(checkout, f"SOURCE={another(tmp_path, spoil)}")
    assert stopped.returncode == 2
    assert "error[invalid-schema]: " in stopped.stderr
    assert "/$defs/Implementation/type" in stopped.stderr
    assert (
        "make bump stopped: resolve the problems listed above in schema/overlay" in stopped.stdout
    )
    assert contents(checkout, *PARTS) == before
