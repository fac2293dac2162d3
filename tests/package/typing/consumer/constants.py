"""Correct uses of constants that type checkers must accept."""

from __future__ import annotations

from collections.abc import Mapping

from acp_bindings import v1, v2


def custom() -> list[v1.ToolCall | v2.ToolCallUpdate]:
    return [
        v1.ToolCall(tool_call_id="t", title="T", kind="execute", status="in_progress"),
        v1.ToolCall(tool_call_id="t", title="T", kind=v1.Unlisted("compile")),
        v2.ToolCallUpdate(tool_call_id="t", kind=v2.Unlisted("_compile"), status=None),
    ]


def matched(kind: v2.ToolKind) -> str:
    match kind:
        case "read" | "search" | "fetch" | "think":
            return "looks"
        case "edit" | "delete" | "move" | "execute" | "switch_mode" | "other":
            return "acts"
        case other:
            return unlisted(other)


def unlisted(kind: v2.Unlisted) -> str:
    return f"does {kind.removeprefix('_')}"


def read(call: v2.ToolCallUpdate, turn: v2.Turn) -> bool:
    if call.kind and call.kind.startswith("_"):
        return False
    reason: v2.StopReason | None = turn.known_stop_reason
    return reason != "error" and turn.stop_reason == "end_turn"


KINDS: dict[str, v2.ToolKind] = {"bash": "execute", "grep": "search"}


def configured(config: Mapping[str, str]) -> v2.ToolCallUpdate:
    kind = v2.decode(v2.ToolKind, config["kind"])
    status: v2.ToolCallStatus = "pending"
    if KINDS.get(config["kind"]) is not None:
        kind = KINDS[config["kind"]]
    return v2.ToolCallUpdate(tool_call_id="t", kind=kind, status=status)


class Agent(v2.SessionAgent):
    async def turn(
        self, session: v2.AgentSession, params: v2.PromptRequest
    ) -> v2.StopReason | v2.IdleStateUpdate | None:
        if len(params.prompt) == 1:
            return v2.IdleStateUpdate(stop_reason="end_turn")
        return "refusal" if params.prompt else v2.Unlisted("_empty")


class Plain(v1.SessionAgent):
    async def turn(self, session: v1.AgentSession, params: v1.PromptRequest) -> None:
        await session.run_turn(params.prompt, self.work())

    async def work(self) -> v1.StopReason:
        return "max_tokens"
