"""Classifying parsed JSON by JSON-RPC 2.0, and reading the protocol version of `initialize`."""

from __future__ import annotations

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


class Impostor:
    """Claims to be a dict, and is not."""

    @property
    def __class__(self) -> Any:
        return dict


class Grumpy:
    """Fails at every operation."""

    @property
    def __class__(self) -> Any:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]


class Text(str):
    """A string whose comparison raises."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    def __ne__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = str.__hash__


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
        ({"id": 1, "error": ERROR}, "error"),
        ({"id": None, "error": {**ERROR, "data": [1]}}, "error"),
        ({"id": 1, "result": 1, "error": ERROR}, "invalid"),
        ({"id": 1, "result": 1, "error": None}, "result"),
        ({"id": 1, "result": None, "error": None}, "result"),
        ({"id": 1, "result": None, "error": ERROR}, "error"),
        ({"id": 1, "result": None, "error": {}}, "invalid"),
        ({"id": 1, "result": 0, "error": ERROR}, "invalid"),
        ({"id": 1}, "invalid"),
        ({"result": 1}, "invalid"),
        ({"error": ERROR}, "invalid"),
        ({}, "invalid"),
        ({"id": 1, "error": None}, "invalid"),
        ({"id": 1, "error": {}}, "invalid"),
        ({"id": 1, "error": {"code": 1}}, "invalid"),
        ({"id": 1, "error": {"code": "1", "message": "m"}}, "invalid"),
        ({"id": 1, "error": {"code": True, "message": "m"}}, "invalid"),
        ({"id": 1, "error": {"code": 1, "message": None}}, "invalid"),
        ({"id": 1, "method": None}, "invalid"),
        ({"id": 1, "method": 1}, "invalid"),
        ({"method": ["m"]}, "invalid"),
        ({"id": 1, "method": "m", "result": 1}, "invalid"),
        ({"method": "m", "error": ERROR}, "invalid"),
    ],
)
def test_members_decide_the_kind(message: dict[str, Any], kind: str) -> None:
    assert classify({"jsonrpc": "2.0", **message}) == kind


@pytest.mark.parametrize("version", ["1.0", 2.0, 2, None, "2", ["2.0"]])
def test_another_jsonrpc_version_is_invalid(version: Any) -> None:
    assert classify({"jsonrpc": version, "id": 1, "method": "m"}) == "invalid"


def test_without_jsonrpc_version_is_invalid() -> None:
    assert classify({"id": 1, "method": "m"}) == "invalid"


@pytest.mark.parametrize("message", [[], [1], [{"jsonrpc": "2.0", "method": "m"}]])
def test_any_array_is_a_batch(message: list[Any]) -> None:
    assert classify(message) == "batch"


@pytest.mark.parametrize("message", [None, True, 0, 1.5, "2.0", b"{}", (), {1}, object(), dict])
def test_what_is_no_object_is_invalid(message: Any) -> None:
    assert classify(message) == "invalid"


@pytest.mark.parametrize("id_", [None, 0, -1, 1, 1.0, 2**63, 10**30, "", "1", "ä"])
def test_null_integers_and_strings_are_ids(id_: Any) -> None:
    assert classify({"jsonrpc": "2.0", "id": id_, "method": "m"}) == "request"
    assert classify({"jsonrpc": "2.0", "id": id_, "result": 1}) == "result"


@pytest.mark.parametrize("id_", [True, False, 1.5, [], [1], {}, {"id": 1}])
def test_other_values_are_no_ids(id_: Any) -> None:
    assert classify({"jsonrpc": "2.0", "id": id_, "method": "m"}) == "invalid"
    assert classify({"jsonrpc": "2.0", "id": id_, "result": 1}) == "invalid"


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
@pytest.mark.parametrize("awkward", [Impostor, Grumpy, lambda: Text("2.0"), lambda: Grumpy])
def test_classify_takes_objects_that_cannot_be_asked(
    awkward: Callable[[], Any], place: str
) -> None:
    assert classify(PLACES[place](awkward())) in {"batch", "invalid"}


python_values = st.recursive(
    st.binary(max_size=3)
    | st.complex_numbers()
    | st.decimals()
    | st.dates()
    | st.functions()
    | st.sampled_from([object(), object, print, ..., NotImplemented, range(3)]),
    lambda inner: st.tuples(inner, inner)
    | st.lists(inner, max_size=3)
    | st.dictionaries(st.none() | st.integers() | st.binary(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@given(python_values, st.sampled_from(sorted(PLACES)))
def test_classify_does_not_raise_for_any_python_object(value: Any, place: str) -> None:
    assert classify(PLACES[place](value)) in {"batch", "invalid"}


# --- versions --------------------------------------------------------------------------------


def initialize(params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.parametrize(("value", "version"), [(1, 1), (2, 2), (0, 0), (-1, -1), (1.0, 1)])
def test_peek_reads_an_integer(value: Any, version: int) -> None:
    peeked = peek_initialize(initialize({"protocolVersion": value}))
    assert peeked == version
    assert type(peeked) is int


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("1", "string"),
        (None, "null"),
        (True, "boolean"),
        (1.5, "number"),
        ([1], "array"),
        ({}, "object"),
    ],
)
def test_peek_names_a_version_that_is_no_integer(value: Any, found: str) -> None:
    with pytest.raises(DecodeError) as caught:
        peek_initialize(initialize({"protocolVersion": value}))
    assert caught.value.pointer == "/protocolVersion"
    assert caught.value.expected == "integer"
    assert caught.value.found == found


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -float("inf")])
def test_peek_takes_no_number_that_is_not_finite(value: float) -> None:
    with pytest.raises(DecodeError) as caught:
        peek_initialize(initialize({"protocolVersion": value}))
    assert caught.value.found == "number"


def test_peek_names_a_missing_version() -> None:
    with pytest.raises(DecodeError) as caught:
        peek_initialize(initialize({}))
    assert (caught.value.pointer, caught.value.found) == ("/protocolVersion", "nothing")


@pytest.mark.parametrize(("params", "found"), [(None, "null"), ([1], "array"), ("1", "string")])
def test_peek_names_params_that_are_no_object(params: Any, found: str) -> None:
    with pytest.raises(DecodeError) as caught:
        peek_initialize(initialize(params))
    assert (caught.value.pointer, caught.value.found) == ("", found)


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


@given(envelopes.map(lambda message: {**message, "method": "initialize"}) | json_values)
def test_peek_gives_an_integer_or_none_or_a_decode_error(message: Any) -> None:
    try:
        version = peek_initialize(message)
    except DecodeError:
        version = None
    assert version is None or type(version) is int


@pytest.mark.parametrize(
    ("requested", "supported", "picked"),
    [
        *((1, [1, 2], 1), (2, [1, 2], 2), (3, [2, 1], 2), (2, [1], 1), (65535, {1: "a"}, 1)),
        # Version 1 also answers requests for lower ones.
        *((0, [1, 2], 1), (-1, [1], 1)),
    ],
)
def test_pick_takes_the_highest_version_that_fits(
    requested: int, supported: Any, picked: int
) -> None:
    assert pick_version(requested, supported) == picked


@pytest.mark.parametrize(("requested", "supported"), [(1, [2]), (0, [2, 3]), (-1, [2])])
def test_pick_refuses_a_version_below_all(requested: int, supported: list[int]) -> None:
    with pytest.raises(RequestError) as caught:
        pick_version(requested, supported)
    assert caught.value.code == UNSUPPORTED_PROTOCOL_VERSION
    assert caught.value.data == {"requested": requested, "supported": supported}


def test_pick_refuses_when_nothing_is_supported() -> None:
    with pytest.raises(RequestError) as caught:
        pick_version(1, [])
    assert caught.value.data == {"requested": 1, "supported": []}


@given(st.integers(-5, 10), st.sets(st.integers(0, 8)))
def test_pick_never_takes_more_than_was_asked_for(requested: int, supported: set[int]) -> None:
    try:
        picked = pick_version(requested, supported)
    except RequestError:
        assert not any(version <= max(requested, 1) for version in supported)
    else:
        assert picked in supported
        assert picked <= max(requested, 1)
        assert not any(picked < version <= max(requested, 1) for version in supported)
