"""The agent for the test conversation, built with acp_bindings.

Usage: `ours_agent [1 | --bridge]`. By default, the agent supports both protocol versions.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, serve_stdio
from acp_bindings.v1.methods import CLIENT_EXT_REQUEST

from .stage import SESSION, Acting, initialized


class Agent:
    """An agent that passes client messages to `Acting` and implements the `Stage` interface."""

    v: Any
    error = RequestError

    def __init__(self, peer: Peer) -> None:
        self.version: int = self.v.SCHEMA.protocol_version
        self._peer = peer
        self._client = self.v.ClientStub(peer)
        self._acting = Acting(self)

    # --- messages from the client ----------------------------------------------------------------

    async def initialize(self, params: Any) -> Any:
        return self.v.decode(self.v.InitializeResponse, initialized(self.version))

    async def session_new(self, params: Any) -> Any:
        print("this must not get between the messages", params.cwd)
        return self.v.NewSessionResponse(session_id=SESSION)

    async def session_prompt(self, params: Any) -> Any:
        texts = [block.text for block in params.prompt]
        return self.v.decode(self.v.PromptResponse, await self._acting.prompt(texts))

    async def session_cancel(self, params: Any) -> None:
        self._acting.cancelled.set()

    async def ext_request(self, method: str, params: Any) -> Any:
        return await self._acting.extension_request(method, params)

    async def ext_notification(self, method: str, params: Any) -> None:
        await self._acting.extension_notification(method, params)

    # --- actions of the conversation -------------------------------------------------------------

    async def update(self, update: Any) -> None:
        params = self.v.CLIENT_METHODS["session/update"].params
        note = self.v.decode(params, {"sessionId": SESSION, "update": update}, strict=True)
        await self._client.session_update(note)

    async def ask(self, params: Any) -> Any:
        request = self.v.decode(self.v.RequestPermissionRequest, params, strict=True)
        return self.v.encode(await self._client.session_request_permission(request))

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._client.ext_request(method, params)
        # Stubs provide only methods that the schema defines.
        return await self._peer.request(replace(CLIENT_EXT_REQUEST, name=method), params)

    async def notify(self, method: str, params: Any) -> None:
        await self._client.ext_notification(method, params)


class AgentV1(Agent, v1.AgentHandler):
    v = v1


class AgentV2(Agent, v2.AgentHandler):
    v = v2


if __name__ == "__main__":
    only = sys.argv[-1]
    agents = {"1": [AgentV1], "--bridge": [AgentV2]}.get(only, [AgentV1, AgentV2])
    asyncio.run(serve_stdio(*agents, bridge=only == "--bridge"))
