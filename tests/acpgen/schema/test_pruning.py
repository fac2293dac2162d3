"""Tests that unsupported parts are removed from a schema."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from acpgen.schema.pruning import at_pointer, prunable, prune

ITEMS = {"type": ["string"], "maxLength": 2, "not": {"enum": ["a"]}}
ROOT: dict[str, Any] = {
    "$defs": {
        "A": {
            "properties": {
                "list": {"type": "array", "items": ITEMS},
                "never": False,
                "any": True,
                "free": {},
                "not": {"maxLength": 1},
                "listed": {"enum": [{"a": 1}]},
            },
            "anyOf": [{"required": ["list"]}, {}],
        },
        "Nested": {"$defs": {"Free": {}}},
    },
    "maxLength": 3,
}


@pytest.mark.parametrize(
    ("at", "part"),
    [
        ("/$defs/A", "/$defs/A"),
        ("/$defs/A/properties/list/items/maxLength", "/$defs/A/properties/list/items/maxLength"),
        ("/$defs/A/properties/list/items/missing", "/$defs/A/properties/list/items"),
        ("/$defs/A/properties/list/items/not/enum/0", "/$defs/A/properties/list/items/not"),
        ("/$defs/A/properties/list/items/type/0", "/$defs/A/properties/list/items/type"),
        ("/$defs/A/properties/not/maxLength", "/$defs/A/properties/not/maxLength"),
        ("/$defs/A/properties/never", "/$defs/A/properties/never"),
        ("/$defs/A/properties/any", "/$defs/A/properties"),
        ("/$defs/A/properties/free", "/$defs/A/properties"),
        ("/$defs/A/properties/listed/enum/0", "/$defs/A/properties/listed/enum"),
        ("/$defs/A/properties/listed/enum/0/a", "/$defs/A/properties/listed/enum"),
        ("/$defs/A/anyOf/0", "/$defs/A/anyOf/0"),
        ("/$defs/A/anyOf/0/required", "/$defs/A/anyOf/0/required"),
        ("/$defs/A/anyOf/1", "/$defs/A/anyOf"),
        ("/$defs/A/anyOf/2", "/$defs/A/anyOf"),
        ("/$defs/Nested/$defs/Free", "/$defs/Nested"),
        ("/maxLength", "/maxLength"),
        ("/$defs/Missing", None),
        ("/$defs/Missing/type", None),
    ],
)
def test_the_smallest_part_that_can_go_is_found(at: str, part: str | None) -> None:
    assert prunable(ROOT, at) == part


@pytest.mark.parametrize(
    ("parts", "at", "left"),
    [
        (["/items/maxLength"], "/items", {"type": ["string"], "not": {"enum": ["a"]}}),
        (["/items/not", "/items/maxLength"], "/items", {"type": ["string"]}),
        (["/items"], "", {"type": "array"}),
        (["/items", "/items/maxLength", "/items/not/enum"], "", {"type": "array"}),
        ([""], "", {}),
    ],
)
def test_parts_are_removed(parts: list[str], at: str, left: Any) -> None:
    before = deepcopy(ROOT)
    inside = "/$defs/A/properties/list"
    pruned = prune(ROOT, [f"{inside}{part}" for part in parts])
    assert at_pointer(pruned, f"{inside}{at}") == left
    assert at_pointer(pruned, "/$defs/A/anyOf") == at_pointer(ROOT, "/$defs/A/anyOf")
    assert before == ROOT


def test_variants_are_replaced() -> None:
    assert at_pointer(prune(ROOT, ["/$defs/A/anyOf/0"]), "/$defs/A/anyOf") == [{}, {}]
    assert at_pointer(prune(ROOT, ["/$defs/A"]), "/$defs/A") == {}
