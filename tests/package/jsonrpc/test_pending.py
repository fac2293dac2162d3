"""Tests of batches and of limits on the data that is kept for a peer.

Protocol 1 does not support batches.
"""

from __future__ import annotations

from itertools import chain
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ConnectionClosed,
    DecodeError,
    EncodeError,
    LimitExceeded,
    RequestError,
)
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Failure,
    Limits,
    Notification,
    Refused,
    Request,
    Response,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.package.jsonrpc.wire import (
    ask,
    batch,
    calling,
    cancel,
    each_side,
    each_version,
    extension,
    ignored,
    line,
    only,
    other,
    refused,
    reply,
    requested,
    sent,
    tell,
)

without_batches = pytest.mark.parametrize("surface", [v1, v1_unstable], ids=("v1", "v1_unstable"))


def replies(connection: Connection) -> list[Any]:
    """Return the only batch that a connection has written."""
    (array,) = sent(connection)
    assert type(array) is list
    return array


@without_batches
@pytest.mark.parametrize("data", [batch(ask(1)), batch(tell()), batch(ask(1), ask(2))])
@each_side
def test_version_1_refuses_arrays(surface: ModuleType, side: Any, data: bytes) -> None:
    connection = Connection(side, surface)
    event = only(connection.receive(data))
    assert isinstance(event, Refused)
    assert reply(connection)["error"] == {
        "code": INVALID_REQUEST,
        "message": "invalid request: a batch, which this version does not support",
    }
    assert connection.requests == ()


@without_batches
def test_version_1_clients_ignore_arrays_without_messages(surface: ModuleType) -> None:
    event = ignored(Connection("client", surface), b'["a"]\n')
    assert (event.kind, event.reason) == ("not_a_message", "not a JSON-RPC 2.0 message")


