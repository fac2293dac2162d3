"""A protocol 2 agent program that saves its sessions. Usage: `stored_program.py FOLDER`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v2 import kit


class Counting(kit.StoredAgent):
    """An agent that counts to a high number, with a tool call and a message for each step."""

    store = kit.SessionStore(sys.argv[1])

    async def turn(self, session: Any, params: v2.PromptRequest) -> None:
        for number in range(100_000):
            async with session.tool(f"Count to {number}") as tool:
                await tool.show(str(number))
            await session.say(f"{number} ")
            await asyncio.sleep(0)


asyncio.run(serve_stdio(Counting))
