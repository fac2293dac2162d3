"""The connection without input and output: requests, answers, errors and their accounts."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, DecodeError, EncodeError
from acp_bindings.runtime import jsonrpc as rpc
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    ConnectionClosed,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    RequestError,
    Response,
    VersionMismatch,
)
from package.jsonrpc.wire import (
    CALLS,
    ask,
    cancel,
    each_side,
    each_surface,
    each_version,
    error,
    initialize,
    line,
    marked,
    only,
    reply,
    sent,
    tell,
)


def extension(surface: ModuleType, side: str, kind: str = "request") -> Any:
    return surface.EXTENSIONS[(side, kind)].named("_ask")


def other(side: str) -> str:
    return "client" if side == "agent" else "agent"


def requested(connection: Connection, message: Any) -> Request:
    """The event of a request that the connection takes."""
    event = only(connection.receive(line(message)))
    assert isinstance(event, Request)
    return event


# --- requests that come ----------------------------------------------------------------------


@each_surface
@each_side
def test_a_request_is_decoded_and_answered_with_its_id(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    name, params = CALLS[side]
    event = requested(connection, ask("id 1", name, **params))
    assert (event.id, event.method.name) == ("id 1", name)
    assert event.params == surface.decode(event.method.params, params)
    assert connection.requests == (event,)
    assert sent(connection) == []
    connection.fail(event, RequestError(1, "no"))
    assert reply(connection)["id"] == "id 1"
    assert connection.requests == ()


@each_version
def test_the_result_is_encoded(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    event = requested(connection, ask(7, "session/new", cwd="/", mcpServers=[]))
    connection.respond(event, surface.NewSessionResponse(session_id="s"))
    assert reply(connection) == {"jsonrpc": "2.0", "id": 7, "result": {"sessionId": "s"}}


@pytest.mark.parametrize("id_", [0, -1, 1, 2**63, 10**30, "", "1", "ä€😀", "a\nb"])
@each_side
def test_ids_are_echoed_verbatim(side: Any, id_: Any) -> None:
    connection = Connection(side, v2)
    connection.respond(requested(connection, ask(id_)), None)
    answer = reply(connection)
    assert answer["id"] == id_
    assert type(answer["id"]) is type(id_)


@each_surface
@each_side
def test_an_extension_request_has_any_params_and_any_result(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    event = requested(connection, {"id": 1, "method": "_x/y", "params": [1, None]})
    assert (event.method.name, event.params) == ("_x/y", [1, None])
    connection.respond(event, {"any": ["thing"]})
    assert reply(connection)["result"] == {"any": ["thing"]}


@each_surface
@each_side
@pytest.mark.parametrize("name", ["nope", "", "$/nope", "session/", "Initialize", "\n"])
def test_an_unknown_request_is_answered(surface: ModuleType, side: Any, name: str) -> None:
    connection = Connection(side, surface)
    event = only(connection.receive(line(ask(1, name))))
    assert isinstance(event, Refused)
    assert (event.id, event.error.code) == (1, rpc.METHOD_NOT_FOUND)
    assert error(connection) == (1, rpc.METHOD_NOT_FOUND)
    assert connection.requests == ()


@pytest.mark.parametrize(
    ("side", "name"), [("agent", "session/update"), ("client", "session/prompt")]
)
@each_surface
def test_a_method_of_the_other_side_is_unknown(surface: ModuleType, side: Any, name: str) -> None:
    connection = Connection(side, surface)
    connection.receive(line(ask(1, name)))
    assert error(connection) == (1, rpc.METHOD_NOT_FOUND)


@each_version
def test_a_request_by_the_name_of_a_notification_is_unknown(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    connection.receive(line(ask(1, "session/cancel", sessionId="s")))
    assert error(connection) == (1, rpc.METHOD_NOT_FOUND)


@pytest.mark.parametrize(
    ("params", "pointer", "expected", "found"),
    [
        ({"sessionId": 5}, "/sessionId", "string", "integer"),
        ({"sessionId": None}, "/sessionId", "string", "null"),
        ({}, "/sessionId", "string", "nothing"),
        ([], "", "object", "array"),
        ("s", "", "object", "string"),
        (0, "", "object", "integer"),
        (False, "", "object", "boolean"),
    ],
)
@each_version
def test_bad_params_are_answered_with_where_and_what(
    surface: ModuleType, params: Any, pointer: str, expected: str, found: str
) -> None:
    connection = Connection("agent", surface)
    message = {"id": 1, "method": "session/close", "params": params}
    event = only(connection.receive(line(message)))
    assert isinstance(event, Refused)
    body = reply(connection)["error"]
    assert body["code"] == rpc.INVALID_PARAMS
    assert set(body["data"]) == {"pointer", "expected", "found"}
    assert body["data"]["pointer"] == pointer
    assert expected in body["data"]["expected"]
    assert body["data"]["found"] == found


def test_bad_params_say_nothing_of_the_value() -> None:
    connection = Connection("agent", v1)
    connection.receive(line(ask(1, "session/prompt", sessionId="s", prompt="hunter2")))
    assert b"hunter2" not in connection.data_to_send()


@pytest.mark.parametrize("params", [{}, {"params": None}, {"params": {}}])
@each_version
def test_params_may_be_null_or_absent(surface: ModuleType, params: Any) -> None:
    connection = Connection("agent", surface)
    event = requested(connection, {"id": 1, "method": "session/list", **params})
    assert event.params == surface.ListSessionsRequest()


@pytest.mark.parametrize("params", [{}, {"params": None}])
@each_side
def test_null_or_absent_params_of_an_extension_are_null(side: Any, params: Any) -> None:
    connection = Connection(side, v1)
    assert requested(connection, {"id": 1, "method": "_x", **params}).params is None


def test_null_params_that_miss_a_member_are_bad() -> None:
    connection = Connection("agent", v1)
    connection.receive(line({"id": 1, "method": "session/new", "params": None}))
    assert error(connection) == (1, rpc.INVALID_PARAMS)


@each_version
def test_duplicate_ids_are_both_answered(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    first, second = connection.receive(line(ask(1), ask(1)))
    assert isinstance(first, Request)
    assert isinstance(second, Request)
    connection.respond(second, "second")
    connection.respond(first, "first")
    assert [(m["id"], m["result"]) for m in sent(connection)] == [(1, "second"), (1, "first")]
    assert connection.requests == ()


def test_ids_of_another_type_are_other_ids() -> None:
    connection = Connection("agent", v1)
    number, text = connection.receive(line(ask(1), ask("1")))
    cancellation, _ = connection.receive(line(cancel("1")))
    assert isinstance(cancellation, Cancellation)
    assert cancellation.requests == (text,)
    assert number in connection.requests


@each_side
def test_a_null_id_is_answered_in_version_1(side: Any) -> None:
    connection = Connection(side, v1)
    connection.respond(requested(connection, ask(None)), 1)
    assert reply(connection) == {"jsonrpc": "2.0", "id": None, "result": 1}


@each_side
def test_a_null_id_is_refused_in_version_2(side: Any) -> None:
    connection = Connection(side, v2)
    assert isinstance(only(connection.receive(line(ask(None)))), Refused)
    assert error(connection) == (None, rpc.INVALID_REQUEST)


@pytest.mark.parametrize("id_", [True, 1.5, [], {}])
@each_side
def test_a_request_with_what_is_no_id_is_refused(side: Any, id_: Any) -> None:
    connection = Connection(side, v1)
    assert isinstance(only(connection.receive(line(ask(id_)))), Refused)
    assert error(connection) == (None, rpc.INVALID_REQUEST)


# --- answers to them -------------------------------------------------------------------------


def test_an_exception_is_answered_without_a_trace_of_it() -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask(1))
    try:
        raise ValueError("hunter2")
    except ValueError as problem:
        connection.fail(event, problem)
    data = connection.data_to_send()
    body = {"code": rpc.INTERNAL_ERROR, "message": "internal error"}
    assert json.loads(data) == {"jsonrpc": "2.0", "id": 1, "error": body}


@pytest.mark.parametrize("data", [None, 0, "", [], {}, {"a": [1.5, None]}, "ä€😀"])
def test_the_data_of_an_error_is_sent_as_it_is(data: Any) -> None:
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), RequestError(-5, "no", data))
    assert reply(connection)["error"] == {"code": -5, "message": "no", "data": data}


def test_an_error_without_data_has_no_such_member() -> None:
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), RequestError(-5, "no"))
    assert reply(connection)["error"] == {"code": -5, "message": "no"}


def endless() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "data",
    [object(), {1, 2}, b"x", float("nan"), float("inf"), "\ud800", UNSET, {"a": UNSET}, endless()],
    ids=["object", "set", "bytes", "nan", "inf", "surrogate", "unset", "unset within", "endless"],
)
def test_data_that_is_no_json_is_not_sent_and_the_request_is_answered(data: Any) -> None:
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), RequestError(-5, "no", data))
    assert reply(connection)["error"] == {"code": -5, "message": "no"}
    assert connection.requests == ()


def test_a_message_that_is_no_json_is_not_sent_and_the_request_is_answered() -> None:
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), RequestError(-5, "\ud800"))
    assert error(connection) == (1, rpc.INTERNAL_ERROR)
    assert connection.requests == ()


@each_version
def test_typed_data_is_encoded(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    data = surface.TextContent(text="t", unknown_fields={"x": 1})
    connection.fail(requested(connection, ask(1)), RequestError(-5, "no", data))
    assert reply(connection)["error"]["data"] == {"text": "t", "x": 1}


def test_typed_data_of_another_surface_is_not_sent() -> None:
    connection = Connection("agent", v1)
    data = v2.TextContent(text="t")
    connection.fail(requested(connection, ask(1)), RequestError(-5, "no", data))
    assert reply(connection)["error"] == {"code": -5, "message": "no"}


def test_a_result_of_another_type_is_refused_and_an_answer_still_due() -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask(1, "session/new", cwd="/", mcpServers=[]))
    with pytest.raises(EncodeError):
        connection.respond(event, v1.TextContent(text="t"))
    assert sent(connection) == []
    assert connection.requests == (event,)
    connection.fail(event, ValueError())
    assert error(connection) == (1, rpc.INTERNAL_ERROR)


def test_a_result_that_is_no_json_is_refused_and_an_answer_still_due() -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask(1))
    with pytest.raises(EncodeError):
        connection.respond(event, object())
    assert connection.requests == (event,)


def test_a_request_is_answered_once() -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask(1))
    connection.respond(event, 1)
    with pytest.raises(KeyError):
        connection.respond(event, 2)
    with pytest.raises(KeyError):
        connection.fail(event, ValueError())
    assert reply(connection)["result"] == 1


def test_a_request_of_another_connection_is_not_answered() -> None:
    connection = Connection("agent", v1)
    event = requested(Connection("agent", v1), ask(1))
    with pytest.raises(KeyError):
        connection.respond(event, 1)


# --- notifications that come -----------------------------------------------------------------


@each_surface
def test_a_notification_is_decoded_and_not_answered(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    event = only(connection.receive(line(tell("session/cancel", sessionId="s"))))
    assert isinstance(event, Notification)
    assert event.params.session_id == "s"
    assert sent(connection) == []


@pytest.mark.parametrize(
    "message",
    [
        tell("nope"),
        tell("session/new", cwd="/", mcpServers=[]),
        tell("session/update"),
        tell("session/cancel"),
        tell("session/cancel", sessionId=5),
        tell("$/cancel_request", requestId=True),
        tell("initialize"),
        {"method": "session/cancel", "params": [1]},
    ],
    ids=json.dumps,
)
@each_surface
def test_a_notification_that_nothing_takes_is_ignored(surface: ModuleType, message: Any) -> None:
    connection = Connection("agent", surface)
    event = only(connection.receive(line(message)))
    assert isinstance(event, Ignored)
    assert event.raw == marked(message)
    assert sent(connection) == []


def test_a_message_in_another_dialect_without_an_id_is_not_answered() -> None:
    connection = Connection("agent", v1)
    event = only(connection.receive(b'{"method":"session/cancel","params":{"sessionId":"s"}}\n'))
    assert isinstance(event, Ignored)
    assert sent(connection) == []


def test_a_message_in_another_dialect_with_an_id_is_refused() -> None:
    connection = Connection("agent", v1)
    assert isinstance(only(connection.receive(b'{"method":"_x","id":4}\n')), Refused)
    assert error(connection) == (4, rpc.INVALID_REQUEST)


@each_surface
@each_side
def test_an_extension_notification_has_any_params(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    event = only(connection.receive(line({"method": "_x", "params": 5})))
    assert isinstance(event, Notification)
    assert (event.method.name, event.params) == ("_x", 5)


# --- what is no message ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "garbage",
    [
        *(b"hello", b"{", b"[", b"{]", b"}", b'"', b"nul", b"{}{}", b"[NaN]", b"[1e999]"),
        *(b"\xff\xfe", b"\xef\xbb\xbf{}", b'{"a":"\\ud800"}', b"[" * 100_000),
    ],
    ids=lambda garbage: repr(garbage[:12]),
)
def test_an_agent_answers_what_is_no_json(garbage: bytes) -> None:
    connection = Connection("agent", v1)
    event = only(connection.receive(garbage + b"\n"))
    assert isinstance(event, Refused)
    assert event.id is None
    assert error(connection) == (None, rpc.PARSE_ERROR)


@pytest.mark.parametrize("stray", [b"hello", b"  warning: x", b"\xff", b"Traceback {", b"nul"])
def test_a_client_ignores_stray_text(stray: bytes) -> None:
    connection = Connection("client", v1)
    event = only(connection.receive(stray + b"\n"))
    assert isinstance(event, Ignored)
    assert event.raw == stray
    assert sent(connection) == []


@pytest.mark.parametrize("broken", [b"{", b" [", b'\t{"jsonrpc":', b"[1,"])
def test_a_client_answers_what_begins_as_a_message(broken: bytes) -> None:
    connection = Connection("client", v1)
    assert isinstance(only(connection.receive(broken + b"\n")), Refused)
    assert error(connection) == (None, rpc.PARSE_ERROR)


@pytest.mark.parametrize("value", [b"1", b'"a"', b"null", b"true", b"{}", b"1.5"])
@each_side
def test_json_that_is_no_message_is_an_invalid_request(side: Any, value: bytes) -> None:
    connection = Connection(side, v1)
    assert isinstance(only(connection.receive(value + b"\n")), Refused)
    assert error(connection) == (None, rpc.INVALID_REQUEST)


def test_what_follows_garbage_is_read() -> None:
    connection = Connection("agent", v1)
    refused, request = connection.receive(b"garbage\n" + line(ask(1)))
    assert isinstance(refused, Refused)
    assert isinstance(request, Request)


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
        {"result": 1, "error": None},
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
    body = {"code": rpc.REQUEST_CANCELLED, "message": "cancelled"}
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
    connection.fail(request, RequestError(rpc.REQUEST_CANCELLED, "cancelled"))
    assert error(connection) == ("a", rpc.REQUEST_CANCELLED)


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


def test_a_cancellation_of_what_was_answered_is_only_a_notification() -> None:
    connection = Connection("agent", v1)
    connection.respond(requested(connection, ask(1)), None)
    sent(connection)
    assert isinstance(only(connection.receive(line(cancel(1)))), Notification)
    assert sent(connection) == []


# --- versions --------------------------------------------------------------------------------


def choosing(log: list[int] | None = None) -> Connection:
    """An agent of both versions."""
    surfaces = {1: v1, 2: v2}

    def choose(version: int) -> Any:
        if log is not None:
            log.append(version)
        return surfaces[rpc.pick_version(version, surfaces)]

    return Connection("agent", choose)


@pytest.mark.parametrize(("version", "surface"), [(1, v1), (2, v2), (3, v2), (1.0, v1)])
def test_initialize_chooses_the_surface(version: Any, surface: ModuleType) -> None:
    connection = choosing()
    assert connection.surface is None
    event = requested(connection, initialize(version))
    assert connection.surface is surface
    assert isinstance(event.params, surface.InitializeRequest)
    assert connection.advertised is event.params


def test_the_surface_is_chosen_once() -> None:
    log: list[int] = []
    connection = choosing(log)
    requested(connection, initialize(1))
    requested(connection, initialize(2, 1))
    assert log == [1]
    assert connection.surface is v1


@pytest.mark.parametrize("message", [ask(1), ask(1, "session/new"), ask(1, "nope"), ask(None)])
def test_nothing_is_served_before_initialize(message: Any) -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(message))), Refused)
    assert error(connection) == (message["id"], rpc.INVALID_REQUEST)


@pytest.mark.parametrize("message", [tell(), tell("session/cancel", sessionId="s"), cancel(1)])
def test_notifications_before_initialize_are_ignored(message: Any) -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(message))), Ignored)
    assert sent(connection) == []


def test_a_batch_before_initialize_is_refused() -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(b"[]\n")), Refused)
    assert error(connection) == (None, rpc.INVALID_REQUEST)


@pytest.mark.parametrize("version", ["1", None, True, 1.5, [1], {}])
def test_a_version_that_is_no_integer_is_reported(version: Any) -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(initialize(version)))), Refused)
    body = reply(connection)["error"]
    assert body["code"] == rpc.INVALID_PARAMS
    assert body["data"]["pointer"] == "/protocolVersion"
    assert connection.surface is None
    requested(connection, initialize(2))
    assert connection.surface is v2


def test_an_unsupported_version_is_refused_with_those_that_are() -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(initialize(0)))), Refused)
    body = reply(connection)["error"]
    assert body["code"] == rpc.UNSUPPORTED_PROTOCOL_VERSION
    assert body["data"] == {"requested": 0, "supported": [1, 2]}
    assert connection.surface is None


def test_an_agent_of_one_version_refuses_lower_ones_as_one_of_several_does() -> None:
    connection = Connection("agent", v2)
    params = {"protocolVersion": 1, "clientCapabilities": {}}  # those of a client of version 1
    assert isinstance(only(connection.receive(line(ask(1, "initialize", **params)))), Refused)
    body = reply(connection)["error"]
    assert body["code"] == rpc.UNSUPPORTED_PROTOCOL_VERSION
    assert body["data"] == {"requested": 1, "supported": [2]}
    requested(connection, initialize(2))


def test_an_agent_of_one_version_takes_higher_ones_for_its_own() -> None:
    connection = Connection("agent", v1)
    assert requested(connection, initialize(7)).params.protocol_version == 7


def test_an_error_in_words_has_its_data_but_not_all_of_a_lot() -> None:
    assert str(RequestError(-7, "no")) == "no (-7)"
    assert str(RequestError(-7, "no", {"pointer": "/a"})) == "no (-7): {'pointer': '/a'}"
    assert len(str(RequestError(-7, "no", "x" * 10_000))) < 300


def test_a_refused_initialize_decides_nothing() -> None:
    connection = choosing()
    params = {"protocolVersion": 2, "info": None, "capabilities": {}}
    assert isinstance(only(connection.receive(line(ask(1, "initialize", **params)))), Refused)
    assert error(connection) == (1, rpc.INVALID_PARAMS)
    assert connection.surface is None
    assert isinstance(only(connection.receive(line(initialize(2, None)))), Refused)
    assert error(connection) == (None, rpc.INVALID_REQUEST)
    requested(connection, initialize(1, None))
    assert connection.surface is v1


def test_before_initialize_nothing_can_be_sent() -> None:
    connection = choosing()
    with pytest.raises(ConnectionClosed):
        connection.request(extension(v1, "client"), None)
    with pytest.raises(ConnectionClosed):
        connection.notify(extension(v1, "client", "notification"), None)
    assert sent(connection) == []


def client_initializes(surface: ModuleType, result: Any) -> tuple[Connection, Any]:
    connection = Connection("client", surface)
    version = surface.SCHEMA.protocol_version
    params = surface.decode(surface.InitializeRequest, initialize(version)["params"])
    id_ = connection.request(surface.AGENT_METHODS["initialize"], params)
    return connection, only(connection.receive(line({"id": id_, "result": result})))


@pytest.mark.parametrize("offered", [2, 2.0, 0])
def test_another_version_than_the_clients_is_a_mismatch(offered: Any) -> None:
    connection, event = client_initializes(v1, {"protocolVersion": offered})
    assert isinstance(event, Failure)
    assert isinstance(event.error, VersionMismatch)
    assert (event.error.offered, event.error.spoken) == (offered, 1)
    assert connection.advertised is None
    assert not connection.pending


def test_a_mismatch_is_told_before_the_shape_of_the_other_version() -> None:
    _, event = client_initializes(v2, {"protocolVersion": 1, "agentCapabilities": {}})
    assert isinstance(event.error, VersionMismatch)


@pytest.mark.parametrize("offered", ["1", None, True, 1.5])
def test_an_offered_version_that_is_no_integer_is_a_failure(offered: Any) -> None:
    _, event = client_initializes(v1, {"protocolVersion": offered})
    assert isinstance(event, Failure)
    assert isinstance(event.error, DecodeError)
    assert event.error.pointer == "/protocolVersion"


def test_what_the_agent_advertises_is_kept() -> None:
    connection, event = client_initializes(
        v1, {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    )
    assert isinstance(event, Response)
    assert connection.advertised is event.result
    assert connection.advertised.agent_capabilities.load_session is True


def test_recovered_differences_are_told_with_their_method() -> None:
    told: list[Any] = []
    connection = Connection(
        "agent", v1, on_issue=lambda method, issue: told.append((method, issue))
    )
    params = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}
    requested(connection, ask(1, "initialize", **params))
    ((method, issue),) = told
    assert method.name == "initialize"
    assert issue.pointer == "/clientCapabilities/terminal"


# --- the end ---------------------------------------------------------------------------------


@each_side
def test_the_end_fails_what_is_pending(side: Any) -> None:
    connection = Connection(side, v1)
    ids = [connection.request(extension(v1, other(side)), None) for _ in range(3)]
    events = connection.receive_eof()
    assert [event.id for event in events if isinstance(event, Failure)] == ids
    assert all(isinstance(event.error, ConnectionClosed) for event in events)
    assert not connection.pending
    assert connection.receive_eof() == []


def test_after_the_end_requests_are_refused_and_answers_are_not() -> None:
    connection = Connection("agent", v1)
    request = requested(connection, ask(1))
    connection.receive_eof()
    with pytest.raises(ConnectionClosed):
        connection.request(extension(v1, "client"), None)
    connection.notify(extension(v1, "client", "notification"), 1)
    connection.respond(request, 2)
    assert [message.get("id") for message in sent(connection)] == [None, 1]


def test_a_last_line_without_an_end_is_read() -> None:
    connection = Connection("agent", v1)
    assert connection.receive(line(ask(1))[:-1]) == []
    event = only(connection.receive_eof())
    assert isinstance(event, Request)
    connection.respond(event, None)
    assert reply(connection)["id"] == 1


@pytest.mark.parametrize("partial", [b'{"jsonrpc": "2.0", "id": 1, "met', b"{", b"x"])
@each_side
def test_a_part_of_a_line_is_ignored_at_the_end(side: Any, partial: bytes) -> None:
    connection = Connection(side, v1)
    connection.receive(partial)
    event = only(connection.receive_eof())
    assert isinstance(event, Ignored)
    assert event.raw == partial
    assert sent(connection) == []


def test_blanks_at_the_end_are_nothing() -> None:
    connection = Connection("agent", v1)
    connection.receive(b" \r")
    assert connection.receive_eof() == []


def test_nothing_goes_out_once_closed() -> None:
    connection = Connection("agent", v1)
    request = requested(connection, ask(1))
    id_ = connection.request(extension(v1, "client"), None)
    connection.close()
    with pytest.raises(ConnectionClosed):
        connection.respond(request, None)
    with pytest.raises(ConnectionClosed):
        connection.fail(request, ValueError())
    with pytest.raises(ConnectionClosed):
        connection.notify(extension(v1, "client", "notification"), None)
    with pytest.raises(ConnectionClosed):
        connection.request(extension(v1, "client"), None)
    connection.cancel(id_)
    assert sent(connection) == []
    assert connection.requests == ()


def test_nothing_is_looked_at_once_closed() -> None:
    connection = Connection("agent", v1)
    id_ = connection.request(extension(v1, "client"), None)
    connection.receive(line(ask(1))[:-1])
    connection.close()
    assert connection.receive(b"\n" + line(ask(2), tell(), 5)) == []
    event = only(connection.receive_eof())
    assert isinstance(event, Failure)
    assert event.id == id_
    assert sent(connection) == []
