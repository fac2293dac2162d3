# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v2/schema.json (sha256 d0bf493103243b057c069d54c659106129f4ee732e939bb83b5eea7c106b3997).
# Do not edit it; make it again with acpgen.
"""What a client handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
    CLIENT_ELICITATION_COMPLETE,
    CLIENT_ELICITATION_CREATE,
    CLIENT_SESSION_REQUEST_PERMISSION,
    CLIENT_SESSION_UPDATE,
    CLIENT_EXT_REQUEST,
    CLIENT_EXT_NOTIFICATION,
    PROTOCOL_CANCEL_REQUEST,
)
from .types import (
    CancelRequestNotification,
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
    ExtNotification,
    ExtRequest,
    ExtResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    UpdateSessionNotification,
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

        Source: ACP v2 schema, $defs/CompleteElicitationNotification;
        https://agentclientprotocol.com/protocol/v2/elicitation#url-completion
        """

    async def elicitation_create(
        self, params: CreateElicitationRequest
    ) -> CreateElicitationResponse:
        """Put a question to the user, through the client, by a form or a web page.

        A request that the agent sends: `elicitation/create`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/CreateElicitationRequest and $defs/CreateElicitationResponse;
        https://agentclientprotocol.com/protocol/v2/elicitation
        """
        raise not_handled("elicitation/create")

    async def session_request_permission(
        self, params: RequestPermissionRequest
    ) -> RequestPermissionResponse:
        """Ask the user, through the client, whether the agent may go ahead.

        A request that the agent sends: `session/request_permission`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/RequestPermissionRequest and $defs/RequestPermissionResponse;
        https://agentclientprotocol.com/protocol/v2/tool-calls#requesting-permission
        """
        raise not_handled("session/request_permission")

    async def session_update(self, params: UpdateSessionNotification) -> None:
        """Tell the client what has just happened in a session.

        A notification that the agent sends: `session/update`.

        Source: ACP v2 schema, $defs/UpdateSessionNotification;
        https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#3-agent-reports-output
        """

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request that the agent sends, with a name that begins with an underscore.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        raise not_handled(method)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification that the agent sends, with a name that begins with an underscore.

        Source: ACP v2 schema, $defs/ExtNotification
        """

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification that the other side sends: `$/cancel_request`.

        Source: ACP v2 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v2/cancellation
        """


class ClientStub(Stub):
    """Calls a client: a Python method for each of its methods."""

    async def elicitation_complete(self, params: CompleteElicitationNotification) -> None:
        """Tell the client that a question put by way of a web page is settled.

        A notification to the client: `elicitation/complete`.

        Raises:
            CapabilityError: the client did not advertise /capabilities/elicitation/url.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CompleteElicitationNotification;
        https://agentclientprotocol.com/protocol/v2/elicitation#url-completion
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
            CapabilityError: the client did not advertise /capabilities/elicitation.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CreateElicitationRequest and $defs/CreateElicitationResponse;
        https://agentclientprotocol.com/protocol/v2/elicitation
        """
        return await self._request(CLIENT_ELICITATION_CREATE, params)

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

        Source: ACP v2 schema, $defs/RequestPermissionRequest and $defs/RequestPermissionResponse;
        https://agentclientprotocol.com/protocol/v2/tool-calls#requesting-permission
        """
        return await self._request(CLIENT_SESSION_REQUEST_PERMISSION, params)

    async def session_update(self, params: UpdateSessionNotification) -> None:
        """Tell the client what has just happened in a session.

        A notification to the client: `session/update`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/UpdateSessionNotification;
        https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#3-agent-reports-output
        """
        await self._notify(CLIENT_SESSION_UPDATE, params)

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request to the client, with a name that begins with an underscore.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ExtResponse.
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        return await self._request(CLIENT_EXT_REQUEST.named(method), params)

    async def ext_notification(self, method: str, params: ExtNotification) -> None:
        """A notification that the schema does not name.

        A notification to the client, with a name that begins with an underscore.

        Raises:
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ExtNotification
        """
        await self._notify(CLIENT_EXT_NOTIFICATION.named(method), params)

    async def cancel_request(self, params: CancelRequestNotification) -> None:
        """Tell the other side that the answer to a pending request is no longer wanted.

        A notification to the other side: `$/cancel_request`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/CancelRequestNotification;
        https://agentclientprotocol.com/protocol/v2/cancellation
        """
        await self._notify(PROTOCOL_CANCEL_REQUEST, params)
