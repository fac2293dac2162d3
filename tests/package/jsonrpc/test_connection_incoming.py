"""The connection without input and output: messages received, and the answers to them."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import UNSET, EncodeError, RequestError
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Ignored,
    Notification,
    Refused,
    Request,
)
from package.jsonrpc.wire import (
    CALLS,
    ask,
    cancel,
    each_side,
    each_surface,
    each_version,
    error,
    line,
    marked,
    only,
    reply,
    requested,
    sent,
    tell,
)

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
    assert (event.id, event.error.code) == (1, runtime.METHOD_NOT_FOUND)
    assert error(connection) == (1, runtime.METHOD_NOT_FOUND)
    assert connection.requests == ()


@pytest.mark.parametrize(
    ("side", "name"), [("agent", "session/update"), ("client", "session/prompt")]
)
@each_surface
def test_a_method_of_the_other_side_is_unknown(surface: ModuleType, side: Any, name: str) -> None:
    connection = Connection(side, surface)
    connection.receive(line(ask(1, name)))
    assert error(connection) == (1, runtime.METHOD_NOT_FOUND)


@each_version
def test_a_request_by_the_name_of_a_notification_is_unknown(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    connection.receive(line(ask(1, "session/cancel", sessionId="s")))
    assert error(connection) == (1, runtime.METHOD_NOT_FOUND)


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
    assert body["code"] == runtime.INVALID_PARAMS
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
    assert error(connection) == (1, runtime.INVALID_PARAMS)


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
    assert error(connection) == (None, runtime.INVALID_REQUEST)


@pytest.mark.parametrize("id_", [True, 1.5, [], {}])
@each_side
def test_a_request_with_what_is_no_id_is_refused(side: Any, id_: Any) -> None:
    connection = Connection(side, v1)
    assert isinstance(only(connection.receive(line(ask(id_)))), Refused)
    assert error(connection) == (None, runtime.INVALID_REQUEST)


# --- answers to them -------------------------------------------------------------------------


def test_an_exception_is_answered_without_a_trace_of_it() -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask(1))
    try:
        raise ValueError("hunter2")
    except ValueError as problem:
        connection.fail(event, problem)
    data = connection.data_to_send()
    body = {"code": runtime.INTERNAL_ERROR, "message": "internal error"}
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
    assert error(connection) == (1, runtime.INTERNAL_ERROR)
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
    assert error(connection) == (1, runtime.INTERNAL_ERROR)


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
    assert error(connection) == (4, runtime.INVALID_REQUEST)


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
        *(b"\xff\xfe", b" \xef\xbb\xbf{}", b'{"a":"\\ud800"}', b"[" * 100_000),
    ],
    ids=lambda garbage: repr(garbage[:12]),
)
def test_an_agent_answers_what_is_no_json(garbage: bytes) -> None:
    connection = Connection("agent", v1)
    event = only(connection.receive(garbage + b"\n"))
    assert isinstance(event, Refused)
    assert event.id is None
    assert error(connection) == (None, runtime.PARSE_ERROR)


@pytest.mark.parametrize(
    "stray",
    [
        *(b"hello", b"  warning: x", b"\xff", b"Traceback {", b"nul"),
        *(b" [", b"[1,", b"[INFO] {", b"{x", b"[[{", b"{1"),
    ],
)
def test_a_client_ignores_stray_text(stray: bytes) -> None:
    connection = Connection("client", v1)
    event = only(connection.receive(stray + b"\n"))
    assert isinstance(event, Ignored)
    assert event.raw == stray
    assert sent(connection) == []


@pytest.mark.parametrize("broken", [b"{", b" [{", b'\t{"jsonrpc":', b'[ { "', b"{}}"])
def test_a_client_answers_what_begins_as_a_message(broken: bytes) -> None:
    connection = Connection("client", v1)
    assert isinstance(only(connection.receive(broken + b"\n")), Refused)
    assert error(connection) == (None, runtime.PARSE_ERROR)


@pytest.mark.parametrize("value", [b"1", b'"a"', b"null", b"true", b"{}", b"1.5"])
@each_side
def test_json_that_is_no_message_is_an_invalid_request(side: Any, value: bytes) -> None:
    connection = Connection(side, v1)
    assert isinstance(only(connection.receive(value + b"\n")), Refused)
    assert error(connection) == (None, runtime.INVALID_REQUEST)


def test_what_follows_garbage_is_read() -> None:
    connection = Connection("agent", v1)
    refused, request = connection.receive(b"garbage\n" + line(ask(1)))
    assert isinstance(refused, Refused)
    assert isinstance(request, Request)
