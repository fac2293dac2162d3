"""A client of several protocol versions: it asks for the highest, and takes what is answered."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from acp_bindings import v1, v1_unstable, v2
from acp_bindings.runtime import (
    ConnectionClosed,
    DecodeError,
    Handler,
    RequestError,
    VersionMismatch,
)
from acp_bindings.runtime.aio import MemoryStream, Peer, connect, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Connection, Failure, Ignored, Refused, Response
from package.jsonrpc.loop import run
from package.jsonrpc.wire import ask, line, tell

INFO = {"name": "printer", "version": "1"}
ASK_1 = v1.InitializeRequest(
    protocol_version=1,
    client_info=v1.Implementation(name="printer", version="1"),
    meta={"from": "v1"},
)
ASK_2 = v2.InitializeRequest(
    protocol_version=2,
    info=v2.Implementation(name="printer", version="1"),
    meta={"from": "v2"},
)
BOTH = (ASK_1, ASK_2)


def choose(version: int) -> Any:
    return {1: v1, 2: v2}[version]


def asking(*requests: Any) -> tuple[Connection, dict[str, Any]]:
    """A client that has sent `initialize`, and what it has sent."""
    connection = Connection("client", choose)
    assert connection.initialize(*(requests or BOTH)) == 1
    return connection, json.loads(connection.data_to_send())


def answer(version: Any, **members: Any) -> bytes:
    return line({"id": 1, "result": {"protocolVersion": version, **members}})


def test_one_request_has_the_members_of_all_versions() -> None:
    connection, sent = asking()
    assert connection.surface is None
    assert (sent["id"], sent["method"]) == (1, "initialize")
    assert sent["params"] == {
        "protocolVersion": 2,
        "info": INFO,
        "clientInfo": INFO,
        "_meta": {"from": "v2"},
    }


@pytest.mark.parametrize(("version", "members"), [(1, {}), (2, {"info": INFO})])
def test_the_answer_decides(version: int, members: dict[str, Any]) -> None:
    connection, _ = asking()
    [event] = connection.receive(answer(version, **members))
    assert isinstance(event, Response)
    surface = choose(version)
    assert isinstance(event.result, surface.InitializeResponse)
    assert connection.surface is surface
    assert connection.advertised is event.result


def test_what_follows_the_answer_is_read_with_its_surface() -> None:
    connection, _ = asking()
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}}
    note = line(tell("session/update", sessionId="s", update=update))
    _, event = connection.receive(answer(1) + note)
    assert isinstance(event.params, v1.SessionNotification)


def test_a_float_is_a_version_too() -> None:
    connection, _ = asking()
    connection.receive(answer(1.0))
    assert connection.surface is v1


@pytest.mark.parametrize("version", [0, 3, -1])
def test_a_version_that_was_not_asked_for_is_refused(version: int) -> None:
    connection, _ = asking()
    [event] = connection.receive(answer(version, info=INFO))
    assert isinstance(event, Failure)
    assert isinstance(event.error, VersionMismatch)
    assert (event.error.offered, event.error.spoken) == (version, 2)
    assert connection.surface is None


def test_only_what_was_asked_for_is_spoken() -> None:
    """Even if the client has handlers for more."""
    connection, sent = asking(ASK_2)
    assert "clientInfo" not in sent["params"]
    [event] = connection.receive(answer(1))
    assert isinstance(event, Failure)
    assert isinstance(event.error, VersionMismatch)


@pytest.mark.parametrize(
    ("result", "pointer", "found"),
    [
        ({}, "/protocolVersion", "nothing"),
        ({"protocolVersion": "2"}, "/protocolVersion", "string"),
        (None, "/protocolVersion", "null"),
        ([], "/protocolVersion", "array"),
        ({"protocolVersion": 2}, "/info", "nothing"),
    ],
)
def test_a_bad_answer_decides_nothing(result: Any, pointer: str, found: str) -> None:
    connection, _ = asking()
    [event] = connection.receive(line({"id": 1, "result": result}))
    assert isinstance(event, Failure)
    assert isinstance(event.error, DecodeError)
    assert (event.error.pointer, event.error.found) == (pointer, found)
    assert connection.surface is None
    # It may ask again.
    connection.initialize(ASK_1)
    [event] = connection.receive(line({"id": 2, "result": {"protocolVersion": 1}}))
    assert isinstance(event, Response)
    assert connection.surface is v1


def test_an_error_decides_nothing() -> None:
    connection, _ = asking()
    error = {"code": -32002, "message": "only version 1"}
    [event] = connection.receive(line({"id": 1, "error": error}))
    assert isinstance(event, Failure)
    assert isinstance(event.error, RequestError)
    assert (event.error.code, event.error.message) == (-32002, "only version 1")
    assert connection.surface is None


def test_before_the_answer_an_agent_can_ask_nothing() -> None:
    """Nor can it decide the version by an `initialize` of its own."""
    connection, _ = asking()
    early = [ask(7, "session/request_permission"), ask(8, "_mine"), ask(9, "initialize")]
    early[2]["params"] = {"protocolVersion": 1}
    events = connection.receive(line(*early, tell("session/update"), tell("_mine")))
    assert [type(event) for event in events] == [Refused] * 3 + [Ignored] * 2
    assert connection.surface is None
    connection.receive(answer(2, info=INFO))
    assert connection.surface is v2


def test_nothing_else_is_sent_before_the_answer() -> None:
    connection, _ = asking()
    with pytest.raises(ConnectionClosed, match="not initialized"):
        connection.request(v1.AGENT_METHODS["logout"], v1.LogoutRequest())


def test_a_connection_with_a_surface_asks_for_its_version() -> None:
    connection = Connection("client", v1)
    connection.initialize(*BOTH)
    sent = json.loads(connection.data_to_send())
    assert sent["params"]["protocolVersion"] == 1
    assert "info" not in sent["params"]
    [event] = connection.receive(answer(2, info=INFO))
    assert isinstance(event, Failure)
    assert isinstance(event.error, VersionMismatch)


@pytest.mark.parametrize(
    ("surface", "requests", "words"),
    [
        (choose, (), "no params"),
        (v1, (ASK_2,), "no params"),
        (
            choose,
            (ASK_1, v1_unstable.InitializeRequest(protocol_version=1)),
            "two requests for version 1",
        ),
    ],
)
def test_params_must_fit_the_versions(surface: Any, requests: Any, words: str) -> None:
    connection = Connection("client", surface)
    with pytest.raises(ValueError, match=words):
        connection.initialize(*requests)
    assert connection.data_to_send() == b""


@pytest.mark.parametrize(
    ("request_", "given"),
    [({2: ASK_2}, "object"), (v2, "module"), (v2.NewSessionRequest(cwd="/"), "NewSessionRequest")],
)
def test_requests_know_their_surface(request_: Any, given: str) -> None:
    connection = Connection("client", choose)
    with pytest.raises(TypeError, match=f"such as v1.InitializeRequest.*, not {given}"):
        connection.initialize(request_)
    assert connection.data_to_send() == b""


# --- with peers ------------------------------------------------------------------------------


class Client1(v1.ClientHandler):
    """A client of version 1 that knows its peer."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer


