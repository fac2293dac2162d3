# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.json (sha256 d0bf493103243b057c069d54c659106129f4ee732e939bb83b5eea7c106b3997).
# Do not edit it; make it again with acpgen.
"""The methods of this surface, by the side that handles them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..runtime.jsonrpc.method import Capability, Kind, Method, CapabilityRequirement, Side, table
from .codec import SCHEMA, TYPES, decode, encode
from .types import (
    AudioContent,
    CancelRequestNotification,
    CancelSessionNotification,
    CancelTerminalRequest,
    CancelTerminalResponse,
    CancelToolCallRequest,
    CancelToolCallResponse,
    CloseSessionRequest,
    CloseSessionResponse,
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    EmbeddedResource,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    ImageContent,
    InitializeRequest,
    InitializeResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoginAuthRequest,
    LoginAuthResponse,
    LogoutAuthRequest,
    LogoutAuthResponse,
    McpServerHttp,
    McpServerStdio,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    UpdateSessionNotification,
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
    "AGENT_AUTH_LOGIN",
    "AGENT_AUTH_LOGOUT",
    "AGENT_INITIALIZE",
    "AGENT_SESSION_CANCEL",
    "AGENT_SESSION_CLOSE",
    "AGENT_SESSION_DELETE",
    "AGENT_SESSION_LIST",
    "AGENT_SESSION_NEW",
    "AGENT_SESSION_PROMPT",
    "AGENT_SESSION_RESUME",
    "AGENT_SESSION_SET_CONFIG_OPTION",
    "AGENT_TERMINAL_CANCEL",
    "AGENT_TOOL_CALL_CANCEL",
    "AGENT_EXT_REQUEST",
    "AGENT_EXT_NOTIFICATION",
    "CLIENT_METHODS",
    "CLIENT_ELICITATION_COMPLETE",
    "CLIENT_ELICITATION_CREATE",
    "CLIENT_SESSION_REQUEST_PERMISSION",
    "CLIENT_SESSION_UPDATE",
    "CLIENT_EXT_REQUEST",
    "CLIENT_EXT_NOTIFICATION",
    "PROTOCOL_METHODS",
    "PROTOCOL_CANCEL_REQUEST",
]


# --- handled by the agent ---

AGENT_SESSION_CANCEL: Method[CancelSessionNotification, None] = Method(
    "session/cancel",
    "agent",
    "notification",
    CancelSessionNotification,
    None,
    "session_cancel",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
)
AGENT_EXT_NOTIFICATION: Method[ExtNotification, None] = Method(
    "_",
    "agent",
    "notification",
    ExtNotification,
    None,
    "ext_notification",
    is_extension=True,
)
AGENT_AUTH_LOGIN: Method[LoginAuthRequest, LoginAuthResponse] = Method(
    "auth/login",
    "agent",
    "request",
    LoginAuthRequest,
    LoginAuthResponse,
    "auth_login",
    capability=Capability("/authMethods", ("auth_methods",)),
)
AGENT_AUTH_LOGOUT: Method[LogoutAuthRequest, LogoutAuthResponse] = Method(
    "auth/logout",
    "agent",
    "request",
    LogoutAuthRequest,
    LogoutAuthResponse,
    "auth_logout",
    capability=Capability("/authMethods", ("auth_methods",)),
)
AGENT_INITIALIZE: Method[InitializeRequest, InitializeResponse] = Method(
    "initialize",
    "agent",
    "request",
    InitializeRequest,
    InitializeResponse,
    "initialize",
)
AGENT_SESSION_CLOSE: Method[CloseSessionRequest, CloseSessionResponse] = Method(
    "session/close",
    "agent",
    "request",
    CloseSessionRequest,
    CloseSessionResponse,
    "session_close",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
)
AGENT_SESSION_DELETE: Method[DeleteSessionRequest, DeleteSessionResponse] = Method(
    "session/delete",
    "agent",
    "request",
    DeleteSessionRequest,
    DeleteSessionResponse,
    "session_delete",
    capability=Capability("/capabilities/session/delete", ("capabilities", "session", "delete")),
)
AGENT_SESSION_LIST: Method[ListSessionsRequest, ListSessionsResponse] = Method(
    "session/list",
    "agent",
    "request",
    ListSessionsRequest,
    ListSessionsResponse,
    "session_list",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
)
AGENT_SESSION_NEW: Method[NewSessionRequest, NewSessionResponse] = Method(
    "session/new",
    "agent",
    "request",
    NewSessionRequest,
    NewSessionResponse,
    "session_new",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
    needs=(
        CapabilityRequirement(
            "additional_directories",
            Capability(
                "/capabilities/session/additionalDirectories",
                ("capabilities", "session", "additional_directories"),
            ),
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/capabilities/session/mcp/http", ("capabilities", "session", "mcp", "http")
            ),
            McpServerHttp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/capabilities/session/mcp/stdio", ("capabilities", "session", "mcp", "stdio")
            ),
            McpServerStdio,
        ),
    ),
)
AGENT_SESSION_PROMPT: Method[PromptRequest, PromptResponse] = Method(
    "session/prompt",
    "agent",
    "request",
    PromptRequest,
    PromptResponse,
    "session_prompt",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
    needs=(
        CapabilityRequirement(
            "prompt",
            Capability(
                "/capabilities/session/prompt/audio", ("capabilities", "session", "prompt", "audio")
            ),
            AudioContent,
        ),
        CapabilityRequirement(
            "prompt",
            Capability(
                "/capabilities/session/prompt/embeddedContext",
                ("capabilities", "session", "prompt", "embedded_context"),
            ),
            EmbeddedResource,
        ),
        CapabilityRequirement(
            "prompt",
            Capability(
                "/capabilities/session/prompt/image", ("capabilities", "session", "prompt", "image")
            ),
            ImageContent,
        ),
    ),
)
AGENT_SESSION_RESUME: Method[ResumeSessionRequest, ResumeSessionResponse] = Method(
    "session/resume",
    "agent",
    "request",
    ResumeSessionRequest,
    ResumeSessionResponse,
    "session_resume",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
    needs=(
        CapabilityRequirement(
            "additional_directories",
            Capability(
                "/capabilities/session/additionalDirectories",
                ("capabilities", "session", "additional_directories"),
            ),
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/capabilities/session/mcp/http", ("capabilities", "session", "mcp", "http")
            ),
            McpServerHttp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/capabilities/session/mcp/stdio", ("capabilities", "session", "mcp", "stdio")
            ),
            McpServerStdio,
        ),
    ),
)
AGENT_SESSION_SET_CONFIG_OPTION: Method[
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse
] = Method(
    "session/set_config_option",
    "agent",
    "request",
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    "session_set_config_option",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
)
AGENT_TERMINAL_CANCEL: Method[CancelTerminalRequest, CancelTerminalResponse] = Method(
    "terminal/cancel",
    "agent",
    "request",
    CancelTerminalRequest,
    CancelTerminalResponse,
    "terminal_cancel",
)
AGENT_TOOL_CALL_CANCEL: Method[CancelToolCallRequest, CancelToolCallResponse] = Method(
    "tool_call/cancel",
    "agent",
    "request",
    CancelToolCallRequest,
    CancelToolCallResponse,
    "tool_call_cancel",
)
AGENT_EXT_REQUEST: Method[ExtRequest, ExtResponse] = Method(
    "_",
    "agent",
    "request",
    ExtRequest,
    ExtResponse,
    "ext_request",
    is_extension=True,
)

# --- handled by the client ---

CLIENT_ELICITATION_COMPLETE: Method[CompleteElicitationNotification, None] = Method(
    "elicitation/complete",
    "client",
    "notification",
    CompleteElicitationNotification,
    None,
    "elicitation_complete",
    capability=Capability("/capabilities/elicitation/url", ("capabilities", "elicitation", "url")),
)
CLIENT_SESSION_UPDATE: Method[UpdateSessionNotification, None] = Method(
    "session/update",
    "client",
    "notification",
    UpdateSessionNotification,
    None,
    "session_update",
)
CLIENT_EXT_NOTIFICATION: Method[ExtNotification, None] = Method(
    "_",
    "client",
    "notification",
    ExtNotification,
    None,
    "ext_notification",
    is_extension=True,
)
CLIENT_ELICITATION_CREATE: Method[CreateElicitationRequest, CreateElicitationResponse] = Method(
    "elicitation/create",
    "client",
    "request",
    CreateElicitationRequest,
    CreateElicitationResponse,
    "elicitation_create",
    capability=Capability("/capabilities/elicitation", ("capabilities", "elicitation")),
)
CLIENT_SESSION_REQUEST_PERMISSION: Method[RequestPermissionRequest, RequestPermissionResponse] = (
    Method(
        "session/request_permission",
        "client",
        "request",
        RequestPermissionRequest,
        RequestPermissionResponse,
        "session_request_permission",
    )
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

PROTOCOL_CANCEL_REQUEST: Method[CancelRequestNotification, None] = Method(
    "$/cancel_request",
    "protocol",
    "notification",
    CancelRequestNotification,
    None,
    "cancel_request",
)

# --- tables ---

AGENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    AGENT_AUTH_LOGIN,
    AGENT_AUTH_LOGOUT,
    AGENT_INITIALIZE,
    AGENT_SESSION_CANCEL,
    AGENT_SESSION_CLOSE,
    AGENT_SESSION_DELETE,
    AGENT_SESSION_LIST,
    AGENT_SESSION_NEW,
    AGENT_SESSION_PROMPT,
    AGENT_SESSION_RESUME,
    AGENT_SESSION_SET_CONFIG_OPTION,
    AGENT_TERMINAL_CANCEL,
    AGENT_TOOL_CALL_CANCEL,
)
CLIENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    CLIENT_ELICITATION_COMPLETE,
    CLIENT_ELICITATION_CREATE,
    CLIENT_SESSION_REQUEST_PERMISSION,
    CLIENT_SESSION_UPDATE,
)
PROTOCOL_METHODS: Mapping[str, Method[Any, Any]] = table(
    PROTOCOL_CANCEL_REQUEST,
)

METHODS: Mapping[Side, Mapping[str, Method[Any, Any]]] = MappingProxyType(
    {
        "agent": AGENT_METHODS,
        "client": CLIENT_METHODS,
        "protocol": PROTOCOL_METHODS,
    }
)

EXTENSIONS: Mapping[tuple[Side, Kind], Method[Any, Any]] = MappingProxyType(
    {
        ("agent", "request"): AGENT_EXT_REQUEST,
        ("agent", "notification"): AGENT_EXT_NOTIFICATION,
        ("client", "request"): CLIENT_EXT_REQUEST,
        ("client", "notification"): CLIENT_EXT_NOTIFICATION,
    }
)

# Whether the id of a request may be null.
NULL_ID: bool = False
