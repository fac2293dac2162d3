"""An agent for protocols 1 and 2: it says what it is told."""

import asyncio

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio


class AgentV1(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await session.think("An echo?")
        await session.say(params.prompt[0])


class AgentV2(v2.SessionAgent):
    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.think("An echo?")
        await session.say(params.prompt[0])


asyncio.run(serve_stdio(AgentV1, AgentV2))
