"""Selection of a connection's handler by protocol version."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import CO_VARARGS  # asyncio also imports `inspect`
from types import new_class
from typing import Any, TypeGuard, TypeVar, cast, get_origin

from ..jsonrpc.errors import RequestError
from ..jsonrpc.events import OnResponse
from ..jsonrpc.handler import Handler, introduction
from ..jsonrpc.logs import logger_of
from ..jsonrpc.messages import pick_version
from ..jsonrpc.method import Method, Side, Surface, name_of
from ..values.deferred import dataclass
from ..values.errors import quotation

C = TypeVar("C", bound=Callable[..., Any])

_log = logger_of(__name__)


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate for a connection's handler.

    Attributes:
        surface: the surface of the handler.
        make: a function that accepts a peer and returns the handler.
        speaker: the class or object that defines the `initialize` params or result, or None for a
            factory.
    """

    surface: Surface
    make: Callable[[Any], Handler]
    speaker: type[Handler] | Handler | None

    def introduction(self) -> Any:
        """Return the handler's params or result for `initialize`.

        Raises:
            TypeError: If this candidate is a factory, since its handler is not known yet.
            EncodeError: If the params or the result do not match the schema.
        """
        if self.speaker is None:
            request = f"{name_of(self.surface)}.InitializeRequest(…)"
            raise TypeError(f"a factory's handler is not known yet; pass {request} to initialize")
        return introduction(self.speaker)


class Choice:
    """The choice of a connection's handler.

    Attributes:
        handler: the handler, or None until it is chosen.
        received: the handler's `received` method, or None if it is inherited from `Handler`.
        sent: the handler's `sent` method, or None if it is inherited from `Handler`.
        ignored: the notifications that the handler ignores.
        is_given_object: whether the program passed the handler as an object, which outlives the
            connection.
        offers: the candidates, by protocol version.
        tasks: the tasks that the handler started.
    """

    def __init__(self, handlers: Iterable[Any], side: str) -> None:
        self.handler: Handler | None = None
        # The following attributes are looked up only once. Most handlers do not override the
        # methods `received` and `sent`, so calling these methods would have no effect.
        self.received: Callable[[Method[Any, Any], Any], None] | None = None
        self.sent: Callable[[Method[Any, Any], Any], OnResponse | None] | None = None
        self.ignored: frozenset[Method[Any, Any]] = frozenset()
        self.is_given_object = False
        self.offers = offers(handlers, side)
        self.tasks: set[asyncio.Task[None]] = set()
        self._side = side

    def introductions(self) -> list[Any]:
        """Return the `initialize` params of the chosen handler or, if none is chosen, of all
        candidates.

        Raises:
            TypeError: If a candidate is a factory, since its handler is not known yet.
            EncodeError: If the params do not match the schema.
        """
        if self.handler is not None:
            return [introduction(self.handler)]
        return [offer.introduction() for offer in self.offers.values()]

    def choose(self, version: int, peer: Any) -> Handler:
        """Create the handler for the protocol version that `initialize` negotiated.

        Raises:
            RequestError: If no handler supports the version, or if the handler cannot be created.
        """
        self.discard()  # an earlier `initialize` request that failed might have chosen a handler
        offer = self.offers[pick_version(version, self.offers)]
        try:
            return self.start(offer, peer)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # even CancelledError, which would stop the receiving task
            text = f"cannot create the handler for protocol version {quotation(version)}"
            _log.exception("%s", text)
            if self._side == "client":
                raise RequestError.internal_error(message=text) from error
            raise RequestError.internal_error() from error  # the peer receives no details

    def start(self, offer: Offer, peer: Any) -> Handler:
        """Create a handler and notify it that it is connected to a peer.

        Raises:
            TypeError: If the handler is for the peer's side or for a different surface.
        """
        try:
            # Set before calling `connected`, since that method can use the peer, which uses this
            # attribute.
            self.handler = handler = offer.make(peer)
            self.received = _if_overridden(handler.received, Handler.received)
            self.sent = _if_overridden(handler.sent, Handler.sent)
            self.is_given_object = offer.speaker is handler
            # A comparison with `!=` would reject a proxy's handler, which belongs to neither side.
            if handler.side == ("client" if self._side == "agent" else "agent"):
                raise TypeError(
                    f"this side is the {self._side}, but the handler is for the other side"
                )
            if handler.surface is not offer.surface:
                name, made = name_of(offer.surface), name_of(handler.surface)
                raise TypeError(
                    f"the factory for {name} returned a handler for {made}; pass "
                    f"`{{{made}: factory}}`"
                )
            connecting = handler.connected(peer)
            # Checked after `connected`, since that method can assign methods to the object.
            methods = handler.surface.METHODS.get(handler.side, {}).values()
            self.ignored = frozenset(method for method in methods if handler.ignores(method))
            if connecting is not None:
                peer.spawn(_await(connecting))
        except BaseException:  # `connected` might have started tasks before it failed
            self.discard()
            raise
        return handler

    def discard(self) -> None:
        """Discard the handler and cancel the tasks that it started."""
        self.handler = self.received = self.sent = None
        self.ignored = frozenset()
        for task in self.tasks:
            task.cancel()


