"""my-agent: an agent that speaks the Agent Client Protocol, in versions 1 and 2."""

import asyncio
from pathlib import Path
from uuid import uuid4

from acp_bindings import v2
from acp_bindings.runtime.aio import serve_stdio

OPTIONS = [
    v2.PermissionOption(option_id="yes", name="Add it", kind="allow_once"),
    v2.PermissionOption(option_id="no", name="Leave it", kind="reject_once"),
]


class Agent(v2.SessionAgent):
    info = v2.Implementation(name="my-agent", version="0.1.0")

    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v2.TextContent)]
        text = " ".join(texts)
        if text.startswith("note "):  # a model would decide which tool to use
            await add_note(session, text.removeprefix("note "))
        else:
            await session.say(f"You said: {text}")


async def add_note(session: v2.AgentSession, note: str) -> None:
    """Add a line to notes.txt in the session's folder, if the user allows it."""
    path, call_id = Path(session.cwd, "notes.txt"), uuid4().hex
    title = f"Add a line to {path.name}"
    await session.tool_call(tool_call_id=call_id, title=title, kind="edit", status="pending")
    subject = v2.ToolCallPermissionSubject(tool_call=v2.ToolCallUpdate(tool_call_id=call_id))
    answer = await session.ask_permission(title, OPTIONS, subject=subject)
    match answer.outcome:
        case v2.SelectedPermissionOutcome(option_id="yes"):
            await session.tool_call(tool_call_id=call_id, status="in_progress")
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{note}\n")
            await session.tool_call(tool_call_id=call_id, status="completed")
            await session.say("It is in your notes.")
        case _:  # only a yes is a yes
            await session.tool_call(tool_call_id=call_id, status="failed")
            await session.say("I left your notes alone.")


if __name__ == "__main__":
    asyncio.run(serve_stdio(Agent, bridge=True))
