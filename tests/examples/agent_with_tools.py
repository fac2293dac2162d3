"""An agent with tools that supports protocols 1 and 2.

It lists, reads and writes files, and runs commands. It saves its sessions in the folder named by
the environment variable AGENT_SESSIONS and restores them after a restart.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from acp_bindings import v1, v2
from acp_bindings.runtime.aio import serve_stdio
from acp_bindings.v1 import kit as kit_v1
from acp_bindings.v2 import kit as kit_v2

STORE = kit_v2.SessionStore(os.environ.get("AGENT_SESSIONS", "~/.local/state/agent-with-tools"))
Session: TypeAlias = v1.AgentSession | v2.AgentSession
Status: TypeAlias = Literal["pending", "in_progress", "completed"]


class AgentV1(kit_v1.StoredAgent):
    info = v1.Implementation(name="agent-with-tools", version="1.0")
    store = STORE

    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await work(session, params.prompt)


class AgentV2(kit_v2.StoredAgent):
    info = v2.Implementation(name="agent-with-tools", version="1.0")
    store = STORE

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        await work(session, params.prompt)


async def work(session: Session, prompt: Sequence[v1.ContentBlock | v2.ContentBlock]) -> None:
    """Carry out a prompt, in which line breaks or " then " separate the commands."""
    text = "\n".join(b.text for b in prompt if isinstance(b, v1.TextContent | v2.TextContent))
    steps = [step.strip() for step in re.split(r"\n| then ", text) if step.strip()]
    await session.think(f"Steps to take: {len(steps)}")
    for number, step in enumerate(steps):
        await show_plan(session, steps, number)
        await session.say(await use_tool(session, step))
    await show_plan(session, steps, len(steps))
    await session.usage(used=len(text), size=10_000)


async def show_plan(session: Session, steps: Sequence[str], number: int) -> None:
    """Show the steps as a plan in which the first `number` steps are completed."""
    plan: list[tuple[str, Status]] = [
        (step, "completed" if n < number else "in_progress" if n == number else "pending")
        for n, step in enumerate(steps)
    ]
    if isinstance(session, v1.AgentSession):
        entries = [v1.PlanEntry(content=c, priority="medium", status=s) for c, s in plan]
        await session.plan(entries=entries)
    else:
        items = [v2.PlanEntry(content=c, priority="medium", status=s) for c, s in plan]
        await session.plan(plan=v2.PlanItems(plan_id="plan", entries=items))


async def use_tool(session: Session, step: str) -> str:
    """Run the tool that a step names, if the user permits it, and return a short result."""
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
            return "I understand `list`, `read FILE`, `write FILE TEXT` and `run COMMAND`."
    last_line = tool.result.rpartition("\n")[2]  # the exit status, if a command was run
    return last_line if tool.status == "completed" else f"That failed: {last_line}"


if __name__ == "__main__":
    asyncio.run(serve_stdio(AgentV1, AgentV2))
