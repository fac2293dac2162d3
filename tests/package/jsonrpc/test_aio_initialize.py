"""What an agent does before, with and after `initialize`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp_bindings import v1, v2
from acp_bindings.runtime import CapabilityError, RequestError
from acp_bindings.runtime.aio import Peer
from acp_bindings.runtime.jsonrpc import Connection, Request, Response
from package.jsonrpc.aio_sides import Wire, serving, stuck, ticks
from package.jsonrpc.wire import ask, initialize, line

NEW = ask(1, "session/new", cwd="/", mcpServers=[])
TOO_EARLY = {"code": -32600, "message": "invalid request: initialize comes first"}
REFUSAL = RequestError(-32000, "log in first")
ABLE = ask(3, "initialize", protocolVersion=1, clientCapabilities={"fs": {"readTextFile": True}})


class Agent(v1.AgentHandler):
    """Answers `initialize` with the answers it is given, and knows its peer."""

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


def agent(*answers: Any) -> Any:
    return type("TestAgent", (Agent,), {"answers": list(answers), "peers": [], "tasks": []})


class Talk:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    async def ask(self, message: Any) -> Any:
        """The error, or the result, that a request gets."""
        self.wire.write(message)
        reply = await self.wire.read()
        return reply.get("error") or reply["result"]

    async def initialize(self) -> None:
        assert (await self.ask(initialize(1)))["protocolVersion"] == 1
        assert await self.ask(NEW) == {"sessionId": "s"}


@asynccontextmanager
async def talking(*agents: Any) -> AsyncGenerator[Talk]:
    async with serving(*agents, initialized=False, linger=0) as wire:
        yield Talk(wire)


async def test_an_agent_of_one_version_refuses_what_comes_before_initialize() -> None:
    made = agent(1)
    async with talking(made) as talk:
        assert await talk.ask(NEW) == TOO_EARLY
        await talk.initialize()
    assert made.tasks[0].cancelled()


@pytest.mark.parametrize("several", [True, False])
async def test_a_refused_initialize_has_no_effect(several: bool) -> None:
    made = agent(REFUSAL, 1)
    async with talking(made, *[v2.AgentHandler] * several) as talk:
        assert (await talk.ask(initialize(1)))["code"] == -32000
        assert await talk.ask(NEW) == TOO_EARLY
        assert made.peers[0].advertised is None
        await ticks()
        assert made.tasks[0].done() == several  # another version may follow, with a handler anew
        await talk.initialize()
        assert len(made.peers) == 1 + several


async def test_params_that_do_not_decode_leave_no_task_of_the_handler() -> None:
    tasks: list[asyncio.Task[None]] = []

    def starting_a_task(peer: Peer) -> v2.AgentHandler:
        tasks.append(peer.spawn(stuck(peer)))
        return v2.AgentHandler()

    bad = ask(0, "initialize", protocolVersion=2)
    async with talking({v2: starting_a_task}, v1.AgentHandler) as talk:
        assert (await talk.ask(bad))["code"] == -32602
        await ticks()
        assert [task.done() for task in tasks] == [True]
        talk.wire.write(bad, bad, initialize(2))  # in one piece
        for _ in range(3):
            await talk.wire.read()
        await ticks()
        assert [task.done() for task in tasks] == [True, True, True, False]


def test_a_response_after_a_refused_initialize_still_has_its_surface() -> None:
    connection = Connection("agent", lambda version: v1)
    [request] = connection.receive(line(initialize(1)))
    assert isinstance(request, Request)
    params = v1.ReadTextFileRequest(session_id="s", path="/a")
    id_ = connection.request(v1.CLIENT_METHODS["fs/read_text_file"], params)
    connection.fail(request, REFUSAL)
    [response] = connection.receive(line({"id": id_, "result": {"content": "text"}}))
    assert isinstance(response, Response)
    assert response.result == v1.ReadTextFileResponse(content="text")


@pytest.mark.parametrize("counts", [False, True])
async def test_a_second_initialize_counts_if_it_is_answered(counts: bool) -> None:
    made = agent(1, 1 if counts else REFUSAL)
    async with talking(made) as talk:
        await talk.initialize()
        await talk.ask(ABLE)
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
    async with talking(agent(2, 1)) as talk:
        assert (await talk.ask(initialize(1)))["code"] == -32603
        assert await talk.ask(NEW) == TOO_EARLY
        await talk.initialize()
    assert "/protocolVersion: 2, but this connection speaks version 1" in caplog.text
