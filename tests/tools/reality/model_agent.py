"""A small agent that uses the scripted model. Usage: `model_agent.py MODEL [FAULT]`.

MODEL is the model server's URL. With a FAULT, the agent runs denied commands (`runs denied`),
leaves tool calls pending (`stays pending`), shows no diffs (`no diff`), or reports progress on
completed tool calls (`goes back`).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from acp_bindings import v1
from acp_bindings.runtime.aio import serve_stdio

MODEL, FAULT = sys.argv[1], "".join(sys.argv[2:])


def tool(name: str, *arguments: str) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    parameters = {"type": "object", "properties": properties, "required": list(arguments)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [tool("bash", "command"), tool("edit", "path", "old_string", "new_string")]
OPTIONS = [
    v1.PermissionOption(option_id=kind, kind=kind, name=kind)
    for kind in ("allow_once", "reject_once")
]


async def ask_model(messages: list[Any]) -> AsyncIterator[dict[str, Any]]:
    """Yield the deltas of the model's reply."""
    body = json.dumps({"messages": messages, "tools": TOOLS, "stream": True}).encode()
    where = urlsplit(MODEL)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    try:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        while line := await reader.readline():
            if line.startswith(b"data: {") and (choices := json.loads(line[6:])["choices"]):
                yield choices[0]["delta"]
    finally:
        writer.close()


class Agent(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        texts = [block.text for block in params.prompt if isinstance(block, v1.TextContent)]
        messages: list[Any] = [{"role": "user", "content": "\n".join(texts)}]
        while True:
            calls: list[Any] = []
            async for delta in ask_model(messages):
                calls += delta.get("tool_calls", [])
                if delta.get("content"):
                    await session.say(delta["content"])
            if not calls:
                break
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            for call in calls:
                result = await use(session, call["id"], call["function"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


async def use(session: v1.AgentSession, id_: str, function: dict[str, str]) -> str:
    """Use a tool if the client permits it, and return the result for the model."""
    arguments = json.loads(function["arguments"])
    await session.tool_call(tool_call_id=id_, title=function["name"], status="pending")
    question = v1.ToolCallUpdate(tool_call_id=id_, title=f"Use {function['name']}?")
    outcome = (await session.ask_permission(question, OPTIONS)).outcome
    chosen = isinstance(outcome, v1.SelectedPermissionOutcome) and outcome.option_id
    allowed = chosen == "allow_once" or FAULT == "runs denied"
    content: list[v1.ToolCallContent] = []
    if allowed and function["name"] == "bash":
        subprocess.run(arguments["command"], shell=True, check=True)
    elif allowed:
        path = Path(arguments["path"])
        old = path.read_text("utf-8")
        new = old.replace(arguments["old_string"], arguments["new_string"])
        path.write_text(new, "utf-8")
        if FAULT != "no diff":
            content = [v1.Diff(path=str(path), old_text=old, new_text=new)]
    if FAULT != "stays pending":
        status = "completed" if allowed else "failed"
        await session.tool_call_update(tool_call_id=id_, status=status, content=content)
    if FAULT == "goes back":
        await session.tool_call_update(tool_call_id=id_, status="in_progress")
    return "done" if allowed else "not allowed"


if __name__ == "__main__":
    asyncio.run(serve_stdio(Agent))
