"""my-agent: an agent for protocol versions 1 and 2 of the Agent Client Protocol."""

import asyncio
from pathlib import Path

from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v2 import kit


class Agent(kit.ToolAgent):
    info = v2.Implementation(name="my-agent", version="0.1.0")

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        text = " ".join(texts)
        if text.startswith("note "):  # a real agent's model would choose the tool
            await add_note(session, text.removeprefix("note "))
        else:
            await session.say(f"You said: {text}")


async def add_note(session: v2.AgentSession, note: str) -> None:
    """Add a line to notes.txt in the session's folder if the user allows it."""
    path = Path(session.cwd, "notes.txt")
    async with session.tool(f"Add a line to {path.name}", kind="edit") as tool:
        before = await tool.read(path) if path.exists() else ""
        await tool.write(path, f"{before}{note}\n")  # shows the change and asks the user
    if tool.status == "completed":
        await session.say("I added it to your notes.")
    else:
        await session.say(f"I did not change your notes: {tool.result}.")


if __name__ == "__main__":
    asyncio.run(serve_stdio(Agent, bridge=True))
