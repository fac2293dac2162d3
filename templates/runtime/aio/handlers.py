"""The handlers that a program gives to a connection: classes, objects, or factories by surface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import new_class
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast, get_origin

from ..jsonrpc.handler import Handler, introduction
from ..jsonrpc.method import Side, Surface, name_of
from ..values.deferred import dataclass

if TYPE_CHECKING:
    from .peer import Peer

# Makes the handler of a connection. A stub over the peer calls the other side.
Factory: TypeAlias = "Callable[[Peer], Handler]"
# A class, which is made for each connection; an object that exists already; or factories.
Handlers: TypeAlias = "type[Handler] | Handler | Mapping[Any, Factory]"


@dataclass(frozen=True, slots=True)
class Offer:
    """A handler that a connection may have.

    Attributes:
        surface: the surface that it speaks.
        make: makes it, or returns it.
        speaker: the class or object that says what `initialize` tells of it; None for a factory.
    """

    surface: Surface
    make: Factory
    speaker: type[Handler] | Handler | None

    def introduction(self) -> Any:
        """Return what it says of itself in `initialize`.

        Raises:
            TypeError: nobody knows what a factory makes.
            EncodeError: what it states does not match the schema.
        """
        if self.speaker is None:
            request = f"{name_of(self.surface)}.InitializeRequest(…)"
            raise TypeError(f"what a factory makes is not known yet: pass initialize a {request}")
        return introduction(self.speaker)


def offers(handlers: Iterable[Handlers], side: Side) -> dict[int, Offer]:
    """Return the handlers that a program gives, by protocol version.

    Args:
        handlers: the handlers.
        side: the side that the program is.

    Raises:
        TypeError: something is not a handler, or one of the other side; or there is none.
        ValueError: two are for the same protocol version.
    """
    by_version: dict[int, Offer] = {}
    for offer in _read(handlers):
        if offer.speaker is not None and offer.speaker.side != side:
            given = _class_name(offer.speaker)
            raise TypeError(f"this side is the {side}, but {given} handles the calls of the other")
        version = offer.surface.SCHEMA.protocol_version
        if version in by_version:
            raise ValueError(f"there are two handlers for protocol version {version}; choose one")
        by_version[version] = offer
    if not by_version:
        raise TypeError("there is no handler: pass a class, such as one that extends SessionAgent")
    return by_version


def _read(handlers: Iterable[Any]) -> Iterable[Offer]:
    for given in map(_concrete, handlers):
        if isinstance(given, Handler):
            yield Offer(_surface(given), _returning(given), given)
        elif _is_class(given):
            yield Offer(_surface(given), given, given)
        elif isinstance(given, Mapping):
            by_surface = cast("Mapping[Any, Any]", given)  # type: ignore[redundant-cast]
            for surface, factory in by_surface.items():
                yield _by_surface(surface, factory)
        else:
            raise TypeError(f"{given!r} is not a handler; a factory is given as {{v1: factory}}")


def _concrete(given: Any) -> Any:
    """Make a class of `SessionClient[MySession]`, which is none by itself."""
    origin: Any = get_origin(given)
    return new_class(origin.__name__, (given,)) if _is_class(origin) else given


def _is_class(given: Any) -> TypeGuard[type[Handler]]:
    return isinstance(given, type) and issubclass(given, Handler)


def _returning(handler: Handler) -> Factory:
    return lambda peer: handler


def _by_surface(surface: Any, factory: Any) -> Offer:
    if not hasattr(surface, "SCHEMA"):
        key = f"{surface!r} is not a surface"
        raise TypeError(f"{key}: pass {{v1: factory}}, or just classes, which know their surface")
    if not callable(factory):
        raise TypeError(f"{factory!r} is not a factory: it cannot be called with a peer")
    make: Any = factory
    return Offer(surface, make, factory if _is_class(factory) else None)


def _surface(handler: type[Handler] | Handler) -> Surface:
    surface: Surface | None = getattr(handler, "surface", None)
    if surface is None:
        raise TypeError(f"{_class_name(handler)} has no surface: extend a class of one, as of v1")
    return surface


def _class_name(handler: type[Handler] | Handler) -> str:
    cls = handler if isinstance(handler, type) else type(handler)
    return cls.__qualname__
