# Made by acpgen 0.1.0 from schema.json, schema.json (sha256 bcb9e99398dd0aa64dbfd9583b7c4e4fe8fcd95147d4b54c90c30fa21a562bce).
# Do not edit it; make it again with acpgen.
"""What a client handles: a handler to extend, and a stub to call one."""

from __future__ import annotations

from typing import ClassVar

from ..runtime.jsonrpc.method import Handler, Side, Stub, Surface, not_handled
from . import methods
from .methods import (
    CLIENT_CANVAS_DRAW,
    CLIENT_CANVAS_DRAW_AGAIN,
    CLIENT_SESSION_UPDATE,
    CLIENT_EXT_REQUEST,
    PROTOCOL_STOP_REQUEST,
)
from .types import (
    DrawAgainRequest,
    DrawAgainResponse,
    DrawRequest,
    DrawResponse,
    ExtRequest,
    ExtResponse,
    StopRequestNotification,
    UpdateNotification,
)


class ClientHandler(Handler):
    """Handles what is sent to a client: extend it, and override what yours does.

    A request that is not overridden is answered with an error, a notification is ignored.
    """

    surface: ClassVar[Surface] = methods
    side: ClassVar[Side] = "client"

    async def canvas_draw(self, params: DrawRequest) -> DrawResponse:
        """Have the client draw.

        A request that the agent sends: `canvas/draw`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/DrawRequest and $defs/DrawResponse
        """
        raise not_handled("canvas/draw")

    async def canvas_draw_again(self, params: DrawAgainRequest) -> DrawAgainResponse:
        """The method canvas/draw_again.

        A request that the agent sends: `canvas/draw_again`.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/DrawAgainRequest and $defs/DrawAgainResponse
        """
        raise not_handled("canvas/draw_again")

    async def session_update(self, params: UpdateNotification) -> None:
        """The method session/update.

        A notification that the agent sends: `session/update`.

        Source: ACP v2 schema, $defs/UpdateNotification
        """

    async def ext_request(self, method: str, params: ExtRequest) -> ExtResponse:
        """A request that the schema does not name.

        A request that the agent sends, with a name that begins with an underscore.

        Raises:
            RequestError: to answer with an error; this one does, with METHOD_NOT_FOUND.

        Source: ACP v2 schema, $defs/ExtRequest and $defs/ExtResponse
        """
        raise not_handled(method)

    async def stop_request(self, params: StopRequestNotification) -> None:
        """The method $/stop_request.

        A notification that the other side sends: `$/stop_request`.

        Source: ACP v2 schema, $defs/StopRequestNotification
        """


class ClientStub(Stub):
    """Calls a client: a Python method for each of its methods."""

    async def canvas_draw(self, params: DrawRequest) -> DrawResponse:
        """Have the client draw.

        A request to the client: `canvas/draw`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no DrawResponse.
            CapabilityError: the client did not advertise /tools/pen.
            CapabilityError: the client did not advertise /tools/import for from_.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/DrawRequest and $defs/DrawResponse
        """
        return await self._request(CLIENT_CANVAS_DRAW, params)

    async def canvas_draw_again(self, params: DrawAgainRequest) -> DrawAgainResponse:
        """The method canvas/draw_again.

        A request to the client: `canvas/draw_again`.

        Raises:
            RequestError: the answer is an error.
            DecodeError: the answer is no DrawAgainResponse.
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/DrawAgainRequest and $defs/DrawAgainResponse
        """
        return await self._request(CLIENT_CANVAS_DRAW_AGAIN, params)

    async def session_update(self, params: UpdateNotification) -> None:
        """The method session/update.

        A notification to the client: `session/update`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/UpdateNotification
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

    async def stop_request(self, params: StopRequestNotification) -> None:
        """The method $/stop_request.

        A notification to the other side: `$/stop_request`.

        Raises:
            EncodeError: the params cannot be written as JSON; nothing was sent.
            ConnectionClosed: the connection has ended.

        Source: ACP v2 schema, $defs/StopRequestNotification
        """
        await self._notify(PROTOCOL_STOP_REQUEST, params)