def test_a_cancellation_in_the_array_of_its_request_names_it() -> None:
    connection = Connection("agent", v2)
    request, cancellation, _ = connection.receive(batch(ask(1), cancel(1)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (request,)


def test_a_result_that_is_refused_leaves_its_array_open() -> None:
    connection = Connection("agent", v2)
    a, b = connection.receive(batch(ask("a"), ask("b")))
    connection.respond(b, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not a JSON type"):
        connection.respond(a, object())  # type: ignore[arg-type]
    assert sent(connection) == []
    connection.fail(a, ValueError())  # type: ignore[arg-type]
    assert [reply["id"] for reply in replies(connection)] == ["b", "a"]


def limited(side: Any, surface: Any = v2, **limits: int) -> Connection:
    return Connection(side, surface, limits=Limits(**limits))


def call(connection: Connection, params: Any = None) -> int:
    surface: Any = connection.surface
    return connection.request(extension(surface, other(connection.side)), params)


# --- batches ---------------------------------------------------------------------------------


@each_side
def test_a_batch_that_is_too_large_is_refused_with_one_reply(side: Any) -> None:
    connection = limited(side, batch=3)
    connection.receive(batch(*[ask(number) for number in range(4)]))
    said = {"code": INVALID_REQUEST, "message": "invalid request: a batch of 4 messages"}
    assert reply(connection) == {"jsonrpc": "2.0", "id": None, "error": said}
    assert connection.requests == ()
    events = connection.receive(batch(tell(), ask(1), tell()))
    assert [type(event) for event in events] == [Notification, Request, Notification]
    unreadable = batch(*[ask(number) for number in range(4)]).replace(b"}]", b',"a":NaN}]')
    assert refused(connection, unreadable) == (None, PARSE_ERROR)


def test_a_batch_of_anything_costs_no_more_than_one_reply() -> None:
    connection = limited("agent")
    only(connection.receive(b"[" + b",".join([b"1"] * 300_000) + b"]\n"))
    assert len(connection.data_to_send()) < 200


@pytest.mark.parametrize("entry", [{}, 5, None, [], {"method": "_tell"}, {"id": []}])
@each_version
def test_a_batch_that_is_refused_may_hold_anything(surface: Any, entry: Any) -> None:
    connection = limited("agent", surface, batch=2)
    assert refused(connection, batch(entry, entry, entry)) == (None, INVALID_REQUEST)


@each_side
@each_version
def test_the_calls_that_a_refused_batch_answers_fail(surface: Any, side: Any) -> None:
    connection = calling(side, surface, 4, limits=Limits(batch=2))
    answers = [{"id": id_, "result": 1} for id_ in (2, 3)]
    *failures, refusal = connection.receive(batch(*answers, ask(1)))
    for id_, failure in zip((2, 3), failures, strict=True):
        assert isinstance(failure, Failure)
        assert failure.id == id_
        assert isinstance(failure.error, DecodeError)
        assert failure.error.expected == "a single message"
    assert isinstance(refusal, Refused)
    assert list(connection.pending) == [1, 4]  # a request isn't a response


# --- requests that were received -------------------------------------------------------------


@each_side
@each_version
def test_more_requests_than_the_limit_are_refused_until_some_have_responses(
    surface: Any, side: Any
) -> None:
    connection = limited(side, surface, requests=2)
    first, second = connection.receive(line(ask("a"), ask("b")))
    assert isinstance(first, Request)
    connection.receive(line(ask("c")))
    body = reply(connection)["error"]
    said = "too many requests: 2 requests with 122 bytes have no response yet"
    assert (body["code"], body["message"]) == (INTERNAL_ERROR, said)
    assert connection.requests == (first, second)
    connection.respond(first, None)
    requested(connection, ask("d"))
    connection.data_to_send()
    refused(connection, line(ask("e")))


def test_replies_count_until_their_batch_is_sent() -> None:
    connection = limited("agent", requests_bytes=10_000)
    first, second = connection.receive(batch(ask(1), ask(2)))
    connection.respond(first, "x" * 10_000)  # type: ignore[arg-type]
    assert refused(connection, line(ask(3))) == (3, INTERNAL_ERROR)
    connection.respond(second, None)  # type: ignore[arg-type]
    assert len(sent(connection)) == 1
    requested(connection, ask(4))


def test_the_replies_of_unfinished_batches_have_a_limit() -> None:
    connection = limited("agent", requests_bytes=100_000)
    unknown = [ask(f"{number}" * 100, "nope") for number in range(100)]
    for number in range(100):
        connection.receive(batch(tell(), ask(number), *unknown))
    kept = [each.replies for each in connection._requests.batches.values() if each is not None]
    assert len(kept) < 100
    assert sum(map(len, chain.from_iterable(kept))) < 150_000


def test_a_batch_counts_with_its_line_until_it_is_sent() -> None:
    connection = limited("agent", requests_bytes=10_000)
    small, large = connection.receive(batch(ask(1), ask(2, text="x" * 10_000)))
    connection.respond(small, None)  # type: ignore[arg-type]
    refused(connection, line(ask(3)))
    connection.respond(large, None)  # type: ignore[arg-type]
    requested(connection, ask(4))


@given(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=8), st.randoms())
def test_when_all_is_answered_nothing_counts(kinds: list[int], random: Any) -> None:
    makers = [
        lambda: line(ask(1)),
        lambda: batch(ask(1), tell(), ask(1)),
        lambda: batch(ask(2), ask(2, "nope")),
        lambda: line(cancel(1)),
    ]
    connection = limited("agent")
    connection.receive(b"".join(makers[kind]() for kind in kinds))
    requests = list(connection.requests)
    random.shuffle(requests)
    for request in requests:
        assert connection._requests.size > 0
        connection.respond(request, None)
    assert connection._requests.size == 0
    assert not connection._requests._by_id


@pytest.mark.parametrize("method", ["x", "_x", "session/new"])
def test_a_refusal_is_small_whatever_it_refuses(method: str) -> None:
    connection = Connection("agent", v2, initialize_first=True)
    name = method + "x" * 100_000
    for data in (
        line(ask(1, name)),
        line(ask(2, "initialize", protocolVersion=2, **{name: [1e99]}, info={name: 1})),
        line(ask(3, name))[:-2] + b"\n",
        b'{"jsonrpc":"2.0","id":4,"method":"' + name.encode() + b'","params":"\xff"}\n',
    ):
        connection.receive(data)
        assert len(connection.data_to_send()) < 1_000


# --- calls -----------------------------------------------------------------------------------


@each_side
@each_version
def test_no_more_calls_than_the_limit_are_sent(surface: Any, side: Any) -> None:
    connection = calling(side, surface, 2, limits=Limits(calls=2))
    with pytest.raises(LimitExceeded, match="2 requests have no response yet"):
        call(connection)
    assert sent(connection) == []
    assert list(connection.pending) == [1, 2]
    connection.notify(extension(surface, other(side), "notification"), None)
    assert reply(connection)["method"] == "_ask"
    connection.receive(line({"id": 1, "result": 1}))
    assert call(connection) == 3
    assert reply(connection)["id"] == 3
    connection.receive_eof()  # the end of input takes precedence over the limit
    with pytest.raises(ConnectionClosed):
        call(connection)


@pytest.mark.parametrize(
    "answer",
    [{"id": 1, "error": {"code": 1, "message": "no"}}, {"id": 1, "result": 1e999}],
)
def test_a_call_that_fails_makes_room(answer: Any) -> None:
    connection = calling("agent", limits=Limits(calls=1))
    assert isinstance(only(connection.receive(line(answer))), Failure)
    with pytest.raises(EncodeError):
        call(connection, object())
    assert call(connection) == 2


# --- calls that were cancelled ---------------------------------------------------------------


def test_of_too_many_cancelled_calls_the_oldest_is_given_up() -> None:
    connection = calling("client", count=4, limits=Limits(cancelled_calls=2))
    assert connection.cancel(3) is None
    assert connection.cancel(1) is None
    given_up = connection.cancel(2)
    assert given_up is not None
    assert given_up.id == 3
    assert list(connection.pending) == [1, 2, 4]
    connection.data_to_send()
    assert ignored(connection, line({"id": 3, "result": 1})).kind == "stray"
    assert isinstance(only(connection.receive(line({"id": 1, "result": 1}))), Response)
    ends = [event.id for event in connection.receive_eof() if isinstance(event, Failure)]
    assert ends == [2, 4]


def test_calls_that_are_cancelled_and_never_answered_do_not_use_up_the_calls() -> None:
    connection = limited("client", calls=5, cancelled_calls=2)
    for _ in range(100):
        connection.cancel(call(connection))
    assert len(connection.pending) == 2
    assert len(sent(connection)) == 200


def test_an_answered_call_no_longer_counts_as_cancelled() -> None:
    connection = calling("client", count=2, limits=Limits(cancelled_calls=1))
    connection.cancel(1)
    body = {"code": -32800, "message": "request cancelled"}
    failure = only(connection.receive(line({"id": 1, "error": body})))
    assert isinstance(failure.error, RequestError)
    connection.cancel(2)
    assert list(connection.pending) == [2]


# --- sessions that the peer does not know yet ------------------------------------------------

NEW = ask("new", "session/new", cwd="/")


def opening(connection: Connection, data: bytes) -> Request:
    """Receive a request, and hold back messages about session `s` until the response is sent."""
    request, *_ = connection.receive(data)
    assert isinstance(request, Request)
    connection.hold(request, "s")
    return request


def report(connection: Connection, session: Any, used: int = 1) -> None:
    """Send a usage update for a session."""
    update = v2.UsageUpdate(used=used, size=9)
    params = v2.UpdateSessionNotification(session_id=session, update=update)
    connection.notify(v2.CLIENT_METHODS["session/update"], params)


def methods(connection: Connection) -> list[Any]:
    """Return the method or id of each written message, or the list of ids for a batch."""
    return [
        (
            [reply["id"] for reply in message]
            if isinstance(message, list)
            else message.get("method") or message["id"]
        )
        for message in sent(connection)
    ]


def test_notifications_of_a_new_session_follow_the_response() -> None:
    connection = Connection("agent", v2)
    request = opening(connection, line(NEW))
    report(connection, "s", 1)
    report(connection, "other")
    assert methods(connection) == ["session/update"]
    connection.respond(request, v2.NewSessionResponse(session_id="s"))
    report(connection, "s", 2)
    messages = sent(connection)
    assert messages[0]["id"] == "new"
    assert [each["params"]["update"]["used"] for each in messages[1:]] == [1, 2]


def test_notifications_of_a_new_session_follow_the_array_of_the_response() -> None:
    connection = Connection("agent", v2)
    request = opening(connection, batch(NEW, ask("slow")))
    (slow,) = (each for each in connection.requests if each is not request)
    connection.respond(request, v2.NewSessionResponse(session_id="s"))
    report(connection, "s")
    connection.hold(request, "late")  # no effect, because the request has its response
    report(connection, "late")
    assert methods(connection) == ["session/update"]
    connection.respond(slow, None)
    assert methods(connection) == [["new", "slow"], "session/update"]


def test_notifications_of_a_session_that_was_not_opened_are_discarded() -> None:
    connection = Connection("agent", v2)
    request = opening(connection, line(NEW))
    report(connection, "s")
    connection.fail(request, RequestError.internal_error())
    report(connection, "s")
    assert methods(connection) == ["new", "session/update"]


def test_requests_about_a_new_session_are_refused() -> None:
    connection = Connection("agent", v2)
    request = opening(connection, line(NEW))
    method = v2.EXTENSIONS["client", "request"].named("_ask")
    with pytest.raises(RuntimeError, match="cannot send '_ask', since the client does not know"):
        connection.request(method, {"sessionId": "s"})
    for params in ({"sessionId": ["s"]}, {"sessionId": "other"}, {}, None, ["s"]):
        connection.request(method, params)
    connection.respond(request, v2.NewSessionResponse(session_id="s"))
    connection.request(method, {"sessionId": "s"})
    assert methods(connection) == ["_ask"] * 5 + ["new", "_ask"]


@pytest.mark.parametrize("limits", [Limits(backlog=2), Limits(backlog_bytes=300)])
def test_notifications_of_a_new_session_have_a_limit(limits: Limits) -> None:
    connection = Connection("agent", v2, limits=limits)
    request = opening(connection, line(NEW))
    report(connection, "s")
    report(connection, "s")
    with pytest.raises(LimitExceeded, match=r"2 notifications .* waiting for the response to"):
        report(connection, "s")
    connection.respond(request, v2.NewSessionResponse(session_id="s"))
    assert methods(connection) == ["new", "session/update", "session/update"]


def test_nothing_is_held_back_when_a_connection_is_closed() -> None:
    connection = Connection("agent", v2)
    opening(connection, line(NEW))
    report(connection, "s")
    connection.close()
    assert not connection._outgoing.held
    assert connection.data_to_send() == b""
