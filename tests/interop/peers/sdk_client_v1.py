"""The client of the conversation with the official Python SDK, protocol 1: `REPORT AGENT...`."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from acp import RequestError, schema, spawn_agent_process

from interop.conversation import (
    CLIENT,
    CWD,
    Seen,
    answer_extension,
    answer_permission,
    converse,
    write_report,
)

# The default of the streams is 64 KiB a line; and what agents log must not fill a pipe.
TRANSPORT = {"limit": 50 * 1024 * 1024, "stderr": None, "shutdown_timeout": 10.0}


class Client:
    """Handles what the agent sends, and is the conversation's `Talk`."""

    error = RequestError

    def __init__(self) -> None:
        self.seen = Seen()
        self._session = ""

    def on_connect(self, connection: Any) -> None:
        self._connection = connection

    # --- what the agent sends --------------------------------------------------------------------

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        self.seen.add(self.seen.updates, describe(update))

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **kwargs: Any
    ) -> schema.RequestPermissionResponse:
        option = await answer_permission(
            self, tool_call.title, tool_call.tool_call_id, [option.option_id for option in options]
        )
        outcome = schema.AllowedOutcome(outcome="selected", option_id=option)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def ext_method(self, method: str, params: dict[str, Any]) -> Any:
        return await answer_extension(self, f"_{method}", params)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        self.seen.add(self.seen.notes, params)

    # --- what the conversation does --------------------------------------------------------------

    async def initialize(self) -> dict[str, Any]:
        response = await self._connection.initialize(
            protocol_version=1,
            client_capabilities=schema.ClientCapabilities(),
            client_info=schema.Implementation(name=CLIENT, version="1.0.0"),
        )
        return {"version": response.protocol_version, "agent": response.agent_info.name}

    async def new_session(self) -> str:
        response = await self._connection.new_session(cwd=CWD, mcp_servers=[])
        self._session = response.session_id
        return response.session_id

    async def prompt(self, *texts: str) -> str | None:
        blocks = [schema.TextContentBlock(type="text", text=text) for text in texts]
        response = await self._connection.prompt(session_id=self._session, prompt=blocks)
        return response.stop_reason

    async def cancel(self) -> None:
        await self._connection.cancel(session_id=self._session)

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._connection.ext_method(method[1:], params)
        # The SDK offers no other way to call what does not exist.
        return await self._connection._conn.send_request(method, params)

    async def notify(self, method: str, params: Any) -> None:
        await self._connection.ext_notification(method[1:], params)


def describe(update: Any) -> list[Any]:
    """An update as the report has it."""
    match update:
        case schema.AgentThoughtChunk():
            return ["thought", update.content.text]
        case schema.AgentMessageChunk():
            return ["message", update.content.text]
        case schema.ToolCallStart():
            meta = update.field_meta
            return ["tool_call", update.tool_call_id, update.status, update.raw_input, meta]
        case schema.ToolCallProgress():
            text = update.content[0].content.text
            return ["tool_call_update", update.tool_call_id, update.status, text]
        case schema.AgentPlanUpdate():
            return ["plan", [[e.content, e.priority, e.status] for e in update.entries]]
    return ["unexpected", repr(update)]


async def main(report_path: str, command: list[str]) -> None:
    """Talk to the agent and write the report."""
    client = Client()
    # Left to itself the SDK hands on a few variables only.
    async with spawn_agent_process(
        client, *command, env=dict(os.environ), transport_kwargs=TRANSPORT
    ):
        report = await converse(client)
    write_report(report_path, report)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