async def _await(work: Awaitable[None]) -> None:
    await work


def _if_overridden(method: C, inherited: Callable[..., Any]) -> C | None:
    return None if getattr(method, "__func__", None) is inherited else method


def offers(handlers: Iterable[Any], side: Side) -> dict[int, Offer]:
    """Return the handlers that a program offers, as candidates by protocol version.

    Raises:
        TypeError: If there is no handler, or if an argument is not a handler for this side.
        ValueError: If two handlers are for the same protocol version.
    """
    by_version: dict[int, Offer] = {}
    for offer in _read(handlers):
        if offer.speaker is not None and offer.speaker.side != side:
            name = _class_name(offer.speaker)
            raise TypeError(f"this side is the {side}, but {name} is for the other side")
        version = offer.surface.SCHEMA.protocol_version
        if version in by_version:
            raise ValueError(f"two handlers for protocol version {version}; pass one")
        by_version[version] = offer
    if not by_version:
        raise TypeError("no handler; pass a handler class, such as a subclass of SessionAgent")
    return by_version


def _read(handlers: Iterable[Any]) -> Iterable[Offer]:
    for handler in map(_concrete, handlers):
        if isinstance(handler, Handler):
            yield Offer(_surface(handler), _returning(handler), handler)
        elif _is_class(handler):
            yield Offer(_surface(handler), _creating(handler), handler)
        elif isinstance(handler, Mapping):
            by_surface = cast("Mapping[Any, Any]", handler)  # type: ignore[redundant-cast]
            for surface, factory in by_surface.items():
                yield _by_surface(surface, factory)
        else:
            raise TypeError(f"{handler!r} is not a handler; pass a factory as {{v1: factory}}")


def _returning(handler: Handler) -> Callable[[Any], Handler]:
    return lambda peer: handler


def _creating(handler: type[Handler]) -> Callable[[Any], Handler]:
    """Return a function that creates a handler, passing the peer only if `__init__` accepts it."""
    code: Any = getattr(handler.__init__, "__code__", None)
    # If it is unknown whether a decorated `__init__` accepts the peer, pass the peer.
    if code is None or code.co_argcount > 1 or code.co_flags & CO_VARARGS:
        return handler
    return lambda peer: handler()


def _concrete(handler: Any) -> Any:
    """Return the class for an alias such as `SessionClient[MySession]`, or the handler itself."""
    origin: Any = get_origin(handler)
    return new_class(origin.__name__, (handler,)) if _is_class(origin) else handler


def _is_class(handler: Any) -> TypeGuard[type[Handler]]:
    return isinstance(handler, type) and issubclass(handler, Handler)


def _by_surface(surface: Any, factory: Any) -> Offer:
    if not hasattr(surface, "SCHEMA"):
        key = f"{surface!r} is not a surface"
        raise TypeError(f"{key}; pass {{v1: factory}}, or a handler class instead of a mapping")
    if not callable(factory):
        raise TypeError(f"{factory!r} is not a factory; pass a callable that accepts a peer")
    if _is_class(factory):
        return Offer(surface, _creating(factory), factory)
    make: Any = factory
    return Offer(surface, make, None)


def _surface(handler: type[Handler] | Handler) -> Surface:
    surface: Surface | None = getattr(handler, "surface", None)
    if surface is None:
        name = _class_name(handler)
        raise TypeError(f"{name} has no surface; subclass a handler such as v1.SessionAgent")
    return surface


def _class_name(handler: type[Handler] | Handler) -> str:
    cls = handler if isinstance(handler, type) else type(handler)
    return cls.__qualname__
