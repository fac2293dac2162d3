"""Untagged unions: which arm is taken, and what is said of a value that no arm takes."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.runtime import DecodeError, Issue
from acp_bindings.runtime.values.decoding import Arm, decode_untagged, integer, string
from acp_bindings.runtime.values.repairs import (
    Issues,
    Repairs,
    Reported,
    default_member,
    keep_unknown,
    missing,
)

PLACE = ((), "value")


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
    found: list[Issue] = []
    issues.report(found.append)
    return [issue.pointer for issue in found]


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
    with pytest.raises(DecodeError) as caught:
        take(value, TEXT, COUNT)
    assert (caught.value.pointer, caught.value.expected) == ("/value", "one of them")
    assert caught.value.found == found


def test_a_lone_candidate_says_what_is_wrong_inside() -> None:
    with pytest.raises(DecodeError) as caught:
        take({"a": 1}, TEXT, record("A", "a"), record("B", "b"))
    assert (caught.value.pointer, caught.value.expected) == ("/value/a", "string of A")


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
    assert pointers(issues) == ["/before", "/value/note"]


def test_repairs_of_an_arm_that_fails_in_the_end_are_not_reported() -> None:
    issues = reported_before()
    value = {"a": 1, "b": "", "note": 1, "remark": 1}
    other = record("B", "b", note="remark")
    assert take(value, record("A", "a"), other, issues=issues) == ("B", ())
    assert pointers(issues) == ["/before", "/value/remark"]


@pytest.mark.parametrize("issues", [None, Reported()])
def test_where_all_fail_the_first_says_why(issues: Issues) -> None:
    with pytest.raises(DecodeError) as caught:
        take({"a": 1, "b": 1}, record("A", "a"), record("B", "b"), issues=issues)
    assert (caught.value.pointer, caught.value.expected) == ("/value/a", "string of A")
    assert issues is None or issues.count == 0


def test_of_an_exclusive_union_only_one_arm_may_fit() -> None:
    arms = (record("A", "a"), record("B", "b"))
    assert take({"a": ""}, *arms, exclusive=True) == ("A", ())
    with pytest.raises(DecodeError) as caught:
        take({"a": "", "b": ""}, *arms, exclusive=True)
    assert (caught.value.expected, caught.value.found) == ("one of them", "object")


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
