"""Tests of errors for values that match no variant of an untagged union.

The pointer in each error must refer to the variant that fits the value best.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.acpgen.diff.small import INTEGER, STRING, method, record
from tests.tools.evolution.draft import Schema
from tests.tools.evolution.packages import build_surface, imported


def variant(kind: str, **members: Schema) -> Schema:
    """Return an object schema with a constant field that is optional and therefore isn't a tag."""
    return record("a", a=STRING, kind={"type": "string", "enum": [kind]}, **members)


TEXT, NUMBER = record("text", text=STRING), record("value", value=INTEGER)
UNIONS: dict[str, Schema] = {
    "Kinds": {"anyOf": [variant("text", text=TEXT), variant("number", value=NUMBER)]},
    "Depths": {"anyOf": [record("a", a=INTEGER), record("a", a=record("b", b=record(c=INTEGER)))]},
}


@pytest.fixture(scope="module")
def package() -> Iterator[ModuleType]:
    surface = build_surface({"$defs": {"Request": method("some/method"), **UNIONS}}, "v2").surface
    with imported(surface, "untagged_errors", formatted=False) as module:
        yield module


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("name", "value", "pointer"),
    [
        ("Kinds", {"a": "x", "kind": "number", "value": {"value": "1"}}, "/value/value"),
        ("Kinds", {"a": "x", "kind": "text", "text": {"text": 1}}, "/text/text"),
        ("Kinds", {"a": "x", "kind": "number", "value": 1}, "/value"),
        ("Kinds", {"a": "x", "kind": "other"}, "/kind"),
        ("Kinds", {"a": 1, "kind": "number"}, "/a"),
        ("Depths", {"a": "x"}, "/a"),
        ("Depths", {"a": {"b": {"c": "x"}}}, "/a/b/c"),
    ],
)
def test_the_error_points_into_the_variant_that_fits_best(
    name: str, value: Any, pointer: str, strict: bool, package: ModuleType
) -> None:
    with pytest.raises(package.DecodeError) as caught:
        package.decode(package.TYPES[name], value, strict=strict)
    assert caught.value.pointer == pointer
