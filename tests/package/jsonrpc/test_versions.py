"""Tests of wrong protocol versions: echoes of the requested version, and versions as strings."""

from __future__ import annotations

import asyncio
import json
import pickle
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import (
    INVALID_PARAMS,
    UNSUPPORTED_PROTOCOL_VERSION,
    DecodeError,
    RequestError,
    VersionMismatch,
)
from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.jsonrpc import Connection, Failure, Response, pick_version
from acp_bindings.runtime.values.errors import Issue

from tests.package.aio.loop import handler
from tests.package.aio.sides import agent, begin, connected, serving
from tests.package.jsonrpc.wire import (
    ask,
    choosing,
    initialize,
    line,
    only,
    refused,
    requested,
    tell,
)

INFO: Any = {"name": "printer", "version": "1"}
ASK_1 = v1.InitializeRequest(protocol_version=1)
ASK_2 = v2.InitializeRequest(protocol_version=2, info=v2.Implementation(**INFO))
SURFACES: dict[int, Any] = {1: v1, 2: v2}
NO_INFO = "InitializeResponse at /info: expected object, found nothing"
AS_TEXT = "expected integer, found string"
NAMED_2 = f"the response matches version 1, not 2: {NO_INFO}"

# Results of protocol 1 agents that repeat the requested version.
ECHO: dict[str, Any] = {"protocolVersion": 2}  # from an example in the Python SDK
TYPICAL: dict[str, Any] = {
    "protocolVersion": 2,
    "agentCapabilities": {"loadSession": True, "promptCapabilities": {"image": True}},
    "agentInfo": INFO,
    "authMethods": [{"id": "key", "name": "Key", "description": None}],
}
REPEATED = {
    "echo": ECHO,
    "typical": TYPICAL,
    "no methods": {"protocolVersion": 2, "agentCapabilities": {}, "authMethods": []},
    "meta": {"protocolVersion": 2, "_meta": {"a": 1}},
    "both": {**TYPICAL, "info": None},
    "unknown": {**ECHO, "agentCapabilities": {}, "later": 1},
}
repeating = pytest.mark.parametrize("result", REPEATED.values(), ids=REPEATED)


def connection_of(*requests: Any, surface: Any = None) -> tuple[Connection, list[Issue]]:
    """Return a client connection that has sent `initialize`, and the list of its issues."""
    issues: list[Issue] = []
    connection = Connection("client", surface or SURFACES.__getitem__, on_issue=issues.append)
    connection.initialize(*requests)
    connection.data_to_send()
    return connection, issues


def take(connection: Connection, result: Any, id_: int = 1) -> Any:
    """Receive a response with this result and return the resulting event."""
    return only(connection.receive(line({"id": id_, "result": result})))


def mismatch(connection: Connection, result: Any) -> VersionMismatch:
    event = take(connection, result)
    assert isinstance(event, Failure)
    assert isinstance(event.error, VersionMismatch)
    assert pickle.loads(pickle.dumps(event.error)).args == event.error.args
    return event.error


# --- agents that repeat the version ----------------------------------------------------------


@repeating
def test_a_repeated_version_with_a_body_of_another_is_that_other(result: Any) -> None:
    connection, issues = connection_of(ASK_1, ASK_2)
    event = take(connection, result)
    assert isinstance(event, Response)
    assert isinstance(event.result, v1.InitializeResponse)
    assert event.result.protocol_version == 1
    assert connection.surface is v1
    assert connection.advertised is event.result
    issue = issues[-1]
    assert (issue.pointer, issue.raw, issue.action) == ("/result/protocolVersion", 2, "accepted")
    assert issue.method == "initialize"
    assert issue.reason.startswith("the response matches version 1, not 2: ")
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}}
    note = only(connection.receive(line(tell("session/update", sessionId="s", update=chunk))))
    assert isinstance(note.params, v1.SessionNotification)


def test_the_issue_of_a_repeated_version_says_why_the_body_is_of_another() -> None:
    connection, issues = connection_of(ASK_1, ASK_2)
    take(connection, ECHO)
    assert issues == [Issue("/result/protocolVersion", NAMED_2, 2, "accepted", "initialize")]


