"""A protocol 1 agent, built with the official Python SDK, that requires users to sign in.

It opens sessions only after a sign-in and does not support signing out. It responds to each prompt
with the session's MCP servers, as JSON.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import acp
from acp import schema


class LockedAgent:
    def __init__(self) -> None:
        self.is_signed_in = False
        self.servers: list[Any] = []

    def on_connect(self, connection: Any) -> None:
        self.connection = connection

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        methods = [{"id": "key", "name": "Key"}]
        return schema.InitializeResponse.model_validate(
            {"protocolVersion": 1, "authMethods": methods}
        )

    async def authenticate(self, method_id: str, **_: Any) -> Any:
        self.is_signed_in = method_id == "key"
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, mcp_servers: list[Any], **_: Any) -> Any:
        if not self.is_signed_in:
            raise acp.RequestError.auth_required()
        self.servers = [
            server.model_dump(by_alias=True, exclude_unset=True) for server in mcp_servers
        ]
        return schema.NewSessionResponse(session_id="s")

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        update = schema.AgentMessageChunk.model_validate(
            {
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": json.dumps(self.servers)},
            }
        )
        await self.connection.session_update(session_id=session_id, update=update)
        return schema.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    agent: Any = LockedAgent()
    asyncio.run(acp.run_agent(agent))
