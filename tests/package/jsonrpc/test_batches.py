"""Arrays of messages: version 2 has them, by the rules of JSON-RPC 2.0; version 1 does not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2, v2_unstable
from acp_bindings.runtime import INVALID_REQUEST, METHOD_NOT_FOUND
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Notification,
    Refused,
    Request,
    Response,
)
from hypothesis import given
from hypothesis import strategies as st
from package.jsonrpc.wire import (
    ask,
    batch,
    calling,
    cancel,
    each_side,
    only,
    refused,
    reply,
    requested,
    sent,
    tell,
)

with_batches = pytest.mark.parametrize("surface", [v2, v2_unstable], ids=("v2", "v2_unstable"))
without_batches = pytest.mark.parametrize("surface", [v1, v1_unstable], ids=("v1", "v1_unstable"))


def replies(connection: Connection) -> list[Any]:
    """The one array that a connection has written."""
    (array,) = sent(connection)
    assert type(array) is list
    return array


@with_batches
@each_side
def test_an_empty_array_is_answered_with_one_error(surface: ModuleType, side: Any) -> None:
    assert refused(Connection(side, surface), b"[]\n") == (None, INVALID_REQUEST)


@without_batches
@pytest.mark.parametrize("data", [b"[]\n", batch(ask(1)), batch(tell()), batch(ask(1), ask(2))])
@each_side
def test_version_1_refuses_arrays(surface: ModuleType, side: Any, data: bytes) -> None:
    connection = Connection(side, surface)
    assert refused(connection, data) == (None, INVALID_REQUEST)
    assert connection.requests == ()


@with_batches
@each_side
def test_a_mixed_array_is_answered_for_each_that_is_due(surface: ModuleType, side: Any) -> None:
    connection = calling(side, surface)
    request, notification, unknown, invalid, nested, response, last = connection.receive(
        batch(
            ask("first"),
            tell(),
            ask("unknown", "nope"),
            5,
            [],
            {"id": 1, "result": 1},
            ask("last"),
        )
    )
    kinds = [type(event) for event in (notification, unknown, invalid, nested, response)]
    assert kinds == [Notification, Refused, Refused, Refused, Response]
    assert not connection.pending
    connection.respond(last, 1)  # type: ignore[arg-type]
    assert sent(connection) == []
    connection.respond(request, 2)  # type: ignore[arg-type]
    found = [(reply["id"], reply.get("error", {}).get("code")) for reply in replies(connection)]
    assert found == [
        ("unknown", METHOD_NOT_FOUND),
        (None, INVALID_REQUEST),
        (None, INVALID_REQUEST),
        ("last", None),
        ("first", None),
    ]


@pytest.mark.parametrize("entry", [1, "a", None, True, {}, [], [ask(1)], {"id": 1}, {"foo": "boo"}])
def test_each_entry_that_is_no_message_is_answered(entry: Any) -> None:
    connection = Connection("agent", v2)
    assert [type(event) for event in connection.receive(batch(entry, entry))] == [Refused] * 2
    codes = [reply["error"]["code"] for reply in replies(connection)]
    assert codes == [INVALID_REQUEST] * 2


def test_arrays_are_answered_each_by_itself() -> None:
    connection = Connection("agent", v2)
    a, b = connection.receive(batch(ask("a"), ask("b")))
    c = only(connection.receive(batch(ask("c"))))
    single = requested(connection, ask("d"))
    connection.respond(a, 1)  # type: ignore[arg-type]
    connection.fail(c, ValueError())
    assert [reply["id"] for reply in replies(connection)] == ["c"]
    connection.respond(single, 1)
    assert reply(connection)["id"] == "d"
    connection.respond(b, 1)  # type: ignore[arg-type]
    assert [reply["id"] for reply in replies(connection)] == ["a", "b"]


def test_a_cancellation_in_the_array_of_its_request_names_it() -> None:
    connection = Connection("agent", v2)
    request, cancellation, _ = connection.receive(batch(ask(1), cancel(1)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (request,)


def test_a_result_that_is_refused_leaves_its_array_open() -> None:
    connection = Connection("agent", v2)
    a, b = connection.receive(batch(ask("a"), ask("b")))
    connection.respond(b, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not JSON"):
        connection.respond(a, object())  # type: ignore[arg-type]
    assert sent(connection) == []
    connection.fail(a, ValueError())  # type: ignore[arg-type]
    assert [reply["id"] for reply in replies(connection)] == ["b", "a"]


ENTRIES = [
    *(tell(), tell("nope"), 5, {"id": 7, "result": 1}, {"id": 1, "result": 1}),
    *(ask("a"), ask("b"), ask("b"), ask("c", "nope")),
]


@given(st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=8), st.randoms())
def test_an_array_gets_one_array_with_one_reply_for_each_that_is_due(
    entries: list[Any], random: Any
) -> None:
    connection = calling("agent", v2)
    waiting = [e for e in connection.receive(batch(*entries)) if isinstance(e, Request)]
    random.shuffle(waiting)
    for request in waiting:
        assert sent(connection) == []
        connection.respond(request, None)
    due = [None for entry in entries if entry == 5]
    due += [entry["id"] for entry in entries if entry != 5 and {"id", "method"} <= entry.keys()]
    found = [reply["id"] for array in sent(connection) for reply in array]
    assert sorted(found, key=repr) == sorted(due, key=repr)
    answered = {"id": 1, "result": 1} in entries
    assert bool(connection.pending) is not answered