@pytest.mark.parametrize(
    ("version", "members", "meant"),
    [
        ("1", {}, 1),
        ("1", {"agentCapabilities": {}}, 1),
        ("2", {"info": INFO}, 2),
        ("2", {"agentInfo": INFO}, 1),
        (2.0, {"agentInfo": INFO}, 1),
    ],
)
def test_a_version_as_a_string_counts_and_is_an_issue(
    version: Any, members: dict[str, Any], meant: int
) -> None:
    connection, issues = connection_of(ASK_1, ASK_2)
    event = take(connection, {"protocolVersion": version, **members})
    assert isinstance(event, Response)
    assert event.result.protocol_version == meant
    assert connection.surface is SURFACES[meant]
    [issue] = issues
    assert (issue.raw, issue.action) == (version, "accepted")
    assert issue.reason == (AS_TEXT if str(meant) == version else NAMED_2)


@pytest.mark.parametrize("version", [1, 2])
def test_a_connection_of_one_version_takes_it_as_a_string(version: int) -> None:
    connection, issues = connection_of({1: ASK_1, 2: ASK_2}[version], surface=SURFACES[version])
    event = take(connection, {"protocolVersion": str(version), "info": INFO})
    assert isinstance(event, Response)
    assert [issue.reason for issue in issues] == [AS_TEXT]


def test_a_valid_answer_reports_nothing() -> None:
    for version in SURFACES:
        connection, issues = connection_of(ASK_1, ASK_2)
        take(connection, {"protocolVersion": version, "info": INFO})
        assert connection.surface is SURFACES[version]
        assert issues == []


# --- responses that lead to no version --------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({}, "nothing"),
        ({"agentCapabilities": {}}, "nothing"),
        (None, "nothing"),
        ([], "nothing"),
        (1, "nothing"),
        ({"protocolVersion": None}, "null"),
        ({"protocolVersion": True}, "boolean"),
        ({"protocolVersion": 1.5}, "number"),
        ({"protocolVersion": [2]}, "array"),
        ({"protocolVersion": "x"}, "'x'"),
        ({"protocolVersion": "2024-11-05", "serverInfo": INFO}, "'2024-11-05'"),
        ({"protocolVersion": "x" * 9999}, f"'{'x' * 200}'..."),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("single", [False, True])
def test_a_response_without_a_version_is_a_mismatch(result: Any, found: str, single: bool) -> None:
    connection, issues = connection_of(*[ASK_1] * (not single), ASK_2, surface=single and v2)
    error = mismatch(connection, result)
    assert (error.offered, error.spoken) == (None, 2)
    expected = "expected integer at /protocolVersion"
    assert str(error) == f"the agent offers no protocol version: {expected}, found {found}"
    assert issues == []
    assert connection.surface is (v2 if single else None)
    connection.initialize(ASK_2)  # the client can try again
    assert isinstance(take(connection, {"protocolVersion": 2, "info": INFO}, 2), Response)


@pytest.mark.parametrize(
    "members",
    [
        {"info": 5},
        {"info": {"name": "x"}},
        {"info": {"name": "x"}, "capabilities": {"session": {}}, "authMethods": []},
        {"capabilities": {"session": {}}},
    ],
    ids=str,
)
def test_a_damaged_response_is_not_one_of_another_version(members: dict[str, Any]) -> None:
    """The response has all fields that protocol 1 requires, but in the form of protocol 2."""
    connection, issues = connection_of(ASK_1, ASK_2)
    error = mismatch(connection, {"protocolVersion": 2, **members})
    assert (error.offered, error.spoken) == (2, 2)
    assert isinstance(error.__cause__, DecodeError)
    assert error.__cause__.pointer.startswith("/info")
    reason = f"but its response is not valid in that version: {error.__cause__}"
    assert str(error).endswith(reason)
    assert issues == []
    assert connection.surface is None


@repeating
def test_a_client_of_one_version_refuses_another_body(result: Any) -> None:
    for surface in (v2, SURFACES.__getitem__):
        connection, _ = connection_of(ASK_2, surface=surface)
        error = mismatch(connection, result)
        assert (error.offered, error.spoken) == (2, 2)
        reason = "its response is not valid in that version: InitializeResponse at /info: "
        assert reason in str(error)


@pytest.mark.parametrize("version", ["3", "0", 3, 0, -1, 65536])
def test_another_version_is_a_mismatch_whatever_its_body(version: Any) -> None:
    connection, _ = connection_of(ASK_1, ASK_2)
    error = mismatch(connection, {**TYPICAL, "protocolVersion": version})
    assert (error.offered, error.spoken) == (int(version), 2)
    assert (
        str(error) == f"the agent offers protocol version {version}, but this connection speaks 2"
    )


