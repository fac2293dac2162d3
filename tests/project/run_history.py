"""Every schema that upstream has published on npm becomes a package that keeps the laws.

Run by `make history`; it needs npm, so it is not among the tests that `make test` collects.
"""

from __future__ import annotations

import importlib
import itertools
import json
from pathlib import Path
from random import Random

import pytest
from acpgen.cli.app import BREAKING, CHANGED, SAME, app
from acpgen.commands.disk import files as output
from acpgen.commands.generate import generate
from acpgen.common import paths
from acpgen.inputs.sources.files import read_record
from evolution.attempt import says_of
from evolution.evolve import Evolution
from evolution.laws import Report, Values, check_definition
from evolution.oracle import Drawer
from project.npm_history import (
    PACKAGES,
    PastSchema,
    Revision,
    distinct_revisions,
    distinct_schemas,
    revisions,
)
from typer.testing import CliRunner

HISTORY = revisions()
SCHEMAS = distinct_schemas(HISTORY)
STEPS = list(itertools.pairwise(distinct_revisions(HISTORY)))


def alone(name: str) -> pytest.MarkDecorator:
    """A group of its own: each test takes long, and may run anywhere."""
    return pytest.mark.xdist_group(name)


def test_the_history_is_there() -> None:
    """Both packages, all layouts of their schemas, and the revision that is vendored."""
    assert len(HISTORY) >= 64
    assert len(SCHEMAS) >= 54
    assert len(STEPS) >= 37
    assert {(each.surface, each.path.parent.name) for each in SCHEMAS} == {
        ("v1_unstable", "schema"),
        ("v1", "v1"),
        ("v1_unstable", "v1"),
        ("v2", "v2"),
        ("v2_unstable", "v2"),
    }
    versions = {(each.package, each.version) for each in HISTORY}
    assert {package for package, _ in versions} == set(PACKAGES)
    vendored = read_record(paths.SCHEMA).values()
    assert {(each["source"], each["version"]) for each in vendored} < versions


@pytest.mark.parametrize(
    "past", [pytest.param(past, id=str(past), marks=alone(str(past))) for past in SCHEMAS]
)
def test_schema(past: PastSchema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = generate(past.path, [past.surface])
    package = f"acp_{past}"
    output.write(tmp_path / package, made.files, whole=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    made_surface = importlib.import_module(f"{package}.{past.surface}")
    root = json.loads(past.path.read_text(encoding="utf-8"))
    report = Report(Evolution(0, past.surface, (), root), unchecked=made_surface.SCHEMA.unchecked)
    says, drawer = says_of(report), Drawer(root["$defs"])
    assert says is not None
    for name in made_surface.TYPES:
        values = drawer.values(name, Random(f"{past} {name}"), changed=True)
        check_definition(report, says, made_surface, name, Values([], values))
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
    assert result.exit_code in (SAME, CHANGED, BREAKING), result.output
    report = json.loads(result.stdout)
    assert bool(report["changes"]) == (result.exit_code != SAME)
    worst = {change[label] for change in report["changes"] for label in ("wire", "python")}
    assert ("breaking" in worst) == (result.exit_code == BREAKING)
