"""Tests that each schema on npm results in a package that obeys the laws.

`make history` runs these tests. They need npm, so `make test` doesn't collect them.
"""

from __future__ import annotations

import hashlib
import importlib
import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

import pytest
from acpgen.cli.app import app
from acpgen.commands import disk
from acpgen.commands.generation import generate
from acpgen.common import paths
from acpgen.common.exit_codes import CHANGED, FAILS, SAME
from acpgen.inputs.sources.files import Source, locate_schemas, read_record
from typer.testing import CliRunner

from tests.acpgen.diff.npm import PACKAGE, kept, published
from tests.support.paths import SURFACES
from tests.tools.evolution.attempt import says_of
from tests.tools.evolution.evolve import Evolution
from tests.tools.evolution.laws import Report, Values, check_definition
from tests.tools.evolution.oracle import Drawer

# The npm package until October 2025, and its replacement.
PACKAGES = ("npm:@zed-industries/agent-client-protocol", PACKAGE)
DOWNLOADS = 4


@dataclass(frozen=True)
class Revision:
    """A version of an npm package with schemas. `str` returns a valid Python name for it."""

    package: str
    version: str
    folder: Path

    def __str__(self) -> str:
        name = f"{self.package.rpartition('/')[2]}_{self.version}"
        return name.translate(str.maketrans(".-", "__"))

    @cached_property
    def schemas(self) -> dict[str, Source]:
        """The revision's schemas, by hash. Early revisions have only a protocol 1 schema."""
        sources = locate_schemas(self.folder, [])
        return {hashlib.sha256(each.path.read_bytes()).hexdigest(): each for each in sources}


def revisions() -> list[Revision]:
    """Fetch missing revisions and return all revisions in the order of their versions."""
    listed = [(package, version) for package in PACKAGES for version in published(package)]
    with ThreadPoolExecutor(DOWNLOADS) as workers:
        folders = list(workers.map(lambda each: kept(*each), listed))
    found = (Revision(*each, folder) for each, folder in zip(listed, folders, strict=True))
    return [each for each in found if (each.folder / "schema").is_dir()]


HISTORY = revisions()
# The first revision that contains each schema, and each pair of successive revisions that differ.
SCHEMAS = {
    digest: (f"{revision}_{source.surface}", source)
    for revision in reversed(HISTORY)
    for digest, source in revision.schemas.items()
}
GROUPS = itertools.groupby(HISTORY, lambda each: [(k, s.surface) for k, s in each.schemas.items()])
STEPS = list(itertools.pairwise(next(group) for _, group in GROUPS))


def alone(name: str) -> pytest.MarkDecorator:
    """Return a mark that puts a slow test in its own group, so that workers share the tests."""
    return pytest.mark.xdist_group(name)


def test_the_history_is_there() -> None:
    """Both packages, all layouts of schema folders, and the vendored revision are found."""
    assert len(HISTORY) >= 64
    assert len(SCHEMAS) >= 54
    assert len(STEPS) >= 37
    layouts = {(each.surface, each.path.parent.name) for _, each in SCHEMAS.values()}
    assert layouts == {("v1_unstable", "schema"), *((name, name[:2]) for name in SURFACES)}
    versions = {(each.package, each.version) for each in HISTORY}
    assert {package for package, _ in versions} == set(PACKAGES)
    vendored = read_record(paths.SCHEMA).values()
    assert {(each["source"], each["version"]) for each in vendored} < versions


@pytest.mark.parametrize(
    ("name", "past"),
    [pytest.param(*each, id=each[0], marks=alone(each[0])) for each in SCHEMAS.values()],
)
def test_schema(name: str, past: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = generate(past.path, [past.surface])
    package = f"acp_{name}"
    disk.write(tmp_path / package, made.files, whole=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    made_surface = importlib.import_module(f"{package}.{past.surface}")
    root = json.loads(past.path.read_text(encoding="utf-8"))
    report = Report(Evolution(0, past.surface, (), root), unchecked=made_surface.SCHEMA.unchecked)
    says, drawer = says_of(report), Drawer(root["$defs"])
    assert says is not None
    for each in made_surface.TYPES:
        values = drawer.values(each, Random(f"{name} {each}"), changed=True)
        check_definition(report, says, made_surface, each, Values([], values))
    assert report.failures == []
    assert report.tried["valid"] > 10 * len(made_surface.TYPES) > 500
    assert report.tried["invalid"] > 1000


@pytest.mark.parametrize(
    ("old", "new"),
    [pytest.param(*step, id=f"{step[0]}-{step[1]}", marks=alone(str(step[1]))) for step in STEPS],
)
def test_diff(old: Revision, new: Revision) -> None:
    folders = [str(old.folder), str(new.folder)]
    result = CliRunner().invoke(app, ["diff", *folders, "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (SAME, CHANGED, FAILS), result.output
    report = json.loads(result.stdout)
    assert bool(report["changes"]) == (result.exit_code != SAME)
    worst = {change[label] for change in report["changes"] for label in ("wire", "python")}
    assert ("breaking" in worst) == (result.exit_code == FAILS)
