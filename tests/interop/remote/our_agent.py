"""The agent for the remote test conversation, built with acp_bindings.

Usage: `our_agent VERSION SERVER TLS [--bridge]`. `TLS` is a folder with a certificate, or `-` for
no TLS.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from acp_bindings import v1, v2
from acp_bindings.remote import remote_app
from acp_bindings.runtime.aio import Peer

from . import serving
from .options import folder
from .stage import Acting


class Agent:
    """An agent that passes client messages to `Acting` and implements the `Stage` interface."""

    v: Any

    def __init__(self, peer: Peer) -> None:
        self.version: int = self.v.SCHEMA.protocol_version
        self._client = self.v.ClientStub(peer)
        self._acting = Acting(self)

    # --- messages from the client ------------------------------------------------------------

    async def initialize(self, params: Any) -> Any:
        return self.v.decode(self.v.InitializeResponse, self._acting.initialize())

    async def session_new(self, params: Any) -> Any:
        return self.v.decode(self.v.NewSessionResponse, self._acting.new())

    async def session_load(self, params: Any) -> Any:
        return v1.decode(v1.LoadSessionResponse, await self._acting.load(params.session_id))

    async def session_resume(self, params: Any) -> Any:
        answer = await self._acting.load(params.session_id)
        return self.v.decode(self.v.ResumeSessionResponse, answer)

    async def session_set_mode(self, params: Any) -> Any:
        answer = self._acting.set_mode(params.session_id, params.mode_id)
        return v1.decode(v1.SetSessionModeResponse, answer)

    async def session_set_config_option(self, params: Any) -> Any:
        assert isinstance(params, v2.IdSetSessionConfigOptionRequest)
        answer = self._acting.set_mode(params.session_id, params.value)
        return v2.decode(v2.SetSessionConfigOptionResponse, answer)

    async def session_prompt(self, params: Any) -> Any:
        texts = [block.text for block in params.prompt]
        answer = await self._acting.prompt(params.session_id, texts)
        return self.v.decode(self.v.PromptResponse, answer)

    async def session_cancel(self, params: Any) -> None:
        self._acting.cancel(params.session_id)

    # --- actions of the conversation ---------------------------------------------------------

    async def update(self, session_id: str, update: Any) -> None:
        params = self.v.CLIENT_METHODS["session/update"].params
        note = self.v.decode(params, {"sessionId": session_id, "update": update}, strict=True)
        await self._client.session_update(note)

    async def ask(self, params: Any) -> Any:
        request = self.v.decode(self.v.RequestPermissionRequest, params, strict=True)
        return self.v.encode(await self._client.session_request_permission(request))


class AgentV1(Agent, v1.AgentHandler):
    v = v1


class AgentV2(Agent, v2.AgentHandler):
    v = v2


async def main(version: int, server: str, tls: str, *, bridge: bool) -> None:
    """Serve the agent until standard input ends."""
    agent: Any = (AgentV1, AgentV2)[version - 1]
    await serving.serve(remote_app(agent, bridge=bridge), server, folder(tls))


if __name__ == "__main__":
    version, server, tls, *rest = sys.argv[1:]
    asyncio.run(main(int(version), server, tls, bridge="--bridge" in rest))
