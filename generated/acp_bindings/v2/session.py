# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.json (sha256 d0bf493103243b057c069d54c659106129f4ee732e939bb83b5eea7c106b3997).
# Do not edit it; make it again with acpgen.
"""The state of a session, put together from its updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..runtime.session import reducers, state
from .types import (
    AgentMessage,
    AgentMessageChunk,
    AgentThought,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CompactionId,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    ContentBlock,
    ErrorIdleStateUpdate,
    IdleStateUpdate,
    PlanId,
    PlanUpdate,
    RequiresActionStateUpdate,
    RunningStateUpdate,
    SessionInfoUpdate,
    SessionUpdate,
    StateUpdate,
    TerminalId,
    TerminalOutput,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallId,
    ToolCallUpdate,
    UnknownStateUpdate,
    UsageUpdate,
    UserMessage,
    UserMessageChunk,
)

_USER_MESSAGE_CHUNK = reducers.AddToMessage("user", UserMessageChunk)
_USER_MESSAGE = reducers.PatchMessage("user", UserMessage)
_AGENT_MESSAGE_CHUNK = reducers.AddToMessage("agent", AgentMessageChunk)
_AGENT_MESSAGE = reducers.PatchMessage("agent", AgentMessage)
_AGENT_THOUGHT_CHUNK = reducers.AddToMessage("thought", AgentThoughtChunk)
_AGENT_THOUGHT = reducers.PatchMessage("thought", AgentThought)
_STATE_UPDATE = reducers.Set("state", carries=("background",))
_TOOL_CALL_CONTENT_CHUNK = reducers.Append(
    "tool_calls",
    (("tool_call_id", "toolCallId"),),
    lambda key: ToolCallUpdate(tool_call_id=key, kind="other", status="pending"),
    "content",
)
_TOOL_CALL_UPDATE = reducers.Patch(
    "tool_calls",
    (("tool_call_id", "toolCallId"),),
    ToolCallUpdate,
    defaults={"kind": "other", "status": "pending"},
)
_TERMINAL_UPDATE = reducers.PatchOutput(
    reducers.Patch(
        "terminals",
        (("terminal_id", "terminalId"),),
        TerminalUpdate,
    ),
    "output",
    TerminalOutput,
    "terminal_output",
)
_TERMINAL_OUTPUT_CHUNK = reducers.AppendOutput(
    "terminals",
    (("terminal_id", "terminalId"),),
    lambda key: TerminalUpdate(terminal_id=key),
    "terminal_output",
)
_PLAN_UPDATE = reducers.Upsert(
    "plans", (("plan", "plan"), ("plan_id", "planId")), PlanUpdate, PlanUpdate
)
_AVAILABLE_COMMANDS_UPDATE = reducers.Set("available_commands")
_CONFIG_OPTION_UPDATE = reducers.Set("config_options")
_SESSION_INFO_UPDATE = reducers.Patch(
    "info",
    (),
    SessionInfoUpdate,
)
_USAGE_UPDATE = reducers.Patch(
    "usage",
    (),
    UsageUpdate,
    meta="lasts",
)
_COMPACTION_UPDATE = reducers.Patch(
    "compactions",
    (("compaction_id", "compactionId"),),
    CompactionUpdate,
)
_COMPACTION_SUMMARY_CHUNK = reducers.Append(
    "compactions",
    (("compaction_id", "compactionId"),),
    lambda key: CompactionUpdate(compaction_id=key, status="in_progress"),
    "summary",
)


class SessionState(state.State[ContentBlock, SessionUpdate]):
    """What the updates of a session have come to, applied in the order of their arrival.

    An entry is the update that would make it what it is; members that were cleared are absent. Do
    not change entries: updates do. What no rule is for stands in the timeline as it is.
    """

    _rules: ClassVar[Mapping[type, state.Rule]] = {
        UserMessageChunk: _USER_MESSAGE_CHUNK,
        UserMessage: _USER_MESSAGE,
        AgentMessageChunk: _AGENT_MESSAGE_CHUNK,
        AgentMessage: _AGENT_MESSAGE,
        AgentThoughtChunk: _AGENT_THOUGHT_CHUNK,
        AgentThought: _AGENT_THOUGHT,
        RunningStateUpdate: _STATE_UPDATE,
        IdleStateUpdate: _STATE_UPDATE,
        ErrorIdleStateUpdate: _STATE_UPDATE,
        RequiresActionStateUpdate: _STATE_UPDATE,
        UnknownStateUpdate: _STATE_UPDATE,
        ToolCallContentChunk: _TOOL_CALL_CONTENT_CHUNK,
        ToolCallUpdate: _TOOL_CALL_UPDATE,
        TerminalUpdate: _TERMINAL_UPDATE,
        TerminalOutputChunk: _TERMINAL_OUTPUT_CHUNK,
        PlanUpdate: _PLAN_UPDATE,
        AvailableCommandsUpdate: _AVAILABLE_COMMANDS_UPDATE,
        ConfigOptionUpdate: _CONFIG_OPTION_UPDATE,
        SessionInfoUpdate: _SESSION_INFO_UPDATE,
        UsageUpdate: _USAGE_UPDATE,
        CompactionUpdate: _COMPACTION_UPDATE,
        CompactionSummaryChunk: _COMPACTION_SUMMARY_CHUNK,
    }
    _writers: ClassVar[Mapping[str, state.Writer]] = {
        "user": _USER_MESSAGE,
        "agent": _AGENT_MESSAGE,
        "thought": _AGENT_THOUGHT,
        "plans": _PLAN_UPDATE,
        "tool_calls": _TOOL_CALL_UPDATE,
        "terminals": _TERMINAL_UPDATE,
        "compactions": _COMPACTION_UPDATE,
    }
    _slots: ClassVar[tuple[str, ...]] = (
        "state",
        "available_commands",
        "config_options",
        "info",
        "usage",
    )

    def __init__(self) -> None:
        super().__init__()
        self.tool_calls: dict[ToolCallId, ToolCallUpdate] = {}
        self.terminals: dict[TerminalId, TerminalUpdate] = {}
        self.plans: dict[PlanId, PlanUpdate] = {}
        self.compactions: dict[CompactionId, CompactionUpdate] = {}
        self.terminal_output: dict[str, bytearray] = {}
        self.state: StateUpdate | None = None
        self.available_commands: AvailableCommandsUpdate | None = None
        self.config_options: ConfigOptionUpdate | None = None
        self.info: SessionInfoUpdate | None = None
        self.usage: UsageUpdate | None = None
