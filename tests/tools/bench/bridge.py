"""Measure in-memory turns with and without a bridge, and print the seconds as JSON."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect_memory

BATCHES, TURNS, UPDATES = 5, 100, 10
BRIDGED, UNBRIDGED = "100 turns with ten updates through a bridge", "100 turns without"


class Agent(v2.SessionAgent):
    """An agent that sends several chunks and a tool call for each prompt."""

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        for _ in range(UPDATES - 2):
            await session.say("some words of an answer ")
        await session.tool_call(tool_call_id="t", title="Read", status="in_progress")
        await session.tool_call(tool_call_id="t", status="completed")


async def measure(surface: Any) -> float:
    """Return the time, in seconds, of the fastest batch of turns with this surface's client."""
    best = float("inf")
    async with connect_memory(Agent, surface.SessionClient, bridge=True) as peer:
        await peer.initialize()
        servers: dict[str, Any] = {"mcp_servers": []} if surface is v1 else {}
        session = await surface.ClientSession.create(peer, cwd="/", **servers)
        assert (peer.bridged is None) is (surface is v2)
        for _ in range(BATCHES):
            start = time.perf_counter()
            for _ in range(TURNS):
                async with session.prompt("Hi") as turn:
                    await turn.wait()
            best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    names = {UNBRIDGED: v2, BRIDGED: v1}
    print(json.dumps({name: asyncio.run(measure(surface)) for name, surface in names.items()}))
