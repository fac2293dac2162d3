"""Tests of version negotiation and of agents before, during and after `initialize`."""

from __future__ import annotations

import asyncio
import json
import re
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2
from acp_bindings.runtime import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    CapabilityError,
    ConnectionClosed,
    Handler,
    RequestError,
    VersionMismatch,
)
from acp_bindings.runtime.aio import Peer, connect_memory, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused, Request, Response

from tests.package.aio.loop import handler
from tests.package.aio.sides import Wire, begin, connected, serving, stuck, ticks
from tests.package.jsonrpc.wire import (
    ask,
    cancel,
    choosing,
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


@pytest.mark.parametrize(("version", "event"), [(1, Request), (2, Refused)])
def test_the_version_that_is_chosen_decides_about_null(version: int, event: type) -> None:
    assert isinstance(only(choosing().receive(line(initialize(version, None)))), event)


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


@pytest.mark.parametrize("version", ["x", None, True, 1.5, [1], {}])
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
    params = {"protocolVersion": 1, "clientCapabilities": {}}  # from a protocol 1 client
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


NEW = ask(1, "session/new", cwd="/", mcpServers=[])
TOO_EARLY = {"code": -32600, "message": "invalid request: initialize comes first"}
REFUSAL = RequestError(-32000, "log in first")
ABLE = ask(3, "initialize", protocolVersion=1, clientCapabilities={"fs": {"readTextFile": True}})


class Agent(v1.AgentHandler):
    """An agent that has scripted `initialize` responses and records its peers and tasks."""

    answers: list[Any]
    peers: list[Peer]
    tasks: list[asyncio.Task[None]]

    def __init__(self, peer: Peer) -> None:
        assert peer.advertised is None
        self.peers.append(peer)
        self.tasks.append(peer.spawn(stuck(peer)))

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return v1.InitializeResponse(protocol_version=answer)

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        return v1.NewSessionResponse(session_id="s")


def answering(*answers: Any) -> Any:
    return type("TestAgent", (Agent,), {"answers": list(answers), "peers": [], "tasks": []})


talking = partial(serving, initialized=False, linger=0)


async def agree(wire: Wire) -> None:
    assert (await wire.ask(initialize(1)))["protocolVersion"] == 1
    assert await wire.ask(NEW) == {"sessionId": "s"}


@pytest.mark.parametrize("several", [True, False])
async def test_a_refused_initialize_has_no_effect(several: bool) -> None:
    made = answering(REFUSAL, 1)
    async with talking(made, *[v2.AgentHandler] * several) as wire:
        assert (await wire.ask(initialize(1)))["code"] == -32000
        assert await wire.ask(NEW) == TOO_EARLY
        assert made.peers[0].advertised is None
        await ticks()
        assert made.tasks[0].done() == several  # another version would use a new handler
        await agree(wire)
        assert len(made.peers) == 1 + several


async def test_params_that_do_not_decode_leave_no_task_of_the_handler() -> None:
    tasks: list[asyncio.Task[None]] = []

    def starting_a_task(peer: Peer) -> v2.AgentHandler:
        tasks.append(peer.spawn(stuck(peer)))
        return v2.AgentHandler()

    bad = ask(0, "initialize", protocolVersion=2)
    async with talking({v2: starting_a_task}, v1.AgentHandler) as wire:
        assert (await wire.ask(bad))["code"] == -32602
        await ticks()
        assert [task.done() for task in tasks] == [True]
        wire.write(bad, bad, initialize(2))  # in one piece
        for _ in range(3):
            await wire.read()
        await ticks()
        assert [task.done() for task in tasks] == [True, True, True, False]


def test_a_response_after_a_refused_initialize_still_has_its_surface() -> None:
    connection = Connection("agent", lambda version: v1)
    [request] = connection.receive(line(initialize(1)))
    assert isinstance(request, Request)
    params = v1.ReadTextFileRequest(session_id="s", path="/a")
    id_ = connection.request(v1.CLIENT_METHODS["fs/read_text_file"], params)
    connection.fail(request, REFUSAL)
    assert connection.surface is v1
    [response] = connection.receive(line({"id": id_, "result": {"content": "text"}}))
    assert isinstance(response, Response)
    assert response.result == v1.ReadTextFileResponse(content="text")


@pytest.mark.parametrize("counts", [False, True])
async def test_a_second_initialize_counts_if_it_is_answered(counts: bool) -> None:
    made = answering(1, 1 if counts else REFUSAL)
    async with talking(made) as wire:
        await agree(wire)
        await wire.ask(ABLE)
        [peer] = made.peers
        if counts:
            assert peer.advertised.client_capabilities.fs.read_text_file is True
        else:
            params = v1.ReadTextFileRequest(session_id="s", path="/x")
            with pytest.raises(CapabilityError):
                await v1.ClientStub(peer).fs_read_text_file(params)


async def test_a_version_that_the_surface_does_not_speak_is_not_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with talking(answering(2, 1)) as wire:
        assert (await wire.ask(initialize(1)))["code"] == -32603
        assert await wire.ask(NEW) == TOO_EARLY
        await agree(wire)
    assert "/protocolVersion: 2, but this connection speaks version 1" in caplog.text


# --- a client of several versions: it requests the highest and accepts the response ----------


INFO: Any = {"name": "printer", "version": "1"}
ASK_1 = v1.InitializeRequest(
    protocol_version=1, client_info=v1.Implementation(**INFO), meta={"from": "v1"}
)
ASK_2 = v2.InitializeRequest(
    protocol_version=2, info=v2.Implementation(**INFO), meta={"from": "v2"}
)
BOTH = (ASK_1, ASK_2)


def choose(version: int) -> Any:
    return {1: v1, 2: v2}[version]


def asking(*requests: Any, surface: Any = choose) -> tuple[Connection, dict[str, Any]]:
    """Send an `initialize` request and return the client connection and the request."""
    connection = Connection("client", surface)
    assert connection.initialize(*(requests or BOTH)) == 1
    return connection, json.loads(connection.data_to_send())


def answered(version: Any, **members: Any) -> dict[str, Any]:
    return {"id": 1, "result": {"protocolVersion": version, **members}}


def test_one_request_has_the_members_of_all_versions() -> None:
    connection, sent = asking()
    assert connection.surface is None
    assert (sent["id"], sent["method"]) == (1, "initialize")
    members = {"info": INFO, "clientInfo": INFO, "_meta": {"from": "v2"}}
    assert sent["params"] == {"protocolVersion": 2, **members}


@pytest.mark.parametrize(
    ("version", "members", "surface"), [(1, {}, v1), (1.0, {}, v1), (2, {"info": INFO}, v2)]
)
def test_the_answer_decides(version: Any, members: dict[str, Any], surface: Any) -> None:
    connection, _ = asking()
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}}
    note = tell("session/update", sessionId="s", update={**chunk, "messageId": "m"})
    events: list[Any] = connection.receive(line(answered(version, **members), note))
    event, following = events
    assert isinstance(event, Response)
    assert isinstance(event.result, surface.InitializeResponse)
    assert connection.surface is surface
    assert connection.advertised is event.result
    assert isinstance(following.params, surface.CLIENT_METHODS["session/update"].params)


