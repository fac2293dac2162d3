"""The connection without input and output: messages received, and the answers to them."""

from __future__ import annotations

from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSET,
    EncodeError,
    RequestError,
)
from acp_bindings.runtime.jsonrpc import Cancellation, Connection, Notification, Refused, Request
from package.jsonrpc.wire import (
    CALLS,
    ask,
    calling,
    cancel,
    each_side,
    each_surface,
    each_version,
    error,
    ignored,
    initialize,
    line,
    marked,
    only,
    refused,
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
    assert connection.data_to_send() == b""


@each_version
def test_the_result_is_encoded(surface: ModuleType) -> None:
    connection = Connection("agent", surface)
    event = requested(connection, ask(7, "session/new", cwd="/", mcpServers=[]))
    connection.respond(event, surface.NewSessionResponse(session_id="s"))
    assert reply(connection) == {"jsonrpc": "2.0", "id": 7, "result": {"sessionId": "s"}}


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
    """Says something that nobody is told."""


@pytest.mark.parametrize(
    ("problem", "body"),
    [
        (Hidden("hunter2"), {"code": INTERNAL_ERROR, "message": "internal error"}),
        (RequestError(-5, "no"), {"code": -5, "message": "no"}),
        *(
            (RequestError(-5, "no", data), {"code": -5, "message": "no", "data": data})
            for data in (None, 0, "", [], {}, {"a": [1.5, None]}, "ä€😀")
        ),
        *(
            (RequestError(-5, "no", data), {"code": -5, "message": "no"})
            for data in (object(), {1}, b"x", float("nan"), "\ud800", {"a": UNSET}, endless())
        ),
        (RequestError(-5, "\ud800"), {"code": INTERNAL_ERROR, "message": "internal error"}),
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
    assert caught.value.args == ("request 'a' already has its response",)
    with pytest.raises(KeyError):
        connection.fail(event, ValueError())
    with pytest.raises(KeyError):
        connection.respond(requested(Connection("agent", v1), ask("b")), 1)
    assert reply(connection)["result"] == 1


# --- notifications that come -----------------------------------------------------------------


# --- what is refused, and what is ignored ----------------------------------------------------

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
    *(b"\xff\xfe", b" \xef\xbb\xbf{}", b'{"a":"\\ud800"}', b"[" * 100_000),
]
STRAY = [
    *(b"hello", b"  warning: x", b"\xff", b"Traceback {", b"nul"),
    *(b" [", b"[1,", b"[INFO] {", b"{x", b"[[{", b"{1"),
]
PARTS = [b"{", b" [{", b'\t{"jsonrpc":', b'[ { "', b"{}}"]  # of messages


@pytest.mark.parametrize(
    ("sides", "data", "id_", "code"),
    [
        *(
            (BOTH, line(ask(1, name)), 1, METHOD_NOT_FOUND)
            for name in ("nope", "", "$/nope", "session/", "Initialize", "\n")
        ),
        # The name of a method of the other side, or of a notification.
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
        # It does not settle our call with this id.
        *((BOTH, line({"id": 1, **each}), 1, INVALID_REQUEST) for each in CALL_AND_RESPONSE),
        (BOTH, line({"jsonrpc": "1.0", "method": "_x", "id": 4}), 4, INVALID_REQUEST),
        *(
            (BOTH, value + b"\n", None, INVALID_REQUEST)
            for value in (b"1", b'"a"', b"null", b"true", b"{}", b"1.5", b"[]")
        ),
        *(("agent", text + b"\n", None, PARSE_ERROR) for text in NOT_JSON),
        *(("client", part + b"\n", None, PARSE_ERROR) for part in PARTS),
    ],
    ids=lambda value: ascii(value)[:60],
)
@each_surface
def test_what_is_refused(surface: ModuleType, sides: str, data: bytes, id_: Any, code: int) -> None:
    for side in sides.split():
        connection = calling(side, surface)
        assert refused(connection, data) == (id_, code)
        assert connection.requests == ()
        assert list(connection.pending) == [1]
        requested(connection, ask("next"))


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"{}\n", INVALID_REQUEST, "invalid request"),
        (b"x\n", PARSE_ERROR, "parse error: no value at character 0"),
        (b"\xff\n", PARSE_ERROR, "parse error: text that is not Unicode"),
        (
            b'{"method":"_a","a":"\xff"}\n',
            PARSE_ERROR,
            "parse error: text that is not Unicode, in '_a'",
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
BOTH_OUTCOMES = f"{NO_MESSAGE}, but an object that has both a result and an error"


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
        # Responses that nobody waits for.
        *(
            (BOTH, {"id": 99, **each}, "stray", "id 99")
            for each in ({"result": 1}, {"error": BODY})
        ),
        (BOTH, {"id": "1", "result": 1}, "stray", "a response to no pending request, id '1'"),
        (BOTH, {"id": None, "result": 1}, "stray", "a response to no pending request, id None"),
        (BOTH, {"id": None, "error": BODY}, "error", "'no' (7)"),
        *((BOTH, {"id": id_, "result": 1}, "not_a_message", NO_MESSAGE) for id_ in (True, 1.5)),
        (BOTH, {"result": 1}, "not_a_message", NO_MESSAGE),
        (BOTH, {"id": 99, "result": 1, "error": {}}, "not_a_message", BOTH_OUTCOMES),
    ],
    ids=lambda value: ascii(value)[:60],
)
@each_surface
def test_what_is_ignored(
    surface: ModuleType, sides: str, message: Any, kind: str, reason: str
) -> None:
    for side in sides.split():
        connection = calling(side, surface)
        is_text = isinstance(message, bytes)
        event = ignored(connection, message + b"\n" if is_text else line(message))
        assert (event.kind, event.raw) == (kind, message if is_text else marked(message))
        assert reason in event.reason
        assert kind != "not_a_message" or event.reason == reason
        assert connection.requests == ()
        assert list(connection.pending) == [1]
