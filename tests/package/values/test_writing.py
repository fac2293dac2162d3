"""Tests of the building blocks of writers, including blocks that only other schemas need."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings.runtime.values.writing import (
    NotWritten,
    any_json,
    array_text,
    boolean_text,
    complete,
    filled_text,
    integer_text,
    map_text,
    nullable_text,
    number_text,
    object_text,
)


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (boolean_text, True, "true"),
        (boolean_text, False, "false"),
        (integer_text, 0, "0"),
        (integer_text, 1.0, "1.0"),
        (lambda value: integer_text(value, 1, 3), 1, "1"),
        (lambda value: integer_text(value, 1, 3), 3, "3"),
        (number_text, 1.5, "1.5"),
        (number_text, -2, "-2"),
        (object_text, {"a": [None]}, '{"a":[null]}'),
        (any_json, "é", '"é"'),
        (lambda value: array_text(integer_text, value), [], "[]"),
        (lambda value: array_text(integer_text, value), [1], "[1]"),
        (lambda value: array_text(integer_text, value), [1, 2], "[1,2]"),
        (lambda value: filled_text(2, integer_text, value), [1, 2], "[1,2]"),
        (lambda value: map_text(integer_text, value), {}, "{}"),
        (lambda value: map_text(integer_text, value), {"a": 1, "b": 2}, '{"a":1,"b":2}'),
        (nullable_text(integer_text), None, "null"),
        (nullable_text(integer_text), 1, "1"),
    ],
)
def test_value_is_written(write: Callable[[Any], str], value: Any, text: str) -> None:
    assert write(value) == text


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (boolean_text, 1),
        (boolean_text, None),
        (integer_text, True),
        (integer_text, 1.5),
        (integer_text, math.inf),
        (lambda value: integer_text(value, 1, 3), 0),
        (lambda value: integer_text(value, 1, 3), 4),
        (number_text, math.nan),
        (number_text, True),
        (object_text, []),
        (lambda value: array_text(integer_text, value), (1,)),
        (lambda value: array_text(integer_text, value), [True]),
        (lambda value: filled_text(2, integer_text, value), [1]),
        (lambda value: map_text(integer_text, value), [1]),
        (nullable_text(integer_text), True),
    ],
)
def test_value_that_the_schema_forbids_is_not_written(
    write: Callable[[Any], str], value: Any
) -> None:
    with pytest.raises(NotWritten):
        write(value)


@pytest.mark.parametrize(
    ("head", "members", "text"),
    [
        ("{", "", "{}"),
        ("{", ',"a":1', '{"a":1}'),
        ('{"kind":"x",', "", '{"kind":"x"}'),
        ('{"kind":"x",', ',"a":1', '{"kind":"x","a":1}'),
    ],
)
def test_object_is_completed(head: str, members: str, text: str) -> None:
    assert complete(head, members) == text
