"""Constants: strings and integers that the schema lists, and how others are told apart."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import DecodeError, Issue
from acp_bindings.runtime.values.decoding import constant_or, enumerated, string
from acp_bindings.runtime.values.repairs import Issues, Reported, wrong_member

LEVELS = (1, 2, 4)
WORDS = ("high", "low")


def level(value: Any, lenient: bool = False, issues: Issues = None) -> Any:
    return enumerated(value, issues, ((), "level"), LEVELS, lenient)


@pytest.mark.parametrize("value", [1, 2, 4, 1.0, 4.0], ids=repr)
def test_a_listed_integer_stays_as_it_is(value: Any) -> None:
    """1.0 is the integer 1 in JSON Schema, and stays 1.0."""
    assert repr(level(value)) == repr(value)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (3, "another integer"),
        (-1, "another integer"),
        (1.5, "another number"),
        (3.0, "another number"),
        ("1", "another string"),
        (True, "boolean"),
        (None, "null"),
        ([1], "array"),
        ({}, "object"),
    ],
    ids=repr,
)
def test_any_other_value_is_refused(value: Any, found: str) -> None:
    with pytest.raises(DecodeError) as caught:
        level(value)
    assert caught.value.pointer == "/level"
    assert caught.value.expected == "one of 1, 2, 4"
    assert caught.value.found == found


@pytest.mark.parametrize("value", [3, 1.5, True, None, [1]], ids=repr)
def test_a_lenient_list_keeps_other_strings_only(value: Any) -> None:
    issues = Reported()
    with pytest.raises(DecodeError):
        level(value, lenient=True, issues=issues)
    assert issues.count == 0


def test_a_kept_string_is_reported() -> None:
    issues = Reported()
    assert level("9", lenient=True, issues=issues) == "9"
    reason = "expected one of 1, 2, 4, found another string"
    found: list[Issue] = []
    issues.report(found.append)
    assert found == [Issue("/level", reason, "9", "unknown_kept")]


def test_strict_mode_keeps_no_string() -> None:
    with pytest.raises(DecodeError) as caught:
        level("9", lenient=True)
    assert caught.value.found == "another string"


@pytest.mark.parametrize("value", [1, 4.0, "high"], ids=repr)
def test_a_constant_needs_no_other_decoder(value: Any) -> None:
    found = constant_or(value, None, (), (*LEVELS, *WORDS), string)
    assert repr(found) == repr(value)


@pytest.mark.parametrize("value", [True, 3, None], ids=repr)
def test_what_is_no_constant_is_left_to_the_other_decoder(value: Any) -> None:
    with pytest.raises(DecodeError) as caught:
        constant_or(value, None, (), (*LEVELS, *WORDS), string)
    assert caught.value.expected == "string"


# --- what an error says of a string that is not listed -------------------------------------------

# A type, data with a string that the schema does not list, where it is, what the schema lists.
UNLISTED = [
    ("PromptResponse", {"stopReason": "nap"}, "/stopReason", "end_turn"),
    ("PlanEntry", {"content": "", "priority": "x", "status": "pending"}, "/priority", "high"),
    ("ContentBlock", {"type": "smell"}, "/type", "text"),
    ("SessionUpdate", {"sessionUpdate": "dream"}, "/sessionUpdate", "plan"),
    ("Role", "narrator", "", "assistant"),
]


@pytest.mark.parametrize(("name", "data", "at", "listed"), UNLISTED)
def test_an_unlisted_string_is_another_string(name: str, data: Any, at: str, listed: str) -> None:
    with pytest.raises(DecodeError) as caught:
        v1.decode(v1.TYPES[name], data, strict=True)
    assert caught.value.pointer == at
    assert caught.value.expected.startswith("one of ")
    assert listed in caught.value.expected
    assert caught.value.found == "another string"


def test_a_missing_or_mistyped_tag_is_not_another_one() -> None:
    for data, found in (({}, "nothing"), ({"type": 5}, "integer"), ({"type": None}, "null")):
        with pytest.raises(DecodeError) as caught:
            v1.decode(v1.ContentBlock, data)
        assert (caught.value.pointer, caught.value.found) == ("/type", found)


@pytest.mark.parametrize("strict", [True, False])
def test_a_tag_of_a_closed_union_that_is_not_listed_is_another_string(strict: bool) -> None:
    data = {"outcome": "postponed", "optionId": "yes"}
    with pytest.raises(DecodeError) as caught:
        v1.decode(v1.RequestPermissionOutcome, data, strict=strict)
    assert caught.value.pointer == "/outcome"
    assert caught.value.expected == "one of cancelled, selected"
    assert caught.value.found == "another string"


@pytest.mark.parametrize(
    ("member", "expected", "found"),
    [
        ({"type": "b"}, "one of a, c", "another string"),
        ({"type": "b"}, "integer", "string"),
        ({}, "one of a, c", "nothing"),
        # The constant "object", which an object is not.
        ({"type": {}}, "object", "another object"),
        ({}, "nothing", "nothing"),
    ],
    ids=repr,
)
def test_what_is_found_is_told_apart_from_what_is_expected(
    member: dict[str, Any], expected: str, found: str
) -> None:
    error = wrong_member(member, "type", (), expected)
    assert (error.pointer, error.expected, error.found) == ("/type", expected, found)
