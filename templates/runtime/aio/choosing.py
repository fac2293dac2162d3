"""The choice of a handler: the only one that the program gives, or the one for the version."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..jsonrpc.errors import RequestError
from ..jsonrpc.handler import Handler, introduction
from ..jsonrpc.logs import logger_of
from ..jsonrpc.messages import pick_version
from ..values.errors import quotation
from .handlers import Handlers, Offer, offers

if TYPE_CHECKING:
    from .peer import Peer

_log = logger_of(__name__)


class Choice:
    """The handler of a connection.

    Attributes:
        handler: the handler; None until it is chosen.
        offers: what there is to choose from, by protocol version.
        tasks: the tasks that the handler has started.
    """

    def __init__(self, handlers: Iterable[Handlers], side: str) -> None:
        """Start without a handler.

        Args:
            handlers: what the program gives, see `serve`.
            side: the side that the program is.
        """
        self.handler: Handler | None = None
        self.offers = offers(handlers, side)
        self.tasks: set[asyncio.Task[None]] = set()
        self._side = side

    def require(self) -> Handler:
        """Return the handler, now that a message has arrived for it."""
        assert self.handler is not None, "nothing is received before a surface is chosen"
        return self.handler

    def introductions(self) -> list[Any]:
        """Return what each handler says of itself in `initialize`.

        Raises:
            TypeError: nobody knows what a factory makes.
            EncodeError: what it states does not match the schema.
        """
        handler = self.handler
        return [
            offer.introduction() if handler is None else introduction(handler)
            for offer in self.offers.values()
        ]

    def choose(self, version: int, peer: Peer) -> Handler:
        """Make the handler for the protocol version that `initialize` leads to.

        Raises:
            RequestError: there is none for it, or it cannot be made.
        """
        self.discard()  # that of an `initialize` that was refused just before
        offer = self.offers[pick_version(version, self.offers)]
        try:
            return self.start(offer, peer)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # even CancelledError, which would end the receiving
            text = f"the handler for protocol version {quotation(version)} cannot be made"
            _log.exception("%s", text)
            if self._side == "client":
                raise RequestError.internal_error(message=text) from error
            raise RequestError.internal_error() from error  # which is sent, so without details

    def start(self, offer: Offer, peer: Peer) -> Handler:
        """Make a handler, and tell it of its connection.

        Raises:
            TypeError: it is a handler of the other side.
        """
        try:
            self.handler = handler = offer.make(peer)
            if handler.side == ("client" if self._side == "agent" else "agent"):
                raise TypeError(
                    f"this side is the {self._side}, but its handler is one of the other side"
                )
            handler.connected(peer)
        except BaseException:  # `connected` may have started tasks before it failed
            self.discard()
            raise
        return handler

    def discard(self) -> None:
        """Discard the handler, and end the tasks that it has started."""
        self.handler = None
        for task in self.tasks:
            task.cancel()
