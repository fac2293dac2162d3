"""A client that sends one prompt and prints what comes back: `python client.py AGENT...`."""

import asyncio
import sys
from pathlib import Path

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, connect_stdio


class PrintingClient(v1.ClientHandler):
    """Prints text and refuses whatever asks for permission."""

    def __init__(self, peer: Peer) -> None:
        self.agent = v1.AgentStub(peer)

    async def session_update(self, params: v1.SessionNotification) -> None:
        match params.update:
            case v1.AgentMessageChunk(content=v1.TextContent(text=text)):
                print(text)

    async def session_request_permission(
        self, params: v1.RequestPermissionRequest
    ) -> v1.RequestPermissionResponse:
        return v1.RequestPermissionResponse(outcome=v1.CancelledRequestPermissionOutcome())


async def main(command: list[str]) -> None:
    async with connect_stdio(command, PrintingClient) as peer:
        agent = v1.AgentStub(peer)
        await agent.initialize(v1.InitializeRequest(protocol_version=1))
        session = await agent.session_new(v1.NewSessionRequest(cwd=str(Path.cwd()), mcp_servers=[]))
        prompt: list[v1.ContentBlock] = [v1.TextContent(text="Hello, agent!")]
        done = await agent.session_prompt(
            v1.PromptRequest(session_id=session.session_id, prompt=prompt)
        )
        print(f"[{done.stop_reason}]")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
