"""The connection without input and output: our requests, their answers, and cancelling."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import UNSET, DecodeError, EncodeError, Issue, RequestError
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Failure,
    Notification,
    Response,
)
from package.jsonrpc.wire import (
    ask,
    batch,
    calling,
    cancel,
    each_side,
    each_surface,
    each_version,
    error,
    extension,
    line,
    marked,
    only,
    other,
    reply,
    requested,
    sent,
)


def failure(connection: Connection, **answer: Any) -> Any:
    """The error of the first call, which this answer leads to."""
    connection.data_to_send()
    event = only(connection.receive(line({"id": 1, **answer})))
    assert isinstance(event, Failure)
    assert event.id == 1
    assert not connection.pending
    assert sent(connection) == []
    return event.error


def result(connection: Connection, **answer: Any) -> Any:
    """The result of the first call, which this answer leads to."""
    event = only(connection.receive(line({"id": 1, **answer})))
    assert isinstance(event, Response)
    assert event.id == 1
    assert not connection.pending
    return event.result


# --- our requests ----------------------------------------------------------------------------


@each_surface
@each_side
def test_a_request_of_ours_is_answered(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    method = extension(surface, other(side))
    id_ = connection.request(method, {"a": 1})
    text = connection.data_to_send()
    assert text == b'{"jsonrpc":"2.0","id":%d,"method":"_ask","params":{"a":1}}\n' % id_
    assert dict(connection.pending) == {id_: method}
    event = only(connection.receive(line({"id": id_, "result": [1]})))
    assert isinstance(event, Response)
    assert (event.id, event.method, event.result) == (id_, method, [1])
    assert not connection.pending


def new_session(surface: Any = v1, **options: Any) -> Connection:
    """A client whose first call is `session/new`."""
    connection = Connection("client", surface, **options)
    params = surface.NewSessionRequest(cwd="/", mcp_servers=[])
    connection.request(surface.AGENT_METHODS["session/new"], params)
    return connection


def test_params_that_do_not_fit_are_not_sent() -> None:
    connection = Connection("client", v1)
    params: Any = v1.TextContent(text="t")
    with pytest.raises(EncodeError):
        connection.request(v1.AGENT_METHODS["session/new"], params)
    with pytest.raises(EncodeError):
        connection.request(extension(v1, "agent"), object())
    with pytest.raises(EncodeError):
        connection.notify(extension(v1, "agent", "notification"), "\ud800")
    assert sent(connection) == []
    assert not connection.pending


@pytest.mark.parametrize("code", ["-7", "-7.0", "-70e-1"])
@pytest.mark.parametrize(
    ("more", "data"), [("", UNSET), (', "data": null', None), (', "data": {"a": 1}', {"a": 1})]
)
def test_an_error_in_answer_is_a_failure_with_its_data(code: str, more: str, data: Any) -> None:
    body = json.loads(f'{{"code": {code}, "message": "no"{more}}}')
    problem = failure(calling("client"), error=body)
    assert isinstance(problem, RequestError)
    assert (problem.code, problem.message, problem.data) == (-7, "no", data)
    assert type(problem.code) is int


def test_a_result_that_does_not_decode_is_a_failure() -> None:
    problem = failure(new_session(), result={"sessionId": 5})
    assert isinstance(problem, DecodeError)
    assert problem.pointer == "/sessionId"


def test_null_for_a_result_is_an_issue_where_an_object_without_members_is_due() -> None:
    told: list[Issue] = []
    for on_issue in (None, told.append):
        connection = Connection("client", v1, on_issue=on_issue)
        connection.request(v1.AGENT_METHODS["logout"], v1.LogoutRequest())
        assert result(connection, result=None) == v1.LogoutResponse()
    assert told == [Issue("", "expected object, found null", None, "defaulted", "logout")]
    told.clear()
    assert isinstance(failure(new_session(on_issue=told.append), result=None), DecodeError)
    assert result(calling("client", on_issue=told.append), result=None) is None
    assert told == []


BODY = {"code": 7, "message": "no"}


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"result": 1, "error": BODY}, "an object that has both a result and an error"),
        ({}, "object"),
        ({"error": None}, "object"),
        ({"error": {"code": "1", "message": "m"}}, "object"),
        ({"error": {"code": 1.5, "message": "m"}}, "object"),
    ],
    ids=json.dumps,
)
@each_version
def test_an_answer_that_is_none_fails_its_request(
    surface: ModuleType, answer: Any, found: str
) -> None:
    problem = failure(calling("client", surface), **answer)
    assert isinstance(problem, DecodeError)
    assert (problem.pointer, problem.expected) == ("", "either a result or an error")
    assert (problem.found, problem.type_name) == (found, "_ask")


@pytest.mark.parametrize("value", [{"granted": True}, None], ids=repr)
@pytest.mark.parametrize(("surface", "write"), [(v1, line), (v2, line), (v2, batch)])
def test_of_a_result_and_an_error_one_may_be_null(
    surface: ModuleType, write: Callable[..., bytes], value: Any
) -> None:
    connection = calling("client", surface)
    event = only(connection.receive(write({"id": 1, "result": value, "error": None})))
    assert isinstance(event, Response)
    assert event.result == value
    problem = failure(calling("client", surface), result=None, error=BODY)
    assert isinstance(problem, RequestError)
    assert problem.code == 7


@pytest.mark.parametrize("id_", [b"1.0", b"1", b"1e0", b"10e-1"])
def test_an_answer_is_to_the_request_of_the_same_number(id_: bytes) -> None:
    connection = calling("client")
    connection.receive(b'{"jsonrpc": "2.0", "id": %b, "result": [1]}\n' % id_)
    assert not connection.pending


# --- cancellation ----------------------------------------------------------------------------


@each_surface
@each_side
def test_a_cancelled_request_of_ours_is_still_pending(surface: ModuleType, side: Any) -> None:
    for answer in ({"error": {"code": runtime.REQUEST_CANCELLED, "message": "ok"}}, {"result": 1}):
        connection = calling(side, surface)
        connection.cancel(1)
        assert reply(connection) == marked(cancel(1))
        assert list(connection.pending) == [1]
        event = only(connection.receive(line({"id": 1, **answer})))
        assert isinstance(event, Response if "result" in answer else Failure)
        assert not connection.pending


@pytest.mark.parametrize("id_", [99, None, "1"])
def test_nothing_is_sent_to_cancel_what_is_not_pending(id_: Any) -> None:
    connection = calling("client")
    connection.cancel(id_)
    assert sent(connection) == []


def test_a_protocol_without_cancelling_sends_no_cancellation() -> None:
    tables = {
        side: {name: method for name, method in table.items() if name != "$/cancel_request"}
        for side, table in v1.METHODS.items()
    }
    names = ("SCHEMA", "NULL_ID", "EXTENSIONS", "decode", "encode")
    members = {name: getattr(v1, name) for name in names}
    surface: Any = SimpleNamespace(METHODS=MappingProxyType(tables), **members)
    connection = calling("client", surface)
    connection.cancel(1)
    assert sent(connection) == []
    assert list(connection.pending) == [1]


@pytest.mark.parametrize(("id_", "named"), [("a", "a"), (1, 1), (1.0, 1), (1, 1.0)])
@each_surface
def test_a_cancellation_names_the_request_and_is_a_notification(
    surface: ModuleType, id_: Any, named: Any
) -> None:
    connection = Connection("agent", surface)
    request = requested(connection, ask(id_))
    cancellation, notification = connection.receive(line(cancel(named)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (request,)
    assert isinstance(notification, Notification)
    assert notification.params.request_id == named
    assert sent(connection) == []
    connection.fail(request, RequestError(runtime.REQUEST_CANCELLED, "cancelled"))
    assert error(connection) == (id_, runtime.REQUEST_CANCELLED)


def test_a_cancellation_names_all_requests_of_the_id_without_an_answer() -> None:
    connection = Connection("agent", v1)
    first, second, _, third = connection.receive(line(ask(1), ask(1), ask(2), ask(1)))
    connection.respond(second, None)  # type: ignore[arg-type]
    cancellation, _ = connection.receive(line(cancel(1)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (first, third)


def test_a_request_is_cancelled_once() -> None:
    connection = Connection("agent", v1)
    first = requested(connection, ask(1))
    connection.receive(line(cancel(1)))
    assert isinstance(only(connection.receive(line(cancel(1)))), Notification)
    second = requested(connection, ask(1))
    cancellation, _ = connection.receive(line(cancel(1)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (second,)
    third = requested(connection, ask(1))
    for request in (second, third, first):
        connection.respond(request, None)
    assert connection.requests == ()
    assert isinstance(only(connection.receive(line(cancel(1)))), Notification)


def test_cancelling_again_and_again_does_not_look_at_all_requests_again() -> None:
    connection = Connection("agent", v1)
    connection.receive(line(ask(1)) * 2_000)
    events = connection.receive(line(cancel(1)) * 200)
    named = [len(event.requests) for event in events if isinstance(event, Cancellation)]
    assert sum(named) == 2_000
