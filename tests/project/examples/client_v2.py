"""A complete client: it starts `agent_v2.py` and prints the updates of a turn."""

import asyncio

from acp_bindings import v2
from acp_bindings.runtime.aio import connect_stdio


async def main() -> None:
    async with connect_stdio(["python", "agent_v2.py"], v2.SessionClient) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/")
        async with session.prompt("Hello!") as turn:
            async for update in turn:
                print(type(update).__name__)


asyncio.run(main())
