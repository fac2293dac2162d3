"""The client of the conversation with the official Python SDK, its experimental protocol 2.

Called with `REPORT AGENT...`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from acp import RequestError
from acp.experimental.v2 import connect_to_agent, schema
from acp.transports import spawn_stdio_transport

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
        self._stops: list[str | None] = []

    def on_connect(self, connection: Any) -> None:
        self._connection = connection

    # --- what the agent sends --------------------------------------------------------------------

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        self.seen.add(self.seen.updates, describe(update))
        if isinstance(update, schema.IdleSessionStateUpdate):
            self.seen.add(self._stops, update.stop_reason)

    async def request_permission(
        self, session_id: str, title: str, options: list[Any], subject: Any = None, **kwargs: Any
    ) -> schema.RequestPermissionResponse:
        option = await answer_permission(
            self, title, subject.tool_call.tool_call_id, [option.option_id for option in options]
        )
        outcome = schema.SelectedPermissionOutcomeVariant(outcome="selected", option_id=option)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def handle_extension_request(self, method: str, params: Any) -> Any:
        return await answer_extension(self, method, params)

    async def handle_extension_notification(self, method: str, params: Any) -> None:
        self.seen.add(self.seen.notes, params)

    # --- what the conversation does --------------------------------------------------------------

    async def initialize(self) -> dict[str, Any]:
        response = await self._connection.initialize(
            protocol_version=2,
            info=schema.Implementation(name=CLIENT, version="1.0.0"),
            capabilities=schema.ClientCapabilities(),
        )
        return {"version": response.protocol_version, "agent": response.info.name}

    async def new_session(self) -> str:
        response = await self._connection.new_session(cwd=CWD, mcp_servers=[])
        self._session = response.session_id
        return response.session_id

    async def prompt(self, *texts: str) -> str | None:
        self._stops.clear()
        blocks = [schema.TextContentBlock(type="text", text=text) for text in texts]
        await self._connection.prompt(session_id=self._session, prompt=blocks)
        # The response says that the message was taken; an update, that the work is done.
        await self.seen.until(lambda: bool(self._stops))
        return self._stops[0]

    async def cancel(self) -> None:
        await self._connection.cancel_session(session_id=self._session)

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._connection.send_extension_request(method, params)
        # The SDK offers no other way to call what does not exist.
        return await self._connection._conn.send_request(method, params)

    async def notify(self, method: str, params: Any) -> None:
        await self._connection.send_extension_notification(method, params)


def describe(update: Any) -> list[Any]:
    """An update as the report has it."""
    match update:
        case schema.RunningSessionStateUpdate():
            return ["running"]
        case schema.IdleSessionStateUpdate():
            return ["idle", update.stop_reason]
        case schema.AgentThoughtChunk():
            return ["thought", update.content.text]
        case schema.AgentMessageChunk():
            return ["message", update.content.text]
        case schema.SessionToolCallUpdate() if update.content:
            text = update.content[0].content.text
            return ["tool_call_update", update.tool_call_id, update.status, text]
        case schema.SessionToolCallUpdate():
            meta = update.field_meta
            return ["tool_call", update.tool_call_id, update.status, update.raw_input, meta]
        case schema.SessionPlanUpdate():
            return ["plan", [[e.content, e.priority, e.status] for e in update.plan.entries]]
    return ["unexpected", repr(update)]


async def main(report_path: str, command: list[str]) -> None:
    """Talk to the agent and write the report."""
    client = Client()
    # Left to itself the SDK hands on a few variables only.
    async with spawn_stdio_transport(*command, env=dict(os.environ), **TRANSPORT) as streams:
        reader, writer, _ = streams
        async with connect_to_agent(client, writer, reader):
            report = await converse(client)
    write_report(report_path, report)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
