"""A complete agent that repeats each prompt."""

import asyncio

from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio


class Echo(v2.SessionAgent):
    info = v2.Implementation(name="echo", version="1.0")

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await session.say(params.prompt[0])


asyncio.run(serve_stdio(Echo))
