"""An agent built with the official SDK that sends one update and ends the turn."""

import asyncio
from typing import Any

from acp import run_agent
from acp.schema import (
    AgentMessageChunk,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    SetSessionModeResponse,
    TextContentBlock,
)


class Agent:
    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **kwargs: Any) -> InitializeResponse:
        return InitializeResponse(protocol_version=1)

    async def new_session(self, cwd: str, **kwargs: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id="s")

    async def set_session_mode(
        self, session_id: str, mode_id: str, **kwargs: Any
    ) -> SetSessionModeResponse:
        return SetSessionModeResponse()

    async def prompt(self, session_id: str, prompt: Any, **kwargs: Any) -> PromptResponse:
        block = TextContentBlock(type="text", text="Reading the file")
        update = AgentMessageChunk(session_update="agent_message_chunk", content=block)
        await self.client.session_update(session_id=session_id, update=update)
        return PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(run_agent(Agent()))
