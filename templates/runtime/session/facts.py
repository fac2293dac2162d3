"""Facts about a protocol version's sessions, for use by version-independent code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..jsonrpc.method import Capability
from ..values.deferred import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """Properties of sessions that differ between protocol versions, with JSON names and values.

    Attributes:
        updates: the name of the definition of session updates.
        content: the name of the definition of content blocks.
        response_ends_turn: whether a turn ends with the response to its prompt, as opposed to an
            update.
        names_messages: whether each message must have an id.
        chunks: the tag of the update that appends to a message, by role.
        messages: the tag of the update that contains a complete message, by role.
        tool_calls: the tags of the updates that begin and change a tool call, or a single tag if
            the same update begins and changes calls.
        running: the update that reports that the agent is working, or None if responses end turns.
        idle: the update that ends turns, without its stop reason, or None if responses end turns.
        infos: the field of `initialize` that contains the program's name, by side.
        capabilities: the field of `initialize` that contains the program's capabilities, by side.
        sign_in: the sign-in method, the params field for an authentication method's id, and the id
            field of authentication methods; None if the version has no sign-in method.
        terminal_sign_in: the client's capability to run a sign-in command in a terminal; None if
            the version doesn't define this capability.
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
