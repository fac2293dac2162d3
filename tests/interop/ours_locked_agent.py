"""A bridged protocol 2 agent, built with acp_bindings.

Usage: `ours_locked_agent [locked]`. The agent does not advertise support for MCP servers. With
`locked`, it opens sessions only after a sign-in. It responds to each prompt with the session's MCP
servers and all losses so far, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import ClassVar

from acp_bindings import v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Loss, serve_stdio

LOSSES: list[Loss] = []


class OpenAgent(v2.SessionAgent):
    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        servers = [v2.encode(server, v2.McpServer) for server in session.mcp_servers]
        losses = [[loss.method, loss.pointer] for loss in LOSSES]
        await session.say(json.dumps({"servers": servers, "losses": losses}))


class LockedAgent(OpenAgent):
    auth_methods: ClassVar = [v2.AuthMethodAgent(method_id="key", name="Key")]
    is_signed_in = False

    async def auth_login(self, params: v2.LoginAuthRequest) -> None:
        self.is_signed_in = params.method_id == "key"

    async def auth_logout(self, params: v2.LogoutAuthRequest) -> None:
        self.is_signed_in = False

    async def session_new(self, params: v2.NewSessionRequest) -> v2.NewSessionResponse:
        if not self.is_signed_in:
            raise RequestError.auth_required()
        return await super().session_new(params)


if __name__ == "__main__":
    agent = LockedAgent if "locked" in sys.argv else OpenAgent
    asyncio.run(serve_stdio(agent, bridge=True, on_loss=LOSSES.append))
