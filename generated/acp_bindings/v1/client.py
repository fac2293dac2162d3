# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.json (sha256 a3a5025f4cf7eb72fe64c9d3441913ce22a3b3f38e65ad74470485cc00919440).
# Do not edit it; make it again with acpgen.
"""What a client handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
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
    CLIENT_EXT_REQUEST,
    CLIENT_EXT_NOTIFICATION,
    PROTOCOL_CANCEL_REQUEST,
)
from .types import (
    CancelRequestNotification,
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
    CreateTerminalRequest,
    CreateTerminalResponse,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    KillTerminalRequest,
    KillTerminalResponse,
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    SessionNotification,
    TerminalOutputRequest,
    TerminalOutputResponse,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
    WriteTextFileRequest,
    WriteTextFileResponse,
)


class ClientHandler(Handler):
    """Handles what is sent to a client: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "client"

    async def elicitation_complete(self, params: CompleteElicitationNotification) -> None:
        """Tell the client that a question put by way of a web page is settled.

        A notification that the agent sends: `elicitation/complete`.

        Source: ACP v1 schema, $defs/CompleteElicitationNotification;
        https://agentclientprotocol.com/protocol/v1/elicitation#url-completion
        """

    async def elicitation_create(
        self, params: CreateElicitationRequest
    ) -> CreateElicitationResponse:
        """Put a question to the user, through the client, by a form or a web page.

        A request that the agent sends: `elicitation/create`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/CreateElicitationRequest and $defs/CreateElicitationResponse;
        https://agentclientprotocol.com/protocol/v1/elicitation
        """
        raise not_handled("elicitation/create")

    async def fs_read_text_file(self, params: ReadTextFileRequest) -> ReadTextFileResponse:
        """Ask the client for the text of a file, or for some lines of it.

        A request that the agent sends: `fs/read_text_file`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ReadTextFileRequest and $defs/ReadTextFileResponse;
        https://agentclientprotocol.com/protocol/v1/overview#client
        """
        raise not_handled("fs/read_text_file")

    async def fs_write_text_file(self, params: WriteTextFileRequest) -> WriteTextFileResponse:
        """Have the client save a text to a file.

        A request that the agent sends: `fs/write_text_file`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/WriteTextFileRequest and $defs/WriteTextFileResponse;
        https://agentclientprotocol.com/protocol/v1/overview#client
        """
        raise not_handled("fs/write_text_file")

    async def session_request_permission(
        self, params: RequestPermissionRequest
    ) -> RequestPermissionResponse:
        """Ask the user, through the client, whether the agent may go ahead.

        A request that the agent sends: `session/request_permission`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/RequestPermissionRequest and $defs/RequestPermissionResponse;
        https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission
        """
        raise not_handled("session/request_permission")

    async def session_update(self, params: SessionNotification) -> None:
        """Tell the client what has just happened in a session.

        A notification that the agent sends: `session/update`.

        Source: ACP v1 schema, $defs/SessionNotification;
        https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output
        """

    async def terminal_create(self, params: CreateTerminalRequest) -> CreateTerminalResponse:
        """Have the client open a terminal and run a command in it.

        A request that the agent sends: `terminal/create`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/CreateTerminalRequest and $defs/CreateTerminalResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        raise not_handled("terminal/create")

    async def terminal_kill(self, params: KillTerminalRequest) -> KillTerminalResponse:
        """Have the client kill a terminal's command but keep the terminal.

        A request that the agent sends: `terminal/kill`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/KillTerminalRequest and $defs/KillTerminalResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        raise not_handled("terminal/kill")

    async def terminal_output(self, params: TerminalOutputRequest) -> TerminalOutputResponse:
        """Ask the client what a terminal has printed so far.

        A request that the agent sends: `terminal/output`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/TerminalOutputRequest and $defs/TerminalOutputResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        raise not_handled("terminal/output")

    async def terminal_release(self, params: ReleaseTerminalRequest) -> ReleaseTerminalResponse:
        """Have the client free a terminal that the agent no longer needs.

        A request that the agent sends: `terminal/release`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ReleaseTerminalRequest and $defs/ReleaseTerminalResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        raise not_handled("terminal/release")

    async def terminal_wait_for_exit(
        self, params: WaitForTerminalExitRequest
    ) -> WaitForTerminalExitResponse:
        """Wait until the client reports that a terminal's command has ended.

        A request that the agent sends: `terminal/wait_for_exit`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/WaitForTerminalExitRequest and
        $defs/WaitForTerminalExitResponse; https://agentclientprotocol.com/protocol/v1/terminals
        """
        raise not_handled("terminal/wait_for_exit")

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request that the agent sends, with a name that begins with an underscore.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        raise not_handled(method)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification that the agent sends, with a name that begins with an underscore.

        Source: ACP v1 schema, $defs/ExtNotification
        """

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification that the other side sends: `$/cancel_request`.

        Source: ACP v1 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v1/cancellation
        """


