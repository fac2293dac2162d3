"""Messages that are both a call and a response: neither, and never left without a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime.jsonrpc import Connection, Ignored, Refused, Response
from package.jsonrpc.wire import batch, each_side, each_version, error, line, only, sent

BOTH = [
    {"method": "_ask", "result": {}},
    {"method": "_ask", "result": None},
    {"method": "_ask", "error": {"code": 1, "message": "m"}},
    {"method": "_ask", "error": None},
    {"method": "_ask", "params": {}, "result": {}, "error": {"code": 1, "message": "m"}},
]
each_message = pytest.mark.parametrize("message", BOTH, ids=json.dumps)


@each_message
@each_side
@each_version
def test_with_an_id_it_is_an_invalid_request(surface: Any, side: Any, message: Any) -> None:
    connection = Connection(side, surface)
    event = only(connection.receive(line({"id": 7, **message})))
    assert isinstance(event, Refused)
    assert (event.id, event.error.code) == (7, runtime.INVALID_REQUEST)
    assert error(connection) == (7, runtime.INVALID_REQUEST)
    assert connection.requests == ()


@each_message
@each_side
def test_with_an_id_of_ours_it_answers_nothing(side: Any, message: Any) -> None:
    other = "client" if side == "agent" else "agent"
    connection = Connection(side, v1)
    id_ = connection.request(v1.EXTENSIONS[(other, "request")].named("_x"), None)
    sent(connection)
    assert isinstance(only(connection.receive(line({"id": id_, **message}))), Refused)
    assert error(connection) == (id_, runtime.INVALID_REQUEST)
    assert list(connection.pending) == [id_]
    assert isinstance(only(connection.receive(line({"id": id_, "result": 1}))), Response)


@each_message
@each_side
@each_version
def test_without_an_id_it_gets_no_reply(surface: Any, side: Any, message: Any) -> None:
    connection = Connection(side, surface)
    event = only(connection.receive(line(message)))
    assert isinstance(event, Ignored)
    assert event.reason == "not a JSON-RPC 2.0 message"
    assert sent(connection) == []


@pytest.mark.parametrize("method", [None, 5, ["_ask"]], ids=repr)
def test_without_a_method_that_could_be_called_it_is_refused(method: Any) -> None:
    connection = Connection("agent", v1)
    message = line({"method": method, "result": {}})
    assert isinstance(only(connection.receive(message)), Refused)
    assert error(connection) == (None, runtime.INVALID_REQUEST)


def test_in_a_batch_its_reply_is_one_of_the_batch() -> None:
    connection = Connection("agent", v2)
    connection.receive(batch({"id": 1, "method": "_ask", "result": {}}, 5))
    ((first, second),) = sent(connection)
    assert (first["id"], first["error"]["code"]) == (1, runtime.INVALID_REQUEST)
    assert (second["id"], second["error"]["code"]) == (None, runtime.INVALID_REQUEST)
