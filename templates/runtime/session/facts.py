"""Facts about the sessions of a protocol version, for code that handles any version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..jsonrpc.method import Capability
from ..values.deferred import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """The rules of a protocol version's sessions that differ between versions, in JSON terms.

    Attributes:
        updates: the definition of session updates.
        content: the definition of content blocks.
        response_ends_turn: whether the response to a prompt ends its turn; otherwise, an update
            does.
        names_messages: whether each message must have an id.
        chunks: the tag of the update that appends to a message, by role.
        messages: the tag of the update that is a complete message, by role.
        tool_calls: the tags of the updates that begin and change a tool call; a single tag if one
            update does both.
        running: the update that reports that the agent works, where an update ends turns.
        idle: the update that ends turns, without its stop reason.
        infos: the field of `initialize` with the name of a side's program, by side.
        capabilities: the field of `initialize` with the capabilities of a side, by side.
        sign_in: the login method, the field of its params with the id of an authentication method,
            and the id field of authentication methods; None without a login method.
        terminal_sign_in: the client's capability to run a sign-in in a terminal; None if there is
            none.
    """

    updates: str
    content: str
    response_ends_turn: bool
    names_messages: bool
    chunks: Mapping[str, str]
    messages: Mapping[str, str]
    tool_calls: tuple[str, ...]
    running: Mapping[str, Any] | None
    idle: Mapping[str, Any] | None
    infos: Mapping[str, str]
    capabilities: Mapping[str, str]
    sign_in: tuple[str, str, str] | None
    terminal_sign_in: Capability | None
