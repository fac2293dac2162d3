"""The connection without input and output: the choice of a version, and the end."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from acp_bindings import runtime, v1, v2
from acp_bindings.runtime import ConnectionClosed, DecodeError, RequestError, VersionMismatch
from acp_bindings.runtime import jsonrpc as rpc
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused, Request, Response
from package.jsonrpc.wire import (
    ask,
    cancel,
    each_side,
    error,
    extension,
    initialize,
    line,
    only,
    other,
    reply,
    requested,
    sent,
    tell,
)

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
    assert error(connection) == (message["id"], runtime.INVALID_REQUEST)


@pytest.mark.parametrize("message", [tell(), tell("session/cancel", sessionId="s"), cancel(1)])
def test_notifications_before_initialize_are_ignored(message: Any) -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(message))), Ignored)
    assert sent(connection) == []


def test_a_batch_before_initialize_is_refused() -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(b"[]\n")), Refused)
    assert error(connection) == (None, runtime.INVALID_REQUEST)


@pytest.mark.parametrize("version", ["1", None, True, 1.5, [1], {}])
def test_a_version_that_is_no_integer_is_reported(version: Any) -> None:
    connection = choosing()
    assert isinstance(only(connection.receive(line(initialize(version)))), Refused)
    body = reply(connection)["error"]
    assert body["code"] == runtime.INVALID_PARAMS
    assert body["data"]["pointer"] == "/protocolVersion"
    assert connection.surface is None
    requested(connection, initialize(2))
    assert connection.surface is v2


def test_an_unsupported_version_is_refused_with_those_that_are() -> None:
    connection = Connection("agent", lambda version: {2: v2}[rpc.pick_version(version, [2])])
    assert isinstance(only(connection.receive(line(initialize(1)))), Refused)
    body = reply(connection)["error"]
    assert body["code"] == runtime.UNSUPPORTED_PROTOCOL_VERSION
    assert body["data"] == {"requested": 1, "supported": [2]}
    assert connection.surface is None


def test_version_1_answers_requests_for_a_lower_version() -> None:
    connection = choosing()
    assert requested(connection, initialize(0)).params.protocol_version == 0
    assert connection.surface is v1


def test_an_agent_of_one_version_refuses_lower_ones_as_one_of_several_does() -> None:
    connection = Connection("agent", v2)
    params = {"protocolVersion": 1, "clientCapabilities": {}}  # of a client of version 1
    assert isinstance(only(connection.receive(line(ask(1, "initialize", **params)))), Refused)
    body = reply(connection)["error"]
    assert body["code"] == runtime.UNSUPPORTED_PROTOCOL_VERSION
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
    assert error(connection) == (1, runtime.INVALID_PARAMS)
    assert connection.surface is None
    assert isinstance(only(connection.receive(line(initialize(2, None)))), Refused)
    assert error(connection) == (None, runtime.INVALID_REQUEST)
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
    connection = Connection("agent", v1, on_issue=told.append)
    params = {"protocolVersion": 1, "clientCapabilities": {"terminal": "yes"}}
    requested(connection, ask(1, "initialize", **params))
    (issue,) = told
    assert issue.method == "initialize"
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


@pytest.mark.parametrize("rest", [b'{"sessionId": "s", "modes": {}', b'{"sessionId": "}', b"[{}"])
def test_a_call_whose_answer_is_cut_off_knows_that_the_connection_ended(rest: bytes) -> None:
    connection = Connection("client", v1)
    id_ = connection.request(extension(v1, "agent"), None)
    connection.receive(b'{"jsonrpc": "2.0", "id": %d, "result": %b' % (id_, rest))
    ignored, failed = connection.receive_eof()
    assert isinstance(ignored, Ignored)
    assert ignored.kind == "cut_off"
    assert isinstance(failed, Failure)
    assert isinstance(failed.error, ConnectionClosed)


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
