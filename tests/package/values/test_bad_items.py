"""Tests that skipping invalid items is cheap if there is no callback for issues."""

from __future__ import annotations

import pickle
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import DecodeError, Issue

COUNT = 2_000
GOOD = {"sessionId": "s", "cwd": "/"}


def sessions(item: Any) -> Any:
    return {"sessions": [GOOD, *[item] * COUNT, GOOD]}


def update(item: Any) -> Any:
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": [item] * COUNT}
    return {"sessionId": "s", "update": call}


# A surface, a type, its data, and the maximum number of function calls for each invalid item.
LINES: list[tuple[Any, Any, Any, int]] = [
    (v1, v1.ListSessionsResponse, sessions(0), 1),
    (v2, v2.ListSessionsResponse, sessions({}), 1),
    (v1, v1.SessionNotification, update([]), 1),
    (v1, v1.SessionNotification, update({"a": {"b": 1}}), 1),
    (v2, v2.Annotations, {"audience": [0] * COUNT}, 1),
    (v2, v2.ListSessionsResponse, sessions({"sessionId": "s", "cwd": {}}), 4),
    (v1, v1.SessionNotification, update({"type": "content", "content": {"type": 5}}), 6),
    (v1, v1.SessionNotification, update({"type": "unknown"}), 5),
]
each_line = pytest.mark.parametrize(
    ("surface", "type_", "data", "calls"), LINES, ids=range(len(LINES))
)


def calls_of(act: Callable[[], object]) -> int:
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@each_line
def test_they_take_few_calls(surface: Any, type_: Any, data: Any, calls: int) -> None:
    assert calls_of(lambda: surface.decode(type_, data)) < COUNT * calls + 100


@pytest.mark.parametrize(
    ("surface", "type_", "data", "calls"), LINES[:-1], ids=range(len(LINES) - 1)
)
def test_they_leave_nothing_behind(surface: Any, type_: Any, data: Any, calls: int) -> None:
    tracemalloc.start()
    try:
        surface.decode(type_, data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < COUNT * 16 + 10_000


@each_line
def test_they_are_skipped_if_nobody_listens(
    surface: Any, type_: Any, data: Any, calls: int
) -> None:
    issues: list[Issue] = []
    heard = surface.decode(type_, data, on_issue=issues.append)
    assert surface.decode(type_, data) == heard
    assert len(issues) == COUNT
    assert len({issue.pointer for issue in issues}) == COUNT
    assert len({issue.reason.partition(" at ")[0] for issue in issues}) == 1


def test_each_is_reported_where_it_is() -> None:
    data = [0, GOOD, {}, {"sessionId": "s", "cwd": [{}]}, GOOD, "text"]
    issues: list[Issue] = []
    found = v2.decode(v2.ListSessionsResponse, {"sessions": data}, on_issue=issues.append)
    assert len(found.sessions) == 2
    at = "/sessions/3/cwd"
    assert [(issue.pointer, issue.reason, issue.raw) for issue in issues] == [
        ("/sessions/0", "expected object, found integer", 0),
        ("/sessions/2", "expected string, found nothing at /sessions/2/sessionId", {}),
        ("/sessions/3", f"expected string, found array at {at}", data[3]),
        ("/sessions/5", "expected object, found string", "text"),
    ]
    assert {issue.action for issue in issues} == {"skipped"}


@pytest.mark.parametrize(("options", "found"), [(5, "integer"), ([], "array of length 0")])
def test_an_array_that_needs_items_can_be_encoded_after_its_repair(
    options: Any, found: str
) -> None:
    data = {"groupId": "g", "name": "G", "options": options}
    issues: list[Issue] = []
    group = v2.decode(v2.SessionConfigSelectGroup, data, on_issue=issues.append)
    [issue] = issues
    assert (issue.pointer, issue.raw, issue.action) == ("/options", options, "defaulted")
    assert issue.reason.endswith(f"found {found}")
    assert v2.encode(group) == {**data, "options": []}


def test_an_error_is_a_plain_one() -> None:
    """Callers can't notice that decoders create the error's text lazily."""
    with pytest.raises(DecodeError) as caught:
        v2.decode(v2.ListSessionsResponse, {"sessions": [GOOD], "nextCursor": 5}, strict=True)
    error = caught.value
    parts = ("/nextCursor", "string or null", "integer", "ListSessionsResponse")
    assert type(error) is DecodeError
    assert error.args == parts == (error.pointer, error.expected, error.found, error.type_name)
    assert repr(error) == f"DecodeError{parts}"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.args, str(again)) == (DecodeError, parts, str(error))


@pytest.mark.parametrize("is_received", [False, True])
def test_a_member_of_an_unknown_variant_is_repaired_if_nobody_listens(is_received: bool) -> None:
    decode: Any = v1.codec.CODEC.receive if is_received else v1.decode
    valid = {"mode": "later", "message": "m", "sessionId": "s"}
    request = decode(v1.CreateElicitationRequest, {**valid, "_meta": 5})
    assert request.raw == valid


def test_strict_mode_reports_no_issues() -> None:
    issues: list[Issue] = []
    response = v1.decode(
        v1.ListSessionsResponse, sessions(GOOD), strict=True, on_issue=issues.append
    )
    assert len(response.sessions) == COUNT + 2
    assert issues == []
