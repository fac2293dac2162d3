# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""What an agent handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
    AGENT_IMPORT,
    AGENT_INITIALIZE,
    AGENT_EXT_NOTIFICATION,
    PROTOCOL_STOP_REQUEST,
)
from .types import (
    ClearNotification,
    ExtRequest,
    OpenRequest,
    OpenResponse,
    StopRequestNotification,
)


class AgentHandler(Handler):
    """Handles what is sent to an agent: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "agent"

    async def import_(self, params: ClearNotification) -> None:
        """The method import.

        A notification that the client sends: `import`.

        Source: ACP v2 schema, $defs/ClearNotification
        """

    async def initialize(self, params: OpenRequest) -> OpenResponse:
        """The method initialize.

        A request that the client sends: `initialize`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/OpenRequest and $defs/OpenResponse;
        https://agentclientprotocol.com/protocol/v2/opening
        """
        raise not_handled("initialize")

    async def ext_notification(self, method: str, params: ExtRequest) -> None:
        """A notification that the schema does not name.

        A notification that the client sends, with a name that begins with an underscore.

        Source: ACP v2 schema, $defs/ExtRequest
        """

    async def stop_request(self, params: StopRequestNotification) -> None:
        """The method $/stop_request.

        A notification that the other side sends: `$/stop_request`.

        Source: ACP v2 schema, $defs/StopRequestNotification
        """


class AgentStub(Stub):
    """Calls an agent: a Python method for each of its methods."""

    async def import_(self, params: ClearNotification) -> None:
        """The method import.

        A notification to the agent: `import`.

        Raises:
            CapabilityError: the agent did not advertise /tools.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ClearNotification
        """
        await self._notify(AGENT_IMPORT, params)

    async def initialize(self, params: OpenRequest) -> OpenResponse:
        """The method initialize.

        A request to the agent: `initialize`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no OpenResponse.
            VersionMismatch: the answer is for another protocol version.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/OpenRequest and $defs/OpenResponse;
        https://agentclientprotocol.com/protocol/v2/opening
        """
        return await self._request(AGENT_INITIALIZE, params)

    async def ext_notification(self, method: str, params: ExtRequest) -> None:
        """A notification that the schema does not name.

        A notification to the agent, with a name that begins with an underscore.

        Raises:
            ValueError: the name does not begin with an underscore.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/ExtRequest
        """
        await self._notify(AGENT_EXT_NOTIFICATION.named(method), params)

    async def stop_request(self, params: StopRequestNotification) -> None:
        """The method $/stop_request.

        A notification to the other side: `$/stop_request`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/StopRequestNotification
        """
        await self._notify(PROTOCOL_STOP_REQUEST, params)
