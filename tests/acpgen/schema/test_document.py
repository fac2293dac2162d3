"""Tests of the reader for schema files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acpgen.common.problems import InputError
from acpgen.ir.model import Origin
from acpgen.schema.document import Document, load_document, shorten

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
    own = load(tmp_path, A=STRING).origin
    assert (own.label, own.path, own.revision, len(own.sha256)) == (
        "some.json",
        "some.json",
        "",
        64,
    )
    other = load(tmp_path, Origin("label", "path", "revision"), A=STRING).origin
    assert other == Origin("label", "path", "revision", sha256=own.sha256)


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
    ("value", "is_valid"),
    [
        ({"x-method": "a", "x-side": "agent", "x-docs-ignore": True}, True),
        ({"x-method": True}, False),
        ({"x-side": True}, False),
        ({"x-docs-ignore": "yes"}, False),
        ({"discriminator": {"propertyName": "a"}}, True),
        ({"discriminator": {"propertyName": 1}}, False),
        ({"discriminator": "a"}, False),
    ],
)
def test_keywords_of_vendors_have_types(value: Any, is_valid: bool, tmp_path: Path) -> None:
    try:
        load(tmp_path, A={**STRING, **value})
    except InputError as error:
        assert [problem.code for problem in error.problems] == ["invalid-schema"]
        assert not is_valid
    else:
        assert is_valid


def test_long_messages_are_shortened() -> None:
    assert shorten("a" * 200) == "a" * 200
    assert shorten("a" * 201) == "a" * 197 + "..."
