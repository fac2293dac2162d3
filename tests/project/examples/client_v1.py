"""A client that sends one prompt: `python client_v1.py AGENT [ARGUMENT...]`."""

import asyncio
import os
import sys

from acp_bindings import v1
from acp_bindings.runtime.aio import connect_stdio


class PrintingClient(v1.ClientHandler):
    """Prints text, and lets nothing be done that needs a permission."""

    async def session_update(self, params: v1.SessionNotification) -> None:
        match params.update:
            case v1.AgentMessageChunk(content=v1.TextContent(text=text)):
                print(text)
            case _:
                pass

    async def session_request_permission(
        self, params: v1.RequestPermissionRequest
    ) -> v1.RequestPermissionResponse:
        return v1.RequestPermissionResponse(outcome=v1.CancelledRequestPermissionOutcome())


async def main(command: list[str]) -> None:
    async with connect_stdio(command, PrintingClient) as peer:
        agent = v1.AgentStub(peer)
        await agent.initialize(v1.InitializeRequest(protocol_version=1))
        new = v1.NewSessionRequest(cwd=os.getcwd(), mcp_servers=[])
        session = await agent.session_new(new)
        hello = v1.TextContent(text="Hello, agent!")
        prompt = v1.PromptRequest(session_id=session.session_id, prompt=[hello])
        turn = await agent.session_prompt(prompt)
        print(f"[{turn.stop_reason}]")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
