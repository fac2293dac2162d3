"""Correct uses of the package, which type checkers must accept."""

from __future__ import annotations

from typing import Any, NoReturn

from acp_bindings import v1, v2
from acp_bindings.runtime import UNSET, Issue, UnsetType, given
from acp_bindings.runtime.session.message import Message
from acp_bindings.v1 import session as state1


def assert_never(value: NoReturn) -> NoReturn:
    """Raise an error, like `typing.assert_never`, which Python 3.10 does not provide."""
    raise AssertionError(value)


def describe_state(state: v2.StateUpdate) -> str:
    """Match all classes of a union that is part of another union."""
    match state:
        case v2.RunningStateUpdate():
            return "running"
        case v2.ErrorIdleStateUpdate():
            return state.error.message if state.error else "failed"
        case v2.IdleStateUpdate():
            return f"idle: {state.stop_reason or 'no reason given'}"
        case v2.RequiresActionStateUpdate():
            return "waiting"
        case v2.UnknownStateUpdate():
            return f"unknown: {state.tag}"
        case _:
            assert_never(state)


def describe(update: v2.SessionUpdate) -> str:
    """Match every class of the union, so that the last case is unreachable."""
    match update:
        case v2.UserMessageChunk() | v2.AgentMessageChunk() | v2.AgentThoughtChunk():
            return text_of(update.content)
        case v2.UserMessage() | v2.AgentMessage() | v2.AgentThought():
            return " ".join(text_of(block) for block in update.content or [])
        case v2.ToolCallUpdate(tool_call_id=call_id, status=status):
            return f"{call_id}: {status or 'unchanged'}"
        case v2.ToolCallContentChunk():
            return update.tool_call_id
        case v2.TerminalUpdate() | v2.TerminalOutputChunk():
            return update.terminal_id
        case v2.PlanUpdate():
            plan = update.plan
            return plan.tag if isinstance(plan, v2.UnknownPlanUpdateContent) else plan.plan_id
        case v2.AvailableCommandsUpdate():
            return str(len(update.available_commands))
        case v2.ConfigOptionUpdate():
            return str(len(update.config_options))
        case v2.SessionInfoUpdate():
            return update.title or "untitled"
        case v2.UsageUpdate():
            return f"{update.used} of {update.size}"
        case v2.Notice():
            return update.title
        case v2.CompactionUpdate() | v2.CompactionSummaryChunk():
            return "compaction"
        case v2.UnknownSessionUpdate():
            return f"{update.tag}: {sorted(update.raw)}, {update.is_extension}"
        case (
            v2.RunningStateUpdate()
            | v2.IdleStateUpdate()
            | v2.RequiresActionStateUpdate()
            | v2.UnknownStateUpdate()
        ):
            return describe_state(update)
        case _:
            assert_never(update)


def meta_of(update: v1.KnownSessionUpdate) -> dict[str, Any]:
    return update.meta or {}


def tool_of(update: v1.SessionUpdate, title: str | None) -> v1.ToolCallUpdate:
    """Copy the metadata of a known or unknown variant, if it has any."""
    if not isinstance(update, v1.UnknownSessionUpdate):
        known: v1.KnownSessionUpdate = update
        meta = meta_of(known)
    else:
        meta = update.meta or {}
    return v1.ToolCallUpdate(tool_call_id="t", title=given(title), meta=given(meta or None))


def text_of(block: v2.ContentBlock) -> str:
    return block.text if isinstance(block, v2.TextContent) else block.__class__.__name__


async def lists_of_some_classes(
    session1: v1.AgentSession, session2: v2.AgentSession, texts: list[v2.TextContent]
) -> v2.PromptRequest:
    """Pass a list of some classes in a union where a list of all its classes is accepted."""
    parts = [v2.Content(content=text) for text in texts]
    call = v2.ToolCallUpdate(tool_call_id="t", content=parts)
    await session2.tool_call(tool_call_id="t", content=parts)
    await session1.tool_call(
        tool_call_id="t", title="T", content=[v1.Content(content=v1.TextContent(text="t"))]
    )
    if call.content:
        call.content.append(v2.Diff(changes=[]))
    stdio = [v1.McpServerStdio(name="n", command="/c", args=[], env=[])]
    print(v1.NewSessionRequest(cwd="/", mcp_servers=stdio).mcp_servers.copy())
    request = v2.PromptRequest(session_id="s", prompt=tuple(texts))
    request.prompt.append(v2.ImageContent(data="", mime_type="image/png"))
    return request


def title_by_identity(call: v2.ToolCallUpdate) -> str:
    if call.title is UNSET:
        unset: UnsetType = call.title
        return repr(unset)
    if call.title is None:
        return "cleared"
    title: str = call.title
    return title.upper()


def decode_a_union(data: Any) -> v2.SessionUpdate:
    issues: list[Issue] = []
    update: v2.SessionUpdate = v2.decode(v2.SessionUpdate, data, on_issue=issues.append)
    for issue in issues:
        pointer: str = issue.pointer
        print(pointer, issue.action)
    return update


def decode_aliases(text: str | bytes | bytearray) -> tuple[str, int]:
    """Decode aliases of scalar types as plain scalars."""
    session: str = v2.loads(v2.SessionId, text)
    version: int = v2.loads(v2.ProtocolVersion, text, strict=True)
    return session, version


# --- the methods of a side -------------------------------------------------------------------


def line(entry: state1.TimelineEntry) -> str:
    match entry:
        case Message():
            return entry.text
        case v1.ToolCallUpdate():
            return entry.tool_call_id
        case v1.Plan(entries=steps):
            return str(len(steps))
        case v1.CompactionUpdate() | v1.Notice():
            return "notice"
        case v1.UnknownSessionUpdate():
            return entry.tag
        case _:
            assert_never(entry)
