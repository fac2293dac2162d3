"""Tests of JSON values in messages for users: quotations, and values at JSON pointers."""

from __future__ import annotations

from typing import Any

import pytest
from acpwire.json_values import at, items, locate, quote, quote_id, shorten


@pytest.mark.parametrize(
    ("text", "found"),
    [("", ""), ("abc", "abc"), ("abcd", "abcd"), ("abcde", "abc…"), ("abcdefgh", "abc…")],
)
def test_longer_text_is_shortened(text: str, found: str) -> None:
    assert shorten(text, 4) == found


def test_quotations_are_json_and_have_a_limit() -> None:
    values: list[Any] = [1, "1", None, "ü", [1], {"a": 1}]
    assert list(map(quote, values)) == ["1", '"1"', "null", '"ü"', "array", "object"]
    assert quote("x" * 60) == f'"{"x" * 60}"'
    assert quote("x" * 61) == f'"{"x" * 59}…"'
    assert quote(10**60) == f"1{'0' * 58}…"


def test_quoted_ids_have_a_lower_limit() -> None:
    assert [quote_id(value) for value in (1, "1", None)] == ["1", '"1"', "null"]
    assert quote_id("x" * 12) == f'"{"x" * 12}"'
    assert quote_id("x" * 13) == f'"{"x" * 11}…"'


VALUE = {"a": [1, {"b/c": None}], "": 2, "0": 3}


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", (VALUE, True)),
        ("/", (2, True)),
        ("/0", (3, True)),
        ("/a/0", (1, True)),
        ("/a/1/b~1c", (None, True)),
        ("/a/2", (None, False)),
        ("/a/-1", (None, False)),
        ("/a/b", (None, False)),
        ("/b", (None, False)),
        ("/a/0/0", (None, False)),
    ],
)
def test_a_value_is_located(pointer: str, found: tuple[Any, bool]) -> None:
    assert locate(VALUE, pointer) == found


def test_a_member_that_is_missing_is_none() -> None:
    assert at({"a": {"b": 1}}, "a", "b") == 1
    assert at({"a": {"b": 1}}) == {"a": {"b": 1}}
    assert at({"a": [1]}, "a", "b") is at({}, "a") is at(None, "a") is None


def test_only_objects_are_items() -> None:
    assert items({"a": {"b": [1, {"c": 2}, None, {}]}}, "a", "b") == [{"c": 2}, {}]
    assert items({"a": {"b": {"c": 2}}}, "a", "b") == items({}, "a") == []
