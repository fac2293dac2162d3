"""Schemas and packages of extensions: a small one compared whole, and what other tools say."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from acpgen.commands.extend import form, protocol
from acpgen.common import paths
from acpgen.emit.extension import render_extension
from acpgen.ir.surface import Surface
from extensions.packages import HERE, SAMPLES, build, sample, write_package
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from support.paths import GOLDEN_EXTENSION as EXPECTED


@pytest.fixture(scope="module")
def surface() -> Surface:
    return build(sample("small")).surface


def test_the_package_is_the_golden_one(surface: Surface, request: pytest.FixtureRequest) -> None:
    rendered = render_extension(surface, paths.TEMPLATES, "acp_bindings")
    if request.config.getoption("--update-goldens"):
        EXPECTED.mkdir(parents=True, exist_ok=True)
        for path, text in rendered.items():
            (EXPECTED / path).write_text(text, encoding="utf-8")
    stored = {path.name: path.read_text("utf-8") for path in EXPECTED.iterdir() if path.is_file()}
    assert rendered == stored


@pytest.mark.parametrize("bindings", ["..acp", "my.project.acp"])
def test_bindings_may_be_relative_or_elsewhere(bindings: str, surface: Surface) -> None:
    text = "\n".join(render_extension(surface, paths.TEMPLATES, bindings).values())
    assert f"from {bindings} import v2" in text
    assert f"from {bindings}.runtime.values.record import Record" in text
    assert "acp_bindings" not in text


# --- the schemas, with ordinary tools of JSON Schema ------------------------------------------


@functools.cache
def registry(surface: str) -> Registry[Any]:
    """The types of a protocol; crawled once, not by each validator."""
    bundle: Resource[Any] = Resource.from_contents(protocol(surface))
    return (bundle @ Registry()).crawl()


def test_values_are_checked_against_the_protocol() -> None:
    schema = json.loads(sample("acme").read_text(encoding="utf-8"))
    whole = {**schema, "$ref": "#/$defs/IndexResponse"}
    validator = Draft202012Validator(whole, registry=registry("v2"))
    assert validator.is_valid({"summary": {"type": "text", "text": "Done"}})
    assert not validator.is_valid({"summary": {"type": "text"}})


@pytest.mark.parametrize("surface", ["v1", "v1_unstable", "v2", "v2_unstable"])
def test_every_type_of_the_protocol_can_be_referred_to(surface: str) -> None:
    bundle, resources = protocol(surface), registry(surface)
    assert len(bundle["$defs"]) > 100
    for name in bundle["$defs"]:
        validator = Draft202012Validator({"$ref": f"acp:{name}"}, registry=resources)
        list(validator.iter_errors({"type": "text", "text": 4}))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_match_the_form(name: str) -> None:
    Draft202012Validator.check_schema(form())
    assert Draft202012Validator(form()).is_valid(json.loads(sample(name).read_text("utf-8")))


# --- types, with mypy and pyright in strict mode ----------------------------------------------


WRONG = {
    number
    for number, line in enumerate((HERE / "wrong.py").read_text(encoding="utf-8").splitlines(), 1)
    if line.endswith("# E")
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the packages of all samples, and programs that use them."""
    folder = tmp_path_factory.mktemp("project")
    for name, surface in SAMPLES.items():
        built = build(sample(name), surface, unprefixed=True).surface
        write_package(built, folder / name)
    for program in ("consumer.py", "wrong.py"):
        shutil.copy(HERE / program, folder)
    environment = Path(sys.prefix)
    settings = {
        "typeCheckingMode": "strict",
        "venvPath": str(environment.parent),
        "venv": environment.name,
        "extraPaths": [str(paths.PACKAGE.parent)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True, check=False
    )


def refused(output: str) -> set[tuple[str, int]]:
    """The files and lines that an output names as errors."""
    found = re.findall(r"([^\s:/]+\.py):(\d+)(?::\d+)*:? (?:- )?error", output)
    summary = output.strip().splitlines()[-1]
    assert re.search(rf"\b{len(found)} error", summary), summary
    return {(file, int(line)) for file, line in found}


@pytest.mark.parametrize("checker", [("mypy", "--strict"), ("pyright",)], ids=lambda each: each[0])
def test_wrong_lines_are_reported_and_nothing_else(project: Path, checker: tuple[str, ...]) -> None:
    done = run(project, *checker, "consumer.py", "wrong.py", *SAMPLES)
    assert done.returncode == 1, done.stdout
    assert len(WRONG) == 6
    assert refused(done.stdout) == {("wrong.py", line) for line in WRONG}, done.stdout
