"""The same client in protocol 2: `python client_v2.py AGENT [ARGUMENT...]`."""

import asyncio
import os
import sys

from acp_bindings import v2
from acp_bindings.runtime.aio import connect_stdio


class PrintingClient(v2.ClientHandler):
    """Prints text, and waits for the agent to be idle again."""

    def __init__(self) -> None:
        self.idle: asyncio.Queue[v2.IdleStateUpdate] = asyncio.Queue()

    async def session_update(self, params: v2.UpdateSessionNotification) -> None:
        match params.update:
            case v2.AgentMessageChunk(content=v2.TextContent(text=text)):
                print(text)
            case v2.IdleStateUpdate() as update:
                await self.idle.put(update)
            case _:
                pass


async def main(command: list[str]) -> None:
    client = PrintingClient()
    async with connect_stdio(command, lambda peer: client) as peer:
        agent = v2.AgentStub(peer)
        info = v2.Implementation(name="printer", version="1.0")
        await agent.initialize(v2.InitializeRequest(protocol_version=2, info=info))
        session = await agent.session_new(v2.NewSessionRequest(cwd=os.getcwd()))
        hello = v2.TextContent(text="Hello, agent!")
        prompt = v2.PromptRequest(session_id=session.session_id, prompt=[hello])
        await agent.session_prompt(prompt)
        turn = await client.idle.get()
        print(f"[{turn.stop_reason}]")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
