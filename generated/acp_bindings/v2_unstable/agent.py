# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.unstable.json (sha256 613c763e7dfcd3819218c0712794f441c6fcc69c909f72d172eb669f3ec5312c).
# Do not edit it; make it again with acpgen.
"""What an agent handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
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
    AGENT_EXT_REQUEST,
    AGENT_EXT_NOTIFICATION,
    PROTOCOL_CANCEL_REQUEST,
)
from .types import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    AuthStatusRequest,
    AuthStatusResponse,
    CancelRequestNotification,
    CancelSessionNotification,
    CancelTerminalRequest,
    CancelTerminalResponse,
    CancelToolCallRequest,
    CancelToolCallResponse,
    CloseSessionRequest,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    DisableProviderRequest,
    DisableProviderResponse,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    ForkSessionRequest,
    ForkSessionResponse,
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
    MessageMcpNotification,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
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
)


class AgentHandler(Handler):
    """Handles what is sent to an agent: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "agent"

    async def auth_login(self, params: LoginAuthRequest) -> LoginAuthResponse:
        """Have the agent sign the user in by one of the methods that it offers.

        A request that the client sends: `auth/login`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/LoginAuthRequest and $defs/LoginAuthResponse;
        https://agentclientprotocol.com/protocol/v2/draft/initialization
        """
        raise not_handled("auth/login")

    async def auth_logout(self, params: LogoutAuthRequest) -> LogoutAuthResponse:
        """Have the agent drop the user's login.

        A request that the client sends: `auth/logout`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/LogoutAuthRequest and $defs/LogoutAuthResponse
        """
        raise not_handled("auth/logout")

    async def auth_status(self, params: AuthStatusRequest) -> AuthStatusResponse:
        """Ask the agent whether the user is signed in, without changing anything.

        A request that the client sends: `auth/status`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/AuthStatusRequest and $defs/AuthStatusResponse
        """
        raise not_handled("auth/status")

    async def initialize(self, params: InitializeRequest) -> InitializeResponse:
        """Open the connection with the agent: settle the version, swap capabilities.

        A request that the client sends: `initialize`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/InitializeRequest and $defs/InitializeResponse;
        https://agentclientprotocol.com/protocol/v2/draft/initialization
        """
        raise not_handled("initialize")

    async def mcp_message(self, params: MessageMcpNotification) -> None:
        """Carry an MCP exchange between the agent and a server reached over ACP.

        A notification that the client sends: `mcp/message`.

        Source: ACP v2 schema, $defs/MessageMcpNotification
        """

    async def providers_disable(self, params: DisableProviderRequest) -> DisableProviderResponse:
        """Have the agent stop using one of its LLM providers.

        A request that the client sends: `providers/disable`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/DisableProviderRequest and $defs/DisableProviderResponse
        """
        raise not_handled("providers/disable")

    async def providers_list(self, params: ListProvidersRequest) -> ListProvidersResponse:
        """Ask the agent which LLM providers can be configured, and how they are set.

        A request that the client sends: `providers/list`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ListProvidersRequest and $defs/ListProvidersResponse
        """
        raise not_handled("providers/list")

    async def providers_set(self, params: SetProviderRequest) -> SetProviderResponse:
        """Give the agent a complete new setup for one of its LLM providers.

        A request that the client sends: `providers/set`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/SetProviderRequest and $defs/SetProviderResponse
        """
        raise not_handled("providers/set")

    async def session_archive(self, params: ArchiveSessionRequest) -> ArchiveSessionResponse:
        """Have the agent hide a session from ordinary listings but keep its history.

        A request that the client sends: `session/archive`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ArchiveSessionRequest and $defs/ArchiveSessionResponse
        """
        raise not_handled("session/archive")

    async def session_cancel(self, params: CancelSessionNotification) -> None:
        """Tell the agent to stop its current work in a session, which stays open.

        A notification that the client sends: `session/cancel`.

        Source: ACP v2 schema, $defs/CancelSessionNotification;
        https://agentclientprotocol.com/protocol/v2/draft/prompt-lifecycle#cancellation
        """

    async def session_close(self, params: CloseSessionRequest) -> CloseSessionResponse:
        """Have the agent end a session's work and free what the session holds.

        A request that the client sends: `session/close`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/CloseSessionRequest and $defs/CloseSessionResponse
        """
        raise not_handled("session/close")

    async def session_delete(self, params: DeleteSessionRequest) -> DeleteSessionResponse:
        """Have the agent strike a session from the list of those it knows.

        A request that the client sends: `session/delete`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/DeleteSessionRequest and $defs/DeleteSessionResponse
        """
        raise not_handled("session/delete")

    async def session_fork(self, params: ForkSessionRequest) -> ForkSessionResponse:
        """Have the agent branch off a new session that starts from another's context.

        A request that the client sends: `session/fork`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ForkSessionRequest and $defs/ForkSessionResponse
        """
        raise not_handled("session/fork")

    async def session_list(self, params: ListSessionsRequest) -> ListSessionsResponse:
        """Ask the agent which sessions it knows, page by page.

        A request that the client sends: `session/list`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ListSessionsRequest and $defs/ListSessionsResponse
        """
        raise not_handled("session/list")

    async def session_new(self, params: NewSessionRequest) -> NewSessionResponse:
        """Have the agent open a fresh session in a given directory.

        A request that the client sends: `session/new`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/NewSessionRequest and $defs/NewSessionResponse;
        https://agentclientprotocol.com/protocol/v2/draft/session-setup#creating-a-session
        """
        raise not_handled("session/new")

    async def session_prompt(self, params: PromptRequest) -> PromptResponse:
        """Hand the agent a user message to work on in a session.

        A request that the client sends: `session/prompt`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/PromptRequest and $defs/PromptResponse;
        https://agentclientprotocol.com/protocol/v2/draft/prompt-lifecycle
        """
        raise not_handled("session/prompt")

    async def session_resume(self, params: ResumeSessionRequest) -> ResumeSessionResponse:
        """Have the agent take up a session again where it was left.

        A request that the client sends: `session/resume`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ResumeSessionRequest and $defs/ResumeSessionResponse; https://a
        gentclientprotocol.com/protocol/v2/draft/session-setup#current-state-synchronization
        """
        raise not_handled("session/resume")

    async def session_set_config_option(
        self, params: SetSessionConfigOptionRequest
    ) -> SetSessionConfigOptionResponse:
        """Have the agent change one setting of a session.

        A request that the client sends: `session/set_config_option`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/SetSessionConfigOptionRequest and
        $defs/SetSessionConfigOptionResponse; https://agentclientprotocol.com/protocol/v2/draft/sess
        ion-config-options#setting-a-config-option
        """
        raise not_handled("session/set_config_option")

    async def session_set_title(self, params: SetSessionTitleRequest) -> SetSessionTitleResponse:
        """Have the agent store a title that the client chose for a session.

        A request that the client sends: `session/set_title`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/SetSessionTitleRequest and $defs/SetSessionTitleResponse
        """
        raise not_handled("session/set_title")

    async def session_status(self, params: SessionStatusRequest) -> SessionStatusResponse:
        """Ask the agent whether it has a session loaded, without touching it.

        A request that the client sends: `session/status`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/SessionStatusRequest and $defs/SessionStatusResponse
        """
        raise not_handled("session/status")

    async def session_unarchive(self, params: UnarchiveSessionRequest) -> UnarchiveSessionResponse:
        """Have the agent bring an archived session back into ordinary listings.

        A request that the client sends: `session/unarchive`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/UnarchiveSessionRequest and $defs/UnarchiveSessionResponse
        """
        raise not_handled("session/unarchive")

    async def terminal_cancel(self, params: CancelTerminalRequest) -> CancelTerminalResponse:
        """Ask the agent to stop the process in one of its own terminals.

        A request that the client sends: `terminal/cancel`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/CancelTerminalRequest and $defs/CancelTerminalResponse;
        https://agentclientprotocol.com/protocol/v2/draft/tool-calls#cancelling-terminals
        """
        raise not_handled("terminal/cancel")

    async def tool_call_cancel(self, params: CancelToolCallRequest) -> CancelToolCallResponse:
        """Ask the agent to stop one tool call while the rest of its work goes on.

        A request that the client sends: `tool_call/cancel`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/CancelToolCallRequest and $defs/CancelToolCallResponse;
        https://agentclientprotocol.com/protocol/v2/draft/tool-calls#cancelling-tool-calls
        """
        raise not_handled("tool_call/cancel")

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request that the client sends, with a name that begins with an underscore.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        raise not_handled(method)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification that the client sends, with a name that begins with an underscore.

        Source: ACP v2 schema, $defs/ExtNotification
        """

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification that the other side sends: `$/cancel_request`.

        Source: ACP v2 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v2/draft/cancellation
        """


