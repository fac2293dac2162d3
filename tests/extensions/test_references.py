"""Ordinary JSON Schema tools resolve the references of extensions, and check their form."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from acpgen.commands.extend import form, protocol
from extensions.packages import SAMPLES, sample
from jsonschema import Draft202012Validator
from referencing import Registry, Resource


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