def failed(connection: Connection, answer: Any) -> Any:
    """Receive this response to `initialize` and return the resulting error."""
    event = only(connection.receive(line(answer)))
    assert isinstance(event, Failure)
    assert connection.surface is None
    return event.error


@pytest.mark.parametrize(
    ("requests", "version"), [(BOTH, 0), (BOTH, 3), (BOTH, -1), ((ASK_2,), 1)], ids=str
)
def test_a_version_that_was_not_asked_for_is_refused(requests: Any, version: int) -> None:
    """The client rejects a version that it didn't request, even if it has a handler for it."""
    connection, sent = asking(*requests)
    assert ("clientInfo" in sent["params"]) == (requests == BOTH)
    error = failed(connection, answered(version, info=INFO))
    assert isinstance(error, VersionMismatch)
    assert (error.offered, error.spoken) == (version, 2)


def test_an_error_decides_nothing() -> None:
    body = {"code": -32002, "message": "only version 1"}
    error = failed(asking()[0], {"id": 1, "error": body})
    assert isinstance(error, RequestError)
    assert (error.code, error.message) == (-32002, "only version 1")


def test_before_the_answer_nobody_can_ask_anything_else() -> None:
    """The agent can't choose the version by sending `initialize` itself."""
    connection, _ = asking()
    early = [ask(7, "session/request_permission"), ask(8, "_mine")]
    early.append(ask(9, "initialize", protocolVersion=1))
    events = connection.receive(line(*early, tell("session/update"), tell("_mine")))
    assert [type(event) for event in events] == [Refused] * 3 + [Ignored] * 2
    assert [message["error"] for message in sent(connection)] == [TOO_EARLY] * 3
    assert connection.surface is None
    with pytest.raises(ConnectionClosed, match="not initialized"):
        connection.request(v1.AGENT_METHODS["logout"], v1.LogoutRequest())
    connection.receive(line(answered(2, info=INFO)))
    assert connection.surface is v2