# --- with peers ------------------------------------------------------------------------------

Client1, Client2 = handler(v1.ClientHandler), handler(v2.ClientHandler)
ADVICE = "; pass bridge=True to connect to agents that speak another version"


async def initialized(result: Any, *clients: Any, **options: Any) -> Peer:
    """Return a client that has received this result for `initialize`."""
    async with connected(*clients, **options) as (peer, wire):
        call, _ = await begin(wire, peer.initialize())
        wire.write({"id": 1, "result": result})
        await call
    return peer


@repeating
async def test_a_client_of_both_versions_uses_the_handler_of_the_body(result: Any) -> None:
    made: list[str] = []

    def make(cls: Any) -> Any:
        def __init__(self: Any, peer: Peer) -> None:
            made.append(cls.surface.__name__)

        return type("Made", (cls,), {"__init__": __init__})

    peer = await initialized(result, make(v1.ClientHandler), make(v2.ClientHandler))
    assert peer.surface is v1
    assert made == [v1.__name__]  # no handler was created for the claimed version 2


@pytest.mark.parametrize(
    ("client", "result"),
    [(Client2, ECHO), (Client2, TYPICAL), (Client2, {"protocolVersion": 1}), (Client1, TYPICAL)],
)
async def test_a_mismatch_advises_a_bridge(client: Any, result: Any) -> None:
    with pytest.raises(VersionMismatch) as caught:
        await initialized(result, client)
    assert str(caught.value).endswith(ADVICE)


async def test_the_error_for_another_version_says_what_to_do() -> None:
    with pytest.raises(VersionMismatch) as caught:
        await initialized({"protocolVersion": 1}, Client2)
    plain = "the agent offers protocol version 1, but this connection speaks 2"
    assert str(caught.value) == plain + ADVICE


@pytest.mark.parametrize(
    ("clients", "result"),
    [
        ((Client2,), {"protocolVersion": 7}),
        ((Client2,), {}),
        ((Client1, Client2), {"protocolVersion": 7}),
        ((Client1, Client2), {"protocolVersion": 2, "info": 5}),
    ],
    ids=str,
)
async def test_a_bridge_that_would_not_help_is_not_advised(clients: Any, result: Any) -> None:
    with pytest.raises(VersionMismatch) as caught:
        await initialized(result, *clients)
    assert "bridge" not in str(caught.value)


# --- requests of clients ----------------------------------------------------------------------


@pytest.mark.parametrize(("version", "surface"), [("0", v1), ("1", v1), ("2", v2), ("3", v2)])
def test_a_requested_version_may_be_a_string(version: str, surface: Any) -> None:
    issues: list[Issue] = []
    connection = Connection(
        "agent", lambda asked: SURFACES[pick_version(asked, SURFACES)], on_issue=issues.append
    )
    event = requested(connection, initialize(version))
    assert connection.surface is surface
    assert event.params.protocol_version == int(version)
    assert issues == [Issue("/params/protocolVersion", AS_TEXT, version, "accepted", "initialize")]


async def test_an_agent_of_one_version_answers_a_string() -> None:
    async with serving(agent(), initialized=False) as wire:
        params = {"protocolVersion": "1", "clientCapabilities": {}, "clientInfo": INFO}
        assert (await wire.ask(ask(1, "initialize", **params)))["protocolVersion"] == 1
    async with serving(agent(v2), initialized=False) as wire:
        error = await wire.ask(ask(1, "initialize", **params))
        assert error["code"] == UNSUPPORTED_PROTOCOL_VERSION
        assert error["data"] == {"requested": 1, "supported": [2]}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": INFO}, "'2024-11-05'"),
        ({"protocolVersion": "x" * 9999}, f"'{'x' * 200}'..."),
        ({"protocolVersion": None}, "null"),
        ({}, "nothing"),
    ],
    ids=["another protocol", "long", "null", "none"],
)
def test_a_request_without_a_version_names_the_protocol(
    params: Any, found: str, single: bool
) -> None:
    connection = Connection("agent", v1) if single else choosing()
    event = only(connection.receive(line(ask(1, "initialize", **params))))
    expected = "expected a version of the Agent Client Protocol, such as 1"
    assert event.error.message == f"invalid params: {expected}, found {found}"
    [reply] = map(json.loads, connection.data_to_send().splitlines())
    assert reply["error"]["message"] == event.error.message
    assert reply["error"]["data"]["pointer"] == "/protocolVersion"


