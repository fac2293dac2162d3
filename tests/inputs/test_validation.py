"""The quick library judges; what it cannot judge, the other one does."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from acpgen.inputs.validation import Validator

NAMED = {"type": "object", "additionalProperties": {"type": "string"}}


@pytest.mark.parametrize("value", [{}, {"a": "b"}, {"\ud800": "b"}, {"a": "\ud800"}])
def test_what_is_valid_has_no_errors(value: Any) -> None:
    assert list(Validator(NAMED).errors(value)) == []


def deep(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(1, id="number"),
        pytest.param(datetime.date(2026, 1, 1), id="date of TOML"),
        pytest.param(datetime.time(1), id="time of TOML"),
        pytest.param(float("nan"), id="NaN"),
        pytest.param(10**40, id="large integer"),
        pytest.param(["\ud800"], id="lone surrogate"),
        pytest.param(deep(300), id="deep"),
    ],
)
def test_an_error_says_where_it_is(value: Any) -> None:
    [error] = Validator(NAMED).errors({"a": "b", "c": value})
    assert list(error.absolute_path) == ["c"]
    assert error.validator == "type"