class ClientStub(Stub):
    """Calls a client: a Python method for each of its methods."""

    async def elicitation_complete(self, params: CompleteElicitationNotification) -> None:
        """Tell the client that a question put by way of a web page is settled.

        A notification to the client: `elicitation/complete`.

        Raises:
            CapabilityError: the client did not advertise /clientCapabilities/elicitation/url.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/CompleteElicitationNotification;
        https://agentclientprotocol.com/protocol/v1/elicitation#url-completion
        """
        await self._notify(CLIENT_ELICITATION_COMPLETE, params)

    async def elicitation_create(
        self, params: CreateElicitationRequest
    ) -> CreateElicitationResponse:
        """Put a question to the user, through the client, by a form or a web page.

        A request to the client: `elicitation/create`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no CreateElicitationResponse.
            CapabilityError: the client did not advertise /clientCapabilities/elicitation.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/CreateElicitationRequest and $defs/CreateElicitationResponse;
        https://agentclientprotocol.com/protocol/v1/elicitation
        """
        return await self._request(CLIENT_ELICITATION_CREATE, params)

    async def fs_read_text_file(self, params: ReadTextFileRequest) -> ReadTextFileResponse:
        """Ask the client for the text of a file, or for some lines of it.

        A request to the client: `fs/read_text_file`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ReadTextFileResponse.
            CapabilityError: the client did not advertise /clientCapabilities/fs/readTextFile.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ReadTextFileRequest and $defs/ReadTextFileResponse;
        https://agentclientprotocol.com/protocol/v1/overview#client
        """
        return await self._request(CLIENT_FS_READ_TEXT_FILE, params)

    async def fs_write_text_file(self, params: WriteTextFileRequest) -> WriteTextFileResponse:
        """Have the client save a text to a file.

        A request to the client: `fs/write_text_file`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no WriteTextFileResponse.
            CapabilityError: the client did not advertise /clientCapabilities/fs/writeTextFile.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/WriteTextFileRequest and $defs/WriteTextFileResponse;
        https://agentclientprotocol.com/protocol/v1/overview#client
        """
        return await self._request(CLIENT_FS_WRITE_TEXT_FILE, params)

    async def session_request_permission(
        self, params: RequestPermissionRequest
    ) -> RequestPermissionResponse:
        """Ask the user, through the client, whether the agent may go ahead.

        A request to the client: `session/request_permission`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no RequestPermissionResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/RequestPermissionRequest and $defs/RequestPermissionResponse;
        https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission
        """
        return await self._request(CLIENT_SESSION_REQUEST_PERMISSION, params)

    async def session_update(self, params: SessionNotification) -> None:
        """Tell the client what has just happened in a session.

        A notification to the client: `session/update`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/SessionNotification;
        https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output
        """
        await self._notify(CLIENT_SESSION_UPDATE, params)

    async def terminal_create(self, params: CreateTerminalRequest) -> CreateTerminalResponse:
        """Have the client open a terminal and run a command in it.

        A request to the client: `terminal/create`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no CreateTerminalResponse.
            CapabilityError: the client did not advertise /clientCapabilities/terminal.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/CreateTerminalRequest and $defs/CreateTerminalResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        return await self._request(CLIENT_TERMINAL_CREATE, params)

    async def terminal_kill(self, params: KillTerminalRequest) -> KillTerminalResponse:
        """Have the client kill a terminal's command but keep the terminal.

        A request to the client: `terminal/kill`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no KillTerminalResponse.
            CapabilityError: the client did not advertise /clientCapabilities/terminal.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/KillTerminalRequest and $defs/KillTerminalResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        return await self._request(CLIENT_TERMINAL_KILL, params)

    async def terminal_output(self, params: TerminalOutputRequest) -> TerminalOutputResponse:
        """Ask the client what a terminal has printed so far.

        A request to the client: `terminal/output`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no TerminalOutputResponse.
            CapabilityError: the client did not advertise /clientCapabilities/terminal.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/TerminalOutputRequest and $defs/TerminalOutputResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        return await self._request(CLIENT_TERMINAL_OUTPUT, params)

    async def terminal_release(self, params: ReleaseTerminalRequest) -> ReleaseTerminalResponse:
        """Have the client free a terminal that the agent no longer needs.

        A request to the client: `terminal/release`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ReleaseTerminalResponse.
            CapabilityError: the client did not advertise /clientCapabilities/terminal.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ReleaseTerminalRequest and $defs/ReleaseTerminalResponse;
        https://agentclientprotocol.com/protocol/v1/terminals
        """
        return await self._request(CLIENT_TERMINAL_RELEASE, params)

    async def terminal_wait_for_exit(
        self, params: WaitForTerminalExitRequest
    ) -> WaitForTerminalExitResponse:
        """Wait until the client reports that a terminal's command has ended.

        A request to the client: `terminal/wait_for_exit`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no WaitForTerminalExitResponse.
            CapabilityError: the client did not advertise /clientCapabilities/terminal.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/WaitForTerminalExitRequest and
        $defs/WaitForTerminalExitResponse; https://agentclientprotocol.com/protocol/v1/terminals
        """
        return await self._request(CLIENT_TERMINAL_WAIT_FOR_EXIT, params)

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request to the client, with a name that begins with an underscore.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ExtResponse.
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        return await self._request(CLIENT_EXT_REQUEST.named(method), params)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification to the client, with a name that begins with an underscore.

        Raises:
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ExtNotification
        """
        await self._notify(CLIENT_EXT_NOTIFICATION.named(method), params)

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
