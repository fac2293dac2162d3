"""Tests of the client with a scripted agent for each protocol version."""

import asyncio

import pytest
from acp_bindings.runtime.aio import connect
from acp_bindings.testing import Agent, Prompt, ask_permission
from client import Client


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("typed", "chosen"), [("1", "yes"), ("y\n2", "no"), ("", "no")])
def test_the_user_decides(version: int, typed: str, chosen: str) -> None:
    def turn(prompt: Prompt) -> object:
        assert (yield ask_permission("call")) == chosen

    async def talk() -> None:
        client = Client(asyncio.StreamReader())
        client.keys.feed_data(f"Clean up\n{typed}\n\n".encode())
        agent = Agent(turn, version=version)
        async with agent.stream() as stream, connect(stream, client, bridge=True) as peer:
            await client.converse(peer)
        assert len(agent.prompts) == 1

    asyncio.run(talk())
