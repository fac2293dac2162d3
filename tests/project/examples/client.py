"""A client that prompts a protocol 1 or 2 agent and prints the response."""

import asyncio

from acp_bindings import v2
from acp_bindings.runtime.aio import connect_stdio


async def main() -> None:
    async with connect_stdio(["python", "agent.py"], v2.SessionClient, bridge=True) as peer:
        await peer.initialize()
        session = await v2.ClientSession.create(peer, cwd="/")
        async with session.prompt("Hello, agent!") as turn:
            await turn.wait()
        answers = [each.text for each in session.state.messages if each.role == "agent"]
        print(*answers, f"[{turn.stop_reason}]", sep="\n")


asyncio.run(main())
