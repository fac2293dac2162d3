"""The client of the conversation with acp_bindings, protocol 1: `REPORT AGENT...`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Any

from acp_bindings import v1
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v1.methods import AGENT_EXT_REQUEST

from .conversation import (
    CLIENT,
    CWD,
    Seen,
    answer_extension,
    answer_permission,
    converse,
    write_report,
)
from .ours_ending import children_left


class Client(v1.ClientHandler):
    """Handles what the agent sends, and is the conversation's `Talk`."""

    error = RequestError

    def __init__(self, peer: Peer) -> None:
        self.seen = Seen()
        self._peer = peer
        self._agent = v1.AgentStub(peer)
        self._session = ""

    # --- what the agent sends --------------------------------------------------------------------

    async def session_update(self, params: v1.SessionNotification) -> None:
        self.seen.add(self.seen.updates, describe(params.update))

    async def session_request_permission(
        self, params: v1.RequestPermissionRequest
    ) -> v1.RequestPermissionResponse:
        option = await answer_permission(
            self,
            params.tool_call.title or "",
            params.tool_call.tool_call_id,
            [option.option_id for option in params.options],
        )
        outcome = v1.SelectedPermissionOutcome(option_id=option)
        return v1.RequestPermissionResponse(outcome=outcome)

    async def ext_request(self, method: str, params: v1.ExtRequest) -> v1.ExtResponse:
        return await answer_extension(self, method, params)

    async def ext_notification(self, method: str, params: v1.ExtNotification) -> None:
        self.seen.add(self.seen.notes, params)

    # --- what the conversation does --------------------------------------------------------------

    async def initialize(self) -> dict[str, Any]:
        response = await self._agent.initialize(
            v1.InitializeRequest(
                protocol_version=1,
                client_capabilities=v1.ClientCapabilities(
                    fs=v1.FileSystemCapabilities(read_text_file=False, write_text_file=False),
                    terminal=False,
                ),
                client_info=v1.Implementation(name=CLIENT, version="1.0.0"),
            )
        )
        name = response.agent_info.name if response.agent_info else None
        return {"version": response.protocol_version, "agent": name}

    async def new_session(self) -> str:
        response = await self._agent.session_new(v1.NewSessionRequest(cwd=CWD, mcp_servers=[]))
        self._session = response.session_id
        return response.session_id

    async def prompt(self, *texts: str) -> str | None:
        blocks: list[v1.ContentBlock] = [v1.TextContent(text=text) for text in texts]
        response = await self._agent.session_prompt(
            v1.PromptRequest(session_id=self._session, prompt=blocks)
        )
        return response.stop_reason

    async def cancel(self) -> None:
        await self._agent.session_cancel(v1.CancelNotification(session_id=self._session))

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._agent.ext_request(method, params)
        # A stub has no way to call what does not exist.
        return await self._peer.request(replace(AGENT_EXT_REQUEST, name=method), params)

    async def notify(self, method: str, params: Any) -> None:
        await self._agent.ext_notification(method, params)


def describe(update: v1.SessionUpdate) -> list[Any]:
    """An update as the report has it."""
    match update:
        case v1.AgentThoughtChunk(content=v1.TextContent(text=text)):
            return ["thought", text]
        case v1.AgentMessageChunk(content=v1.TextContent(text=text)):
            return ["message", text]
        case v1.ToolCall():
            return ["tool_call", update.tool_call_id, update.status, update.raw_input, update.meta]
        case v1.ToolCallUpdate(content=[v1.Content(content=v1.TextContent(text=text))]):
            return ["tool_call_update", update.tool_call_id, update.status, text]
        case v1.Plan():
            return ["plan", [[e.content, e.priority, e.status] for e in update.entries]]
    return ["unexpected", repr(update)]


async def main(report_path: str, command: list[str]) -> None:
    """Talk to the agent and write the report."""
    issues: list[str] = []

    def on_issue(issue: v1.Issue) -> None:
        issues.append(f"{issue.method}{issue.pointer}: {issue.reason}")

    async with connect_stdio(command, Client, on_issue=on_issue) as peer:
        assert isinstance(peer.handler, Client)
        report = await converse(peer.handler)
    report["issues"] = issues
    report["children"] = children_left()
    write_report(report_path, report)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
