"""What is refused, repaired and reported by the building blocks that every decoder uses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import UNSET, DecodeError, Issue
from acp_bindings.runtime.values.decoding import (
    Arm,
    boolean,
    constant_or,
    decode_untagged,
    entries,
    enumerated,
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
    Issues,
    Repairs,
    Reported,
    default,
    default_member,
    keep_unknown,
    missing,
    one_of,
    repaired,
    wrong,
    wrong_member,
)

PLACE = ((), "at")


def refusal(act: Callable[[], object]) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        act()
    return caught.value


def parts(error: DecodeError) -> tuple[str, str, str]:
    return error.pointer, error.expected, error.found


def reported(issues: Reported) -> list[Issue]:
    found: list[Issue] = []
    issues.report(found.append)
    return found


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
    caught = refusal(call)
    assert (caught.pointer, caught.expected) == ("/at", expected)


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
    caught = refusal(lambda: items([1], None, PLACE, integer, 2))
    assert caught.found == "array of length 1"


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
    assert parts(error) == (at, expected, found)


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
    caught = refusal(lambda: default(None, PLACE, 5, error, "new"))
    assert caught is error


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
    caught = refusal(lambda: valid_entries({"a": 1, "b": "2"}, None, PLACE, integer))
    assert caught.pointer == "/at/b"


def test_bad_items_are_skipped_where_they_are() -> None:
    issues = Reported()
    assert valid_items([1, "2", 3], issues, PLACE, integer) == [1, 3]
    assert reported(issues) == [Issue("/at/1", "expected integer, found string", "2", "skipped")]


# --- constants

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
    assert parts(refusal(lambda: level(value))) == ("/level", "one of 1, 2, 4", found)


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
    assert reported(issues) == [Issue("/level", reason, "9", "unknown_kept")]


def test_strict_mode_keeps_no_string() -> None:
    caught = refusal(lambda: level("9", lenient=True))
    assert caught.found == "another string"


@pytest.mark.parametrize("value", [1, 4.0, "high"], ids=repr)
def test_a_constant_needs_no_other_decoder(value: Any) -> None:
    found = constant_or(value, None, (), (*LEVELS, *WORDS), string)
    assert repr(found) == repr(value)


@pytest.mark.parametrize("value", [True, 3, None], ids=repr)
def test_what_is_no_constant_is_left_to_the_other_decoder(value: Any) -> None:
    caught = refusal(lambda: constant_or(value, None, (), (*LEVELS, *WORDS), string))
    assert caught.expected == "string"


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
    caught = refusal(lambda: v1.decode(v1.TYPES[name], data, strict=True))
    assert (caught.pointer, caught.found) == (at, "another string")
    assert caught.expected.startswith("one of ")
    assert listed in caught.expected


@pytest.mark.parametrize(
    ("data", "found"), [({}, "nothing"), ({"type": 5}, "integer"), ({"type": None}, "null")]
)
def test_a_missing_or_mistyped_tag_is_not_another_one(data: Any, found: str) -> None:
    caught = refusal(lambda: v1.decode(v1.ContentBlock, data))
    assert (caught.pointer, caught.found) == ("/type", found)


@pytest.mark.parametrize("strict", [True, False])
def test_a_tag_of_a_closed_union_that_is_not_listed_is_another_string(strict: bool) -> None:
    data = {"outcome": "postponed", "optionId": "yes"}
    caught = refusal(lambda: v1.decode(v1.RequestPermissionOutcome, data, strict=strict))
    assert parts(caught) == ("/outcome", "one of cancelled, selected", "another string")


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
    assert parts(error) == ("/type", expected, found)


# --- untagged unions


def record(name: str, *required: str, note: str = "note") -> Arm:
    """An arm for objects: its note is repaired, a required member must be a string."""

    def decode(d: Any, issues: Any, path: Any, tags: tuple[str, ...] = ()) -> Any:
        if note in d and d[note].__class__ is not str:
            default_member(issues, d, note, path, "string", None)
        for member in required:
            if d.get(member).__class__ is not str:
                raise missing(d, member, path, f"string of {name}")
        return name, tags

    return Arm(("object",), required, decode)


def take(
    value: Any,
    *arms: Arm,
    issues: Issues = None,
    exclusive: bool = False,
    tags: tuple[str, ...] = (),
) -> Any:
    return decode_untagged(value, issues, PLACE, arms, "one of them", exclusive, tags)


def reported_before() -> Reported:
    issues = Reported()
    keep_unknown(issues, ((), "before"), "new", "word")
    return issues


def pointers(issues: Reported) -> list[str]:
    return [issue.pointer for issue in reported(issues)]


TEXT = Arm(("string",), (), string)
COUNT = Arm(("number",), (), integer)


@pytest.mark.parametrize(("value", "found"), [("a", "a"), (3, 3)])
def test_the_json_type_decides(value: Any, found: Any) -> None:
    assert take(value, TEXT, COUNT) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [(None, "null"), (True, "boolean"), ([], "array"), ({}, "object"), ((), "tuple")],
)
def test_a_value_of_no_arm_is_refused(value: Any, found: str) -> None:
    assert parts(refusal(lambda: take(value, TEXT, COUNT))) == ("/at", "one of them", found)


def test_a_lone_candidate_says_what_is_wrong_inside() -> None:
    caught = refusal(lambda: take({"a": 1}, TEXT, record("A", "a"), record("B", "b")))
    assert (caught.pointer, caught.expected) == ("/at/a", "string of A")


def test_of_several_candidates_the_first_one_is_taken() -> None:
    both = {"a": "", "b": ""}
    for issues in (None, Repairs()):
        assert take(both, record("A", "a"), record("B", "b"), issues=issues) == ("A", ())


def test_a_later_arm_without_repairs_is_taken_before_an_earlier_one_with_repairs() -> None:
    issues = Reported()
    plain = Arm(("object",), ("b",), lambda d, issues, path: "B")
    assert take({"a": "", "b": "", "note": 1}, record("A", "a"), plain, issues=issues) == "B"
    assert pointers(issues) == []


def test_where_all_need_repairs_the_first_is_taken() -> None:
    issues = reported_before()
    found = take({"a": "", "b": "", "note": 1}, record("A", "a"), record("B", "b"), issues=issues)
    assert found == ("A", ())
    assert pointers(issues) == ["/before", "/at/note"]


def test_repairs_of_an_arm_that_fails_in_the_end_are_not_reported() -> None:
    issues = reported_before()
    value = {"a": 1, "b": "", "note": 1, "remark": 1}
    other = record("B", "b", note="remark")
    assert take(value, record("A", "a"), other, issues=issues) == ("B", ())
    assert pointers(issues) == ["/before", "/at/remark"]


@pytest.mark.parametrize("issues", [None, Reported()])
def test_where_all_fail_the_first_says_why(issues: Issues) -> None:
    caught = refusal(
        lambda: take({"a": 1, "b": 1}, record("A", "a"), record("B", "b"), issues=issues)
    )
    assert (caught.pointer, caught.expected) == ("/at/a", "string of A")
    assert issues is None or issues.count == 0


def test_of_an_exclusive_union_only_one_arm_may_fit() -> None:
    arms = (record("A", "a"), record("B", "b"))
    assert take({"a": ""}, *arms, exclusive=True) == ("A", ())
    caught = refusal(lambda: take({"a": "", "b": ""}, *arms, exclusive=True))
    assert (caught.expected, caught.found) == ("one of them", "object")


@pytest.mark.parametrize("value", [{"a": ""}, {"a": "", "b": ""}])
def test_arms_learn_which_tags_the_unions_around_them_have_read(value: Any) -> None:
    assert take(value, record("A", "a"), record("B", "b"), tags=("type",)) == ("A", ("type",))


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ([{"a": 1, "b": 2}], True),
        ([{"a": 1, "b": 2}, 5], True),
        ([], True),
        ([{"a": 1}], False),
        ([["a", "b"]], False),
        (["a b"], False),
        ({"a": 1, "b": 2}, False),
    ],
)
def test_an_array_fits_by_its_first_item(value: Any, fits: bool) -> None:
    kind = "array" if isinstance(value, list) else "object"
    assert Arm(("array",), ("a", "b"), string).fits(value, kind) is fits


@pytest.mark.parametrize(("value", "fits"), [({"a": 1}, False), ({"a": 1, "b": 2}, True)])
def test_an_object_fits_if_it_has_every_member(value: Any, fits: bool) -> None:
    assert Arm(("array", "object"), ("a", "b"), string).fits(value, "object") is fits
