"""The client of the conversation with acp_bindings, protocol 2: `REPORT AGENT...`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Any

from acp_bindings import v2
from acp_bindings.runtime import RequestError
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v2.methods import AGENT_EXT_REQUEST

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


class Client(v2.ClientHandler):
    """Handles what the agent sends, and is the conversation's `Talk`."""

    error = RequestError

    def __init__(self, peer: Peer) -> None:
        self.seen = Seen()
        self._peer = peer
        self._agent = v2.AgentStub(peer)
        self._session = ""
        self._stops: list[str | None] = []

    # --- what the agent sends --------------------------------------------------------------------

    async def session_update(self, params: v2.UpdateSessionNotification) -> None:
        self.seen.add(self.seen.updates, describe(params.update))
        if isinstance(params.update, v2.IdleStateUpdate):
            self.seen.add(self._stops, params.update.stop_reason or None)

    async def session_request_permission(
        self, params: v2.RequestPermissionRequest
    ) -> v2.RequestPermissionResponse:
        subject = params.subject
        tool_call = subject.tool_call if isinstance(subject, v2.ToolCallPermissionSubject) else None
        option = await answer_permission(
            self,
            params.title,
            tool_call.tool_call_id if tool_call else "none",
            [option.option_id for option in params.options],
        )
        outcome = v2.SelectedPermissionOutcome(option_id=option)
        return v2.RequestPermissionResponse(outcome=outcome)

    async def ext_request(self, method: str, params: v2.ExtRequest) -> v2.ExtResponse:
        return await answer_extension(self, method, params)

    async def ext_notification(self, method: str, params: v2.ExtNotification) -> None:
        self.seen.add(self.seen.notes, params)

    # --- what the conversation does --------------------------------------------------------------

    async def initialize(self) -> dict[str, Any]:
        response = await self._agent.initialize(
            v2.InitializeRequest(
                protocol_version=2,
                capabilities=v2.ClientCapabilities(),
                info=v2.Implementation(name=CLIENT, version="1.0.0"),
            )
        )
        return {"version": response.protocol_version, "agent": response.info.name}

    async def new_session(self) -> str:
        response = await self._agent.session_new(v2.NewSessionRequest(cwd=CWD, mcp_servers=[]))
        self._session = response.session_id
        return response.session_id

    async def prompt(self, *texts: str) -> str | None:
        self._stops.clear()
        blocks: list[v2.ContentBlock] = [v2.TextContent(text=text) for text in texts]
        await self._agent.session_prompt(v2.PromptRequest(session_id=self._session, prompt=blocks))
        # The response says that the message was taken; an update, that the work is done.
        await self.seen.until(lambda: bool(self._stops))
        return self._stops[0]

    async def cancel(self) -> None:
        await self._agent.session_cancel(v2.CancelSessionNotification(session_id=self._session))

    async def request(self, method: str, params: Any) -> Any:
        if method.startswith("_"):
            return await self._agent.ext_request(method, params)
        # A stub has no way to call what does not exist.
        return await self._peer.request(replace(AGENT_EXT_REQUEST, name=method), params)

    async def notify(self, method: str, params: Any) -> None:
        await self._agent.ext_notification(method, params)


def describe(update: v2.SessionUpdate) -> list[Any]:
    """An update as the report has it."""
    match update:
        case v2.RunningStateUpdate():
            return ["running"]
        case v2.IdleStateUpdate():
            return ["idle", update.stop_reason or None]
        case v2.AgentThoughtChunk(content=v2.TextContent(text=text)):
            return ["thought", text]
        case v2.AgentMessageChunk(content=v2.TextContent(text=text)):
            return ["message", text]
        case v2.ToolCallUpdate(content=[v2.Content(content=v2.TextContent(text=text))]):
            return ["tool_call_update", update.tool_call_id, update.status, text]
        case v2.ToolCallUpdate():
            return ["tool_call", update.tool_call_id, update.status, update.raw_input, update.meta]
        case v2.PlanUpdate(plan=v2.PlanItems(entries=entries)):
            return ["plan", [[e.content, e.priority, e.status] for e in entries]]
    return ["unexpected", repr(update)]


async def main(report_path: str, command: list[str]) -> None:
    """Talk to the agent and write the report."""
    issues: list[str] = []

    def on_issue(issue: v2.Issue) -> None:
        issues.append(f"{issue.method}{issue.pointer}: {issue.reason}")

    async with connect_stdio(command, Client, on_issue=on_issue) as peer:
        assert isinstance(peer.handler, Client)
        report = await converse(peer.handler)
    report["issues"] = issues
    report["children"] = children_left()
    write_report(report_path, report)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
