"""The same agent in protocol 2: it accepts a prompt at once, and answers in updates."""

import asyncio

from acp_bindings import v2
from acp_bindings.runtime.aio import Peer, serve_stdio


class EchoAgent(v2.AgentHandler):
    """Echoes, in as many sessions as there are."""

    def __init__(self, peer: Peer) -> None:
        self.client = v2.ClientStub(peer)
        self.sessions = 0
        self.turns: set[asyncio.Task[None]] = set()

    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        info = v2.Implementation(name="echo", version="1.0")
        able = v2.AgentCapabilities(session=v2.SessionCapabilities())
        return v2.InitializeResponse(protocol_version=2, info=info, capabilities=able)

    async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
        self.sessions += 1
        return v2.NewSessionResponse(session_id=f"session-{self.sessions}")

    async def session_prompt(self, params: v2.PromptRequest) -> v2.PromptResponse:
        turn = asyncio.create_task(self.answer(params))
        self.turns.add(turn)
        turn.add_done_callback(self.turns.discard)
        return v2.PromptResponse(message_id="user-1")

    async def answer(self, params: v2.PromptRequest) -> None:
        asked = v2.UserMessage(message_id="user-1", content=params.prompt)
        chunks = [
            v2.AgentMessageChunk(message_id="agent-1", content=each) for each in params.prompt
        ]
        idle = v2.IdleStateUpdate(stop_reason="end_turn")
        updates: list[v2.SessionUpdate] = [v2.RunningStateUpdate(), asked, *chunks, idle]
        for update in updates:
            note = v2.UpdateSessionNotification(session_id=params.session_id, update=update)
            await self.client.session_update(note)


if __name__ == "__main__":
    asyncio.run(serve_stdio(EchoAgent))
