"""Our client, which times its calls and prints the times as JSON.

Usage: `ours_client.py COUNT IN_FLIGHT AGENT...`
"""

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio
from timing import time_acts


class Client(v1.ClientHandler):
    updates = 0

    async def session_update(self, params: v1.SessionNotification) -> None:
        self.updates += 1


async def main(
    count: int, in_flight: int, connect: Callable[[Client], AbstractAsyncContextManager[Peer]]
) -> None:
    client = Client()
    async with connect(client) as peer:
        agent = v1.AgentStub(peer)
        await agent.initialize(v1.InitializeRequest(protocol_version=1))
        await agent.session_new(v1.NewSessionRequest(cwd="/project", mcp_servers=[]))

        async def call() -> None:
            await agent.session_set_mode(v1.SetSessionModeRequest(session_id="s", mode_id="m"))

        async def turn() -> None:
            block = v1.TextContent(text="What does this do?")
            await agent.session_prompt(v1.PromptRequest(session_id="s", prompt=[block]))

        await time_acts({"call": call, "turn": turn}, count, in_flight)
        assert client.updates == count + 1


if __name__ == "__main__":
    counts = int(sys.argv[1]), int(sys.argv[2])
    asyncio.run(main(*counts, lambda client: connect_stdio(sys.argv[3:], client)))
