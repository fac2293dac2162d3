"""What `initialize` decides, and that one that is refused decides nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, RequestError
from acp_bindings.runtime.aio import MemoryStream, Peer, memory_streams, serve
from acp_bindings.runtime.jsonrpc import Connection, Request, Response
from package.jsonrpc.aio_sides import Wire
from package.jsonrpc.loop import run
from package.jsonrpc.wire import ask, initialize, line

NEW = ask(1, "session/new", cwd="/", mcpServers=[])
TOO_EARLY = {"code": -32600, "message": "invalid request: initialize comes first"}


class Agent(v1.AgentHandler):
    """Answers `initialize` with the answers it is given, and knows its peer."""

    answers: list[Any]
    peers: list[Peer]
    tasks: list[asyncio.Task[None]]

    def __init__(self, peer: Peer) -> None:
        self.peers.append(peer)
        self.tasks.append(peer.spawn(forever()))

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return v1.InitializeResponse(protocol_version=answer)

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        return v1.NewSessionResponse(session_id="s")


async def forever() -> None:
    await asyncio.Event().wait()


def agent(*answers: Any) -> Any:
    members = {"answers": list(answers), "peers": [], "tasks": []}
    return type("TestAgent", (Agent,), members)


class Conversation:
    """An agent, and its client written by hand."""

    def __init__(self, *agents: Any) -> None:
        near, far = memory_streams()
        self.stream: MemoryStream = near
        self.wire = Wire(near)
        self.serving = asyncio.create_task(serve(far, *agents, linger=0))

    async def ask(self, message: Any) -> Any:
        self.stream.write(line(message))
        return await self.wire.read()

    async def end(self) -> None:
        await self.stream.close()
        await self.serving


def test_an_agent_of_one_version_refuses_what_comes_before_initialize() -> None:
    async def main() -> None:
        talk = Conversation(agent(1))
        assert (await talk.ask(NEW))["error"] == TOO_EARLY
        assert (await talk.ask(initialize(1)))["result"]["protocolVersion"] == 1
        assert (await talk.ask(NEW))["result"] == {"sessionId": "s"}
        await talk.end()

    run(main())


@pytest.mark.parametrize("several", [True, False])
def test_a_refused_initialize_has_no_effect(several: bool) -> None:
    async def main() -> None:
        made = agent(RequestError(-32000, "log in first"), 1)
        talk = Conversation(made, *[v2.AgentHandler] * several)
        assert (await talk.ask(initialize(1)))["error"]["code"] == -32000
        assert (await talk.ask(NEW))["error"] == TOO_EARLY
        assert made.peers[0].advertised is None
        await asyncio.sleep(0.01)
        assert made.tasks[0].done() == several  # another version may follow, with a handler anew
        assert (await talk.ask(initialize(1)))["result"]["protocolVersion"] == 1
        assert (await talk.ask(NEW))["result"] == {"sessionId": "s"}
        assert len(made.peers) == 1 + several
        await talk.end()

    run(main())


def starting_a_task(tasks: list[asyncio.Task[None]], peer: Peer) -> v2.AgentHandler:
    """The handler of an agent that starts a task when it is made."""
    tasks.append(peer.spawn(forever()))
    return v2.AgentHandler()


def test_params_that_do_not_decode_leave_no_task_of_the_handler() -> None:
    tasks: list[asyncio.Task[None]] = []

    async def main() -> None:
        talk = Conversation({v2: partial(starting_a_task, tasks)}, v1.AgentHandler)
        assert (await talk.ask(ask(0, "initialize", protocolVersion=2)))["error"]["code"] == -32602
        await asyncio.sleep(0.01)
        assert [task.done() for task in tasks] == [True]
        await talk.end()

    run(main())


def test_of_several_that_are_refused_in_one_piece_no_task_is_left() -> None:
    tasks: list[asyncio.Task[None]] = []

    async def main() -> None:
        talk = Conversation({v2: partial(starting_a_task, tasks)}, v1.AgentHandler)
        bad = ask(0, "initialize", protocolVersion=2)
        talk.stream.write(line(bad, bad, initialize(2)))
        for _ in range(3):
            await talk.wire.read()
        await asyncio.sleep(0.01)
        assert [task.done() for task in tasks] == [True, True, False]
        await talk.end()

    run(main())


def test_a_response_after_a_refused_initialize_still_has_its_surface() -> None:
    connection = Connection("agent", lambda version: v1)
    [request] = connection.receive(line(initialize(1)))
    assert isinstance(request, Request)
    params = v1.ReadTextFileRequest(session_id="s", path="/a")
    id_ = connection.request(v1.CLIENT_METHODS["fs/read_text_file"], params)
    connection.fail(request, RequestError(-32000, "log in first"))
    answer = {"jsonrpc": "2.0", "id": id_, "result": {"content": "text"}}
    [response] = connection.receive(line(answer))
    assert isinstance(response, Response)
    assert response.result == v1.ReadTextFileResponse(content="text")


def test_a_second_initialize_that_is_refused_lifts_no_gate() -> None:
    async def main() -> None:
        made = agent(1, RequestError(-1, "no"))
        talk = Conversation(made)
        await talk.ask(initialize(1))
        [peer] = made.peers
        able = {"fs": {"readTextFile": True}}
        again = ask(3, "initialize", protocolVersion=1, clientCapabilities=able)
        assert (await talk.ask(again))["error"]["code"] == -1
        params = v1.ReadTextFileRequest(session_id="s", path="/x")
        with pytest.raises(CapabilityError):
            await v1.ClientStub(peer).fs_read_text_file(params)
        await talk.end()

    run(main())


def test_a_second_initialize_that_is_answered_counts() -> None:
    async def main() -> None:
        made = agent(1, 1)
        talk = Conversation(made)
        await talk.ask(initialize(1))
        able = {"fs": {"readTextFile": True}}
        await talk.ask(ask(3, "initialize", protocolVersion=1, clientCapabilities=able))
        assert made.peers[0].advertised.client_capabilities.fs.read_text_file is True
        await talk.end()

    run(main())


def test_a_version_that_the_surface_does_not_speak_is_not_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        talk = Conversation(agent(2, 1))
        assert (await talk.ask(initialize(1)))["error"]["code"] == -32603
        assert (await talk.ask(NEW))["error"] == TOO_EARLY
        assert (await talk.ask(initialize(1)))["result"]["protocolVersion"] == 1
        await talk.end()

    run(main())
    assert "/protocolVersion: 2, but this connection speaks version 1" in caplog.text


@pytest.mark.parametrize("version", [0, 1, 7])
def test_version_1_answers_whatever_version_is_asked_for(version: int) -> None:
    async def main() -> None:
        talk = Conversation(agent(1))
        assert (await talk.ask(initialize(version)))["result"]["protocolVersion"] == 1
        await talk.end()

    run(main())


def test_version_2_refuses_a_lower_version() -> None:
    async def main() -> None:
        talk = Conversation(type("TestAgent", (v2.AgentHandler,), {"__init__": lambda *_: None}))
        assert (await talk.ask(initialize(1)))["error"]["code"] == -32022
        await talk.end()

    run(main())


def test_a_handler_may_use_its_peer_when_it_is_made() -> None:
    seen: list[Any] = []

    class Early(Agent):
        def __init__(self, peer: Peer) -> None:
            super().__init__(peer)
            seen.append(peer.advertised)

    async def main() -> None:
        made: Any = type("TestAgent", (Early,), {"answers": [1], "peers": [], "tasks": []})
        talk = Conversation(made)
        await talk.ask(initialize(1))
        await talk.end()
        assert made.tasks[0].cancelled()

    run(main())
    assert seen == [None]


@pytest.mark.parametrize("wrong", ["raises", "of the other side"])
def test_a_factory_that_fails_leaves_no_task(wrong: str) -> None:
    tasks: list[asyncio.Task[None]] = []

    def factory(peer: Peer) -> Any:
        tasks.append(peer.spawn(forever()))
        if wrong == "raises":
            raise ValueError(wrong)
        return v1.ClientHandler()

    async def main() -> None:
        near, _ = memory_streams()
        with pytest.raises((ValueError, TypeError)):
            await serve(near, {v1: factory})
        await asyncio.sleep(0.01)
        assert [task.done() for task in tasks] == [True]

    run(main())
