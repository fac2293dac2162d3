"""Edges of a connection that the usual messages do not reach."""

from __future__ import annotations

import json
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from acp_bindings import runtime, v1
from acp_bindings.runtime import Issue, RequestError
from acp_bindings.runtime.jsonrpc import (
    Connection,
    Ignored,
    Notification,
    Refused,
    Request,
    Response,
)
from package.jsonrpc.wire import ask, each_version, error, initialize, line, only, sent, tell


def variant(**tables: Any) -> Any:
    """Version 1 with other tables of methods for some sides."""
    names = ("SCHEMA", "NULL_ID", "EXTENSIONS", "decode", "encode")
    members = {name: getattr(v1, name) for name in names}
    return SimpleNamespace(METHODS=MappingProxyType({**v1.METHODS, **tables}), **members)


def test_a_protocol_without_cancelling_sends_no_cancellation() -> None:
    tables = {
        side: {name: method for name, method in table.items() if name != "$/cancel_request"}
        for side, table in v1.METHODS.items()
    }
    connection = Connection("client", variant(**tables))
    id_ = connection.request(v1.EXTENSIONS[("agent", "request")].named("_x"), None)
    sent(connection)
    connection.cancel(id_)
    assert sent(connection) == []
    assert list(connection.pending) == [id_]


def test_of_two_methods_of_one_name_the_own_one_counts() -> None:
    own = v1.AGENT_METHODS["session/close"]
    shared = v1.EXTENSIONS[("agent", "request")]
    connection = Connection("agent", variant(proxy={"session/close": shared}))
    event = only(connection.receive(line(ask(1, "session/close", sessionId="s"))))
    assert isinstance(event, Request)
    assert event.method is own


def test_a_method_of_the_schema_cannot_be_named_anew() -> None:
    with pytest.raises(ValueError, match="'_x' does not name an extension"):
        v1.AGENT_METHODS["session/new"].named("_x")


def test_a_null_result_is_an_issue() -> None:
    found: list[Issue] = []
    connection = Connection("client", v1, on_issue=found.append)
    method = v1.AGENT_METHODS["authenticate"]
    id_ = connection.request(method, v1.AuthenticateRequest(method_id="m"))
    assert isinstance(only(connection.receive(line({"id": id_, "result": None}))), Response)
    assert found == [Issue("", "expected object, found null", None, "defaulted", "authenticate")]


def test_closing_within_a_chunk_sends_nothing_for_the_rest_of_it() -> None:
    connection = Connection("agent", v1, on_issue=lambda *_: connection.close())
    odd = ask(1, "session/prompt", sessionId="s", prompt=[{"type": "smell"}])
    events = connection.receive(line(odd) + b"{\n[\n")
    assert [event.__class__ for event in events[-2:]] == [Refused, Refused]
    assert connection.data_to_send() == b""


def test_typed_data_of_an_error_before_initialize_is_left_out() -> None:
    def refuse(version: int) -> Any:
        raise RequestError(-1, "no", v1.Implementation(name="agent", version="1"))

    connection = Connection("agent", refuse)
    assert isinstance(only(connection.receive(line(initialize(1)))), Refused)
    assert sent(connection)[0]["error"] == {"code": -1, "message": "no"}


@pytest.mark.parametrize(("length", "shown"), [(199, 199), (200, 200), (201, 200)])
def test_the_text_of_an_error_cuts_its_data(length: int, shown: int) -> None:
    assert str(RequestError(5, "no", "x" * length)) == "no (5): " + "x" * shown


@pytest.mark.parametrize("end", [b"", b"\r", b" ", b" \t\r"], ids=repr)
def test_blanks_behind_a_last_line_do_not_matter(end: bytes) -> None:
    connection = Connection("agent", v1)
    text = line(tell("session/cancel", sessionId="s")).rstrip(b"\n")
    assert connection.receive(text + end) == []
    assert isinstance(only(connection.receive_eof()), Notification)


@each_version
@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_client_is_not_initialized_whatever_the_version(surface: Any, version: int) -> None:
    connection = Connection("client", surface)
    assert isinstance(only(connection.receive(line(initialize(version, 5)))), Refused)
    assert error(connection) == (5, runtime.METHOD_NOT_FOUND)
    assert connection.advertised is None


def test_data_to_send_is_given_once() -> None:
    connection = Connection("agent", v1)
    assert isinstance(only(connection.receive(line(tell("_" * 3)))), Notification)
    assert isinstance(only(connection.receive(line(tell("x")))), Ignored)
    assert connection.data_to_send() == b""
    connection.receive(line(ask(1, "x")))
    assert json.loads(connection.data_to_send())["id"] == 1
    assert connection.data_to_send() == b""
