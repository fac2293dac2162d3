"""Our agent, which sends one update and ends the turn."""

import asyncio

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, serve_stdio


class Agent(v1.AgentHandler):
    def __init__(self, peer: Peer) -> None:
        self.client = v1.ClientStub(peer)

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        return v1.NewSessionResponse(session_id="s")

    async def session_set_mode(self, params: v1.SetSessionModeRequest) -> v1.SetSessionModeResponse:
        return v1.SetSessionModeResponse()

    async def session_prompt(self, params: v1.PromptRequest) -> v1.PromptResponse:
        update = v1.AgentMessageChunk(content=v1.TextContent(text="Reading the file"))
        note = v1.SessionNotification(session_id=params.session_id, update=update)
        await self.client.session_update(note)
        return v1.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(serve_stdio(Agent))
