# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.json (sha256 a3a5025f4cf7eb72fe64c9d3441913ce22a3b3f38e65ad74470485cc00919440).
# Do not edit it; make it again with `acpgen generate`.
"""The state of a session, put together from its updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..runtime.rules import AddToMessage, Append, Patch, Put, Set
from ..runtime.state import Rule, State, Writer
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
    Plan,
    SessionInfoUpdate,
    SessionUpdate,
    ToolCall,
    ToolCallId,
    ToolCallUpdate,
    UsageUpdate,
    UserMessageChunk,
)

_USER_MESSAGE_CHUNK = AddToMessage("user", UserMessageChunk)
_AGENT_MESSAGE_CHUNK = AddToMessage("agent", AgentMessageChunk)
_AGENT_THOUGHT_CHUNK = AddToMessage("thought", AgentThoughtChunk)
_TOOL_CALL = Put("tool_calls", (("tool_call_id", "toolCallId"),), ToolCallUpdate, ToolCall)
_TOOL_CALL_UPDATE = Patch(
    "tool_calls",
    (("tool_call_id", "toolCallId"),),
    ToolCallUpdate,
    null_clears=False,
    merges_meta=False,
)
_PLAN = Set("plan")
_AVAILABLE_COMMANDS_UPDATE = Set("available_commands")
_CURRENT_MODE_UPDATE = Set("current_mode")
_CONFIG_OPTION_UPDATE = Set("config_options")
_SESSION_INFO_UPDATE = Patch(
    "info",
    (),
    SessionInfoUpdate,
    merges_meta=False,
)
_USAGE_UPDATE = Set("usage")
_COMPACTION_UPDATE = Patch(
    "compactions",
    (("compaction_id", "compactionId"),),
    CompactionUpdate,
    merges_meta=False,
)
_COMPACTION_SUMMARY_CHUNK = Append(
    "compactions",
    (("compaction_id", "compactionId"),),
    lambda key: CompactionUpdate(compaction_id=key, status="in_progress"),
    "summary",
)


class SessionState(State[ContentBlock, SessionUpdate]):
    """What the updates of a session have come to, applied in the order of their arrival.

    An entry is the update that would make it what it is; members that were cleared are absent. Do
    not change entries: updates do. What no rule is for stands in the timeline as it is.
    """

    _rules: ClassVar[Mapping[type, Rule]] = {
        UserMessageChunk: _USER_MESSAGE_CHUNK,
        AgentMessageChunk: _AGENT_MESSAGE_CHUNK,
        AgentThoughtChunk: _AGENT_THOUGHT_CHUNK,
        ToolCall: _TOOL_CALL,
        ToolCallUpdate: _TOOL_CALL_UPDATE,
        Plan: _PLAN,
        AvailableCommandsUpdate: _AVAILABLE_COMMANDS_UPDATE,
        CurrentModeUpdate: _CURRENT_MODE_UPDATE,
        ConfigOptionUpdate: _CONFIG_OPTION_UPDATE,
        SessionInfoUpdate: _SESSION_INFO_UPDATE,
        UsageUpdate: _USAGE_UPDATE,
        CompactionUpdate: _COMPACTION_UPDATE,
        CompactionSummaryChunk: _COMPACTION_SUMMARY_CHUNK,
    }
    _writers: ClassVar[Mapping[str, Writer]] = {
        "tool_calls": _TOOL_CALL,
        "user": _USER_MESSAGE_CHUNK,
        "agent": _AGENT_MESSAGE_CHUNK,
        "thought": _AGENT_THOUGHT_CHUNK,
        "compactions": _COMPACTION_UPDATE,
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
        self.compactions: dict[CompactionId, CompactionUpdate] = {}
        self.plan: Plan | None = None
        self.available_commands: AvailableCommandsUpdate | None = None
        self.current_mode: CurrentModeUpdate | None = None
        self.config_options: ConfigOptionUpdate | None = None
        self.info: SessionInfoUpdate | None = None
        self.usage: UsageUpdate | None = None
