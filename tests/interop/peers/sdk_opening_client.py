"""A protocol 1 client, built with the official Python SDK, that opens a session with an MCP server.

Usage: `sdk_opening_client SERVER AGENT...`. The client signs in if the agent requires it, sends a
prompt, and prints a report.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import acp
from acp import schema


class Client:
    def __init__(self) -> None:
        self.said: list[str] = []

    def on_connect(self, connection: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        if update.session_update == "agent_message_chunk":
            self.said.append(update.content.text)


async def main(server: str, command: list[str]) -> None:
    client: Any = Client()
    servers = [schema.McpServerStdio.model_validate_json(server)]
    refused = None
    async with acp.spawn_agent_process(
        client, *command, env=dict(os.environ), transport_kwargs={"stderr": None}
    ) as (agent, _):
        answer = await agent.initialize(protocol_version=1)
        try:
            session = await agent.new_session(cwd="/project", mcp_servers=servers)
        except acp.RequestError as error:
            refused = error.code
            await agent.authenticate(method_id=answer.auth_methods[0].id)
            session = await agent.new_session(cwd="/project", mcp_servers=servers)
        prompt = [schema.TextContentBlock(type="text", text="Hello, agent!")]
        done = await agent.prompt(session_id=session.session_id, prompt=prompt)
    print(json.dumps({"refused": refused, "said": client.said, "stop": done.stop_reason}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
