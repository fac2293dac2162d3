"""Tests of the number of function calls per message, on both sides and including asyncio.

Unlike durations, these counts are the same on every machine.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
from collections.abc import Awaitable, Callable

import pytest
from acp_bindings import v1
from acp_bindings.runtime.aio import connect_memory

from tests.package.aio.sides import ticks

# The first objects of each class are created in a different way; see
# `acp_bindings.runtime.values.deferred`.
WARM_UP, COUNT = 200, 500

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="asyncio makes other calls in other versions of Python"
)


class Agent(v1.AgentHandler):
    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def session_set_mode(self, params: v1.SetSessionModeRequest) -> v1.SetSessionModeResponse:
        return v1.SetSessionModeResponse()

    async def session_cancel(self, params: v1.CancelNotification) -> None:
        pass


class Speaker(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await session.say("hi")


async def calls_of(act: Callable[[], Awaitable[object]]) -> int:
    """Return the average number of Python and C function calls per call to `act`."""
    for _ in range(WARM_UP):
        await act()
    await ticks()
    with cProfile.Profile() as profile:
        for _ in range(COUNT):
            await act()
        await ticks()
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total // COUNT


async def test_a_request_makes_few_calls() -> None:
    async with connect_memory(Agent, v1.ClientHandler) as peer:
        agent = v1.AgentStub(peer)
        await agent.initialize(v1.InitializeRequest(protocol_version=1))
        params = v1.SetSessionModeRequest(session_id="s", mode_id="m")
        assert await calls_of(lambda: agent.session_set_mode(params)) <= 258


async def test_a_notification_makes_few_calls() -> None:
    async with connect_memory(Agent, v1.ClientHandler) as peer:
        agent = v1.AgentStub(peer)
        await agent.initialize(v1.InitializeRequest(protocol_version=1))
        params = v1.CancelNotification(session_id="s")
        assert await calls_of(lambda: agent.session_cancel(params)) <= 120


async def test_a_turn_makes_few_calls() -> None:
    async with connect_memory(Speaker, v1.SessionClient) as peer:
        await peer.initialize()
        session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])

        async def turn() -> None:
            async with session.prompt("hello") as turn:
                await turn.wait()

        assert await calls_of(turn) <= 679
