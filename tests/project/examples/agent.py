"""An agent for protocols 1 and 2: it says what it is told."""

import asyncio

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v1 import agent_session as live1
from acp_bindings.v2 import agent_session as live2


class AgentV1(live1.SessionAgent):
    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def turn(self, session: live1.AgentSession, params: v1.PromptRequest) -> None:
        await session.think("An echo?")
        await session.say(params.prompt[0])


class AgentV2(live2.SessionAgent):
    async def initialize(self, params: v2.InitializeRequest) -> v2.InitializeResponse:
        able = v2.AgentCapabilities(session=v2.SessionCapabilities())
        info = v2.Implementation(name="echo", version="1.0")
        return v2.InitializeResponse(protocol_version=2, info=info, capabilities=able)

    async def turn(self, session: live2.AgentSession, params: v2.PromptRequest) -> None:
        await session.think("An echo?")
        await session.say(params.prompt[0])


asyncio.run(serve_stdio({1: AgentV1, 2: AgentV2}))
