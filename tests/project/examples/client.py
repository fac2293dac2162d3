"""A client for both: `python client.py VERSION AGENT [ARGUMENT...]`."""

import asyncio
import sys

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v1 import client_session as live1
from acp_bindings.v2 import client_session as live2


async def open_session(peer: Peer, version: str) -> live1.ClientSession | live2.ClientSession:
    if version == "1":
        await v1.AgentStub(peer).initialize(v1.InitializeRequest(protocol_version=1))
        return await live1.ClientSession.create(peer, v1.NewSessionRequest(cwd="/", mcp_servers=[]))
    info = v2.Implementation(name="printer", version="1.0")
    await v2.AgentStub(peer).initialize(v2.InitializeRequest(protocol_version=2, info=info))
    return await live2.ClientSession.create(peer, v2.NewSessionRequest(cwd="/"))


async def main(version: str, *command: str) -> None:
    async with connect_stdio(command, {"1": live1, "2": live2}[version].SessionClient) as peer:
        session = await open_session(peer, version)
        async with session.prompt("Hello, agent!") as turn:
            print(*[type(update).__name__ async for update in turn], file=sys.stderr)
        print(session.state.messages[-1].text, f"[{turn.stop_reason}]", sep="\n")


asyncio.run(main(*sys.argv[1:]))
