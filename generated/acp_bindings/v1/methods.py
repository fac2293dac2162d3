# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.json (sha256 a3a5025f4cf7eb72fe64c9d3441913ce22a3b3f38e65ad74470485cc00919440).
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
    EmbeddedResource,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    ImageContent,
    InitializeRequest,
    InitializeResponse,
    KillTerminalRequest,
    KillTerminalResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    LogoutRequest,
    LogoutResponse,
    McpServerHttp,
    McpServerSse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionNotification,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionModeRequest,
    SetSessionModeResponse,
    TerminalOutputRequest,
    TerminalOutputResponse,
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
    "AGENT_AUTHENTICATE",
    "AGENT_INITIALIZE",
    "AGENT_LOGOUT",
    "AGENT_SESSION_CANCEL",
    "AGENT_SESSION_CLOSE",
    "AGENT_SESSION_DELETE",
    "AGENT_SESSION_LIST",
    "AGENT_SESSION_LOAD",
    "AGENT_SESSION_NEW",
    "AGENT_SESSION_PROMPT",
    "AGENT_SESSION_RESUME",
    "AGENT_SESSION_SET_CONFIG_OPTION",
    "AGENT_SESSION_SET_MODE",
    "AGENT_EXT_REQUEST",
    "AGENT_EXT_NOTIFICATION",
    "CLIENT_METHODS",
    "CLIENT_ELICITATION_COMPLETE",
    "CLIENT_ELICITATION_CREATE",
    "CLIENT_FS_READ_TEXT_FILE",
    "CLIENT_FS_WRITE_TEXT_FILE",
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
]


# --- handled by the agent ---

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

# --- tables ---

AGENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    AGENT_AUTHENTICATE,
    AGENT_INITIALIZE,
    AGENT_LOGOUT,
    AGENT_SESSION_CANCEL,
    AGENT_SESSION_CLOSE,
    AGENT_SESSION_DELETE,
    AGENT_SESSION_LIST,
    AGENT_SESSION_LOAD,
    AGENT_SESSION_NEW,
    AGENT_SESSION_PROMPT,
    AGENT_SESSION_RESUME,
    AGENT_SESSION_SET_CONFIG_OPTION,
    AGENT_SESSION_SET_MODE,
)
CLIENT_METHODS: Mapping[str, Method[Any, Any]] = table(
    CLIENT_ELICITATION_COMPLETE,
    CLIENT_ELICITATION_CREATE,
    CLIENT_FS_READ_TEXT_FILE,
    CLIENT_FS_WRITE_TEXT_FILE,
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
NULL_ID: bool = True
