# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.json (sha256 a3a5025f4cf7eb72fe64c9d3441913ce22a3b3f38e65ad74470485cc00919440).
# Do not edit it; make it again with acpgen.
"""What an agent handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
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
    AGENT_EXT_REQUEST,
    AGENT_EXT_NOTIFICATION,
    PROTOCOL_CANCEL_REQUEST,
)
from .types import (
    AuthenticateRequest,
    AuthenticateResponse,
    CancelNotification,
    CancelRequestNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    InitializeRequest,
    InitializeResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    LogoutRequest,
    LogoutResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionModeRequest,
    SetSessionModeResponse,
)


class AgentHandler(Handler):
    """Handles what is sent to an agent: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "agent"

    async def authenticate(self, params: AuthenticateRequest) -> AuthenticateResponse:
        """Have the agent authenticate the user by the method that the client picked.

        A request that the client sends: `authenticate`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/AuthenticateRequest and $defs/AuthenticateResponse;
        https://agentclientprotocol.com/protocol/v1/initialization
        """
        raise not_handled("authenticate")

    async def initialize(self, params: InitializeRequest) -> InitializeResponse:
        """Open the connection with the agent: settle the version, swap capabilities.

        A request that the client sends: `initialize`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/InitializeRequest and $defs/InitializeResponse;
        https://agentclientprotocol.com/protocol/v1/initialization
        """
        raise not_handled("initialize")

    async def logout(self, params: LogoutRequest) -> LogoutResponse:
        """Have the agent sign the user out.

        A request that the client sends: `logout`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/LogoutRequest and $defs/LogoutResponse
        """
        raise not_handled("logout")

    async def session_cancel(self, params: CancelNotification) -> None:
        """Tell the agent to stop its current work in a session, which stays open.

        A notification that the client sends: `session/cancel`.

        Source: ACP v1 schema, $defs/CancelNotification;
        https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation
        """

    async def session_close(self, params: CloseSessionRequest) -> CloseSessionResponse:
        """Have the agent end a session's work and free what the session holds.

        A request that the client sends: `session/close`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/CloseSessionRequest and $defs/CloseSessionResponse
        """
        raise not_handled("session/close")

    async def session_delete(self, params: DeleteSessionRequest) -> DeleteSessionResponse:
        """Have the agent strike a session from the list of those it knows.

        A request that the client sends: `session/delete`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/DeleteSessionRequest and $defs/DeleteSessionResponse
        """
        raise not_handled("session/delete")

    async def session_list(self, params: ListSessionsRequest) -> ListSessionsResponse:
        """Ask the agent which sessions it knows, page by page.

        A request that the client sends: `session/list`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ListSessionsRequest and $defs/ListSessionsResponse
        """
        raise not_handled("session/list")

    async def session_load(self, params: LoadSessionRequest) -> LoadSessionResponse:
        """Have the agent reopen a session and send its history again.

        A request that the client sends: `session/load`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/LoadSessionRequest and $defs/LoadSessionResponse;
        https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions
        """
        raise not_handled("session/load")

    async def session_new(self, params: NewSessionRequest) -> NewSessionResponse:
        """Have the agent open a fresh session in a given directory.

        A request that the client sends: `session/new`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/NewSessionRequest and $defs/NewSessionResponse;
        https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session
        """
        raise not_handled("session/new")

    async def session_prompt(self, params: PromptRequest) -> PromptResponse:
        """Hand the agent a user message to work on in a session.

        A request that the client sends: `session/prompt`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/PromptRequest and $defs/PromptResponse;
        https://agentclientprotocol.com/protocol/v1/prompt-turn
        """
        raise not_handled("session/prompt")

    async def session_resume(self, params: ResumeSessionRequest) -> ResumeSessionResponse:
        """Have the agent take up a session again where it was left.

        A request that the client sends: `session/resume`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ResumeSessionRequest and $defs/ResumeSessionResponse
        """
        raise not_handled("session/resume")

    async def session_set_config_option(
        self, params: SetSessionConfigOptionRequest
    ) -> SetSessionConfigOptionResponse:
        """Have the agent change one setting of a session.

        A request that the client sends: `session/set_config_option`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/SetSessionConfigOptionRequest and
        $defs/SetSessionConfigOptionResponse
        """
        raise not_handled("session/set_config_option")

    async def session_set_mode(self, params: SetSessionModeRequest) -> SetSessionModeResponse:
        """Have the agent switch a session to another of its modes.

        A request that the client sends: `session/set_mode`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/SetSessionModeRequest and $defs/SetSessionModeResponse;
        https://agentclientprotocol.com/protocol/v1/session-modes
        """
        raise not_handled("session/set_mode")

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request that the client sends, with a name that begins with an underscore.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        raise not_handled(method)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification that the client sends, with a name that begins with an underscore.

        Source: ACP v1 schema, $defs/ExtNotification
        """

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification that the other side sends: `$/cancel_request`.

        Source: ACP v1 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v1/cancellation
        """