@pytest.mark.parametrize("params", [None, [], ["1"]])
def test_a_request_without_params_is_refused(params: Any) -> None:
    message = {"id": 1, "method": "initialize", "params": params}
    assert refused(choosing(), line(message)) == (1, INVALID_PARAMS)


# --- a second call of initialize -------------------------------------------------------------


async def late(peer: Peer, wire: Any) -> None:
    """Make `initialize` time out, and check that its request had the id 1."""
    with pytest.raises(TimeoutError):
        await peer.initialize(timeout=0.01)
    assert (await wire.read())["id"] == 1


ANSWERS = {1: {"protocolVersion": 1}, 2: {"protocolVersion": 2, "info": INFO}, 0: ECHO}
answering = pytest.mark.parametrize("answer", ANSWERS, ids=["1", "2", "repeated"])


async def receive(peer: Peer) -> None:
    while peer.advertised is None:
        await asyncio.sleep(0)


@answering
async def test_a_late_response_is_that_of_the_next_call(answer: int) -> None:
    async with connected(Client1, Client2) as (peer, wire):
        await late(peer, wire)
        wire.write({"id": 1, "result": ANSWERS[answer]})
        await receive(peer)
        result = await peer.initialize()
        assert result is peer.advertised
        assert result.protocol_version == (answer or 1)
        # Negotiation is over, so another call requests the negotiated version.
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": {**ANSWERS[answer or 1], "_meta": {"a": 1}}})
        assert (await call).meta == {"a": 1}


@answering
async def test_a_late_response_may_come_while_the_next_call_waits(answer: int) -> None:
    async with connected(Client1, Client2) as (peer, wire):
        await late(peer, wire)
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": 1, "result": ANSWERS[answer]})
        await receive(peer)
        wire.write({"id": id_, "result": ANSWERS[answer]})
        result = await call
        assert result.protocol_version == (answer or 1)
        assert peer.surface is SURFACES[answer or 1]


@answering
async def test_a_late_response_may_come_after_that_of_the_next_call(answer: int) -> None:
    async with connected(Client1, Client2) as (peer, wire):
        await late(peer, wire)
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": ANSWERS[answer]}, {"id": 1, "result": ANSWERS[answer]})
        result = await call
        assert result.protocol_version == (answer or 1)
        chosen = peer.handler
        again, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "result": ANSWERS[answer or 1]})
        await again
        assert peer.handler is chosen


async def test_an_agent_may_refuse_to_be_initialized_again() -> None:
    async with connected(Client1, Client2) as (peer, wire):
        await late(peer, wire)
        call, id_ = await begin(wire, peer.initialize())
        again = {"code": -32600, "message": "already initialized"}
        wire.write({"id": 1, "result": ANSWERS[1]}, {"id": id_, "error": again})
        assert (await call).protocol_version == 1
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": id_, "error": again})
        with pytest.raises(RequestError, match="already initialized"):
            await call


@pytest.mark.parametrize("client", [Client1, Client2])
async def test_a_cancelled_call_may_be_repeated_as_well(client: Any) -> None:
    version = client.surface.SCHEMA.protocol_version
    async with connected(client) as (peer, wire):
        call, _ = await begin(wire, peer.initialize())
        call.cancel()
        await asyncio.wait([call])
        wire.write({"id": 1, "result": ANSWERS[version]})
        await receive(peer)
        assert (await peer.initialize()).protocol_version == version


async def test_a_late_response_of_another_version_is_not_that_of_the_next_call() -> None:
    async with connected(Client1, Client2) as (peer, wire):
        await late(peer, wire)
        wire.write({"id": 1, "result": ANSWERS[1]})
        await receive(peer)
        with pytest.raises(ValueError, match="no params for protocol version 1"):
            await peer.initialize(ASK_2)
        assert (await peer.initialize(ASK_1, ASK_2)).protocol_version == 1


async def test_a_late_error_leaves_the_next_call_alone() -> None:
    async with connected(Client1, Client2) as (peer, wire):
        await late(peer, wire)
        call, id_ = await begin(wire, peer.initialize())
        wire.write({"id": 1, "error": {"code": -32603, "message": "not ready"}})
        wire.write({"id": id_, "result": ANSWERS[2]})
        assert (await call).protocol_version == 2
