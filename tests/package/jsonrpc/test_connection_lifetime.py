"""The connection without input and output: the choice of a version, and the end."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    ConnectionClosed,
    RequestError,
)
from acp_bindings.runtime.jsonrpc import (
    Connection,
    Failure,
    Ignored,
    Notification,
    Refused,
    Request,
)
from package.jsonrpc.wire import (
    ask,
    calling,
    cancel,
    choosing,
    each_side,
    extension,
    ignored,
    initialize,
    line,
    only,
    refused,
    reply,
    requested,
    sent,
    tell,
)

# --- versions --------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "surface"), [(0, v1), (1, v1), (2, v2), (3, v2), (1.0, v1)])
def test_initialize_chooses_the_surface_once(version: Any, surface: ModuleType) -> None:
    connection = choosing()
    assert connection.surface is None
    event = requested(connection, initialize(version))
    assert connection.surface is surface
    assert isinstance(event.params, surface.InitializeRequest)
    assert event.params.protocol_version == version
    assert connection.advertised is event.params
    requested(connection, initialize(2, 1))
    assert connection.surface is surface


@pytest.mark.parametrize("message", [ask(1), ask(1, "session/new"), ask(1, "nope"), ask(None)])
def test_nothing_is_served_before_initialize(message: Any) -> None:
    connection = choosing()
    connection.receive(line(message))
    answer = reply(connection)
    said = {"code": INVALID_REQUEST, "message": "invalid request: initialize comes first"}
    assert (answer["id"], answer["error"]) == (message["id"], said)
    for told in (tell(), tell("session/cancel", sessionId="s"), cancel(1)):
        ignored(connection, line(told))
    assert refused(connection, b"[]\n") == (None, INVALID_REQUEST)


@pytest.mark.parametrize("version", ["1", None, True, 1.5, [1], {}])
def test_a_version_that_is_no_integer_is_reported(version: Any) -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(initialize(version)))), Refused)
    body = reply(connection)["error"]
    assert (body["code"], body["data"]["pointer"]) == (INVALID_PARAMS, "/protocolVersion")
    assert connection.surface is None
    requested(connection, initialize(2))
    assert connection.surface is v2


def only_version_2(version: int) -> Any:
    raise RequestError.unsupported_protocol_version({"requested": version, "supported": [2]})


@pytest.mark.parametrize("surface", [v2, only_version_2], ids=["one", "several"])
def test_an_unsupported_version_is_refused_with_those_that_are(surface: Any) -> None:
    connection = Connection("agent", surface)
    params = {"protocolVersion": 1, "clientCapabilities": {}}  # of a client of version 1
    assert isinstance(only(connection.receive(line(ask(1, "initialize", **params)))), Refused)
    assert reply(connection)["error"] == {
        "code": UNSUPPORTED_PROTOCOL_VERSION,
        "message": "unsupported protocol version",
        "data": {"requested": 1, "supported": [2]},
    }
    if surface is v2:
        requested(connection, initialize(2))
    else:
        assert connection.surface is None


def test_an_agent_of_one_version_takes_higher_ones_for_its_own() -> None:
    connection = Connection("agent", v1)
    assert requested(connection, initialize(7)).params.protocol_version == 7


# --- the end ---------------------------------------------------------------------------------


@each_side
def test_the_end_fails_what_is_pending(side: Any) -> None:
    connection = calling(side, count=3)
    events = connection.receive_eof()
    for id_, event in enumerate(events, 1):
        assert isinstance(event, Failure)
        assert (event.id, event.method.name) == (id_, "_ask")
        assert isinstance(event.error, ConnectionClosed)
        assert str(event.error) == "the connection was closed"
    assert len(events) == 3
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
