# type: ignore  # msgspec is installed only in the environment that runs this.
"""The measured messages as hand-written msgspec structs: the least cost of typed decoding.

Only the members of the messages are here, but each union has all its tags, since finding the
class by tag is part of the work. Fallbacks, unknown members, unknown tags and the difference
between absent and null are missing.
"""

from __future__ import annotations

from typing import Any, Literal, Union

import msgspec

Meta = dict[str, Any]


class Base(msgspec.Struct, rename="camel", omit_defaults=True):
    """An object of the protocol."""


def _others(field: str, *tags: str) -> tuple[type[Base], ...]:
    """A struct for each tag that no measured message has."""
    return tuple(
        msgspec.defstruct(
            f"Other_{tag}", [], bases=(Base,), tag_field=field, tag=tag, module=__name__
        )
        for tag in tags
    )


class Annotations(Base):
    audience: list[str] | None = None
    last_modified: str | None = None
    priority: float | None = None


class Text(Base, tag_field="type", tag="text"):
    text: str
    annotations: Annotations | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


ContentBlock = Union[(Text, *_others("type", "image", "audio", "resource_link", "resource"))]


class Content(Base, tag_field="type", tag="content"):
    content: ContentBlock


[Terminal] = _others("type", "terminal")


class Location(Base):
    path: str
    line: int | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class SessionInfo(Base):
    session_id: str
    cwd: str
    additional_directories: list[str] | None = None
    title: str | None = None
    updated_at: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class ListSessionsResponse(Base):
    sessions: list[SessionInfo]
    next_cursor: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class AgentChunk(Base, tag_field="sessionUpdate", tag="agent_message_chunk"):
    content: ContentBlock
    message_id: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


# --- protocol 1 ------------------------------------------------------------------------------

Kind = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]


class DiffV1(Base, tag_field="type", tag="diff"):
    path: str
    new_text: str
    old_text: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class ToolCallV1(Base, tag_field="sessionUpdate", tag="tool_call_update"):
    tool_call_id: str
    kind: Kind | None = None
    status: Literal["pending", "in_progress", "completed", "failed"] | None = None
    title: str | None = None
    name: str | None = None
    content: list[Content | DiffV1 | Terminal] | None = None
    locations: list[Location] | None = None
    raw_input: Any = None
    raw_output: Any = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


_TAGS_V1 = """
    user_message_chunk agent_thought_chunk tool_call plan available_commands_update
    current_mode_update config_option_update session_info_update usage_update notice
    compaction_update compaction_summary_chunk
"""
UpdateV1 = Union[(AgentChunk, ToolCallV1, *_others("sessionUpdate", *_TAGS_V1.split()))]


class SessionNotification(Base):
    session_id: str
    update: UpdateV1
    meta: Meta | None = msgspec.field(default=None, name="_meta")


# --- protocol 2 ------------------------------------------------------------------------------


class Modify(Base, tag_field="operation", tag="modify"):
    path: str
    file_type: str | None = None
    mime_type: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


Change = Union[(Modify, *_others("operation", "add", "delete", "move", "copy"))]


class Patch(Base):
    format: str
    text: str
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class DiffV2(Base, tag_field="type", tag="diff"):
    changes: list[Change]
    patch: Patch | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class ToolCallV2(Base, tag_field="sessionUpdate", tag="tool_call_update"):
    tool_call_id: str
    name: str | None = None
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    content: list[Content | DiffV2 | Terminal] | None = None
    locations: list[Location] | None = None
    raw_input: Any = None
    raw_output: Any = None
    capabilities: dict[str, Any] | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


_TAGS_V2 = """
    user_message_chunk agent_thought_chunk user_message agent_message agent_thought state_update
    tool_call_content_chunk terminal_update terminal_output_chunk plan_update
    available_commands_update config_option_update session_info_update usage_update notice
    compaction_update compaction_summary_chunk
"""
UpdateV2 = Union[(AgentChunk, ToolCallV2, *_others("sessionUpdate", *_TAGS_V2.split()))]


class UpdateSessionNotification(Base):
    session_id: str
    update: UpdateV2
    meta: Meta | None = msgspec.field(default=None, name="_meta")
