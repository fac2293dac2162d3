"""An agent that answers each prompt with its own words."""

import asyncio

from acp_bindings import v1
from acp_bindings.runtime.aio import Peer, serve_stdio


class EchoAgent(v1.AgentHandler):
    """Echoes, in as many sessions as there are."""

    def __init__(self, peer: Peer) -> None:
        self.client = v1.ClientStub(peer)
        self.sessions = 0

    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def session_new(self, params: v1.NewSessionRequest) -> v1.NewSessionResponse:
        self.sessions += 1
        return v1.NewSessionResponse(session_id=f"session-{self.sessions}")

    async def session_prompt(self, params: v1.PromptRequest) -> v1.PromptResponse:
        for block in params.prompt:
            chunk = v1.AgentMessageChunk(content=block)
            note = v1.SessionNotification(session_id=params.session_id, update=chunk)
            await self.client.session_update(note)
        return v1.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(serve_stdio(EchoAgent))
