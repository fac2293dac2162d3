"""Misspelled constants. Type checkers must report each marked line and no other line."""

from __future__ import annotations

from typing import Any

from acp_bindings import v1, v1_unstable, v2, v2_unstable


def enumerations() -> list[Any]:
    return [
        v1.Annotations(audience=["human"]),  # error
        v1.CompactionUpdate(compaction_id="c", status="complete"),  # error
        v1.Notice(severity="warn", title="m"),  # error
        v1.PermissionOption(option_id="o", name="n", kind="allow"),  # error
        v1.PlanEntry(content="c", priority="urgent", status="pending"),  # error
        v1.PlanEntry(content="c", priority="high", status="done"),  # error
        v1.PromptResponse(stop_reason="finished"),  # error
        v1.StringPropertySchema(format="e-mail"),  # error
        v1.ToolCall(tool_call_id="t", title="T", kind="exec"),  # error
        v1.ToolCall(tool_call_id="t", title="T", status="complete"),  # error
        v1.ToolCallUpdate(tool_call_id="t", kind="Read"),  # error
        v1.ToolCallUpdate(tool_call_id="t", status="running"),  # error
        v2.Annotations(audience=["user", "agent"]),  # error
        v2.AddDiffChange(path="/a", file_type="file"),  # error
        v2.DiffPatch(format="git-patch", text=""),  # error
        v2.ErrorIdleStateUpdate(stop_reason="failed"),  # error
        v2.Icon(src="https://example.com/i.svg", theme="black"),  # error
        v2.IdleStateUpdate(stop_reason="finished"),  # error
        v2.Notice(severity="info ", title="m"),  # error
        v2.PermissionOption(option_id="o", name="n", kind="reject"),  # error
        v2.PlanEntry(content="c", priority="low", status="canceled"),  # error
        v2.ToolCallUpdate(tool_call_id="t", kind="bash"),  # error
        v2.ToolCallUpdate(tool_call_id="t", status="cancelled "),  # error
        v1_unstable.IdleStateUpdate(stop_reason="done"),  # error
        v1_unstable.ListSessionsRequest(archived="yes"),  # error
        v2_unstable.ToolCallUpdate(tool_call_id="t", status="paused?"),  # error
        v2_unstable.IdleStateUpdate(stop_reason="max_token"),  # error
    ]


def assignments(call: v1.ToolCall, entry: v2.PlanEntry, text: str) -> None:
    call.kind = "shell"  # error
    call.status = text  # error
    entry.priority = "normal"  # error
    kind: v2.ToolKind = "write"  # error
    kinds: dict[str, v2.ToolKind] = {"bash": "exec"}  # error
    reason: v2.StopReason = "stop"  # error
    print(kind, kinds, reason)


async def senders_v1(session: v1.AgentSession) -> None:
    await session.tool_call(tool_call_id="t", title="T", kind="exec")  # error
    await session.tool_call_update(tool_call_id="t", status="complete")  # error
    await session.plan(entries=[v1.PlanEntry(content="", priority="", status="pending")])  # error


async def senders_v2(session: v2.AgentSession) -> None:
    await session.tool_call(tool_call_id="t", kind="exec")  # error
    await session.tool_call(tool_call_id="t", status="complete")  # error
    await session.notice(severity="fatal", title="m")  # error


class AgentV1(v1.SessionAgent):
    async def turn(
        self, session: v1.AgentSession, params: v1.PromptRequest
    ) -> v1.StopReason | None:
        if not params.prompt:
            return "empty"  # error
        return "end_turn"


class AgentV2(v2.SessionAgent):
    async def turn(
        self, session: v2.AgentSession, params: v2.PromptRequest
    ) -> v2.StopReason | None:
        if not params.prompt:
            return "refused"  # error
        return "refusal"


class Agent(v2.SessionAgent):
    async def turn(self, session: v2.AgentSession, params: v2.PromptRequest) -> str:  # error
        return "finished"


class Handler(v1.AgentHandler):
    async def session_prompt(self, params: v1.PromptRequest) -> v1.PromptResponse:
        return v1.PromptResponse(stop_reason="complete")  # error


async def work(session: v2.AgentSession) -> v2.StopReason:
    await session.run_turn([], text_of())  # error
    return "error"


async def text_of() -> str:
    return "end_turn"
