"""A client that exists before its connection, and outlives it."""

from __future__ import annotations

import pytest
from acp_bindings import v2
from acp_bindings.runtime.aio import connect, connect_memory, memory_streams
from package.session.scripted import run


class Echo(v2.SessionAgent):
    """An agent that says what it is told."""

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.say(params.prompt[0])


class Screen(v2.SessionClient):
    """A client with something of its own."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines

    async def session_update(self, params: v2.UpdateSessionNotification) -> None:
        if isinstance(params.update, v2.AgentMessageChunk):
            self.lines.append(self.sessions[params.session_id].state.messages[-1].text)


async def test_a_client_may_have_one_connection_after_another() -> None:
    screen = Screen([])
    with pytest.raises(RuntimeError, match="the client has no connection yet"):
        _ = screen.agent
    for word in ("one", "two"):
        async with connect_memory(Echo, screen) as peer:
            await peer.initialize()
            assert screen.sessions == {}
            session = await v2.ClientSession.create(peer, v2.NewSessionRequest(cwd="/"))
            async with session.prompt(word):
                pass
    assert screen.lines == ["one", "two"]


async def test_a_client_has_one_connection_at_a_time() -> None:
    screen = Screen([])
    near, _ = memory_streams()
    async with connect_memory(Echo, screen):
        with pytest.raises(RuntimeError, match="the client has a connection: pass its class"):
            await connect(near, screen).__aenter__()