def test_a_closed_connection_sends_no_initialize() -> None:
    connection = Connection("client", choose)
    connection.receive_eof("it crashed")
    with pytest.raises(ConnectionClosed, match="it crashed"):
        connection.initialize(*BOTH)
    assert connection.data_to_send() == b""


def test_a_connection_with_a_surface_asks_for_its_version() -> None:
    connection, sent = asking(surface=v1)
    assert sent["params"]["protocolVersion"] == 1
    assert "info" not in sent["params"]
    event = only(connection.receive(line(answered(2, info=INFO))))
    assert isinstance(event.error, VersionMismatch)


TWICE = (ASK_1, v1_unstable.InitializeRequest(protocol_version=1))
KNOWN = "such as v1.InitializeRequest.*, found "


@pytest.mark.parametrize(
    ("surface", "requests", "error", "words"),
    [
        (
            choose,
            (),
            ValueError,
            "^no params for initialize; pass an InitializeRequest for each surface$",
        ),
        (
            v1,
            (ASK_2,),
            ValueError,
            "^no params for protocol version 1, which is in use; pass an InitializeRequest for it$",
        ),
        (choose, TWICE, ValueError, "two initialize requests for version 1"),
        (choose, ({2: ASK_2},), TypeError, KNOWN + "object"),
        (choose, (v2,), TypeError, KNOWN + "module"),
        (choose, (v2.NewSessionRequest(cwd="/"),), TypeError, KNOWN + "NewSessionRequest"),
    ],
)
def test_params_must_fit_the_versions(
    surface: Any, requests: Any, error: type[Exception], words: str
) -> None:
    connection = Connection("client", surface)
    with pytest.raises(error, match=words):
        connection.initialize(*requests)
    assert connection.data_to_send() == b""


# --- with peers ------------------------------------------------------------------------------


async def informed(peer: Peer, params: v1.InitializeRequest) -> v1.InitializeResponse:
    assert isinstance(params.client_info, v1.Implementation)
    return v1.InitializeResponse(protocol_version=1)


Client1, Client2 = handler(v1.ClientHandler), handler(v2.ClientHandler)
Agent1, Agent2 = handler(v1.AgentHandler, initialize=informed), handler(v2.AgentHandler)


@pytest.mark.parametrize(
    ("agents", "surface", "client"),
    [
        ([Agent1], v1, Client1),
        ([Agent2], v2, Client2),
        ([v2.AgentHandler()], v2, Client2),
        ([{v1: lambda peer: Agent1(peer)}], v1, Client1),
        ([Agent1, Agent2], v2, Client2),
    ],
)
async def test_a_client_takes_what_the_agent_answers(
    agents: Any, surface: Any, client: Any
) -> None:
    async with connect_memory(agents, [Client1, Client2]) as peer:
        assert peer.surface is None
        assert peer.handler is None
        result = await peer.initialize(*BOTH)
        assert isinstance(result, surface.InitializeResponse)
        assert peer.advertised is result
        assert peer.surface is surface
        assert isinstance(peer.handler, client)
        assert peer.handler.surface is surface


