"""The connection without input and output: our requests, their answers, and cancelling."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import UNSET, DecodeError, EncodeError, RequestError
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Failure,
    Ignored,
    Notification,
    Response,
)
from package.jsonrpc.wire import (
    ask,
    batch,
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

# --- our requests ----------------------------------------------------------------------------


@each_surface
@each_side
def test_a_request_of_ours_is_answered(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    method = extension(surface, other(side))
    id_ = connection.request(method, {"a": 1})
    request = reply(connection)
    assert request == marked({"id": id_, "method": "_ask", "params": {"a": 1}})
    assert dict(connection.pending) == {id_: method}
    event = only(connection.receive(line({"id": id_, "result": [1]})))
    assert isinstance(event, Response)
    assert (event.id, event.method, event.result) == (id_, method, [1])
    assert not connection.pending


@each_version
def test_params_are_encoded_and_results_decoded(surface: ModuleType) -> None:
    connection = Connection("client", surface)
    params = surface.NewSessionRequest(cwd="/", mcp_servers=[])
    id_ = connection.request(surface.AGENT_METHODS["session/new"], params)
    assert reply(connection)["params"] == {"cwd": "/", "mcpServers": []}
    event = only(connection.receive(line({"id": id_, "result": {"sessionId": "s"}})))
    assert isinstance(event, Response)
    assert event.result == surface.NewSessionResponse(session_id="s")


def test_every_request_has_an_id_of_its_own() -> None:
    connection = Connection("client", v1)
    method = extension(v1, "agent")
    assert len({connection.request(method, None) for _ in range(100)}) == 100
    assert len(connection.pending) == 100


def test_params_of_another_type_are_not_sent() -> None:
    connection = Connection("client", v1)
    params: Any = v1.TextContent(text="t")
    with pytest.raises(EncodeError):
        connection.request(v1.AGENT_METHODS["session/new"], params)
    assert sent(connection) == []
    assert not connection.pending


def test_params_that_are_no_json_are_not_sent() -> None:
    connection = Connection("client", v1)
    with pytest.raises(EncodeError):
        connection.request(extension(v1, "agent"), object())
    with pytest.raises(EncodeError):
        connection.notify(extension(v1, "agent", "notification"), "\ud800")
    assert sent(connection) == []
    assert not connection.pending


def test_an_error_in_answer_is_a_failure_with_its_data() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    body = {"code": -7, "message": "no", "data": {"a": 1}}
    event = only(connection.receive(line({"id": id_, "error": body})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert (event.error.code, event.error.message, event.error.data) == (-7, "no", {"a": 1})
    assert not connection.pending


@pytest.mark.parametrize(("more", "data"), [({}, UNSET), ({"data": None}, None)])
def test_absent_and_null_data_of_an_error_differ(more: Any, data: Any) -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    body = {"code": -7, "message": "no", **more}
    event = only(connection.receive(line({"id": id_, "error": body})))
    assert event.error.data is data


def test_a_result_that_does_not_decode_is_a_failure() -> None:
    connection = Connection("client", v1)
    params = v1.NewSessionRequest(cwd="/", mcp_servers=[])
    id_ = connection.request(v1.AGENT_METHODS["session/new"], params)
    event = only(connection.receive(line({"id": id_, "result": {"sessionId": 5}})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, DecodeError)
    assert event.error.pointer == "/sessionId"
    assert not connection.pending


def test_null_is_taken_for_a_result_without_required_members() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(v1.AGENT_METHODS["logout"], v1.LogoutRequest())
    event = only(connection.receive(line({"id": id_, "result": None})))
    assert isinstance(event, Response)
    assert event.result == v1.LogoutResponse()


def test_null_is_a_failure_for_a_result_with_required_members() -> None:
    connection = Connection("client", v1)
    params = v1.NewSessionRequest(cwd="/", mcp_servers=[])
    id_ = connection.request(v1.AGENT_METHODS["session/new"], params)
    event = only(connection.receive(line({"id": id_, "result": None})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, DecodeError)


@pytest.mark.parametrize(
    "answer",
    [
        {"result": 1, "error": {"code": 1, "message": "m"}},
        {},
        {"error": None},
        {"error": {"code": "1", "message": "m"}},
    ],
    ids=json.dumps,
)
def test_an_answer_that_is_none_fails_its_request(answer: Any) -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    sent(connection)
    event = only(connection.receive(line({"id": id_, **answer})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, DecodeError)
    assert not connection.pending
    assert sent(connection) == []


@pytest.mark.parametrize("result", [{"granted": True}, None], ids=repr)
@pytest.mark.parametrize(("surface", "write"), [(v1, line), (v2, line), (v2, batch)])
def test_a_null_error_beside_a_result_is_none(
    surface: ModuleType, write: Callable[..., bytes], result: Any
) -> None:
    connection = Connection("client", surface)
    id_ = connection.request(extension(surface, "agent"), None)
    event = only(connection.receive(write({"id": id_, "result": result, "error": None})))
    assert isinstance(event, Response)
    assert event.result == result


def test_a_null_result_beside_an_error_is_none() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    body = {"code": 7, "message": "no"}
    event = only(connection.receive(line({"id": id_, "result": None, "error": body})))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert event.error.code == 7


@pytest.mark.parametrize(
    "answer",
    [
        {"id": 99, "result": 1},
        {"id": "1", "result": 1},
        {"id": None, "result": 1},
        {"id": None, "error": {"code": -32700, "message": "m"}},
        {"id": 99, "error": {"code": 1, "message": "m"}},
        {"id": 99, "result": 1, "error": {}},
        {"id": True, "result": 1},
        {"id": 1.5, "result": 1},
        {"result": 1},
    ],
    ids=json.dumps,
)
@each_side
def test_an_answer_that_nobody_waits_for_is_ignored(side: Any, answer: Any) -> None:
    connection = Connection(side, v1)
    id_ = connection.request(extension(v1, other(side)), None)
    assert id_ == 1
    sent(connection)
    assert isinstance(only(connection.receive(line(answer))), Ignored)
    assert sent(connection) == []
    assert list(connection.pending) == [1]


def test_a_second_answer_is_ignored() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    first, second = connection.receive(line({"id": id_, "result": 1}, {"id": id_, "result": 2}))
    assert isinstance(first, Response)
    assert isinstance(second, Ignored)


# --- cancellation ----------------------------------------------------------------------------


@each_surface
@each_side
def test_a_cancelled_request_of_ours_is_still_pending(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    id_ = connection.request(extension(surface, other(side)), None)
    sent(connection)
    connection.cancel(id_)
    assert reply(connection) == marked(cancel(id_))
    assert list(connection.pending) == [id_]
    body = {"code": runtime.REQUEST_CANCELLED, "message": "cancelled"}
    event = only(connection.receive(line({"id": id_, "error": body})))
    assert isinstance(event, Failure)
    assert not connection.pending


def test_a_late_result_of_a_cancelled_request_is_a_response() -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    connection.cancel(id_)
    event = only(connection.receive(line({"id": id_, "result": 1})))
    assert isinstance(event, Response)
    assert event.result == 1


@pytest.mark.parametrize("id_", [99, None, "1"])
def test_nothing_is_sent_to_cancel_what_is_not_pending(id_: Any) -> None:
    connection = Connection("client", v1)
    connection.request(extension(v1, "agent"), None)
    sent(connection)
    connection.cancel(id_)
    assert sent(connection) == []


@each_surface
@each_side
def test_a_cancellation_names_the_request_and_is_a_notification(
    surface: ModuleType, side: Any
) -> None:
    connection = Connection(side, surface)
    request = requested(connection, ask("a"))
    cancellation, notification = connection.receive(line(cancel("a")))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (request,)
    assert isinstance(notification, Notification)
    assert notification.params.request_id == "a"
    assert sent(connection) == []
    connection.fail(request, RequestError(runtime.REQUEST_CANCELLED, "cancelled"))
    assert error(connection) == ("a", runtime.REQUEST_CANCELLED)


def test_a_cancellation_names_all_requests_of_the_id() -> None:
    connection = Connection("agent", v1)
    requests = tuple(connection.receive(line(ask(1), ask(2), ask(1))))
    cancellation, _ = connection.receive(line(cancel(1)))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (requests[0], requests[2])


def test_a_cancellation_names_only_requests_without_an_answer() -> None:
    connection = Connection("agent", v1)
    first, second, third = connection.receive(line(ask(1), ask(1), ask(1)))
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


def test_cancelling_again_and_again_does_not_look_at_all_requests_again() -> None:
    connection = Connection("agent", v1)
    connection.receive(line(ask(1)) * 2_000)
    events = connection.receive(line(cancel(1)) * 200)
    named = [len(event.requests) for event in events if isinstance(event, Cancellation)]
    assert sum(named) == 2_000


def test_a_cancellation_of_what_was_answered_is_only_a_notification() -> None:
    connection = Connection("agent", v1)
    connection.respond(requested(connection, ask(1)), None)
    sent(connection)
    assert isinstance(only(connection.receive(line(cancel(1)))), Notification)
    assert sent(connection) == []
