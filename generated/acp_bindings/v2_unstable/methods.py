# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.unstable.json (sha256 613c763e7dfcd3819218c0712794f441c6fcc69c909f72d172eb669f3ec5312c).
# Do not edit it; make it again with acpgen.
"""The methods of this surface, by the side that handles them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..runtime.jsonrpc.method import Capability, Kind, Method, CapabilityRequirement, Side, table
from .codec import SCHEMA, TYPES, decode, encode
from .types import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    AudioContent,
    AuthStatusRequest,
    AuthStatusResponse,
    AuthStatusUpdateNotification,
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
    DisableProviderRequest,
    DisableProviderResponse,
    EmbeddedResource,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    ImageContent,
    InitializeProxyRequest,
    InitializeProxyResponse,
    InitializeRequest,
    InitializeResponse,
    ListProvidersRequest,
    ListProvidersResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoginAuthRequest,
    LoginAuthResponse,
    LogoutAuthRequest,
    LogoutAuthResponse,
    McpServerAcp,
    McpServerHttp,
    McpServerStdio,
    MessageMcpNotification,
    MessageMcpRequest,
    MessageMcpResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ProxySuccessorNotification,
    ProxySuccessorRequest,
    ProxySuccessorResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionStatusRequest,
    SessionStatusResponse,
    SetProviderRequest,
    SetProviderResponse,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
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
    "AGENT_AUTH_STATUS",
    "AGENT_INITIALIZE",
    "AGENT_MCP_MESSAGE",
    "AGENT_PROVIDERS_DISABLE",
    "AGENT_PROVIDERS_LIST",
    "AGENT_PROVIDERS_SET",
    "AGENT_SESSION_ARCHIVE",
    "AGENT_SESSION_CANCEL",
    "AGENT_SESSION_CLOSE",
    "AGENT_SESSION_DELETE",
    "AGENT_SESSION_FORK",
    "AGENT_SESSION_LIST",
    "AGENT_SESSION_NEW",
    "AGENT_SESSION_PROMPT",
    "AGENT_SESSION_RESUME",
    "AGENT_SESSION_SET_CONFIG_OPTION",
    "AGENT_SESSION_SET_TITLE",
    "AGENT_SESSION_STATUS",
    "AGENT_SESSION_UNARCHIVE",
    "AGENT_TERMINAL_CANCEL",
    "AGENT_TOOL_CALL_CANCEL",
    "AGENT_EXT_REQUEST",
    "AGENT_EXT_NOTIFICATION",
    "CLIENT_METHODS",
    "CLIENT_AUTH_STATUS_UPDATE",
    "CLIENT_ELICITATION_COMPLETE",
    "CLIENT_ELICITATION_CREATE",
    "CLIENT_MCP_MESSAGE",
    "CLIENT_SESSION_REQUEST_PERMISSION",
    "CLIENT_SESSION_UPDATE",
    "CLIENT_EXT_REQUEST",
    "CLIENT_EXT_NOTIFICATION",
    "PROTOCOL_METHODS",
    "PROTOCOL_CANCEL_REQUEST",
    "PROXY_METHODS",
    "PROXY_PROXY_INITIALIZE",
    "PROXY_PROXY_SUCCESSOR",
    "PROXY_PROXY_SUCCESSOR_NOTIFICATION",
]


# --- handled by the agent ---

AGENT_MCP_MESSAGE: Method[MessageMcpNotification, None] = Method(
    "mcp/message",
    "agent",
    "notification",
    MessageMcpNotification,
    None,
    "mcp_message",
)
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
AGENT_AUTH_STATUS: Method[AuthStatusRequest, AuthStatusResponse] = Method(
    "auth/status",
    "agent",
    "request",
    AuthStatusRequest,
    AuthStatusResponse,
    "auth_status",
    capability=Capability("/capabilities/auth/status", ("capabilities", "auth", "status")),
)
AGENT_INITIALIZE: Method[InitializeRequest, InitializeResponse] = Method(
    "initialize",
    "agent",
    "request",
    InitializeRequest,
    InitializeResponse,
    "initialize",
)
AGENT_PROVIDERS_DISABLE: Method[DisableProviderRequest, DisableProviderResponse] = Method(
    "providers/disable",
    "agent",
    "request",
    DisableProviderRequest,
    DisableProviderResponse,
    "providers_disable",
    capability=Capability("/capabilities/providers", ("capabilities", "providers")),
)
AGENT_PROVIDERS_LIST: Method[ListProvidersRequest, ListProvidersResponse] = Method(
    "providers/list",
    "agent",
    "request",
    ListProvidersRequest,
    ListProvidersResponse,
    "providers_list",
    capability=Capability("/capabilities/providers", ("capabilities", "providers")),
)
AGENT_PROVIDERS_SET: Method[SetProviderRequest, SetProviderResponse] = Method(
    "providers/set",
    "agent",
    "request",
    SetProviderRequest,
    SetProviderResponse,
    "providers_set",
    capability=Capability("/capabilities/providers", ("capabilities", "providers")),
)
AGENT_SESSION_ARCHIVE: Method[ArchiveSessionRequest, ArchiveSessionResponse] = Method(
    "session/archive",
    "agent",
    "request",
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    "session_archive",
    capability=Capability("/capabilities/session/archive", ("capabilities", "session", "archive")),
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
AGENT_SESSION_FORK: Method[ForkSessionRequest, ForkSessionResponse] = Method(
    "session/fork",
    "agent",
    "request",
    ForkSessionRequest,
    ForkSessionResponse,
    "session_fork",
    capability=Capability("/capabilities/session/fork", ("capabilities", "session", "fork")),
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
            Capability("/capabilities/session/mcp/acp", ("capabilities", "session", "mcp", "acp")),
            McpServerAcp,
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
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/capabilities/session/systemPrompt", ("capabilities", "session", "system_prompt")
            ),
        ),
    ),
)
AGENT_SESSION_LIST: Method[ListSessionsRequest, ListSessionsResponse] = Method(
    "session/list",
    "agent",
    "request",
    ListSessionsRequest,
    ListSessionsResponse,
    "session_list",
    capability=Capability("/capabilities/session", ("capabilities", "session")),
    needs=(
        CapabilityRequirement(
            "archived",
            Capability("/capabilities/session/archive", ("capabilities", "session", "archive")),
        ),
    ),
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
            Capability("/capabilities/session/mcp/acp", ("capabilities", "session", "mcp", "acp")),
            McpServerAcp,
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
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/capabilities/session/systemPrompt", ("capabilities", "session", "system_prompt")
            ),
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
            Capability("/capabilities/session/mcp/acp", ("capabilities", "session", "mcp", "acp")),
            McpServerAcp,
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
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/capabilities/session/systemPrompt", ("capabilities", "session", "system_prompt")
            ),
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
AGENT_SESSION_SET_TITLE: Method[SetSessionTitleRequest, SetSessionTitleResponse] = Method(
    "session/set_title",
    "agent",
    "request",
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    "session_set_title",
    capability=Capability("/capabilities/session/title", ("capabilities", "session", "title")),
)
AGENT_SESSION_STATUS: Method[SessionStatusRequest, SessionStatusResponse] = Method(
    "session/status",
    "agent",
    "request",
    SessionStatusRequest,
    SessionStatusResponse,
    "session_status",
    capability=Capability("/capabilities/session/status", ("capabilities", "session", "status")),
)
AGENT_SESSION_UNARCHIVE: Method[UnarchiveSessionRequest, UnarchiveSessionResponse] = Method(
    "session/unarchive",
    "agent",
    "request",
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
    "session_unarchive",
    capability=Capability("/capabilities/session/archive", ("capabilities", "session", "archive")),
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

CLIENT_AUTH_STATUS_UPDATE: Method[AuthStatusUpdateNotification, None] = Method(
    "auth/status_update",
    "client",
    "notification",
    AuthStatusUpdateNotification,
    None,
    "auth_status_update",
)
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
CLIENT_MCP_MESSAGE: Method[MessageMcpRequest, MessageMcpResponse] = Method(
    "mcp/message",
    "client",
    "request",
    MessageMcpRequest,
    MessageMcpResponse,
    "mcp_message",
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

# --- handled by the proxy ---

PROXY_PROXY_SUCCESSOR_NOTIFICATION: Method[ProxySuccessorNotification, None] = Method(
    "proxy/successor",
    "proxy",
    "notification",
    ProxySuccessorNotification,
    None,
    "proxy_successor_notification",
)
PROXY_PROXY_INITIALIZE: Method[InitializeProxyRequest, InitializeProxyResponse] = Method(
    "proxy/initialize",
    "proxy",
    "request",
    InitializeProxyRequest,
    InitializeProxyResponse,
    "proxy_initialize",
)
PROXY_PROXY_SUCCESSOR: Method[ProxySuccessorRequest, ProxySuccessorResponse] = Method(
    "proxy/successor",
    "proxy",
    "request",
    ProxySuccessorRequest,
    ProxySuccessorResponse,
    "proxy_successor",
    notification=PROXY_PROXY_SUCCESSOR_NOTIFICATION,
)

# --- tables ---

AGENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    AGENT_AUTH_LOGIN,
    AGENT_AUTH_LOGOUT,
    AGENT_AUTH_STATUS,
    AGENT_INITIALIZE,
    AGENT_MCP_MESSAGE,
    AGENT_PROVIDERS_DISABLE,
    AGENT_PROVIDERS_LIST,
    AGENT_PROVIDERS_SET,
    AGENT_SESSION_ARCHIVE,
    AGENT_SESSION_CANCEL,
    AGENT_SESSION_CLOSE,
    AGENT_SESSION_DELETE,
    AGENT_SESSION_FORK,
    AGENT_SESSION_LIST,
    AGENT_SESSION_NEW,
    AGENT_SESSION_PROMPT,
    AGENT_SESSION_RESUME,
    AGENT_SESSION_SET_CONFIG_OPTION,
    AGENT_SESSION_SET_TITLE,
    AGENT_SESSION_STATUS,
    AGENT_SESSION_UNARCHIVE,
    AGENT_TERMINAL_CANCEL,
    AGENT_TOOL_CALL_CANCEL,
)
CLIENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    CLIENT_AUTH_STATUS_UPDATE,
    CLIENT_ELICITATION_COMPLETE,
    CLIENT_ELICITATION_CREATE,
    CLIENT_MCP_MESSAGE,
    CLIENT_SESSION_REQUEST_PERMISSION,
    CLIENT_SESSION_UPDATE,
)
PROTOCOL_METHODS: Mapping[str, Method[Any, Any]] = table(
    PROTOCOL_CANCEL_REQUEST,
)
PROXY_METHODS: Mapping[str, Method[Any, Any]] = table(
    PROXY_PROXY_INITIALIZE,
    PROXY_PROXY_SUCCESSOR,
)

METHODS: Mapping[Side, Mapping[str, Method[Any, Any]]] = MappingProxyType(
    {
        "agent": AGENT_METHODS,
        "client": CLIENT_METHODS,
        "protocol": PROTOCOL_METHODS,
        "proxy": PROXY_METHODS,
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
