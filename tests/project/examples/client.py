"""A client for both: `python client.py AGENT [ARGUMENT...]`."""

import asyncio
import sys

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v1 import client_session as live1
from acp_bindings.v2 import client_session as live2


async def open_session(peer: Peer) -> live1.ClientSession | live2.ClientSession:
    info = v2.Implementation(name="printer", version="1.0")
    ask2 = v2.InitializeRequest(protocol_version=2, info=info)
    await peer.initialize({v1: v1.InitializeRequest(protocol_version=1), v2: ask2})
    if peer.surface is v1:
        return await live1.ClientSession.create(peer, v1.NewSessionRequest(cwd="/", mcp_servers=[]))
    return await live2.ClientSession.create(peer, v2.NewSessionRequest(cwd="/"))


async def main(*command: str) -> None:
    async with connect_stdio(command, {1: live1.SessionClient, 2: live2.SessionClient}) as peer:
        session = await open_session(peer)
        async with session.prompt("Hello, agent!") as turn:
            print(*[type(update).__name__ async for update in turn], file=sys.stderr)
        print(session.state.messages[-1].text, f"[{turn.stop_reason}]", sep="\n")


asyncio.run(main(*sys.argv[1:]))
