"""What refusals, ignored messages and exceptions of a connection say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import ConnectionClosed, DecodeError, Issue, RequestError
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, pick_version
from acp_bindings.runtime.jsonrpc.framing import Lines
from package.jsonrpc.wire import (
    ask,
    extension,
    initialize,
    line,
    only,
    reply,
    requested,
    sent,
    tell,
)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"{}\n", -32600, "invalid request"),
        (b"x\n", -32700, "parse error: no value at character 0"),
        (b"\xff\n", -32700, "parse error: text that is not Unicode"),
        (b" " * 201 + b"\n", -32700, "parse error: a line of more than 200 bytes"),
        (line(ask(1, "nope")), -32601, "method not found: nope"),
        (line(ask(None, "_x")), -32600, "invalid request: id must not be null"),
        (line(ask(1, "session/new")), -32602, "invalid params"),
        (line(initialize(1)), -32022, "unsupported protocol version"),
    ],
)
def test_a_refusal(data: bytes, code: int, message: str) -> None:
    connection = Connection("agent", v2, max_line=200)
    refused = only(connection.receive(data))
    body = reply(connection)["error"]
    assert body["message"] == refused.error.message
    assert (body["code"], body["message"]) == (code, message)


def test_a_first_request_other_than_initialize_is_told_what_comes_first() -> None:
    connection = Connection("agent", lambda version: v1)
    connection.receive(line(ask(1, "session/new")))
    assert reply(connection)["error"] == {
        "code": -32600,
        "message": "invalid request: initialize comes first",
    }


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (line(tell("nope")), "unknown notification 'nope'"),
        (line({"id": 5, "result": {}}), "a response to no pending request, id 5"),
        (line({"method": "_x", "result": 1}), "not a JSON-RPC 2.0 message"),
        (
            line({"id": 5, "result": 1, "error": {"code": 1, "message": "m"}}),
            "not a JSON-RPC 2.0 message, but an object that has both a result and an error",
        ),
        (b"hello\n", "not JSON: no value at character 0"),
    ],
)
def test_why_a_message_is_ignored(data: bytes, reason: str) -> None:
    event = only(Connection("client", v1).receive(data))
    assert isinstance(event, Ignored)
    assert event.reason == reason


def test_a_line_cut_short_by_the_end_is_ignored() -> None:
    connection = Connection("agent", v1)
    connection.receive(b'{"jsonrpc": ')
    event = only(connection.receive_eof())
    assert isinstance(event, Ignored)
    assert (event.reason, event.raw) == ("the stream ended within a line", b'{"jsonrpc": ')


def _closed() -> Connection:
    connection = Connection("agent", v1)
    connection.close()
    return connection


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (_closed, "the connection was closed"),
        (lambda: Connection("agent", lambda version: v1), "the connection is not initialized"),
    ],
)
@pytest.mark.parametrize("kind", ["request", "notification"])
def test_why_nothing_can_be_sent(make: Callable[[], Connection], text: str, kind: str) -> None:
    connection = make()
    send: Any = connection.request if kind == "request" else connection.notify
    with pytest.raises(ConnectionClosed) as caught:
        send(extension(v1, "client", kind), None)
    assert str(caught.value) == text


def test_what_becomes_of_a_pending_request_at_the_end() -> None:
    connection = Connection("agent", v1)
    method = extension(v1, "client")
    id_ = connection.request(method, None)
    event = only(connection.receive_eof())
    assert isinstance(event, Failure)
    assert (event.id, event.method) == (id_, method)
    assert str(event.error) == "the connection was closed"


def test_a_second_response_is_a_key_error() -> None:
    connection = Connection("agent", v1)
    request = requested(connection, ask("a"))
    connection.respond(request, None)
    with pytest.raises(KeyError) as caught:
        connection.respond(request, None)
    assert caught.value.args == ("request 'a' already has its response",)


def test_any_other_exception_is_an_internal_error() -> None:
    connection = Connection("agent", v1)
    connection.fail(requested(connection, ask(1)), ValueError("secret"))
    assert reply(connection)["error"] == {"code": -32603, "message": "internal error"}


BOTH = {"result": 1, "error": {"code": 1, "message": "m"}}


@pytest.mark.parametrize(
    ("response", "found"),
    [({}, "object"), (BOTH, "an object that has both a result and an error")],
)
def test_a_response_with_both_or_neither_of_result_and_error(response: Any, found: str) -> None:
    connection = Connection("agent", v1)
    id_ = connection.request(extension(v1, "client"), None)
    event = only(connection.receive(line({"id": id_, **response})))
    error = event.error
    assert isinstance(error, DecodeError)
    assert (error.pointer, error.expected) == ("", "either a result or an error")
    assert (error.found, error.type_name) == (found, "_ask")


def test_null_for_a_result_without_required_members_is_an_issue() -> None:
    issues: list[Issue] = []
    connection = Connection("client", v1, on_issue=issues.append)
    method = v1.AGENT_METHODS["authenticate"]
    id_ = connection.request(method, v1.AuthenticateRequest(method_id="m"))
    connection.receive(line({"id": id_, "result": None}))
    expected = Issue("", "expected object, found null", None, "defaulted", "authenticate")
    assert issues == [expected]


def test_params_that_do_not_decode_say_where() -> None:
    connection = Connection("agent", v1)
    connection.receive(line(ask(1, "session/cancel"), ask(2, "session/new", cwd=5)))
    _, second = sent(connection)
    assert second["error"]["data"] == {"pointer": "/cwd", "expected": "string", "found": "integer"}


def test_a_version_that_is_not_supported_is_told_those_that_are() -> None:
    with pytest.raises(RequestError) as caught:
        pick_version(1, (3, 2))
    assert caught.value.message == "unsupported protocol version"
    assert caught.value.data == {"requested": 1, "supported": [2, 3]}


def test_a_line_too_long_says_the_limit() -> None:
    (error,) = Lines(3).feed(b"abcd")
    assert str(error) == "a line of more than 3 bytes"


def test_a_message_has_its_members_in_the_usual_order() -> None:
    connection = Connection("agent", v1)
    connection.request(extension(v1, "client"), {"a": 1})
    text = connection.data_to_send()
    assert text == b'{"jsonrpc":"2.0","id":1,"method":"_ask","params":{"a":1}}\n'
    assert list(json.loads(text)) == ["jsonrpc", "id", "method", "params"]
