"""An agent that echoes the text of a prompt, and marks it as an echo."""

import asyncio

from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v1.agent_session import AgentSession, SessionAgent


class EchoAgent(SessionAgent):
    async def initialize(self, params: v1.InitializeRequest) -> v1.InitializeResponse:
        return v1.InitializeResponse(protocol_version=1)

    async def turn(self, session: AgentSession, params: v1.PromptRequest) -> None:
        echo = {"echo": True}
        for block in params.prompt:
            text = block.text if isinstance(block, v1.TextContent) else ""
            chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text, meta=echo), meta=echo)
            await session.update(chunk, meta={"source": "echo_agent"})


if __name__ == "__main__":
    asyncio.run(serve_stdio(EchoAgent))
