"""Correct uses of extensions, which strict type checkers must accept."""

from __future__ import annotations

from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET
from acp_bindings.runtime.aio import Peer
from acp_bindings.v2 import agent_session as live2
from samples import acme, claude_code, kiro


class Agent(acme.AgentHandler, v2.AgentHandler):
    def __init__(self, peer: Peer) -> None:
        self.client = acme.ClientStub(peer)

    async def acme_index(self, params: acme.IndexRequest) -> acme.IndexResponse:
        mode: str = params.mode or "quick"
        session: v2.SessionId = params.session_id
        await self.client.acme_indexed(acme.IndexedNotification(session_id=session))
        answer: str = await self.client.acme_ping(v2.CancelSessionNotification(session_id=mode))
        return acme.IndexResponse(files=len(answer))


class SessionAgent(acme.AgentHandler, live2.SessionAgent):
    async def turn(self, session: live2.AgentSession, params: v2.PromptRequest) -> None:
        await session.update(acme.unrefine(acme.Progress(percent=1)))


class Commands(kiro.AgentHandler, v1.AgentHandler):
    async def kiro_dev_commands_execute(self, params: kiro.ExecuteRequest) -> kiro.ExecuteResponse:
        command = params.command
        name = command if isinstance(command, str) else command.command
        return kiro.ExecuteResponse(success=True, message=name)


def refined(update: v2.SessionUpdate, block: v2.ContentBlock) -> float:
    match acme.refine(update):
        case acme.Progress(percent=percent):
            return percent
        case v2.AgentMessageChunk() as chunk:
            priority = acme.meta(chunk).priority
            return priority if priority is not UNSET else 0
        case other:
            back: v2.SessionUpdate = acme.unrefine(other)
            del back
    chart = acme.refine(block)
    return chart.abscissas[0] if isinstance(chart, acme.Chart) else 0


def metadata(call: v1.ToolCall) -> str:
    view = claude_code.meta(call)
    tool = view.claude_code
    view.terminal_info = claude_code.TerminalInfo(terminal_id="t")
    view.claude_code = UNSET
    return (tool.tool_name or "") if tool else ""


def decoded(data: object) -> acme.Progress:
    return acme.decode(acme.Progress, data)
