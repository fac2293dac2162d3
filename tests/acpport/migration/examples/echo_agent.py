"""An agent that echoes the text of a prompt and marks it as an echo."""

import asyncio

from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio


class EchoAgent(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        echo = {"echo": True}
        for block in params.prompt:
            text = block.text if isinstance(block, v1.TextContent) else ""
            chunk = v1.AgentMessageChunk(content=v1.TextContent(text=text, meta=echo), meta=echo)
            await session.update(chunk, meta={"source": "echo_agent"})


if __name__ == "__main__":
    asyncio.run(serve_stdio(EchoAgent))
