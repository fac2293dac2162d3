# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.unstable.json (sha256 9f22f865ee8d6595144e0bd7ce511419783362ceac13f5f2dfbd73005d54e295).
# Do not edit it; make it again with acpgen.
"""The state of a session, put together from its updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..runtime.session import reducers, state
from .types import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CompactionId,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    ContentBlock,
    CurrentModeUpdate,
    MessageId,
    Plan,
    PlanId,
    PlanRemoved,
    PlanUpdate,
    SessionId,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SessionUpdate,
    SubagentUpdate,
    ToolCall,
    ToolCallId,
    ToolCallUpdate,
    UsageUpdate,
    UserMessageChunk,
)

_USER_MESSAGE_CHUNK = reducers.AddToMessage("user", UserMessageChunk)
_AGENT_MESSAGE_CHUNK = reducers.AddToMessage("agent", AgentMessageChunk)
_AGENT_THOUGHT_CHUNK = reducers.AddToMessage("thought", AgentThoughtChunk)
_TOOL_CALL = reducers.Upsert(
    "tool_calls", (("tool_call_id", "toolCallId"),), ToolCallUpdate, ToolCall
)
_TOOL_CALL_UPDATE = reducers.Patch(
    "tool_calls",
    (("tool_call_id", "toolCallId"),),
    ToolCallUpdate,
    null_clears=False,
    meta="replaces",
)
_PLAN = reducers.Set("plan")
_PLAN_UPDATE = reducers.Upsert(
    "plans", (("plan", "plan"), ("plan_id", "planId")), PlanUpdate, PlanUpdate
)
_PLAN_REMOVED = reducers.Remove("plans", (("plan_id", "planId"),))
_AVAILABLE_COMMANDS_UPDATE = reducers.Set("available_commands")
_CURRENT_MODE_UPDATE = reducers.Set("current_mode")
_CONFIG_OPTION_UPDATE = reducers.Set("config_options")
_SESSION_INFO_UPDATE = reducers.Patch(
    "info",
    (),
    SessionInfoUpdate,
    meta="replaces",
)
_USAGE_UPDATE = reducers.Set("usage")
_COMPACTION_UPDATE = reducers.Patch(
    "compactions",
    (("compaction_id", "compactionId"),),
    CompactionUpdate,
    meta="replaces",
)
_COMPACTION_SUMMARY_CHUNK = reducers.Append(
    "compactions",
    (("compaction_id", "compactionId"),),
    lambda key: CompactionUpdate(compaction_id=key, status="in_progress"),
    "summary",
)
_SUBAGENT_UPDATE = reducers.Patch(
    "subagents",
    (("session_id", "sessionId"),),
    SubagentUpdate,
    meta="replaces",
)
_SESSION_MESSAGE = reducers.Patch(
    "session_messages",
    (("message_id", "messageId"),),
    SessionMessage,
    meta="replaces",
)
_SESSION_MESSAGE_CHUNK = reducers.Append(
    "session_messages",
    (("message_id", "messageId"),),
    lambda key: SessionMessage(message_id=key),
    "content",
)


class SessionState(state.State[ContentBlock, SessionUpdate]):
    """What the updates of a session have come to, applied in the order of their arrival.

    An entry is the update that would make it what it is; members that were cleared are absent. Do
    not change entries: updates do. What no rule is for stands in the timeline as it is.
    """

    _rules: ClassVar[Mapping[type, state.Rule]] = {
        UserMessageChunk: _USER_MESSAGE_CHUNK,
        AgentMessageChunk: _AGENT_MESSAGE_CHUNK,
        AgentThoughtChunk: _AGENT_THOUGHT_CHUNK,
        ToolCall: _TOOL_CALL,
        ToolCallUpdate: _TOOL_CALL_UPDATE,
        Plan: _PLAN,
        PlanUpdate: _PLAN_UPDATE,
        PlanRemoved: _PLAN_REMOVED,
        AvailableCommandsUpdate: _AVAILABLE_COMMANDS_UPDATE,
        CurrentModeUpdate: _CURRENT_MODE_UPDATE,
        ConfigOptionUpdate: _CONFIG_OPTION_UPDATE,
        SessionInfoUpdate: _SESSION_INFO_UPDATE,
        UsageUpdate: _USAGE_UPDATE,
        CompactionUpdate: _COMPACTION_UPDATE,
        CompactionSummaryChunk: _COMPACTION_SUMMARY_CHUNK,
        SubagentUpdate: _SUBAGENT_UPDATE,
        SessionMessage: _SESSION_MESSAGE,
        SessionMessageChunk: _SESSION_MESSAGE_CHUNK,
    }
    _writers: ClassVar[Mapping[str, state.Writer]] = {
        "tool_calls": _TOOL_CALL,
        "plans": _PLAN_UPDATE,
        "user": _USER_MESSAGE_CHUNK,
        "agent": _AGENT_MESSAGE_CHUNK,
        "thought": _AGENT_THOUGHT_CHUNK,
        "compactions": _COMPACTION_UPDATE,
        "subagents": _SUBAGENT_UPDATE,
        "session_messages": _SESSION_MESSAGE,
    }
    _slots: ClassVar[tuple[str, ...]] = (
        "plan",
        "available_commands",
        "current_mode",
        "config_options",
        "info",
        "usage",
    )

    def __init__(self) -> None:
        super().__init__()
        self.tool_calls: dict[ToolCallId, ToolCallUpdate] = {}
        self.plans: dict[PlanId, PlanUpdate] = {}
        self.compactions: dict[CompactionId, CompactionUpdate] = {}
        self.subagents: dict[SessionId, SubagentUpdate] = {}
        self.session_messages: dict[MessageId, SessionMessage] = {}
        self.plan: Plan | None = None
        self.available_commands: AvailableCommandsUpdate | None = None
        self.current_mode: CurrentModeUpdate | None = None
        self.config_options: ConfigOptionUpdate | None = None
        self.info: SessionInfoUpdate | None = None
        self.usage: UsageUpdate | None = None
