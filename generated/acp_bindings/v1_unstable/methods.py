# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.unstable.json (sha256 9f22f865ee8d6595144e0bd7ce511419783362ceac13f5f2dfbd73005d54e295).
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
    AuthenticateRequest,
    AuthenticateResponse,
    CancelNotification,
    CancelRequestNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
    CreateTerminalRequest,
    CreateTerminalResponse,
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
    KillTerminalRequest,
    KillTerminalResponse,
    ListProvidersRequest,
    ListProvidersResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    LogoutRequest,
    LogoutResponse,
    McpServerAcp,
    McpServerHttp,
    McpServerSse,
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
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionNotification,
    SessionStatusRequest,
    SessionStatusResponse,
    SetProviderRequest,
    SetProviderResponse,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionModeRequest,
    SetSessionModeResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    TerminalOutputRequest,
    TerminalOutputResponse,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
    WriteTextFileRequest,
    WriteTextFileResponse,
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
    "AGENT_AUTH_STATUS",
    "AGENT_AUTHENTICATE",
    "AGENT_INITIALIZE",
    "AGENT_LOGOUT",
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
    "AGENT_SESSION_LOAD",
    "AGENT_SESSION_NEW",
    "AGENT_SESSION_PROMPT",
    "AGENT_SESSION_RESUME",
    "AGENT_SESSION_SET_CONFIG_OPTION",
    "AGENT_SESSION_SET_MODE",
    "AGENT_SESSION_SET_TITLE",
    "AGENT_SESSION_STATUS",
    "AGENT_SESSION_UNARCHIVE",
    "AGENT_EXT_REQUEST",
    "AGENT_EXT_NOTIFICATION",
    "CLIENT_METHODS",
    "CLIENT_AUTH_STATUS_UPDATE",
    "CLIENT_ELICITATION_COMPLETE",
    "CLIENT_ELICITATION_CREATE",
    "CLIENT_FS_READ_TEXT_FILE",
    "CLIENT_FS_WRITE_TEXT_FILE",
    "CLIENT_MCP_MESSAGE",
    "CLIENT_SESSION_REQUEST_PERMISSION",
    "CLIENT_SESSION_UPDATE",
    "CLIENT_TERMINAL_CREATE",
    "CLIENT_TERMINAL_KILL",
    "CLIENT_TERMINAL_OUTPUT",
    "CLIENT_TERMINAL_RELEASE",
    "CLIENT_TERMINAL_WAIT_FOR_EXIT",
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
AGENT_SESSION_CANCEL: Method[CancelNotification, None] = Method(
    "session/cancel",
    "agent",
    "notification",
    CancelNotification,
    None,
    "session_cancel",
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
AGENT_AUTH_STATUS: Method[AuthStatusRequest, AuthStatusResponse] = Method(
    "auth/status",
    "agent",
    "request",
    AuthStatusRequest,
    AuthStatusResponse,
    "auth_status",
    capability=Capability(
        "/agentCapabilities/auth/status", ("agent_capabilities", "auth", "status")
    ),
)
AGENT_AUTHENTICATE: Method[AuthenticateRequest, AuthenticateResponse] = Method(
    "authenticate",
    "agent",
    "request",
    AuthenticateRequest,
    AuthenticateResponse,
    "authenticate",
)
AGENT_INITIALIZE: Method[InitializeRequest, InitializeResponse] = Method(
    "initialize",
    "agent",
    "request",
    InitializeRequest,
    InitializeResponse,
    "initialize",
)
AGENT_LOGOUT: Method[LogoutRequest, LogoutResponse] = Method(
    "logout",
    "agent",
    "request",
    LogoutRequest,
    LogoutResponse,
    "logout",
    capability=Capability(
        "/agentCapabilities/auth/logout", ("agent_capabilities", "auth", "logout")
    ),
)
AGENT_PROVIDERS_DISABLE: Method[DisableProviderRequest, DisableProviderResponse] = Method(
    "providers/disable",
    "agent",
    "request",
    DisableProviderRequest,
    DisableProviderResponse,
    "providers_disable",
    capability=Capability("/agentCapabilities/providers", ("agent_capabilities", "providers")),
)
AGENT_PROVIDERS_LIST: Method[ListProvidersRequest, ListProvidersResponse] = Method(
    "providers/list",
    "agent",
    "request",
    ListProvidersRequest,
    ListProvidersResponse,
    "providers_list",
    capability=Capability("/agentCapabilities/providers", ("agent_capabilities", "providers")),
)
AGENT_PROVIDERS_SET: Method[SetProviderRequest, SetProviderResponse] = Method(
    "providers/set",
    "agent",
    "request",
    SetProviderRequest,
    SetProviderResponse,
    "providers_set",
    capability=Capability("/agentCapabilities/providers", ("agent_capabilities", "providers")),
)
AGENT_SESSION_ARCHIVE: Method[ArchiveSessionRequest, ArchiveSessionResponse] = Method(
    "session/archive",
    "agent",
    "request",
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    "session_archive",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/archive",
        ("agent_capabilities", "session_capabilities", "archive"),
    ),
)
AGENT_SESSION_CLOSE: Method[CloseSessionRequest, CloseSessionResponse] = Method(
    "session/close",
    "agent",
    "request",
    CloseSessionRequest,
    CloseSessionResponse,
    "session_close",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/close",
        ("agent_capabilities", "session_capabilities", "close"),
    ),
)
AGENT_SESSION_DELETE: Method[DeleteSessionRequest, DeleteSessionResponse] = Method(
    "session/delete",
    "agent",
    "request",
    DeleteSessionRequest,
    DeleteSessionResponse,
    "session_delete",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/delete",
        ("agent_capabilities", "session_capabilities", "delete"),
    ),
)
AGENT_SESSION_FORK: Method[ForkSessionRequest, ForkSessionResponse] = Method(
    "session/fork",
    "agent",
    "request",
    ForkSessionRequest,
    ForkSessionResponse,
    "session_fork",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/fork",
        ("agent_capabilities", "session_capabilities", "fork"),
    ),
    needs=(
        CapabilityRequirement(
            "additional_directories",
            Capability(
                "/agentCapabilities/sessionCapabilities/additionalDirectories",
                ("agent_capabilities", "session_capabilities", "additional_directories"),
            ),
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/acp",
                ("agent_capabilities", "mcp_capabilities", "acp"),
            ),
            McpServerAcp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/http",
                ("agent_capabilities", "mcp_capabilities", "http"),
            ),
            McpServerHttp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/sse",
                ("agent_capabilities", "mcp_capabilities", "sse"),
            ),
            McpServerSse,
        ),
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/agentCapabilities/sessionCapabilities/systemPrompt",
                ("agent_capabilities", "session_capabilities", "system_prompt"),
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
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/list",
        ("agent_capabilities", "session_capabilities", "list"),
    ),
    needs=(
        CapabilityRequirement(
            "archived",
            Capability(
                "/agentCapabilities/sessionCapabilities/archive",
                ("agent_capabilities", "session_capabilities", "archive"),
            ),
        ),
    ),
)
AGENT_SESSION_LOAD: Method[LoadSessionRequest, LoadSessionResponse] = Method(
    "session/load",
    "agent",
    "request",
    LoadSessionRequest,
    LoadSessionResponse,
    "session_load",
    capability=Capability("/agentCapabilities/loadSession", ("agent_capabilities", "load_session")),
    needs=(
        CapabilityRequirement(
            "additional_directories",
            Capability(
                "/agentCapabilities/sessionCapabilities/additionalDirectories",
                ("agent_capabilities", "session_capabilities", "additional_directories"),
            ),
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/acp",
                ("agent_capabilities", "mcp_capabilities", "acp"),
            ),
            McpServerAcp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/http",
                ("agent_capabilities", "mcp_capabilities", "http"),
            ),
            McpServerHttp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/sse",
                ("agent_capabilities", "mcp_capabilities", "sse"),
            ),
            McpServerSse,
        ),
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/agentCapabilities/sessionCapabilities/systemPrompt",
                ("agent_capabilities", "session_capabilities", "system_prompt"),
            ),
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
    needs=(
        CapabilityRequirement(
            "additional_directories",
            Capability(
                "/agentCapabilities/sessionCapabilities/additionalDirectories",
                ("agent_capabilities", "session_capabilities", "additional_directories"),
            ),
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/acp",
                ("agent_capabilities", "mcp_capabilities", "acp"),
            ),
            McpServerAcp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/http",
                ("agent_capabilities", "mcp_capabilities", "http"),
            ),
            McpServerHttp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/sse",
                ("agent_capabilities", "mcp_capabilities", "sse"),
            ),
            McpServerSse,
        ),
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/agentCapabilities/sessionCapabilities/systemPrompt",
                ("agent_capabilities", "session_capabilities", "system_prompt"),
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
    needs=(
        CapabilityRequirement(
            "prompt",
            Capability(
                "/agentCapabilities/promptCapabilities/audio",
                ("agent_capabilities", "prompt_capabilities", "audio"),
            ),
            AudioContent,
        ),
        CapabilityRequirement(
            "prompt",
            Capability(
                "/agentCapabilities/promptCapabilities/embeddedContext",
                ("agent_capabilities", "prompt_capabilities", "embedded_context"),
            ),
            EmbeddedResource,
        ),
        CapabilityRequirement(
            "prompt",
            Capability(
                "/agentCapabilities/promptCapabilities/image",
                ("agent_capabilities", "prompt_capabilities", "image"),
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
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/resume",
        ("agent_capabilities", "session_capabilities", "resume"),
    ),
    needs=(
        CapabilityRequirement(
            "additional_directories",
            Capability(
                "/agentCapabilities/sessionCapabilities/additionalDirectories",
                ("agent_capabilities", "session_capabilities", "additional_directories"),
            ),
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/acp",
                ("agent_capabilities", "mcp_capabilities", "acp"),
            ),
            McpServerAcp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/http",
                ("agent_capabilities", "mcp_capabilities", "http"),
            ),
            McpServerHttp,
        ),
        CapabilityRequirement(
            "mcp_servers",
            Capability(
                "/agentCapabilities/mcpCapabilities/sse",
                ("agent_capabilities", "mcp_capabilities", "sse"),
            ),
            McpServerSse,
        ),
        CapabilityRequirement(
            "system_prompt",
            Capability(
                "/agentCapabilities/sessionCapabilities/systemPrompt",
                ("agent_capabilities", "session_capabilities", "system_prompt"),
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
)
AGENT_SESSION_SET_MODE: Method[SetSessionModeRequest, SetSessionModeResponse] = Method(
    "session/set_mode",
    "agent",
    "request",
    SetSessionModeRequest,
    SetSessionModeResponse,
    "session_set_mode",
)
AGENT_SESSION_SET_TITLE: Method[SetSessionTitleRequest, SetSessionTitleResponse] = Method(
    "session/set_title",
    "agent",
    "request",
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    "session_set_title",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/title",
        ("agent_capabilities", "session_capabilities", "title"),
    ),
)
AGENT_SESSION_STATUS: Method[SessionStatusRequest, SessionStatusResponse] = Method(
    "session/status",
    "agent",
    "request",
    SessionStatusRequest,
    SessionStatusResponse,
    "session_status",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/status",
        ("agent_capabilities", "session_capabilities", "status"),
    ),
)
AGENT_SESSION_UNARCHIVE: Method[UnarchiveSessionRequest, UnarchiveSessionResponse] = Method(
    "session/unarchive",
    "agent",
    "request",
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
    "session_unarchive",
    capability=Capability(
        "/agentCapabilities/sessionCapabilities/archive",
        ("agent_capabilities", "session_capabilities", "archive"),
    ),
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
    capability=Capability(
        "/clientCapabilities/elicitation/url", ("client_capabilities", "elicitation", "url")
    ),
)
CLIENT_SESSION_UPDATE: Method[SessionNotification, None] = Method(
    "session/update",
    "client",
    "notification",
    SessionNotification,
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
    capability=Capability(
        "/clientCapabilities/elicitation", ("client_capabilities", "elicitation")
    ),
)
CLIENT_FS_READ_TEXT_FILE: Method[ReadTextFileRequest, ReadTextFileResponse] = Method(
    "fs/read_text_file",
    "client",
    "request",
    ReadTextFileRequest,
    ReadTextFileResponse,
    "fs_read_text_file",
    capability=Capability(
        "/clientCapabilities/fs/readTextFile", ("client_capabilities", "fs", "read_text_file")
    ),
)
CLIENT_FS_WRITE_TEXT_FILE: Method[WriteTextFileRequest, WriteTextFileResponse] = Method(
    "fs/write_text_file",
    "client",
    "request",
    WriteTextFileRequest,
    WriteTextFileResponse,
    "fs_write_text_file",
    capability=Capability(
        "/clientCapabilities/fs/writeTextFile", ("client_capabilities", "fs", "write_text_file")
    ),
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
CLIENT_TERMINAL_CREATE: Method[CreateTerminalRequest, CreateTerminalResponse] = Method(
    "terminal/create",
    "client",
    "request",
    CreateTerminalRequest,
    CreateTerminalResponse,
    "terminal_create",
    capability=Capability("/clientCapabilities/terminal", ("client_capabilities", "terminal")),
)
CLIENT_TERMINAL_KILL: Method[KillTerminalRequest, KillTerminalResponse] = Method(
    "terminal/kill",
    "client",
    "request",
    KillTerminalRequest,
    KillTerminalResponse,
    "terminal_kill",
    capability=Capability("/clientCapabilities/terminal", ("client_capabilities", "terminal")),
)
CLIENT_TERMINAL_OUTPUT: Method[TerminalOutputRequest, TerminalOutputResponse] = Method(
    "terminal/output",
    "client",
    "request",
    TerminalOutputRequest,
    TerminalOutputResponse,
    "terminal_output",
    capability=Capability("/clientCapabilities/terminal", ("client_capabilities", "terminal")),
)
CLIENT_TERMINAL_RELEASE: Method[ReleaseTerminalRequest, ReleaseTerminalResponse] = Method(
    "terminal/release",
    "client",
    "request",
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    "terminal_release",
    capability=Capability("/clientCapabilities/terminal", ("client_capabilities", "terminal")),
)
CLIENT_TERMINAL_WAIT_FOR_EXIT: Method[WaitForTerminalExitRequest, WaitForTerminalExitResponse] = (
    Method(
        "terminal/wait_for_exit",
        "client",
        "request",
        WaitForTerminalExitRequest,
        WaitForTerminalExitResponse,
        "terminal_wait_for_exit",
        capability=Capability("/clientCapabilities/terminal", ("client_capabilities", "terminal")),
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
    AGENT_AUTH_STATUS,
    AGENT_AUTHENTICATE,
    AGENT_INITIALIZE,
    AGENT_LOGOUT,
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
    AGENT_SESSION_LOAD,
    AGENT_SESSION_NEW,
    AGENT_SESSION_PROMPT,
    AGENT_SESSION_RESUME,
    AGENT_SESSION_SET_CONFIG_OPTION,
    AGENT_SESSION_SET_MODE,
    AGENT_SESSION_SET_TITLE,
    AGENT_SESSION_STATUS,
    AGENT_SESSION_UNARCHIVE,
)
CLIENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    CLIENT_AUTH_STATUS_UPDATE,
    CLIENT_ELICITATION_COMPLETE,
    CLIENT_ELICITATION_CREATE,
    CLIENT_FS_READ_TEXT_FILE,
    CLIENT_FS_WRITE_TEXT_FILE,
    CLIENT_MCP_MESSAGE,
    CLIENT_SESSION_REQUEST_PERMISSION,
    CLIENT_SESSION_UPDATE,
    CLIENT_TERMINAL_CREATE,
    CLIENT_TERMINAL_KILL,
    CLIENT_TERMINAL_OUTPUT,
    CLIENT_TERMINAL_RELEASE,
    CLIENT_TERMINAL_WAIT_FOR_EXIT,
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
NULL_ID: bool = True
