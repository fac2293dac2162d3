"""Tests of extension packages: a small package's complete output, and checks with other tools."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from acpgen.analysis.extension import read_base
from acpgen.common import paths
from acpgen.emit.extension import render_extension
from acpgen.ir.surface import Surface
from acpgen.schema.extension import FORM, protocol_bundle
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.acpgen.extensions.packages import SAMPLES, build, sample
from tests.support.paths import GOLDEN_EXTENSION as EXPECTED


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


# --- the schemas, with common JSON Schema tools -----------------------------------------------


@functools.cache
def registry(surface: str) -> Registry[Any]:
    """Return a registry of a protocol's types. It is cached because crawling is slow."""
    bundle: Resource[Any] = Resource.from_contents(protocol_bundle(read_base(surface)[0]))
    return (bundle @ Registry()).crawl()


def test_values_are_checked_against_the_protocol() -> None:
    schema = json.loads(sample("acme").read_text(encoding="utf-8"))
    whole = {**schema, "$ref": "#/$defs/IndexResponse"}
    validator = Draft202012Validator(whole, registry=registry("v2"))
    assert validator.is_valid({"summary": {"type": "text", "text": "Done"}})
    assert not validator.is_valid({"summary": {"type": "text"}})


@pytest.mark.parametrize("surface", ["v1", "v1_unstable", "v2", "v2_unstable"])
def test_every_type_of_the_protocol_can_be_referred_to(surface: str) -> None:
    bundle, resources = protocol_bundle(read_base(surface)[0]), registry(surface)
    assert len(bundle["$defs"]) > 100
    for name in bundle["$defs"]:
        validator = Draft202012Validator({"$ref": f"acp:{name}"}, registry=resources)
        list(validator.iter_errors({"type": "text", "text": 4}))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_match_the_form(name: str) -> None:
    form = json.loads(FORM.read_text("utf-8"))
    Draft202012Validator.check_schema(form)
    assert Draft202012Validator(form).is_valid(json.loads(sample(name).read_text("utf-8")))