class AgentStub(Stub):
    """Calls an agent: a Python method for each of its methods."""

    async def authenticate(self, params: AuthenticateRequest) -> AuthenticateResponse:
        """Have the agent authenticate the user by the method that the client picked.

        A request to the agent: `authenticate`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no AuthenticateResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/AuthenticateRequest and $defs/AuthenticateResponse;
        https://agentclientprotocol.com/protocol/v1/initialization
        """
        return await self._request(AGENT_AUTHENTICATE, params)

    async def initialize(self, params: InitializeRequest) -> InitializeResponse:
        """Open the connection with the agent: settle the version, swap capabilities.

        A request to the agent: `initialize`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no InitializeResponse.
            VersionMismatch: the answer is for another protocol version.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/InitializeRequest and $defs/InitializeResponse;
        https://agentclientprotocol.com/protocol/v1/initialization
        """
        return await self._request(AGENT_INITIALIZE, params)

    async def logout(self, params: LogoutRequest) -> LogoutResponse:
        """Have the agent sign the user out.

        A request to the agent: `logout`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no LogoutResponse.
            CapabilityError: the agent did not advertise /agentCapabilities/auth/logout.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/LogoutRequest and $defs/LogoutResponse
        """
        return await self._request(AGENT_LOGOUT, params)

    async def session_cancel(self, params: CancelNotification) -> None:
        """Tell the agent to stop its current work in a session, which stays open.

        A notification to the agent: `session/cancel`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/CancelNotification;
        https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation
        """
        await self._notify(AGENT_SESSION_CANCEL, params)

    async def session_close(self, params: CloseSessionRequest) -> CloseSessionResponse:
        """Have the agent end a session's work and free what the session holds.

        A request to the agent: `session/close`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no CloseSessionResponse.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/close.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/CloseSessionRequest and $defs/CloseSessionResponse
        """
        return await self._request(AGENT_SESSION_CLOSE, params)

    async def session_delete(self, params: DeleteSessionRequest) -> DeleteSessionResponse:
        """Have the agent strike a session from the list of those it knows.

        A request to the agent: `session/delete`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no DeleteSessionResponse.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/delete.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/DeleteSessionRequest and $defs/DeleteSessionResponse
        """
        return await self._request(AGENT_SESSION_DELETE, params)

    async def session_list(self, params: ListSessionsRequest) -> ListSessionsResponse:
        """Ask the agent which sessions it knows, page by page.

        A request to the agent: `session/list`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ListSessionsResponse.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/list.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ListSessionsRequest and $defs/ListSessionsResponse
        """
        return await self._request(AGENT_SESSION_LIST, params)

    async def session_load(self, params: LoadSessionRequest) -> LoadSessionResponse:
        """Have the agent reopen a session and send its history again.

        A request to the agent: `session/load`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no LoadSessionResponse.
            CapabilityError: the agent did not advertise /agentCapabilities/loadSession.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/additionalDirectories for
                additional_directories.
            CapabilityError: the agent did not advertise /agentCapabilities/mcpCapabilities/http for
                McpServerHttp.
            CapabilityError: the agent did not advertise /agentCapabilities/mcpCapabilities/sse for
                McpServerSse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/LoadSessionRequest and $defs/LoadSessionResponse;
        https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions
        """
        return await self._request(AGENT_SESSION_LOAD, params)

    async def session_new(self, params: NewSessionRequest) -> NewSessionResponse:
        """Have the agent open a fresh session in a given directory.

        A request to the agent: `session/new`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no NewSessionResponse.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/additionalDirectories for
                additional_directories.
            CapabilityError: the agent did not advertise /agentCapabilities/mcpCapabilities/http for
                McpServerHttp.
            CapabilityError: the agent did not advertise /agentCapabilities/mcpCapabilities/sse for
                McpServerSse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/NewSessionRequest and $defs/NewSessionResponse;
        https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session
        """
        return await self._request(AGENT_SESSION_NEW, params)

    async def session_prompt(self, params: PromptRequest) -> PromptResponse:
        """Hand the agent a user message to work on in a session.

        A request to the agent: `session/prompt`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no PromptResponse.
            CapabilityError: the agent did not advertise /agentCapabilities/promptCapabilities/audio
                for AudioContent.
            CapabilityError: the agent did not advertise
                /agentCapabilities/promptCapabilities/embeddedContext for EmbeddedResource.
            CapabilityError: the agent did not advertise /agentCapabilities/promptCapabilities/image
                for ImageContent.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/PromptRequest and $defs/PromptResponse;
        https://agentclientprotocol.com/protocol/v1/prompt-turn
        """
        return await self._request(AGENT_SESSION_PROMPT, params)

    async def session_resume(self, params: ResumeSessionRequest) -> ResumeSessionResponse:
        """Have the agent take up a session again where it was left.

        A request to the agent: `session/resume`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ResumeSessionResponse.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/resume.
            CapabilityError: the agent did not advertise
                /agentCapabilities/sessionCapabilities/additionalDirectories for
                additional_directories.
            CapabilityError: the agent did not advertise /agentCapabilities/mcpCapabilities/http for
                McpServerHttp.
            CapabilityError: the agent did not advertise /agentCapabilities/mcpCapabilities/sse for
                McpServerSse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ResumeSessionRequest and $defs/ResumeSessionResponse
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
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/SetSessionConfigOptionRequest and
        $defs/SetSessionConfigOptionResponse
        """
        return await self._request(AGENT_SESSION_SET_CONFIG_OPTION, params)

    async def session_set_mode(self, params: SetSessionModeRequest) -> SetSessionModeResponse:
        """Have the agent switch a session to another of its modes.

        A request to the agent: `session/set_mode`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no SetSessionModeResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/SetSessionModeRequest and $defs/SetSessionModeResponse;
        https://agentclientprotocol.com/protocol/v1/session-modes
        """
        return await self._request(AGENT_SESSION_SET_MODE, params)

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request to the agent, with a name that begins with an underscore.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ExtResponse.
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        return await self._request(AGENT_EXT_REQUEST.named(method), params)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification to the agent, with a name that begins with an underscore.

        Raises:
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ExtNotification
        """
        await self._notify(AGENT_EXT_NOTIFICATION.named(method), params)

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification to the other side: `$/cancel_request`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v1/cancellation
        """
        await self._notify(PROTOCOL_CANCEL_REQUEST, params)
