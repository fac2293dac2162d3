"""Tests of validation, with a fast library and with the library that explains errors."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from acpgen.inputs.validation import Validator

NAMED = {"type": "object", "additionalProperties": {"type": "string"}}


@pytest.mark.parametrize("value", [{}, {"a": "b"}, {"\ud800": "b"}, {"a": "\ud800"}], ids=ascii)
def test_what_is_valid_has_no_errors(value: Any) -> None:
    assert list(Validator(NAMED).errors(value)) == []


def deep(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


DATE, TIME = datetime.date(2026, 1, 1), datetime.time(1)


@pytest.mark.parametrize(
    "value",
    [1, DATE, TIME, float("nan"), 10**40, ["\ud800"], deep(300)],
    ids=["number", "date", "time", "NaN", "large integer", "lone surrogate", "deep"],
)
def test_an_error_says_where_it_is(value: Any) -> None:
    [error] = Validator(NAMED).errors({"a": "b", "c": value})
    assert list(error.absolute_path) == ["c"]
    assert error.validator == "type"
