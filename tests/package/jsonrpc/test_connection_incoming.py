"""The connection without input and output: messages received, and the answers to them."""

from __future__ import annotations

import json
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
    batch,
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


@each_surface
@each_side
@pytest.mark.parametrize("name", ["nope", "", "$/nope", "session/", "Initialize", "\n"])
def test_an_unknown_request_is_answered(surface: ModuleType, side: Any, name: str) -> None:
    connection = Connection(side, surface)
    assert refused(connection, line(ask(1, name))) == (1, METHOD_NOT_FOUND)
    assert connection.requests == ()


@pytest.mark.parametrize(
    ("side", "name"),
    [("agent", "session/update"), ("client", "session/prompt"), ("agent", "session/cancel")],
)
@each_surface
def test_a_request_by_another_name_is_unknown(surface: ModuleType, side: Any, name: str) -> None:
    """That of a method of the other side, or of a notification."""
    connection = Connection(side, surface)
    assert refused(connection, line(ask(1, name, sessionId="s"))) == (1, METHOD_NOT_FOUND)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@each_version
def test_a_client_is_not_initialized(surface: Any, version: int) -> None:
    connection = Connection("client", surface)
    assert refused(connection, line(initialize(version, 5))) == (5, METHOD_NOT_FOUND)
    assert connection.advertised is None


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
    assert refused(Connection(side, v2), line(ask(None))) == (None, INVALID_REQUEST)


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
    ("message", "kind", "reason"),
    [
        (tell("nope"), "unknown", "unknown notification 'nope'"),
        (tell("session/new", cwd="/", mcpServers=[]), "unknown", "unknown notification"),
        (tell("session/update"), "unknown", "unknown notification 'session/update'"),
        (tell("initialize"), "unknown", "unknown notification 'initialize'"),
        (tell("session/cancel"), "invalid", "'session/cancel': "),
        (tell("session/cancel", sessionId=5), "invalid", "found integer"),
        (tell("$/cancel_request", requestId=True), "invalid", "'$/cancel_request': "),
        ({"method": "session/cancel", "params": [1]}, "invalid", "found array"),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
@each_surface
def test_a_notification_that_nothing_takes_is_ignored(
    surface: ModuleType, message: Any, kind: str, reason: str
) -> None:
    event = ignored(Connection("agent", surface), line(message))
    assert (event.kind, event.raw) == (kind, marked(message))
    assert reason in event.reason


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
    assert refused(connection, garbage + b"\n") == (None, PARSE_ERROR)
    requested(connection, ask(1))


@pytest.mark.parametrize(
    "stray",
    [
        *(b"hello", b"  warning: x", b"\xff", b"Traceback {", b"nul"),
        *(b" [", b"[1,", b"[INFO] {", b"{x", b"[[{", b"{1"),
    ],
)
def test_a_client_ignores_stray_text(stray: bytes) -> None:
    event = ignored(Connection("client", v1), stray + b"\n")
    assert (event.kind, event.raw) == ("not_json", stray)
    assert event.reason.startswith("not JSON: ")


@pytest.mark.parametrize("broken", [b"{", b" [{", b'\t{"jsonrpc":', b'[ { "', b"{}}"])
def test_a_client_answers_what_begins_as_a_message(broken: bytes) -> None:
    assert refused(Connection("client", v1), broken + b"\n") == (None, PARSE_ERROR)


@pytest.mark.parametrize("value", [b"1", b'"a"', b"null", b"true", b"{}", b"1.5"])
@each_side
def test_json_that_is_no_message_is_an_invalid_request(side: Any, value: bytes) -> None:
    assert refused(Connection(side, v1), value + b"\n") == (None, INVALID_REQUEST)


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        *((ask(id_), None) for id_ in (True, 1.5, [], {})),
        *(({"method": method, "result": {}}, None) for method in (None, 5, ["_ask"])),
        ({"jsonrpc": "1.0", "method": "_x", "id": 4}, 4),
    ],
    ids=json.dumps,
)
@each_side
def test_what_only_looks_like_a_request_is_refused(side: Any, message: Any, id_: Any) -> None:
    assert refused(Connection(side, v1), line(message)) == (id_, INVALID_REQUEST)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"{}\n", INVALID_REQUEST, "invalid request"),
        (b"x\n", PARSE_ERROR, "parse error: no value at character 0"),
        (b"\xff\n", PARSE_ERROR, "parse error: text that is not Unicode"),
        (b" " * 201 + b"\n", PARSE_ERROR, "parse error: a line of more than 200 bytes"),
        (line(ask(1, "nope")), METHOD_NOT_FOUND, "method not found: nope"),
        (line(ask(None, "_x")), INVALID_REQUEST, "invalid request: id must not be null"),
    ],
)
def test_what_a_refusal_says(data: bytes, code: int, message: str) -> None:
    connection = Connection("agent", v2, max_line=200)
    connection.receive(data)
    assert reply(connection)["error"] == {"code": code, "message": message}


BOTH = [
    {"method": "_ask", "result": {}},
    {"method": "_ask", "result": None},
    {"method": "_ask", "error": {"code": 1, "message": "m"}},
    {"method": "_ask", "error": None},
    {"method": "_ask", "params": {}, "result": {}, "error": {"code": 1, "message": "m"}},
]


@pytest.mark.parametrize("message", BOTH, ids=json.dumps)
@each_side
@each_version
def test_a_call_that_is_a_response_too_is_neither(surface: Any, side: Any, message: Any) -> None:
    """With an id it is an invalid request, and settles no call; without, it gets no reply."""
    connection = calling(side, surface)
    assert refused(connection, line({"id": 7, **message})) == (7, INVALID_REQUEST)
    assert refused(connection, line({"id": 1, **message})) == (1, INVALID_REQUEST)
    event = ignored(connection, line(message))
    assert (event.kind, event.reason) == ("not_a_message", "not a JSON-RPC 2.0 message")
    assert connection.requests == ()
    assert list(connection.pending) == [1]


def test_in_a_batch_its_reply_is_one_of_the_batch() -> None:
    connection = Connection("agent", v2)
    connection.receive(batch({"id": 1, **BOTH[0]}, 5))
    ((first, second),) = sent(connection)
    assert (first["id"], first["error"]["code"]) == (1, INVALID_REQUEST)
    assert (second["id"], second["error"]["code"]) == (None, INVALID_REQUEST)


def test_a_message_in_another_dialect_without_an_id_is_not_answered() -> None:
    ignored(Connection("agent", v1), b'{"method":"session/cancel","params":{"sessionId":"s"}}\n')
