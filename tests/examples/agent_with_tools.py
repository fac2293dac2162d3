"""An agent with tools, for protocols 1 and 2: lists, reads and writes files, and runs commands.

Its sessions are saved in the folder that the environment variable AGENT_SESSIONS names, and come
back after a restart.
"""

import asyncio
import logging
import os
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v1 import kit as kit_v1
from acp_bindings.v2 import kit as kit_v2

HELP = "I understand `list`, `read FILE`, `write FILE TEXT` and `run COMMAND`."
STORE = kit_v2.SessionStore(os.environ.get("AGENT_SESSIONS", "~/.local/state/agent-with-tools"))

Step: TypeAlias = tuple[str, Literal["pending", "in_progress", "completed"]]


class SessionV1(v1.AgentSession):
    async def show_plan(self, steps: Sequence[Step]) -> None:
        entries = [v1.PlanEntry(content=c, priority="medium", status=s) for c, s in steps]
        await self.plan(entries=entries)


class SessionV2(v2.AgentSession):
    async def show_plan(self, steps: Sequence[Step]) -> None:
        entries = [v2.PlanEntry(content=c, priority="medium", status=s) for c, s in steps]
        await self.plan(plan=v2.PlanItems(plan_id="plan", entries=entries))


Session: TypeAlias = SessionV1 | SessionV2


class AgentV1(kit_v1.StoredAgent[SessionV1]):
    info = v1.Implementation(name="agent-with-tools", version="1.0")
    store = STORE

    async def turn(self, session: SessionV1, params: v1.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v1.TextContent)]
        await work(session, "\n".join(texts))


class AgentV2(kit_v2.StoredAgent[SessionV2]):
    info = v2.Implementation(name="agent-with-tools", version="1.0")
    store = STORE

    async def turn(self, session: SessionV2, params: v2.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        await work(session, "\n".join(texts))


async def work(session: Session, prompt: str) -> None:
    """Do what a prompt says: one command a line, or several with " then " between them."""
    steps = [step.strip() for step in re.split(r"\n| then ", prompt) if step.strip()]
    await session.think(f"Steps to take: {len(steps)}")
    for number, step in enumerate(steps):
        done: list[Step] = [(each, "completed") for each in steps[:number]]
        left: list[Step] = [(each, "pending") for each in steps[number + 1 :]]
        await session.show_plan([*done, (step, "in_progress"), *left])
        await session.say(await use_tool(session, step))
    await session.show_plan([(step, "completed") for step in steps])
    await session.usage(used=len(prompt), size=10_000)


async def use_tool(session: Session, step: str) -> str:
    """Use the tool that a step names, if the user allows it, and return the result in short."""
    match step.split(maxsplit=2):
        case ["list"]:
            async with session.tool("List files", kind="search") as tool:
                names = sorted(os.listdir(session.cwd))
                await tool.show("\n".join(names))
                tool.result = f"Files: {len(names)}"
        case ["read", name]:
            async with session.tool(f"Read {name}", kind="read") as tool:
                text = await tool.read(name)
                await tool.show(text)
                tool.result = f"Lines: {len(text.splitlines())}"
        case ["write", name, text]:
            async with session.tool(f"Write {name}", kind="edit") as tool:
                await tool.write(name, text + "\n")
                tool.result = f"Wrote `{name}`."
        case ["run", _, *_]:
            command = step.removeprefix("run").strip()
            async with session.tool(command, kind="execute") as tool:
                await tool.run(["sh", "-c", command])
        case _:
            return HELP
    last_line = tool.result.rpartition("\n")[2]  # of a command, the exit status
    return last_line if tool.status == "completed" else f"That failed: {last_line}"


AGENTS = (AgentV1, AgentV2)

if __name__ == "__main__":
    logging.basicConfig()  # to standard error
    asyncio.run(serve_stdio(*AGENTS))
