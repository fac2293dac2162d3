import asyncio

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import connect_stdio


async def main() -> None:
    async with connect_stdio(["python", "agent.py"], v1.SessionClient, v2.SessionClient) as peer:
        await peer.initialize()
        session: v1.ClientSession | v2.ClientSession
        if peer.surface is v1:
            session = await v1.ClientSession.create(peer, cwd="/", mcp_servers=[])
        else:
            session = await v2.ClientSession.create(peer, cwd="/")
        async with session.prompt("Hello, agent!") as turn:
            await turn.wait()
        print(session.state.messages[-1].text, f"[{turn.stop_reason}]", sep="\n")


asyncio.run(main())