class AgentStub(Stub):
    """Calls an agent: a Python method for each of its methods."""

    async def auth_login(self, params: LoginAuthRequest) -> LoginAuthResponse:
        """Have the agent sign the user in by one of the methods that it offers.

        A request to the agent: `auth/login`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no LoginAuthResponse.
            CapabilityError: the agent did not advertise /authMethods.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/LoginAuthRequest and $defs/LoginAuthResponse;
        https://agentclientprotocol.com/protocol/v2/draft/initialization
        """
        return await self._request(AGENT_AUTH_LOGIN, params)

    async def auth_logout(self, params: LogoutAuthRequest) -> LogoutAuthResponse:
        """Have the agent drop the user's login.

        A request to the agent: `auth/logout`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no LogoutAuthResponse.
            CapabilityError: the agent did not advertise /authMethods.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/LogoutAuthRequest and $defs/LogoutAuthResponse
        """
        return await self._request(AGENT_AUTH_LOGOUT, params)

    async def auth_status(self, params: AuthStatusRequest) -> AuthStatusResponse:
        """Ask the agent whether the user is signed in, without changing anything.

        A request to the agent: `auth/status`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no AuthStatusResponse.
            CapabilityError: the agent did not advertise /capabilities/auth/status.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/AuthStatusRequest and $defs/AuthStatusResponse
        """
        return await self._request(AGENT_AUTH_STATUS, params)

    async def initialize(self, params: InitializeRequest) -> InitializeResponse:
        """Open the connection with the agent: settle the version, swap capabilities.

        A request to the agent: `initialize`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no InitializeResponse.
            VersionMismatch: the answer is for another protocol version.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/InitializeRequest and $defs/InitializeResponse;
        https://agentclientprotocol.com/protocol/v2/draft/initialization
        """
        return await self._request(AGENT_INITIALIZE, params)

    async def mcp_message(self, params: MessageMcpNotification) -> None:
        """Carry an MCP exchange between the agent and a server reached over ACP.

        A notification to the agent: `mcp/message`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/MessageMcpNotification
        """
        await self._notify(AGENT_MCP_MESSAGE, params)

    async def providers_disable(self, params: DisableProviderRequest) -> DisableProviderResponse:
        """Have the agent stop using one of its LLM providers.

        A request to the agent: `providers/disable`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no DisableProviderResponse.
            CapabilityError: the agent did not advertise /capabilities/providers.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/DisableProviderRequest and $defs/DisableProviderResponse
        """
        return await self._request(AGENT_PROVIDERS_DISABLE, params)

    async def providers_list(self, params: ListProvidersRequest) -> ListProvidersResponse:
        """Ask the agent which LLM providers can be configured, and how they are set.

        A request to the agent: `providers/list`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ListProvidersResponse.
            CapabilityError: the agent did not advertise /capabilities/providers.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ListProvidersRequest and $defs/ListProvidersResponse
        """
        return await self._request(AGENT_PROVIDERS_LIST, params)

    async def providers_set(self, params: SetProviderRequest) -> SetProviderResponse:
        """Give the agent a complete new setup for one of its LLM providers.

        A request to the agent: `providers/set`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no SetProviderResponse.
            CapabilityError: the agent did not advertise /capabilities/providers.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/SetProviderRequest and $defs/SetProviderResponse
        """
        return await self._request(AGENT_PROVIDERS_SET, params)

    async def session_archive(self, params: ArchiveSessionRequest) -> ArchiveSessionResponse:
        """Have the agent hide a session from ordinary listings but keep its history.

        A request to the agent: `session/archive`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ArchiveSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session/archive.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ArchiveSessionRequest and $defs/ArchiveSessionResponse
        """
        return await self._request(AGENT_SESSION_ARCHIVE, params)

    async def session_cancel(self, params: CancelSessionNotification) -> None:
        """Tell the agent to stop its current work in a session, which stays open.

        A notification to the agent: `session/cancel`.

        Raises:
            CapabilityError: the agent did not advertise /capabilities/session.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CancelSessionNotification;
        https://agentclientprotocol.com/protocol/v2/draft/prompt-lifecycle#cancellation
        """
        await self._notify(AGENT_SESSION_CANCEL, params)

    async def session_close(self, params: CloseSessionRequest) -> CloseSessionResponse:
        """Have the agent end a session's work and free what the session holds.

        A request to the agent: `session/close`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no CloseSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CloseSessionRequest and $defs/CloseSessionResponse
        """
        return await self._request(AGENT_SESSION_CLOSE, params)

    async def session_delete(self, params: DeleteSessionRequest) -> DeleteSessionResponse:
        """Have the agent strike a session from the list of those it knows.

        A request to the agent: `session/delete`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no DeleteSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session/delete.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/DeleteSessionRequest and $defs/DeleteSessionResponse
        """
        return await self._request(AGENT_SESSION_DELETE, params)

    async def session_fork(self, params: ForkSessionRequest) -> ForkSessionResponse:
        """Have the agent branch off a new session that starts from another's context.

        A request to the agent: `session/fork`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ForkSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session/fork.
            CapabilityError: the agent did not advertise /capabilities/session/additionalDirectories
                for additional_directories.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/acp for
                McpServerAcp.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/http for
                McpServerHttp.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/stdio for
                McpServerStdio.
            CapabilityError: the agent did not advertise /capabilities/session/systemPrompt for
                system_prompt.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ForkSessionRequest and $defs/ForkSessionResponse
        """
        return await self._request(AGENT_SESSION_FORK, params)

    async def session_list(self, params: ListSessionsRequest) -> ListSessionsResponse:
        """Ask the agent which sessions it knows, page by page.

        A request to the agent: `session/list`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ListSessionsResponse.
            CapabilityError: the agent did not advertise /capabilities/session.
            CapabilityError: the agent did not advertise /capabilities/session/archive for archived.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ListSessionsRequest and $defs/ListSessionsResponse
        """
        return await self._request(AGENT_SESSION_LIST, params)

    async def session_new(self, params: NewSessionRequest) -> NewSessionResponse:
        """Have the agent open a fresh session in a given directory.

        A request to the agent: `session/new`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no NewSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session.
            CapabilityError: the agent did not advertise /capabilities/session/additionalDirectories
                for additional_directories.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/acp for
                McpServerAcp.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/http for
                McpServerHttp.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/stdio for
                McpServerStdio.
            CapabilityError: the agent did not advertise /capabilities/session/systemPrompt for
                system_prompt.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/NewSessionRequest and $defs/NewSessionResponse;
        https://agentclientprotocol.com/protocol/v2/draft/session-setup#creating-a-session
        """
        return await self._request(AGENT_SESSION_NEW, params)

    async def session_prompt(self, params: PromptRequest) -> PromptResponse:
        """Hand the agent a user message to work on in a session.

        A request to the agent: `session/prompt`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no PromptResponse.
            CapabilityError: the agent did not advertise /capabilities/session.
            CapabilityError: the agent did not advertise /capabilities/session/prompt/audio for
                AudioContent.
            CapabilityError: the agent did not advertise
                /capabilities/session/prompt/embeddedContext for EmbeddedResource.
            CapabilityError: the agent did not advertise /capabilities/session/prompt/image for
                ImageContent.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/PromptRequest and $defs/PromptResponse;
        https://agentclientprotocol.com/protocol/v2/draft/prompt-lifecycle
        """
        return await self._request(AGENT_SESSION_PROMPT, params)

    async def session_resume(self, params: ResumeSessionRequest) -> ResumeSessionResponse:
        """Have the agent take up a session again where it was left.

        A request to the agent: `session/resume`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ResumeSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session.
            CapabilityError: the agent did not advertise /capabilities/session/additionalDirectories
                for additional_directories.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/acp for
                McpServerAcp.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/http for
                McpServerHttp.
            CapabilityError: the agent did not advertise /capabilities/session/mcp/stdio for
                McpServerStdio.
            CapabilityError: the agent did not advertise /capabilities/session/systemPrompt for
                system_prompt.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ResumeSessionRequest and $defs/ResumeSessionResponse; https://a
        gentclientprotocol.com/protocol/v2/draft/session-setup#current-state-synchronization
        """
        return await self._request(AGENT_SESSION_RESUME, params)

    async def session_set_config_option(
        self, params: SetSessionConfigOptionRequest
    ) -> SetSessionConfigOptionResponse:
        """Have the agent change one setting of a session.

        A request to the agent: `session/set_config_option`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no SetSessionConfigOptionResponse.
            CapabilityError: the agent did not advertise /capabilities/session.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/SetSessionConfigOptionRequest and
        $defs/SetSessionConfigOptionResponse; https://agentclientprotocol.com/protocol/v2/draft/sess
        ion-config-options#setting-a-config-option
        """
        return await self._request(AGENT_SESSION_SET_CONFIG_OPTION, params)

    async def session_set_title(self, params: SetSessionTitleRequest) -> SetSessionTitleResponse:
        """Have the agent store a title that the client chose for a session.

        A request to the agent: `session/set_title`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no SetSessionTitleResponse.
            CapabilityError: the agent did not advertise /capabilities/session/title.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/SetSessionTitleRequest and $defs/SetSessionTitleResponse
        """
        return await self._request(AGENT_SESSION_SET_TITLE, params)

    async def session_status(self, params: SessionStatusRequest) -> SessionStatusResponse:
        """Ask the agent whether it has a session loaded, without touching it.

        A request to the agent: `session/status`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no SessionStatusResponse.
            CapabilityError: the agent did not advertise /capabilities/session/status.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/SessionStatusRequest and $defs/SessionStatusResponse
        """
        return await self._request(AGENT_SESSION_STATUS, params)

    async def session_unarchive(self, params: UnarchiveSessionRequest) -> UnarchiveSessionResponse:
        """Have the agent bring an archived session back into ordinary listings.

        A request to the agent: `session/unarchive`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no UnarchiveSessionResponse.
            CapabilityError: the agent did not advertise /capabilities/session/archive.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/UnarchiveSessionRequest and $defs/UnarchiveSessionResponse
        """
        return await self._request(AGENT_SESSION_UNARCHIVE, params)

    async def terminal_cancel(self, params: CancelTerminalRequest) -> CancelTerminalResponse:
        """Ask the agent to stop the process in one of its own terminals.

        A request to the agent: `terminal/cancel`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no CancelTerminalResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CancelTerminalRequest and $defs/CancelTerminalResponse;
        https://agentclientprotocol.com/protocol/v2/draft/tool-calls#cancelling-terminals
        """
        return await self._request(AGENT_TERMINAL_CANCEL, params)

    async def tool_call_cancel(self, params: CancelToolCallRequest) -> CancelToolCallResponse:
        """Ask the agent to stop one tool call while the rest of its work goes on.

        A request to the agent: `tool_call/cancel`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no CancelToolCallResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CancelToolCallRequest and $defs/CancelToolCallResponse;
        https://agentclientprotocol.com/protocol/v2/draft/tool-calls#cancelling-tool-calls
        """
        return await self._request(AGENT_TOOL_CALL_CANCEL, params)

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request to the agent, with a name that begins with an underscore.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ExtResponse.
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        return await self._request(AGENT_EXT_REQUEST.named(method), params)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification to the agent, with a name that begins with an underscore.

        Raises:
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ExtNotification
        """
        await self._notify(AGENT_EXT_NOTIFICATION.named(method), params)

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification to the other side: `$/cancel_request`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v2/draft/cancellation
        """
        await self._notify(PROTOCOL_CANCEL_REQUEST, params)
