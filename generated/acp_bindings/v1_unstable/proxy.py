# Made by acpgen 0.1.0 from npm:@agentclientprotocol/sdk@2.4.0, schema/v1/schema.unstable.json (sha256 9f22f865ee8d6595144e0bd7ce511419783362ceac13f5f2dfbd73005d54e295).
# Do not edit it; make it again with acpgen.
"""What a proxy handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
    PROXY_PROXY_INITIALIZE,
    PROXY_PROXY_SUCCESSOR,
    PROXY_PROXY_SUCCESSOR_NOTIFICATION,
)
from .types import (
    InitializeProxyRequest,
    InitializeProxyResponse,
    ProxySuccessorNotification,
    ProxySuccessorRequest,
    ProxySuccessorResponse,
)


class ProxyHandler(Handler):
    """Handles what is sent to a proxy: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "proxy"

    async def proxy_initialize(self, params: InitializeProxyRequest) -> InitializeProxyResponse:
        """Start up a component, as its conductor, to be a proxy and not an agent.

        A request that the other side sends: `proxy/initialize`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/InitializeProxyRequest and $defs/InitializeProxyResponse;
        https://agentclientprotocol.com/rfds/proxy-chains
        """
        raise not_handled("proxy/initialize")

    async def proxy_successor(self, params: ProxySuccessorRequest) -> ProxySuccessorResponse:
        """Pass a message between a proxy and its successor, by way of the conductor.

        A request that the other side sends: `proxy/successor`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v1 schema, $defs/ProxySuccessorRequest and $defs/ProxySuccessorResponse;
        https://agentclientprotocol.com/rfds/proxy-chains
        """
        raise not_handled("proxy/successor")

    async def proxy_successor_notification(self, params: ProxySuccessorNotification) -> None:
        """Pass a message between a proxy and its successor, by way of the conductor.

        A notification that the other side sends: `proxy/successor`.

        Source: ACP v1 schema, $defs/ProxySuccessorNotification;
        https://agentclientprotocol.com/rfds/proxy-chains
        """


class ProxyStub(Stub):
    """Calls a proxy: a Python method for each of its methods."""

    async def proxy_initialize(self, params: InitializeProxyRequest) -> InitializeProxyResponse:
        """Start up a component, as its conductor, to be a proxy and not an agent.

        A request to the other side: `proxy/initialize`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no InitializeProxyResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/InitializeProxyRequest and $defs/InitializeProxyResponse;
        https://agentclientprotocol.com/rfds/proxy-chains
        """
        return await self._request(PROXY_PROXY_INITIALIZE, params)

    async def proxy_successor(self, params: ProxySuccessorRequest) -> ProxySuccessorResponse:
        """Pass a message between a proxy and its successor, by way of the conductor.

        A request to the other side: `proxy/successor`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no ProxySuccessorResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ProxySuccessorRequest and $defs/ProxySuccessorResponse;
        https://agentclientprotocol.com/rfds/proxy-chains
        """
        return await self._request(PROXY_PROXY_SUCCESSOR, params)

    async def proxy_successor_notification(self, params: ProxySuccessorNotification) -> None:
        """Pass a message between a proxy and its successor, by way of the conductor.

        A notification to the other side: `proxy/successor`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v1 schema, $defs/ProxySuccessorNotification;
        https://agentclientprotocol.com/rfds/proxy-chains
        """
        await self._notify(PROXY_PROXY_SUCCESSOR_NOTIFICATION, params)