class Client2(v2.ClientHandler):
    """A client of version 2 that knows its peer."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer


class Agent1(v1.AgentHandler):
    """An agent of version 1."""

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        assert isinstance(params.client_info, v1.Implementation)
        return v1.InitializeResponse(protocol_version=1)


class Agent2(v2.AgentHandler):
    """An agent of version 2."""

    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        return v2.InitializeResponse(protocol_version=2, info=params.info)


CLIENTS = (Client1, Client2)
AGENTS = (Agent1, Agent2)


def converse(agents: Any, clients: Any, talk: Any) -> None:
    async def main() -> None:
        near, far = memory_streams()
        serving = asyncio.create_task(serve(far, *agents))
        async with connect(near, *clients) as peer:
            await talk(peer)
        await serving

    run(main())


@pytest.mark.parametrize(
    ("agents", "surface", "client"),
    [
        ([Agent1], v1, Client1),
        ([Agent2], v2, Client2),
        ([Agent2()], v2, Client2),
        ([{v1: lambda peer: Agent1(peer)}], v1, Client1),
        (AGENTS, v2, Client2),
    ],
)
def test_a_client_takes_what_the_agent_answers(agents: Any, surface: Any, client: type) -> None:
    async def talk(peer: Peer) -> None:
        assert peer.surface is None
        assert peer.handler is None
        result = await peer.initialize(*BOTH)
        assert isinstance(result, surface.InitializeResponse)
        assert peer.advertised is result
        assert peer.surface is surface
        assert isinstance(peer.handler, client)
        assert peer.handler.surface is surface

    converse(agents, CLIENTS, talk)


def test_a_client_needs_a_handler_for_each_version() -> None:
    async def talk(peer: Peer) -> None:
        with pytest.raises(ValueError, match="no handler"):
            await peer.initialize(*BOTH)
        await peer.initialize(ASK_2)

    converse(AGENTS, [Client2], talk)


NEITHER = "is not a handler; a factory is given as {v1: factory}"


@pytest.mark.parametrize(
    ("handlers", "words"),
    [
        ((), "there is no handler: pass a class, such as one that extends SessionAgent"),
        (({},), "there is no handler: pass a class, such as one that extends SessionAgent"),
        ((None,), f"None {NEITHER}"),
        ((int,), f"<class 'int'> {NEITHER}"),
        (
            ({2: Agent2},),
            "2 is not a surface: pass {v1: factory}, or just classes, which know their",
        ),
        (({v2: None},), "None is not a factory: it cannot be called with a peer"),
        ((Handler,), "Handler has no surface: extend a class of one, as of v1"),
        ((Client1,), "this side is the agent, but Client1 handles the calls of the other"),
        (
            (v2.ClientHandler(),),
            "this side is the agent, but ClientHandler handles the calls of the other",
        ),
    ],
)
def test_what_is_no_handler_is_refused(handlers: Any, words: str) -> None:
    async def main() -> None:
        near, _ = memory_streams()
        with pytest.raises(TypeError, match=re.escape(words)):
            await serve(near, *handlers)

    run(main())


def test_a_version_has_one_handler() -> None:
    async def main() -> None:
        near, _ = memory_streams()
        with pytest.raises(ValueError, match="two handlers for protocol version 1; choose one"):
            await serve(near, Agent1, Agent2, Agent1)

    run(main())


def test_clients_introduce_themselves() -> None:
    class Stating(v1.ClientHandler):
        info = v1.Implementation(name="stating", version="7")

        async def fs_read_text_file(self, params: v1.ReadTextFileRequest) -> Any: ...

    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, Stating, Client2) as peer:
            asking = asyncio.create_task(peer.initialize())
            sent = json.loads(await far.read())
            assert sent["params"] == {
                "protocolVersion": 2,
                "info": {"name": "acp-bindings", "version": v2.ClientHandler.info.version},
                "clientInfo": {"name": "stating", "version": "7"},
                "clientCapabilities": {"fs": {"readTextFile": True}},
            }
            far.write(answer(1))
            assert isinstance(await asking, v1.InitializeResponse)

    run(main())


def test_a_factory_does_not_say_what_it_makes() -> None:
    async def main() -> None:
        near, _ = memory_streams()
        async with connect(near, {v1: lambda peer: Client1(peer)}, Client2) as peer:
            with pytest.raises(TypeError, match=r"pass initialize a v1\.InitializeRequest"):
                await peer.initialize()

    run(main())


def test_a_client_of_one_version_may_use_it_as_well() -> None:
    async def talk(peer: Peer) -> None:
        assert peer.surface is v1
        assert isinstance(await peer.initialize(ASK_1), v1.InitializeResponse)

    converse(AGENTS, [Client1], talk)


def test_a_handler_that_cannot_be_made_is_told(caplog: pytest.LogCaptureFixture) -> None:
    def broken(peer: Peer) -> Client2:
        raise OSError("no display")

    async def talk(peer: Peer) -> None:
        with pytest.raises(RequestError, match="the handler for protocol version 2"):
            await peer.initialize(*BOTH)
        assert peer.handler is None
        assert peer.surface is None

    converse(AGENTS, [Client1, {v2: broken}], talk)
    assert "no display" in caplog.text


def test_the_handler_of_a_bad_answer_is_discarded() -> None:
    async def main() -> None:
        near, far = memory_streams()
        async with connect(near, *CLIENTS) as peer:
            asking = asyncio.create_task(peer.initialize(*BOTH))
            await sent_by(far)
            far.write(answer(2, info=5))
            with pytest.raises(DecodeError):
                await asking
            assert peer.handler is None
            assert peer.surface is None

    run(main())


async def sent_by(stream: MemoryStream) -> None:
    assert b"initialize" in await stream.read()
