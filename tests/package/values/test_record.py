"""Tests of records and objects with unknown tags: `_meta`, extensions and representations."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET


@pytest.mark.parametrize(
    ("raw", "meta"),
    [
        ({}, UNSET),
        ({"_meta": None}, None),
        ({"_meta": {}}, {}),
        ({"_meta": {"a": 1}}, {"a": 1}),
        ({"_meta": "a"}, UNSET),
        ({"_meta": [1]}, UNSET),
    ],
    ids=repr,
)
def test_an_object_with_an_unknown_tag_has_its_meta(raw: dict[str, Any], meta: Any) -> None:
    update = v2.decode(v2.SessionUpdate, {"sessionUpdate": "_smell", **raw})
    assert isinstance(update, v2.UnknownSessionUpdate)
    assert update.meta == meta
    assert (update.meta is UNSET) == (meta is UNSET)


@pytest.mark.parametrize(("tag", "expected"), [("_smell", True), ("smell", False), ("", False)])
def test_an_underscore_begins_the_tags_of_extensions(tag: str, expected: bool) -> None:
    assert v1.UnknownSessionUpdate(tag, {"sessionUpdate": tag}).is_extension is expected


def test_a_representation_omits_absent_fields() -> None:
    text = v1.decode(v1.TextContent, {"text": "a", "_meta": None})
    assert repr(text) == "TextContent(text='a', meta=None)"
    text.unknown_fields = {"x": 1}
    assert repr(text) == "TextContent(text='a', meta=None, unknown_fields={'x': 1})"
    text.unknown_fields = {}
    assert repr(text) == "TextContent(text='a', meta=None)"
