# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""The methods of this surface, by the side that handles them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..runtime.jsonrpc.method import Capability, Kind, Method, CapabilityRequirement, Side, table
from .codec import SCHEMA, TYPES, decode, encode
from .types import (
    ClearNotification,
    DrawAgainRequest,
    DrawAgainResponse,
    DrawRequest,
    DrawResponse,
    ExtRequest,
    ExtResponse,
    OpenRequest,
    OpenResponse,
    PassNotification,
    PassRequest,
    PassResponse,
    StopRequestNotification,
    UpdateNotification,
)

__all__ = [
    "EXTENSIONS",
    "METHODS",
    "NULL_ID",
    "SCHEMA",
    "TYPES",
    "decode",
    "encode",
    "AGENT_METHODS",
    "AGENT_IMPORT",
    "AGENT_INITIALIZE",
    "AGENT_EXT_NOTIFICATION",
    "CLIENT_METHODS",
    "CLIENT_CANVAS_DRAW",
    "CLIENT_CANVAS_DRAW_AGAIN",
    "CLIENT_SESSION_UPDATE",
    "CLIENT_EXT_REQUEST",
    "PROTOCOL_METHODS",
    "PROTOCOL_STOP_REQUEST",
    "RELAY_METHODS",
    "RELAY_RELAY_PASS",
    "RELAY_RELAY_PASS_NOTIFICATION",
]


# --- handled by the agent ---

AGENT_IMPORT: Method[ClearNotification, None] = Method(
    "import",
    "agent",
    "notification",
    ClearNotification,
    None,
    "import_",
    capability=Capability("/tools", ("tools",)),
)
AGENT_EXT_NOTIFICATION: Method[ExtRequest, None] = Method(
    "_",
    "agent",
    "notification",
    ExtRequest,
    None,
    "ext_notification",
    is_extension=True,
)
AGENT_INITIALIZE: Method[OpenRequest, OpenResponse] = Method(
    "initialize",
    "agent",
    "request",
    OpenRequest,
    OpenResponse,
    "initialize",
)

# --- handled by the client ---

CLIENT_SESSION_UPDATE: Method[UpdateNotification, None] = Method(
    "session/update",
    "client",
    "notification",
    UpdateNotification,
    None,
    "session_update",
)
CLIENT_CANVAS_DRAW: Method[DrawRequest, DrawResponse] = Method(
    "canvas/draw",
    "client",
    "request",
    DrawRequest,
    DrawResponse,
    "canvas_draw",
    capability=Capability("/tools/pen", ("tools", "pen")),
    needs=(CapabilityRequirement("from_", Capability("/tools/import", ("tools", "import_"))),),
)
CLIENT_CANVAS_DRAW_AGAIN: Method[DrawAgainRequest, DrawAgainResponse] = Method(
    "canvas/draw_again",
    "client",
    "request",
    DrawAgainRequest,
    DrawAgainResponse,
    "canvas_draw_again",
)
CLIENT_EXT_REQUEST: Method[ExtRequest, ExtResponse] = Method(
    "_",
    "client",
    "request",
    ExtRequest,
    ExtResponse,
    "ext_request",
    is_extension=True,
)

# --- handled by either side ---

PROTOCOL_STOP_REQUEST: Method[StopRequestNotification, None] = Method(
    "$/stop_request",
    "protocol",
    "notification",
    StopRequestNotification,
    None,
    "stop_request",
)

# --- handled by the relay ---

RELAY_RELAY_PASS_NOTIFICATION: Method[PassNotification, None] = Method(
    "relay/pass",
    "relay",
    "notification",
    PassNotification,
    None,
    "relay_pass_notification",
)
RELAY_RELAY_PASS: Method[PassRequest, PassResponse] = Method(
    "relay/pass",
    "relay",
    "request",
    PassRequest,
    PassResponse,
    "relay_pass",
    notification=RELAY_RELAY_PASS_NOTIFICATION,
)

# --- tables ---

AGENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    AGENT_IMPORT,
    AGENT_INITIALIZE,
)
CLIENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    CLIENT_CANVAS_DRAW,
    CLIENT_CANVAS_DRAW_AGAIN,
    CLIENT_SESSION_UPDATE,
)
PROTOCOL_METHODS: Mapping[str, Method[Any, Any]] = table(
    PROTOCOL_STOP_REQUEST,
)
RELAY_METHODS: Mapping[str, Method[Any, Any]] = table(
    RELAY_RELAY_PASS,
)

METHODS: Mapping[Side, Mapping[str, Method[Any, Any]]] = MappingProxyType(
    {
        "agent": AGENT_METHODS,
        "client": CLIENT_METHODS,
        "protocol": PROTOCOL_METHODS,
        "relay": RELAY_METHODS,
    }
)

EXTENSIONS: Mapping[tuple[Side, Kind], Method[Any, Any]] = MappingProxyType(
    {
        ("agent", "notification"): AGENT_EXT_NOTIFICATION,
        ("client", "request"): CLIENT_EXT_REQUEST,
    }
)

# Whether the id of a request may be null.
NULL_ID: bool = True
