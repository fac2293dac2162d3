"""Tests of the client with scripted agents of each protocol version."""

import asyncio
from collections.abc import Generator
from typing import Any

import pytest
from acp_bindings.runtime.aio import connect
from acp_bindings.testing import Agent, Prompt, ask_permission
from client import Client


async def talk(agent: Agent, typed: str) -> None:
    client = Client(asyncio.StreamReader())
    client.keys.feed_data(typed.encode())
    client.keys.feed_eof()
    async with agent.stream() as stream, connect(stream, client, bridge=True) as peer:
        await client.converse(peer)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("typed", "chosen"), [("1", "yes"), ("2", "no"), ("", "no")])
def test_the_user_decides(
    version: int, typed: str, chosen: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def turn(prompt: Prompt) -> Generator[Any, Any, None]:
        assert (yield ask_permission("call")) == chosen
        yield "Done."

    asyncio.run(talk(Agent(turn, version=version), f"Clean up\n{typed}\n"))
    assert "Done.\n[end_turn]\n" in capsys.readouterr().out
