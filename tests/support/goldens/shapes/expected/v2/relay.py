# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""What a relay handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
    RELAY_RELAY_PASS,
    RELAY_RELAY_PASS_NOTIFICATION,
)
from .types import (
    PassNotification,
    PassRequest,
    PassResponse,
)


class RelayHandler(Handler):
    """Handles what is sent to a relay: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "relay"

    async def relay_pass(self, params: PassRequest) -> PassResponse:
        """The method relay/pass.

        A request that the other side sends: `relay/pass`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/PassRequest and $defs/PassResponse;
        https://agentclientprotocol.com/relays
        """
        raise not_handled("relay/pass")

    async def relay_pass_notification(self, params: PassNotification) -> None:
        """The method relay/pass.

        A notification that the other side sends: `relay/pass`.

        Source: ACP v2 schema, $defs/PassNotification; https://agentclientprotocol.com/relays
        """


class RelayStub(Stub):
    """Calls a relay: a Python method for each of its methods."""

    async def relay_pass(self, params: PassRequest) -> PassResponse:
        """The method relay/pass.

        A request to the other side: `relay/pass`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no PassResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/PassRequest and $defs/PassResponse;
        https://agentclientprotocol.com/relays
        """
        return await self._request(RELAY_RELAY_PASS, params)

    async def relay_pass_notification(self, params: PassNotification) -> None:
        """The method relay/pass.

        A notification to the other side: `relay/pass`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/PassNotification; https://agentclientprotocol.com/relays
        """
        await self._notify(RELAY_RELAY_PASS_NOTIFICATION, params)
