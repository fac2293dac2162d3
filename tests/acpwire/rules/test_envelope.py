"""Tests of problems in the JSON-RPC envelopes of messages."""

from __future__ import annotations

from typing import Any

import pytest
from acp_bindings.runtime.jsonrpc.messages import classify
from acpwire.rules.envelope import check_envelope, find_kind
from hypothesis import find, given
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda each: st.lists(each) | st.dictionaries(st.text(max_size=3), each), max_leaves=5
)
ERROR = st.fixed_dictionaries({"code": st.integers(), "message": st.text(max_size=5)})
ERRORS = st.fixed_dictionaries({}, optional={"code": SCALARS, "message": SCALARS, "data": SCALARS})
ID = st.integers() | st.text(max_size=5)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "jsonrpc": st.just("2.0") | SCALARS,
    "id": ID | SCALARS | VALUES,
    "method": st.text(max_size=5) | SCALARS,
    "params": VALUES,
    "result": VALUES,
    "error": ERROR | ERRORS | VALUES,
}
VALID = st.sampled_from([("id", "method"), ("method",), ("id", "result"), ("id", "error")]).flatmap(
    lambda names: st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), **{name: FIELDS[name] for name in names}}
    )
)
MESSAGES = VALUES | st.fixed_dictionaries({}, optional=FIELDS) | VALID


@given(MESSAGES)
def test_an_envelope_has_no_problem_exactly_if_connections_take_it(message: Any) -> None:
    kind = classify(message)
    assert (check_envelope(message) == []) is (kind not in ("invalid", "batch"))
    if kind not in ("invalid", "batch"):
        expected = "response" if kind in ("result", "error") else kind
        assert find_kind(message) == expected


@pytest.mark.parametrize("kind", ["request", "notification", "result", "error", "invalid"])
def test_messages_of_each_kind_are_drawn(kind: str) -> None:
    find(MESSAGES, lambda message: classify(message) == kind)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"id": 1, "method": "a"}, ['/jsonrpc: expected "2.0", found nothing']),
        ({"jsonrpc": "1.0", "method": "a"}, ['/jsonrpc: expected "2.0", found "1.0"']),
        ({"jsonrpc": "2.0", "method": 1}, ["/method: expected string, found 1"]),
        (
            {"jsonrpc": "2.0", "id": True, "method": "a"},
            ["/id: expected string or integer, found true"],
        ),
        ({"jsonrpc": "2.0", "result": 1}, ["/id: expected string or integer, found nothing"]),
        (
            {"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}},
            [": expected a result or an error, found both"],
        ),
        ({"jsonrpc": "2.0", "id": 1}, [": expected a result or an error, found neither"]),
        ({"jsonrpc": "2.0", "id": 1, "result": 1, "error": None}, []),
        ({"jsonrpc": "2.0", "id": 1, "result": None, "error": None}, []),
        ({"jsonrpc": "2.0", "id": 1, "error": None}, ["/error: expected object, found null"]),
        ({"jsonrpc": "2.0", "id": 1, "error": 3}, ["/error: expected object, found integer"]),
        (
            {"jsonrpc": "2.0", "id": 1, "error": {"code": "1"}},
            [
                '/error/code: expected integer, found "1"',
                "/error/message: expected string, found nothing",
            ],
        ),
        (
            {"jsonrpc": "2.0", "method": "a", "result": 1},
            ["/result: not allowed in a message with a method"],
        ),
        ({"jsonrpc": "2.0"}, [": expected a method, a result or an error, found none"]),
    ],
)
def test_what_is_wrong_with_an_envelope(message: Any, found: list[str]) -> None:
    assert [f"{each.pointer}: {each.message}" for each in check_envelope(message)] == found


@pytest.mark.parametrize(
    ("message", "requirement"),
    [
        (5, "json-lines"),
        ({"method": "a"}, "jsonrpc-member"),
        ({"jsonrpc": "2.0", "method": 1}, "message-shape"),
    ],
)
def test_each_problem_names_its_requirement(message: Any, requirement: str) -> None:
    assert [each.requirement for each in check_envelope(message)] == [requirement]
