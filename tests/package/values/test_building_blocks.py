"""Tests of the building blocks of decoders: errors, repairs and issues."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1
from acp_bindings.runtime import UNSET, DecodeError, Issue
from acp_bindings.runtime.values.decoding import (
    Arm,
    _fit,
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
    strings,
    valid_entries,
    valid_items,
    valid_strings,
)
from acp_bindings.runtime.values.repairs import (
    SILENT,
    STRICT,
    Issues,
    Mismatch,
    Reported,
    as_another,
    default,
    default_member,
    keep_unknown,
    missing,
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
        (lambda: string("a", STRICT, PLACE, 2), "string of length 2 or more"),
        (lambda: string("ab", STRICT, PLACE, 0, "^b"), "string that matches ^b"),
        (lambda: string(1, STRICT, PLACE, 2, "^b"), "string"),
        (lambda: null(0, STRICT, PLACE), "null"),
        (lambda: boolean(1, STRICT, PLACE), "boolean"),
        (lambda: nullable(integer)("1", STRICT, PLACE), "integer"),
        (lambda: json_object([], STRICT, PLACE), "object"),
        (lambda: entries([], STRICT, PLACE, integer), "object"),
        (lambda: valid_entries([], STRICT, PLACE, integer), "object"),
        (lambda: items({}, STRICT, PLACE, integer), "array"),
        (lambda: valid_items({}, STRICT, PLACE, integer), "array"),
        (lambda: integer(-1, STRICT, PLACE, 0, 9), "integer from 0 to 9"),
        (lambda: integer(10, STRICT, PLACE, 0, 9), "integer from 0 to 9"),
        (lambda: integer(-1, STRICT, PLACE, 0), "integer of 0 or more"),
        (lambda: integer(1, STRICT, PLACE, maximum=0), "integer of 0 or less"),
        (lambda: integer(1.5, STRICT, PLACE), "integer"),
        (lambda: number(0.5, STRICT, PLACE, 1), "number of 1 or more"),
        (lambda: number(1.5, STRICT, PLACE, maximum=1), "number of 1 or less"),
        (lambda: number(1.5, STRICT, PLACE, 0, 1), "number from 0 to 1"),
        (lambda: number(float("nan"), STRICT, PLACE), "finite number"),
        (lambda: items([1], STRICT, PLACE, integer, 2), "array of length 2 or more"),
        (lambda: valid_items([1], SILENT, PLACE, integer, 2), "array of length 2 or more"),
        (lambda: level(True), "one of 1, 2, 4"),
        (lambda: level([1], SILENT), "one of 1, 2, 4"),
        (lambda: constant_or(True, STRICT, PLACE, (1, "high"), string), "string"),
        (lambda: constant_or(3, STRICT, PLACE, (1, "high"), string), "string"),
    ],
)
def test_another_type_or_value_is_refused(call: Callable[[], Any], expected: str) -> None:
    caught = refusal(call)
    assert (caught.pointer, caught.expected) == ("/at", expected)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: string("ab", STRICT, PLACE, 2), "ab"),
        (lambda: string("ab", STRICT, PLACE, 0, "b$"), "ab"),
        (lambda: null(None, STRICT, PLACE), None),
        (lambda: boolean(False, STRICT, PLACE), False),
        (lambda: nullable(integer)(1, STRICT, PLACE), 1),
        (lambda: nullable(integer)(None, STRICT, PLACE), None),
        (lambda: json_object({"a": 1}, STRICT, PLACE), {"a": 1}),
        (lambda: entries({"a": 1}, STRICT, PLACE, integer), {"a": 1}),
        (lambda: integer(0, STRICT, PLACE, 0, 9), 0),
        (lambda: integer(9, STRICT, PLACE, 0, 9), 9),
        (lambda: number(1, STRICT, PLACE, 1, 1), 1),
        (lambda: items([1, 2], STRICT, PLACE, integer, 2), [1, 2]),
        # In JSON Schema, 1.0 is an integer. It is decoded as a float.
        (lambda: integer(1.0, STRICT, PLACE), 1.0),
        (lambda: level(4.0), 4.0),
        (lambda: constant_or(4.0, STRICT, PLACE, (4, "high"), string), 4.0),
        (lambda: constant_or("high", STRICT, PLACE, (4, "high"), integer), "high"),
    ],
)
def test_a_value_within_bounds_stays_as_it_is(call: Callable[[], Any], found: Any) -> None:
    assert repr(call()) == repr(found)


@pytest.mark.parametrize("decode", [strings, valid_strings])
@pytest.mark.parametrize("value", [[], ["a"], ["a", "b"]])
def test_a_list_of_strings_is_not_copied(decode: Callable[..., Any], value: list[str]) -> None:
    assert decode(value, STRICT, PLACE) is value


def level(value: Any, issues: Issues = STRICT) -> Any:
    return enumerated(value, issues, PLACE, (1, 2, 4), lenient=True)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: items([1], STRICT, PLACE, integer, 2), "array of length 1"),
        (lambda: missing([], "name", PLACE, "string"), "array"),
        (lambda: missing({}, "name", PLACE, "string"), "nothing"),
        (lambda: missing({"name": None}, "name", PLACE, "string"), "null"),
        (lambda: level(3), "another integer"),
        (lambda: level(3.0, SILENT), "another number"),
        (lambda: level("9"), "another string"),
        (lambda: level({}), "object"),
    ],
)
def test_what_is_found_is_named(call: Callable[[], Any], found: str) -> None:
    try:
        error = call()
    except DecodeError as raised:
        error = raised
    assert error.found == found


def test_another_string_is_kept_and_reported() -> None:
    issues = Reported()
    assert level("9", issues) == "9"
    reason = "expected one of 1, 2, 4, found another string"
    assert reported(issues) == [Issue("/at", reason, "9", "unknown_kept")]


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


@pytest.mark.parametrize("value", [UNSET, None])
def test_a_repair_finds_a_member_by_its_name(value: Any) -> None:
    """Field names in parsed JSON equal the schema's names, but aren't the same string objects."""
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
    caught = refusal(lambda: valid_entries({"a": 1, "b": "2"}, STRICT, PLACE, integer))
    assert caught.pointer == "/at/b"


def test_bad_items_are_skipped_where_they_are() -> None:
    issues = Reported()
    assert valid_items([1, "2", 3], issues, PLACE, integer) == [1, 3]
    assert reported(issues) == [Issue("/at/1", "expected integer, found string", "2", "skipped")]


@pytest.mark.parametrize(
    ("member", "expected", "found"),
    [
        ({"type": "b"}, "one of a, c", "another string"),
        ({"type": "b"}, "integer", "string"),
        ({}, "one of a, c", "nothing"),
        # The expected constant is "object", and the value is an object.
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
    def decode(d: Any, issues: Any, path: Any, tags: tuple[str, ...] = ()) -> Any:
        if note in d and d[note].__class__ is not str:
            default_member(issues, d, note, path, "string", None)
        for member in required:
            if d.get(member).__class__ is not str:
                raise missing(d, member, path, f"string of {name}")
        return name, tags

    return Arm(("object",), required, decode)


TEXT = Arm(("string",), (), string)
COUNT = Arm(("number",), (), integer)
LIST = Arm(("array",), ("a", "b"), lambda value, issues, path: "list")
A, B = record("A", "a"), record("B", "b")
PLAIN = Arm(("object",), ("b",), lambda value, issues, path: "plain")
REMARK = record("B", "b", note="remark")
ALONE = record("alone", "a")._replace(absent=("b",))


def take(value: Any, *arms: Arm, issues: Issues = STRICT, **more: Any) -> Any:
    given = {"exclusive": False, **more}
    return decode_untagged(value, issues, PLACE, arms, "one of them", **given)


@pytest.mark.parametrize(
    ("value", "arms", "found", "repaired"),
    [
        ("a", [TEXT, COUNT], "a", []),
        (3, [TEXT, COUNT], 3, []),
        ({"a": "", "b": ""}, [A, B], ("A", ()), []),
        # A later variant without repairs is preferred over an earlier variant with repairs.
        ({"a": "", "b": "", "note": 1}, [A, PLAIN], "plain", []),
        ({"a": "", "b": "", "note": 1}, [A, B], ("A", ()), ["/at/note"]),
        # A field that must be absent rules out a variant.
        ({"a": ""}, [ALONE, A], ("alone", ()), []),
        ({"a": "", "b": ""}, [ALONE, A], ("A", ()), []),
        # Repairs are not reported for a variant that eventually fails.
        ({"a": 1, "b": "", "note": 1, "remark": 1}, [A, REMARK], ("B", ()), ["/at/remark"]),
        # The first item of an array determines its variant.
        ([{"a": 1, "b": 2}, 5], [LIST], "list", []),
        ([], [LIST], "list", []),
    ],
)
def test_the_best_arm_is_taken(
    value: Any, arms: list[Arm], found: Any, repaired: list[str]
) -> None:
    issues = Reported()
    keep_unknown(issues, ((), "before"), "new", "word")
    assert take(value, *arms, issues=issues) == found
    assert [issue.pointer for issue in reported(issues)] == ["/before", *repaired]


@pytest.mark.parametrize("issues", [STRICT, Reported()])
@pytest.mark.parametrize(
    ("value", "arms", "error"),
    [
        (None, [TEXT, COUNT], ("/at", "one of them", "null")),
        (True, [TEXT, COUNT], ("/at", "one of them", "boolean")),
        ((), [TEXT, COUNT], ("/at", "one of them", "tuple")),
        ([{"a": 1}], [LIST], ("/at", "one of them", "array")),
        (["a b"], [LIST], ("/at", "one of them", "array")),
        ({"a": 1}, [TEXT, A, B], ("/at/a", "string of A", "integer")),
        ({"a": 1, "b": 1}, [A, B], ("/at/a", "string of A", "integer")),
    ],
)
def test_the_first_arm_says_why(
    value: Any, arms: list[Arm], error: tuple[str, str, str], issues: Issues
) -> None:
    assert parts(refusal(lambda: take(value, *arms, issues=issues))) == error
    assert issues.count == 0


@pytest.mark.parametrize(
    ("at", "tell", "rank"),
    [
        ((), wrong, (True, 0)),
        (("a",), wrong, (True, 1)),
        (("a", "b"), wrong, (True, 2)),
        (("a",), as_another, (False, 1)),  # the constant of another variant
        (("a", "b"), as_another, (True, 2)),
    ],
)
def test_the_deepest_error_fits_best_unless_the_value_is_of_another_variant(
    at: tuple[str, ...], tell: Any, rank: tuple[bool, int]
) -> None:
    path: Any = ((), "at")
    place = path
    for name in at:
        place = (place, name)
    assert _fit(Mismatch(place, tell, "string", 1), path) == rank


def test_of_an_exclusive_union_only_one_arm_may_fit() -> None:
    assert take({"a": ""}, A, B, exclusive=True) == ("A", ())
    caught = refusal(lambda: take({"a": "", "b": ""}, A, B, exclusive=True))
    assert (caught.expected, caught.found) == ("one of them", "object")


@pytest.mark.parametrize("value", [{"a": ""}, {"a": "", "b": ""}])
def test_arms_learn_which_tags_the_unions_around_them_have_read(value: Any) -> None:
    assert take(value, A, B, tags=("type",)) == ("A", ("type",))


def test_a_variant_without_a_definition_is_decoded_as_its_union_is() -> None:
    accepted = {"action": "accept"}
    type_ = v1.AcceptCreateElicitationResponse
    assert v1.decode(type_, accepted) == type_()
    address = {"mode": "url", "message": "m", "sessionId": "s", "elicitationId": "e", "url": "u:"}
    decoded = v1.decode(v1.UrlCreateElicitationRequest, address)
    assert type(decoded) is v1.SessionUrlCreateElicitationRequest
    with pytest.raises(DecodeError, match="expected AcceptCreateElicitationResponse"):
        v1.decode(type_, {"action": "decline"})
