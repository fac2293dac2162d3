"""Tests of the reader for schema files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from acpgen.common.problems import InputError
from acpgen.ir.model import Origin
from acpgen.schema.document import Document, load_document, looks_like_acp, shorten

from tests.acpgen.diff.small import STRING, ref

MISSING = ref("Missing")


def load(folder: Path, origin: Origin | None = None, **definitions: Any) -> Document:
    path = folder / "some.json"
    path.write_text(json.dumps({"$defs": definitions}), encoding="utf-8")
    return load_document(path, origin)


def test_booleans_are_written_out(tmp_path: Path) -> None:
    branches = {key: [STRING, True, False] for key in ("allOf", "anyOf", "oneOf")}
    document = load(tmp_path, C=branches, B=False, A=True, D={"not": {"anyOf": [True]}})
    assert list(document.definitions.items()) == [
        ("A", {}),
        ("B", {"not": {}}),
        ("C", {key: [STRING, {}, False] for key in branches}),
        ("D", {"not": {"anyOf": [{}]}}),
    ]


def test_the_origin_is_the_file_unless_another_is_given(tmp_path: Path) -> None:
    sha256 = hashlib.sha256(b'{"$defs": {"A": {"type": "string"}}}').hexdigest()
    assert load(tmp_path, A=STRING).origin == Origin("some.json", "some.json", sha256)
    origin = Origin("label", "path", "")
    assert load(tmp_path, origin, A=STRING).origin == replace(origin, sha256=sha256)


@pytest.mark.parametrize(
    ("schema", "at"),
    [
        *(
            ({key: MISSING}, f"/{key}")
            for key in [
                *("not", "items", "additionalProperties", "contains", "if", "then", "else"),
                *("propertyNames", "unevaluatedItems", "unevaluatedProperties"),
            ]
        ),
        *(({key: [MISSING]}, f"/{key}/0") for key in ("allOf", "anyOf", "oneOf", "prefixItems")),
        *(
            ({key: {"a": MISSING}}, f"/{key}/a")
            for key in [
                *("properties", "$defs", "dependencies", "dependentSchemas"),
                "patternProperties",
            ]
        ),
    ],
)
def test_references_must_exist_even_in_unsupported_keywords(
    schema: Any, at: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, A=schema)
    [problem] = caught.value.problems
    assert (problem.code, problem.pointer) == ("unresolved-ref", f"/$defs/A{at}/$ref")


@pytest.mark.parametrize("reference", ["#", "#a", "#b", "#/$defs/A"])
def test_dynamic_references_can_refer_to_anchors(reference: str, tmp_path: Path) -> None:
    anchors = {"allOf": [{"$anchor": "a"}, {"$dynamicAnchor": "b"}]}
    assert load(tmp_path, A=anchors, B={"$dynamicRef": reference}).definitions


@pytest.mark.parametrize("reference", ["#", "#a"])
def test_other_references_cannot_refer_to_anchors(reference: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, A={"$anchor": "a"}, B={"$ref": reference})
    [problem] = caught.value.problems
    assert (problem.code, problem.pointer) == ("unresolved-ref", "/$defs/B/$ref")


@pytest.mark.parametrize(
    "value",
    [
        {"x-method": "a", "x-side": "agent", "x-docs-ignore": True},
        {"discriminator": {"propertyName": "a"}},
    ],
)
def test_vendor_keywords_are_valid(value: Any, tmp_path: Path) -> None:
    assert load(tmp_path, A={**STRING, **value}).definitions


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("x-method", True, "a string"),
        ("x-side", True, "a string"),
        ("x-docs-ignore", "yes", "true or false"),
        ("discriminator", {"propertyName": 1}, "an object with a propertyName"),
        ("discriminator", "a", "an object with a propertyName"),
    ],
)
def test_vendor_keywords_have_types(key: str, value: Any, wanted: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, A={**STRING, key: value})
    assert [(each.code, each.pointer, each.message) for each in caught.value.problems] == [
        ("invalid-schema", f"/$defs/A/{key}", f"must be {wanted}; fix the schema")
    ]


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ({"$defs": {"A": STRING}}, True),
        ({"$defs": {}}, False),
        ({"$defs": [STRING]}, False),
        ({"definitions": {"A": STRING}}, False),
        ([], False),
    ],
)
def test_a_schema_has_definitions(root: Any, expected: bool) -> None:
    assert looks_like_acp(root) is expected


def test_long_messages_are_shortened() -> None:
    assert shorten("a" * 200) == "a" * 200
    assert shorten("a" * 201) == "a" * 197 + "..."
