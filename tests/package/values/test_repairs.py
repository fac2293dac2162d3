"""What is refused, repaired and reported by the building blocks that every decoder uses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings.runtime import UNSET, DecodeError, Issue
from acp_bindings.runtime.values.decoding import (
    boolean,
    entries,
    integer,
    items,
    json_object,
    null,
    nullable,
    number,
    string,
    valid_entries,
    valid_items,
)
from acp_bindings.runtime.values.repairs import (
    Repairs,
    Reported,
    default,
    missing,
    one_of,
    repaired,
    wrong,
)

PLACE = ((), "at")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: string("a", None, PLACE, 2), "string of length 2 or more"),
        (lambda: string("ab", None, PLACE, 0, "^b"), "string that matches ^b"),
        (lambda: string(1, None, PLACE, 2, "^b"), "string"),
        (lambda: null(0, None, PLACE), "null"),
        (lambda: boolean(1, None, PLACE), "boolean"),
        (lambda: nullable(integer)("1", None, PLACE), "integer"),
        (lambda: json_object([], None, PLACE), "object"),
        (lambda: entries([], None, PLACE, integer), "object"),
        (lambda: valid_entries([], None, PLACE, integer), "object"),
        (lambda: items({}, None, PLACE, integer), "array"),
        (lambda: valid_items({}, None, PLACE, integer), "array"),
        (lambda: integer(-1, None, PLACE, 0, 9), "integer from 0 to 9"),
        (lambda: integer(10, None, PLACE, 0, 9), "integer from 0 to 9"),
        (lambda: integer(-1, None, PLACE, 0), "integer of 0 or more"),
        (lambda: integer(1, None, PLACE, maximum=0), "integer of 0 or less"),
        (lambda: integer(1.5, None, PLACE), "integer"),
        (lambda: number(0.5, None, PLACE, 1), "number of 1 or more"),
        (lambda: number(1.5, None, PLACE, maximum=1), "number of 1 or less"),
        (lambda: number(1.5, None, PLACE, 0, 1), "number from 0 to 1"),
        (lambda: number(float("nan"), None, PLACE), "finite number"),
        (lambda: items([1], None, PLACE, integer, 2), "array of length 2 or more"),
        (lambda: valid_items([1], Repairs(), PLACE, integer, 2), "array of length 2 or more"),
    ],
)
def test_another_type_or_value_is_refused(call: Callable[[], Any], expected: str) -> None:
    with pytest.raises(DecodeError) as caught:
        call()
    assert (caught.value.pointer, caught.value.expected) == ("/at", expected)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: string("ab", None, PLACE, 2), "ab"),
        (lambda: string("ab", None, PLACE, 0, "b$"), "ab"),
        (lambda: null(None, None, PLACE), None),
        (lambda: boolean(False, None, PLACE), False),
        (lambda: nullable(integer)(1, None, PLACE), 1),
        (lambda: nullable(integer)(None, None, PLACE), None),
        (lambda: json_object({"a": 1}, None, PLACE), {"a": 1}),
        (lambda: entries({"a": 1}, None, PLACE, integer), {"a": 1}),
        (lambda: integer(0, None, PLACE, 0, 9), 0),
        (lambda: integer(9, None, PLACE, 0, 9), 9),
        (lambda: number(1, None, PLACE, 1, 1), 1),
        (lambda: items([1, 2], None, PLACE, integer, 2), [1, 2]),
    ],
)
def test_a_value_within_bounds_stays_as_it_is(call: Callable[[], Any], found: Any) -> None:
    assert call() == found


def test_a_short_array_says_how_long_it_is() -> None:
    with pytest.raises(DecodeError) as caught:
        items([1], None, PLACE, integer, 2)
    assert caught.value.found == "array of length 1"


@pytest.mark.parametrize(
    ("constants", "text"),
    [(("a",), "a"), (("a", "b"), "one of a, b"), ((1, 2, 4), "one of 1, 2, 4")],
)
def test_constants_are_listed(constants: tuple[str | int, ...], text: str) -> None:
    assert one_of(constants) == text


@pytest.mark.parametrize(
    ("data", "at", "expected", "found"),
    [
        ([], "/at", "object", "array"),
        ({}, "/at/name", "string", "nothing"),
        ({"name": 5}, "/at/name", "string", "integer"),
        ({"name": None}, "/at/name", "string", "null"),
    ],
)
def test_a_missing_member_is_told_from_a_missing_object(
    data: Any, at: str, expected: str, found: str
) -> None:
    error = missing(data, "name", PLACE, "string")
    assert (error.pointer, error.expected, error.found) == (at, expected, found)


def reported(issues: Reported) -> list[Issue]:
    found: list[Issue] = []
    issues.report(found.append)
    return found


def test_a_dropped_value_takes_its_own_issues_with_it() -> None:
    issues = Reported()
    for path in (((), "a"), ((), "at-home"), PLACE, (PLACE, "x"), ((PLACE, "x"), "y")):
        issues.keep(path, "", wrong("", path, "word"))
    assert issues.count == 5
    assert default(issues, PLACE, 5, wrong(5, PLACE, "string"), "new") == "new"
    found = reported(issues)
    assert [issue.pointer for issue in found] == ["/a", "/at-home", "/at"]
    assert found[-1] == Issue("/at", "expected string, found integer", 5, "defaulted")
    assert issues.count == 3


def test_an_issue_says_where_inside_the_error_is() -> None:
    issues = Reported()
    default(issues, PLACE, {"x": 5}, wrong(5, (PLACE, "x"), "string"), None)
    [issue] = reported(issues)
    assert issue.pointer == "/at"
    assert issue.reason == "expected string, found integer at /at/x"


def test_strict_mode_repairs_nothing() -> None:
    error = wrong(5, PLACE, "string")
    with pytest.raises(DecodeError) as caught:
        default(None, PLACE, 5, error, "new")
    assert caught.value is error


@pytest.mark.parametrize("value", [UNSET, None])
def test_a_repair_finds_a_member_by_its_name(value: Any) -> None:
    """The names of members of parsed JSON are equal, not identical, to those of the schema."""
    raw = json.loads('{"some name": 1, "other": 2}')
    rest = {"other": 2}
    wanted = rest if value is UNSET else {**rest, "some name": None}
    assert repaired(raw, "some name", value) == wanted
    assert raw == {"some name": 1, "other": 2}


def test_bad_entries_are_skipped_where_they_are() -> None:
    issues = Reported()
    assert valid_entries({"a": 1, "b": "2", "c": 3}, issues, PLACE, integer) == {"a": 1, "c": 3}
    reason = "expected integer, found string"
    assert reported(issues) == [Issue("/at/b", reason, "2", "skipped")]
    with pytest.raises(DecodeError) as caught:
        valid_entries({"a": 1, "b": "2"}, None, PLACE, integer)
    assert caught.value.pointer == "/at/b"


def test_bad_items_are_skipped_where_they_are() -> None:
    issues = Reported()
    assert valid_items([1, "2", 3], issues, PLACE, integer) == [1, 3]
    assert reported(issues) == [Issue("/at/1", "expected integer, found string", "2", "skipped")]
