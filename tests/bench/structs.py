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


class Annotations(Base):
    audience: list[str] | None = None
    last_modified: str | None = None
    priority: float | None = None


class Text(Base, tag_field="type", tag="text"):
    text: str
    annotations: Annotations | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class Image(Base, tag_field="type", tag="image"):
    data: str
    mime_type: str


class Audio(Base, tag_field="type", tag="audio"):
    data: str
    mime_type: str


class Link(Base, tag_field="type", tag="resource_link"):
    name: str
    uri: str


class Embedded(Base, tag_field="type", tag="resource"):
    resource: dict[str, Any]


ContentBlock = Text | Image | Audio | Link | Embedded


class Content(Base, tag_field="type", tag="content"):
    content: ContentBlock


class Terminal(Base, tag_field="type", tag="terminal"):
    terminal_id: str


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


class Chunk(Base):
    content: ContentBlock
    message_id: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class UserChunk(Chunk, tag_field="sessionUpdate", tag="user_message_chunk"):
    pass


class AgentChunk(Chunk, tag_field="sessionUpdate", tag="agent_message_chunk"):
    pass


class ThoughtChunk(Chunk, tag_field="sessionUpdate", tag="agent_thought_chunk"):
    pass


def _others(*tags: str) -> tuple[type[Base], ...]:
    """A struct for each tag that no measured message has."""
    return tuple(
        msgspec.defstruct(
            f"Other_{tag}", [], bases=(Base,), tag_field="sessionUpdate", tag=tag, module=__name__
        )
        for tag in tags
    )


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


_OTHERS_V1 = _others(
    "tool_call",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
)
UpdateV1 = Union[(UserChunk, AgentChunk, ThoughtChunk, ToolCallV1, *_OTHERS_V1)]


class SessionNotification(Base):
    session_id: str
    update: UpdateV1
    meta: Meta | None = msgspec.field(default=None, name="_meta")


# --- protocol 2 ------------------------------------------------------------------------------


class _Change(Base):
    path: str
    file_type: str | None = None
    mime_type: str | None = None
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class Add(_Change, tag_field="operation", tag="add"):
    pass


class Delete(_Change, tag_field="operation", tag="delete"):
    pass


class Modify(_Change, tag_field="operation", tag="modify"):
    pass


class _PairChange(_Change, kw_only=True):
    old_path: str


class Move(_PairChange, tag_field="operation", tag="move"):
    pass


class Copy(_PairChange, tag_field="operation", tag="copy"):
    pass


class Patch(Base):
    format: str
    text: str
    meta: Meta | None = msgspec.field(default=None, name="_meta")


class DiffV2(Base, tag_field="type", tag="diff"):
    changes: list[Add | Delete | Modify | Move | Copy]
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


_OTHERS_V2 = _others(
    "user_message",
    "agent_message",
    "agent_thought",
    "state_update",
    "tool_call_content_chunk",
    "terminal_update",
    "terminal_output_chunk",
    "plan_update",
    "available_commands_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
)
UpdateV2 = Union[(UserChunk, AgentChunk, ThoughtChunk, ToolCallV2, *_OTHERS_V2)]


class UpdateSessionNotification(Base):
    session_id: str
    update: UpdateV2
    meta: Meta | None = msgspec.field(default=None, name="_meta")
