"""Tests of connections without I/O: requests, responses, cancellation, and closing."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSET,
    ConnectionClosed,
    DecodeError,
    EncodeError,
    Issue,
    RequestError,
)
from acp_bindings.runtime.jsonrpc import (
    Cancellation,
    Connection,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
)

from tests.package.jsonrpc.wire import (
    SURFACES,
    ask,
    batch,
    calling,
    cancel,
    choosing,
    each_side,
    each_surface,
    each_version,
    error,
    extension,
    ignored,
    initialize,
    line,
    marked,
    only,
    other,
    refused,
    reply,
    requested,
    sent,
    tell,
)

# --- requests that come ----------------------------------------------------------------------


@pytest.mark.parametrize("id_", [0, -1, 2**63, 10**30, 1.0, -0.0, 1e22, "", "1.0", "ä€😀", "a\nb"])
@each_version
def test_ids_are_echoed_verbatim(surface: ModuleType, id_: Any) -> None:
    connection = Connection("agent", surface)
    connection.respond(requested(connection, ask(id_)), None)
    assert repr(reply(connection)["id"]) == repr(id_)
    connection.fail(requested(connection, ask(id_)), RequestError(-5, "no", {1, 2}))
    assert repr(reply(connection)["id"]) == repr(id_)


@each_surface
@each_side
def test_an_extension_has_any_params_and_any_result(surface: ModuleType, side: Any) -> None:
    connection = Connection(side, surface)
    event = requested(connection, {"id": 1, "method": "_x/y", "params": [1, None]})
    assert (event.method.name, event.params) == ("_x/y", [1, None])
    connection.respond(event, {"any": ["thing"]})
    assert reply(connection)["result"] == {"any": ["thing"]}
    told = only(connection.receive(line({"method": "_x", "params": 5})))
    assert isinstance(told, Notification)
    assert (told.method.name, told.params) == ("_x", 5)


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
        (None, "/sessionId", "string", "nothing"),
    ],
)
@each_version
def test_bad_params_are_answered_with_where_and_what(
    surface: ModuleType, params: Any, pointer: str, expected: str, found: str
) -> None:
    connection = Connection("agent", surface)
    message = {"id": 1, "method": "session/close", "params": params}
    assert isinstance(only(connection.receive(line(message))), Refused)
    body = reply(connection)["error"]
    assert (body["code"], body["message"]) == (INVALID_PARAMS, "invalid params")
    assert expected in body["data"].pop("expected")
    assert body["data"] == {"pointer": pointer, "found": found}


@pytest.mark.parametrize("params", [{}, {"params": None}, {"params": {}}])
@each_version
def test_params_may_be_null_or_absent(surface: ModuleType, params: Any) -> None:
    connection = Connection("agent", surface)
    event = requested(connection, {"id": 1, "method": "session/list", **params})
    assert event.params == surface.ListSessionsRequest()
    extension = requested(connection, {"id": 1, "method": "_x", **params})
    assert extension.params == params.get("params")


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
def test_a_null_id_is_answered_in_version_1_and_refused_in_version_2(side: Any) -> None:
    connection = Connection(side, v1)
    connection.respond(requested(connection, ask(None)), 1)
    assert reply(connection) == {"jsonrpc": "2.0", "id": None, "result": 1}
    said = "invalid request: id must not be null"
    connection = Connection(side, v2)
    connection.receive(line(ask(None)))
    expected = {"id": None, "error": {"code": INVALID_REQUEST, "message": said}}
    assert reply(connection) == marked(expected)


def test_of_two_methods_of_one_name_the_own_one_counts() -> None:
    shared = v1.EXTENSIONS[("agent", "request")]
    tables = MappingProxyType({**v1.METHODS, "proxy": {"session/close": shared}})
    names = ("SCHEMA", "NULL_ID", "EXTENSIONS", "decode", "encode")
    surface: Any = SimpleNamespace(METHODS=tables, **{name: getattr(v1, name) for name in names})
    event = requested(Connection("agent", surface), ask(1, "session/close", sessionId="s"))
    assert event.method is v1.AGENT_METHODS["session/close"]


# --- answers to them -------------------------------------------------------------------------


def endless() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


class Hidden(Exception):
    """An exception with a message that must not be disclosed."""


@pytest.mark.parametrize(
    ("problem", "body"),
    [
        (Hidden("hunter2"), {"code": INTERNAL_ERROR, "message": "internal error"}),
        (RequestError(-5, "no"), {"code": -5, "message": "no"}),
        *(
            (RequestError(-5, "no", data), {"code": -5, "message": "no", "data": data})
            for data in (None, 0, "", [], {}, {"a": [1.5, None]}, "ä€😀", "\ud800")
        ),
        *(
            (RequestError(-5, "no", data), {"code": -5, "message": "no"})
            for data in (object(), {1}, b"x", float("nan"), {"a": UNSET}, endless())
        ),
        (RequestError(-5, "\ud800"), {"code": -5, "message": "\ud800"}),
        (RequestError(-5, "no", v2.TextContent(text="t")), {"code": -5, "message": "no"}),
        (
            RequestError(-5, "no", v1.TextContent(text="t", unknown_fields={"x": 1})),
            {"code": -5, "message": "no", "data": {"text": "t", "x": 1}},
        ),
    ],
    ids=lambda value: None if isinstance(value, dict) else ascii(value)[:40],
)
def test_an_error_is_sent_as_far_as_it_is_json(problem: Exception, body: Any) -> None:
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), problem)
    assert reply(connection) == {"jsonrpc": "2.0", "id": 1, "error": body}
    assert connection.requests == ()


def test_typed_data_of_an_error_before_initialize_is_left_out() -> None:
    def refuse(version: int) -> Any:
        raise RequestError(-1, "no", v1.Implementation(name="agent", version="1"))

    connection = Connection("agent", refuse)
    connection.receive(line(initialize(1)))
    assert reply(connection)["error"] == {"code": -1, "message": "no"}


@pytest.mark.parametrize("result", [v1.TextContent(text="t"), object()])
def test_a_result_that_is_refused_still_needs_an_answer(result: Any) -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask(1, "session/new", cwd="/", mcpServers=[]))
    with pytest.raises(EncodeError):
        connection.respond(event, result)
    assert sent(connection) == []
    assert connection.requests == (event,)
    connection.fail(event, ValueError())
    assert error(connection) == (1, INTERNAL_ERROR)


def test_a_request_is_answered_once() -> None:
    connection = Connection("agent", v1)
    event = requested(connection, ask("a"))
    connection.respond(event, 1)
    with pytest.raises(KeyError) as caught:
        connection.respond(event, 2)
    assert caught.value.args == ("request 'a' already has a response",)
    with pytest.raises(KeyError):
        connection.fail(event, ValueError())
    with pytest.raises(KeyError):
        connection.respond(requested(Connection("agent", v1), ask("b")), 1)
    assert reply(connection)["result"] == 1


# --- notifications that come -----------------------------------------------------------------


# --- rejected and ignored messages -----------------------------------------------------------

BOTH = "agent client"
CALL_AND_RESPONSE = [
    {"method": "_ask", "result": {}},
    {"method": "_ask", "result": None},
    {"method": "_ask", "error": {"code": 1, "message": "m"}},
    {"method": "_ask", "error": None},
    {"method": "_ask", "params": {}, "result": {}, "error": {"code": 1, "message": "m"}},
]
NOT_JSON = [
    *(b"hello", b"{", b"[", b"{]", b"}", b'"', b"nul", b"{}{}", b"[NaN]", b"[1e999]"),
    *(b"\xff\xfe", b" \xef\xbb\xbf{}", b'{"a":"\xff"}', b"[" * 100_000),
]
STRAY = [
    *(b"hello", b"  warning: x", b"\xff", b"Traceback {", b"nul"),
    *(b" [", b"[1,", b"[INFO] {", b"{x", b"[[{", b"{1"),
]
# JSON that a program might print and that doesn't look like a message.
PRINTED = [
    *(b"1", b'"a"', b"null", b"true", b"1.5", b"[]", b"{}", b'{"id":1}', b'{"level":30}'),
    *(b'{"level":30,"id":1,"msg":"saved"}', b'{"level":30,"id":"1","msg":"saved"}'),
    *(b'{"level":30,"id":1,"%b":"x"}' % name for name in (b"method", b"result", b"error")),
]
PARTS = [b"{", b" [{", b'\t{"jsonrpc":', b'[ { "', b"{}}"]  # of messages


@pytest.mark.parametrize(
    ("sides", "data", "id_", "code"),
    [
        *(
            (BOTH, line(ask(1, name)), 1, METHOD_NOT_FOUND)
            for name in ("nope", "", "$/nope", "session/", "Initialize", "\n")
        ),
        # Requests with the method of a notification, or with a method that only the peer handles.
        ("agent", line(ask(1, "session/update")), 1, METHOD_NOT_FOUND),
        ("agent", line(ask(1, "session/cancel", sessionId="s")), 1, METHOD_NOT_FOUND),
        ("client", line(ask(1, "session/prompt")), 1, METHOD_NOT_FOUND),
        *(("client", line(initialize(n, 5)), 5, METHOD_NOT_FOUND) for n in (0, 1, 2, 3)),
        *((BOTH, line(ask(id_)), None, INVALID_REQUEST) for id_ in (True, 1.5, [], {})),
        *(
            (BOTH, line({"method": method, "result": {}}), None, INVALID_REQUEST)
            for method in (None, 5, ["_ask"])
        ),
        *((BOTH, line({"id": 7, **each}), 7, INVALID_REQUEST) for each in CALL_AND_RESPONSE),
        # An invalid message doesn't settle our call with the same id.
        *((BOTH, line({"id": 1, **each}), 1, INVALID_REQUEST) for each in CALL_AND_RESPONSE),
        (BOTH, line({"jsonrpc": "1.0", "method": "_x", "id": 4}), 4, INVALID_REQUEST),
        *(("agent", value + b"\n", None, INVALID_REQUEST) for value in PRINTED),
        *(("agent", line({"id": 1, **each}), None, INVALID_REQUEST) for each in ({}, {"x": 1})),
        *(("agent", text + b"\n", None, PARSE_ERROR) for text in NOT_JSON),
        *(("client", part + b"\n", None, PARSE_ERROR) for part in PARTS),
    ],
    ids=lambda value: ascii(value)[:60],
)
def test_what_is_refused(sides: str, data: bytes, id_: Any, code: int) -> None:
    for side, surface in product(sides.split(), SURFACES):
        connection = calling(side, surface)
        assert refused(connection, data) == (id_, code), (side, surface)
        assert connection.requests == ()
        assert list(connection.pending) == [1]
        requested(connection, ask("next"))


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"{}\n", INVALID_REQUEST, "invalid request"),
        (b"x\n", PARSE_ERROR, "parse error: no value at character 0"),
        (
            b'{"a": "x\n',
            PARSE_ERROR,
            "parse error: invalid text at character 6 (unterminated string)",
        ),
        (
            b'{"a" 1}\n',
            PARSE_ERROR,
            "parse error: invalid text at character 5 (expecting ':' delimiter)",
        ),
        (b"\xff\n", PARSE_ERROR, "parse error: text that is not valid Unicode"),
        (
            b'{"jsonrpc":"2.0","method":"_a","a":"\xff"}\n',
            PARSE_ERROR,
            "parse error: text that is not valid Unicode, in '_a'",
        ),
        (b" " * 201 + b"\n", PARSE_ERROR, "parse error: a line of more than 200 bytes"),
        (line(ask(1, "nope")), METHOD_NOT_FOUND, "method not found: nope"),
    ],
)
def test_what_a_refusal_says(data: bytes, code: int, message: str) -> None:
    connection = Connection("agent", v2, max_line=200)
    connection.receive(data)
    assert reply(connection)["error"] == {"code": code, "message": message}


BODY = {"code": 7, "message": "no"}
BAD = {"method": "session/cancel", "params": [1]}
NO_MESSAGE = "not a JSON-RPC 2.0 message"
BOTH_OUTCOMES = f"{NO_MESSAGE}, but an object with both a result and an error"


@pytest.mark.parametrize(
    ("sides", "message", "kind", "reason"),
    [
        *(("client", text, "not_json", "not JSON: ") for text in STRAY),
        (BOTH, tell("nope"), "unknown", "unknown notification 'nope'"),
        (BOTH, tell("initialize"), "unknown", "unknown notification 'initialize'"),
        ("agent", tell("session/new", cwd="/", mcpServers=[]), "unknown", "unknown notification"),
        ("agent", tell("session/update"), "unknown", "unknown notification 'session/update'"),
        ("agent", tell("session/cancel"), "invalid", "'session/cancel': "),
        ("agent", tell("session/cancel", sessionId=5), "invalid", "found integer"),
        (BOTH, tell("$/cancel_request", requestId=True), "invalid", "'$/cancel_request': "),
        ("agent", BAD, "invalid", "found array"),
        *((BOTH, each, "not_a_message", NO_MESSAGE) for each in CALL_AND_RESPONSE),
        ("agent", {"jsonrpc": "1.0", **BAD}, "not_a_message", NO_MESSAGE),
        # Responses without a pending call.
        *(
            (BOTH, {"id": 99, **each}, "stray", "id 99")
            for each in ({"result": 1}, {"error": BODY})
        ),
        (BOTH, {"id": "9", "result": 1}, "stray", "response without a pending request, id '9'"),
        (BOTH, {"id": None, "result": 1}, "stray", "response without a pending request, id None"),
        (BOTH, {"id": None, "error": BODY}, "error", "'no' (7)"),
        *((BOTH, {"id": id_, "result": 1}, "not_a_message", NO_MESSAGE) for id_ in (True, 1.5)),
        (BOTH, {"result": 1}, "not_a_message", NO_MESSAGE),
        (BOTH, {"id": 99, "result": 1, "error": {}}, "not_a_message", BOTH_OUTCOMES),
        *(("client", each, "not_a_message", NO_MESSAGE) for each in ({}, {"id": 1}, {"x": 1})),
    ],
    ids=lambda value: ascii(value)[:60],
)
def test_what_is_ignored(sides: str, message: Any, kind: str, reason: str) -> None:
    is_text = isinstance(message, bytes)
    raw = message if is_text else marked(message)
    for side, surface in product(sides.split(), SURFACES):
        connection = calling(side, surface)
        event = ignored(connection, message + b"\n" if is_text else line(message))
        assert (event.kind, event.raw) == (kind, raw), (side, surface)
        assert reason in event.reason
        assert kind != "not_a_message" or event.reason == reason
        assert connection.requests == ()
        assert list(connection.pending) == [1]


def failure(connection: Connection, **answer: Any) -> Any:
    """Respond to the first call and return the error that the call raises."""
    connection.data_to_send()
    event = only(connection.receive(line({"id": 1, **answer})))
    assert isinstance(event, Failure)
    assert event.id == 1
    assert not connection.pending
    assert sent(connection) == []
    return event.error


def result(connection: Connection, **answer: Any) -> Any:
    """Respond to the first call and return its result."""
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
    """Return a client connection with a pending `session/new` call."""
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
        connection.notify(extension(v1, "agent", "notification"), float("nan"))
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
    connection = Connection("client", v1, on_issue=told.append)
    connection.request(v1.AGENT_METHODS["logout"], v1.LogoutRequest())
    assert isinstance(failure(connection, result=5), DecodeError)
    assert isinstance(failure(new_session(on_issue=told.append), result=None), DecodeError)
    assert result(calling("client", on_issue=told.append), result=None) is None
    assert told == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"result": 1, "error": BODY}, "an object with both a result and an error"),
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


# --- the end ---------------------------------------------------------------------------------


def test_after_the_end_requests_are_refused_and_answers_are_not() -> None:
    connection = Connection("agent", v1)
    request = requested(connection, ask(1))
    connection.receive_eof()
    with pytest.raises(ConnectionClosed):
        connection.request(extension(v1, "client"), None)
    connection.notify(extension(v1, "client", "notification"), 1)
    connection.respond(request, 2)
    assert [message.get("id") for message in sent(connection)] == [None, 1]


@pytest.mark.parametrize("end", [b"", b"\r", b" ", b" \t\r"], ids=repr)
@pytest.mark.parametrize(("message", "kind"), [(ask(1), Request), (tell(), Notification)])
def test_a_last_line_without_an_end_is_read(message: Any, kind: type, end: bytes) -> None:
    connection = Connection("agent", v1)
    assert connection.receive(line(message)[:-1] + end) == []
    assert isinstance(only(connection.receive_eof()), kind)


@pytest.mark.parametrize("partial", [b'{"jsonrpc": "2.0", "id": 1, "met', b"{", b"x"])
@each_side
def test_a_part_of_a_line_is_ignored_at_the_end(side: Any, partial: bytes) -> None:
    connection = Connection(side, v1)
    connection.receive(partial)
    event = only(connection.receive_eof())
    assert isinstance(event, Ignored)
    assert event.raw == partial
    assert (event.kind, event.reason) == ("cut_off", "the stream ended within a line")
    assert sent(connection) == []
    blank = Connection(side, v1)
    blank.receive(b" \r")
    assert blank.receive_eof() == []


@pytest.mark.parametrize("rest", [b'{"sessionId": "s", "modes": {}', b'{"sessionId": "}', b"[{}"])
def test_a_call_whose_answer_is_cut_off_knows_that_the_connection_ended(rest: bytes) -> None:
    connection = calling("client")
    connection.receive(b'{"jsonrpc": "2.0", "id": 1, "result": %b' % rest)
    ignored, failed = connection.receive_eof()
    assert isinstance(ignored, Ignored)
    assert ignored.kind == "cut_off"
    assert isinstance(failed, Failure)
    assert isinstance(failed.error, ConnectionClosed)


def closed() -> Connection:
    connection = Connection("agent", v1)
    connection.close()
    return connection


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (closed, "the connection was closed"),
        (choosing, "the connection is not initialized"),
    ],
)
@pytest.mark.parametrize("kind", ["request", "notification"])
def test_why_nothing_can_be_sent(make: Callable[[], Connection], text: str, kind: str) -> None:
    connection = make()
    send: Any = connection.request if kind == "request" else connection.notify
    with pytest.raises(ConnectionClosed) as caught:
        send(extension(v1, "client", kind), None)
    assert str(caught.value) == text
    assert sent(connection) == []


def test_nothing_goes_out_and_nothing_is_looked_at_once_closed() -> None:
    connection = calling("agent")
    request = requested(connection, ask(1))
    connection.receive(line(ask(1))[:-1])
    connection.close()
    with pytest.raises(ConnectionClosed):
        connection.respond(request, None)
    with pytest.raises(ConnectionClosed):
        connection.fail(request, ValueError())
    connection.cancel(1)
    assert connection.requests == ()
    assert connection.receive(b"\n" + line(ask(2), tell(), 5)) == []
    assert isinstance(only(connection.receive_eof()), Failure)
    assert sent(connection) == []


def test_closing_within_a_chunk_sends_nothing_for_the_rest_of_it() -> None:
    connection = Connection("agent", v1, on_issue=lambda *_: connection.close())
    odd = ask(1, "session/prompt", sessionId="s", prompt=[{"type": "smell"}])
    events = connection.receive(line(odd) + b"{\n[\n")
    assert [event.__class__ for event in events[-2:]] == [Refused, Refused]
    assert connection.data_to_send() == b""
