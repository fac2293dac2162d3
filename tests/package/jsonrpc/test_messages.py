"""Classifying parsed JSON by JSON-RPC 2.0, and reading the protocol version of `initialize`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings.runtime import UNSUPPORTED_PROTOCOL_VERSION, DecodeError, RequestError
from acp_bindings.runtime.jsonrpc import classify, peek_initialize, pick_version
from hypothesis import given
from hypothesis import strategies as st

ERROR = {"code": -32603, "message": "internal error"}
KINDS = {"request", "notification", "result", "error", "batch", "invalid"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
# Envelopes with some of their members and any values, which random JSON seldom contains.
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.integers() | st.text(max_size=3) | json_values,
        "method": st.sampled_from(["initialize", "session/new"]) | json_values,
        "params": json_values,
        "result": json_values,
        "error": st.just(ERROR) | json_values,
    },
)


class Grumpy(str):
    """Claims to be a dict, and fails at every comparison."""

    __slots__ = ()

    @property
    def __class__(self) -> Any:
        return dict

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __ne__ = __eq__
    __hash__ = str.__hash__


OTHER_ERRORS = [
    *(None, {}, {"code": 1}, {"code": 1, "message": None}),
    *({"code": code, "message": "m"} for code in ("1", True, 1.5)),
]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"id": 1, "method": "m"}, "request"),
        ({"id": 1, "method": "m", "params": [1]}, "request"),
        ({"id": None, "method": "m"}, "request"),
        ({"method": "m"}, "notification"),
        ({"method": "m", "params": None}, "notification"),
        ({"id": 1, "result": None}, "result"),
        ({"id": "a", "result": {}}, "result"),
        ({"id": 1, "result": 1, "error": None}, "result"),
        ({"id": 1, "result": None, "error": None}, "result"),
        ({"id": 1, "error": ERROR}, "error"),
        ({"id": None, "error": {**ERROR, "data": [1]}}, "error"),
        ({"id": 1, "result": None, "error": ERROR}, "error"),
        *(({"id": 1, "result": result, "error": ERROR}, "invalid") for result in (1, 0)),
        ({"id": 1, "result": None, "error": {}}, "invalid"),
        *((message, "invalid") for message in ({"id": 1}, {"result": 1}, {"error": ERROR}, {})),
        *(({"id": 1, "error": error}, "invalid") for error in OTHER_ERRORS),
        *(({"id": 1, "method": method}, "invalid") for method in (None, 1, ["m"])),
        ({"id": 1, "method": "m", "result": 1}, "invalid"),
        ({"method": "m", "error": ERROR}, "invalid"),
    ],
)
def test_members_decide_the_kind(message: dict[str, Any], kind: str) -> None:
    assert classify({"jsonrpc": "2.0", **message}) == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        *(
            ({"jsonrpc": version, "id": 1, "method": "m"}, "invalid")
            for version in ("1.0", 2.0, 2, None, "2", ["2.0"])
        ),
        ({"id": 1, "method": "m"}, "invalid"),
        *((array, "batch") for array in ([], [1], [{"jsonrpc": "2.0", "method": "m"}])),
        *((each, "invalid") for each in (None, True, 0, 1.5, "2.0", b"{}", (), {1}, dict)),
    ],
)
def test_only_objects_of_version_2_and_arrays_have_a_kind(message: Any, kind: str) -> None:
    assert classify(message) == kind


@pytest.mark.parametrize(
    ("id_", "is_id"),
    [
        *((id_, True) for id_ in (None, 0, -1, 1, 1.0, 2**63, 10**30, "", "1", "ä")),
        *((id_, False) for id_ in (True, False, 1.5, [], [1], {}, {"id": 1})),
    ],
)
def test_null_integers_and_strings_are_ids(id_: Any, is_id: bool) -> None:
    request = classify({"jsonrpc": "2.0", "id": id_, "method": "m"})
    result = classify({"jsonrpc": "2.0", "id": id_, "result": 1})
    assert (request, result) == (("request", "result") if is_id else ("invalid", "invalid"))


@given(json_values | envelopes)
def test_classify_knows_a_kind_for_any_json(message: Any) -> None:
    assert classify(message) in KINDS


PLACES: dict[str, Callable[[Any], Any]] = {
    "by itself": lambda thing: thing,
    "in an array": lambda thing: [thing],
    "jsonrpc": lambda thing: {"jsonrpc": thing, "id": 1, "method": "m"},
    "id": lambda thing: {"jsonrpc": "2.0", "id": thing, "method": "m"},
    "method": lambda thing: {"jsonrpc": "2.0", "id": 1, "method": thing},
    "error": lambda thing: {"jsonrpc": "2.0", "id": 1, "error": thing},
    "code": lambda thing: {"jsonrpc": "2.0", "id": 1, "error": {"code": thing, "message": "m"}},
    "message": lambda thing: {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": thing}},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("awkward", [Grumpy("2.0"), Grumpy, b"2.0", (), {1}, 2j], ids=repr)
def test_classify_takes_any_object(awkward: Any, place: str) -> None:
    assert classify(PLACES[place](awkward)) in {"batch", "invalid"}


# --- versions --------------------------------------------------------------------------------


def initialize(params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.parametrize(("value", "version"), [(1, 1), (2, 2), (0, 0), (-1, -1), (1.0, 1)])
def test_peek_reads_an_integer(value: Any, version: int) -> None:
    peeked = peek_initialize(initialize({"protocolVersion": value}))
    assert peeked == version
    assert type(peeked) is int


VERSION = "/protocolVersion"


@pytest.mark.parametrize(
    ("params", "pointer", "found"),
    [
        ({"protocolVersion": "1"}, VERSION, "string"),
        ({"protocolVersion": None}, VERSION, "null"),
        ({"protocolVersion": True}, VERSION, "boolean"),
        *(({"protocolVersion": n}, VERSION, "number") for n in (1.5, math.inf, math.nan)),
        ({"protocolVersion": [1]}, VERSION, "array"),
        ({"protocolVersion": {}}, VERSION, "object"),
        ({}, VERSION, "nothing"),
        (None, "", "null"),
        ([1], "", "array"),
        ("1", "", "string"),
    ],
)
def test_peek_names_what_is_no_version(params: Any, pointer: str, found: str) -> None:
    with pytest.raises(DecodeError) as caught:
        peek_initialize(initialize(params))
    error = caught.value
    assert (error.pointer, error.found) == (pointer, found)
    assert error.expected == ("integer" if pointer else "object")


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"protocolVersion": 1}},
        {"jsonrpc": "2.0", "method": "initialize", "params": {"protocolVersion": 1}},
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}},
        [],
        None,
    ],
)
def test_peek_gives_none_for_anything_but_an_initialize_request(message: Any) -> None:
    assert peek_initialize(message) is None


@pytest.mark.parametrize(
    ("requested", "supported"), [(1, [2]), (1, [2, 3]), (0, [2, 3]), (-1, [2]), (1, [])]
)
def test_pick_refuses_a_version_below_all(requested: int, supported: list[int]) -> None:
    with pytest.raises(RequestError) as caught:
        pick_version(requested, supported[::-1])
    assert caught.value.code == UNSUPPORTED_PROTOCOL_VERSION
    assert caught.value.message == "unsupported protocol version"
    assert caught.value.data == {"requested": requested, "supported": supported}


@given(st.integers(-5, 10), st.sets(st.integers(0, 8)))
def test_pick_takes_the_highest_version_that_fits(requested: int, supported: set[int]) -> None:
    """Version 1 also answers requests for lower ones."""
    try:
        picked = pick_version(requested, dict.fromkeys(supported))
    except RequestError:
        assert not any(version <= max(requested, 1) for version in supported)
    else:
        assert picked in supported
        assert picked <= max(requested, 1)
        assert not any(picked < version <= max(requested, 1) for version in supported)