@pytest.mark.parametrize("version", [1, 2])
async def test_a_client_of_one_version_may_use_it_as_well(version: int) -> None:
    client, request = {1: (Client1, ASK_1), 2: (Client2, ASK_2)}[version]
    async with connect_memory([Agent1, Agent2], client) as peer:
        assert peer.surface is choose(version)
        if version == 2:
            with pytest.raises(ValueError, match="no handler"):
                await peer.initialize(*BOTH)
        result = await peer.initialize(request)
        assert isinstance(result, choose(version).InitializeResponse)


NEITHER = "is not a handler; pass a factory as {v1: factory}"
NONE = "no handler; pass a handler class, such as a subclass of SessionAgent"
OTHER = "this side is the agent, but {} is for the other side"


@pytest.mark.parametrize(
    ("handlers", "error", "words"),
    [
        ((), TypeError, NONE),
        (({},), TypeError, NONE),
        ((None,), TypeError, f"None {NEITHER}"),
        ((int,), TypeError, f"<class 'int'> {NEITHER}"),
        (
            ({2: Agent2},),
            TypeError,
            "2 is not a surface; pass {v1: factory}, or a handler class instead of a",
        ),
        (({v2: None},), TypeError, "None is not a factory; pass a callable that accepts a peer"),
        (
            (Handler,),
            TypeError,
            "Handler has no surface; subclass a handler such as v1.SessionAgent",
        ),
        ((Client1,), TypeError, OTHER.format("TestHandler")),
        ((v2.ClientHandler(),), TypeError, OTHER.format("ClientHandler")),
        (
            (Agent1, Agent2, Agent1),
            ValueError,
            "two handlers for protocol version 1; pass one",
        ),
    ],
)
async def test_what_is_no_handler_is_refused(
    handlers: Any, error: type[Exception], words: str
) -> None:
    near, _ = memory_streams()
    with pytest.raises(error, match=re.escape(words)):
        await serve(near, *handlers)


async def test_clients_introduce_themselves() -> None:
    class Stating(v1.ClientHandler):
        info = v1.Implementation(name="stating", version="7")

        async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> Any: ...

    async with connected(Stating, Client2) as (peer, wire):
        call = asyncio.create_task(peer.initialize())
        assert (await wire.read())["params"] == {
            "protocolVersion": 2,
            "info": {"name": "acp-bindings", "version": v2.ClientHandler.info.version},
            "clientInfo": {"name": "stating", "version": "7"},
            "clientCapabilities": {"fs": {"readTextFile": True}},
        }
        wire.write(answered(1))
        assert isinstance(await call, v1.InitializeResponse)


async def test_a_factory_does_not_say_what_it_makes() -> None:
    async with connected({v1: lambda peer: Client1(peer)}, Client2) as (peer, _):
        with pytest.raises(TypeError, match=r"pass v1\.InitializeRequest\(…\) to initialize"):
            await peer.initialize()


async def test_a_handler_that_cannot_be_made_is_told(caplog: pytest.LogCaptureFixture) -> None:
    def broken(peer: Peer) -> Any:
        raise OSError("no display")

    async with connect_memory([Agent1, Agent2], [Client1, {v2: broken}]) as peer:
        with pytest.raises(RequestError, match="create the handler for protocol version 2"):
            await peer.initialize(*BOTH)
        assert peer.handler is None
        assert peer.surface is None
    assert "no display" in caplog.text


async def test_the_handler_of_a_bad_answer_is_discarded() -> None:
    async with connected(Client1, Client2) as (peer, wire):
        call, _ = await begin(wire, peer.initialize(*BOTH))
        wire.write(answered(2, info=5))
        with pytest.raises(VersionMismatch):
            await call
        assert peer.handler is None
        assert peer.surface is None
