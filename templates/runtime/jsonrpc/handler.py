"""The base class of the generated handlers, and the `initialize` params or result of a side."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from types import CoroutineType
from typing import TYPE_CHECKING, Any, ClassVar

from ..values import jsontext
from ..values.errors import cut
from .errors import RequestError
from .method import INITIALIZE, Capability, Extension, Method, Side, Surface, name_of

if TYPE_CHECKING:
    from .events import OnResponse

# The JSON that advertises a capability, by form; other forms must be stated by the program.
_FORMS: dict[str, Any] = {"object": {}, "boolean": True}


class Handler:
    """Base class of the generated handlers.

    Attributes:
        surface: the surface whose methods it handles.
        side: the side whose methods it handles.
        extensions: the extensions of that surface whose methods it also handles.
        is_base: whether this class is only a base of handlers; set by its class statement. Its
            subclasses advertise its methods. It can lack methods that a handler needs, since only
            the subclasses are checked for mistakes.
    """

    surface: ClassVar[Surface]
    side: ClassVar[Side]
    extensions: ClassVar[tuple[Extension, ...]] = ()
    is_base: ClassVar[bool] = False
    # Maps a base-class method to the method that subclasses must define instead.
    _replaced: ClassVar[Mapping[str, str]] = {}
    # The other methods that subclasses define, each with its arguments.
    _more: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init__(self, peer: object = None) -> None:
        """Create a handler. The class is the factory for a connection's handler.

        Args:
            peer: the connection, for handlers that call the peer.
        """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Warn about methods of a subclass that are never called, or called differently.

        Raises:
            TypeError: If the class extends handlers of different surfaces or sides, or of
                extensions that have methods of the same name.
        """
        super().__init_subclass__(**kwargs)
        _require_one_side(cls)
        if not {"surface", "extensions"}.isdisjoint(vars(cls)) or not hasattr(cls, "surface"):
            return  # a generated class, or a base of some
        if cls.extensions:
            _combine(cls)
        package: Any = sys.modules.get(cls.__module__.rpartition(".")[0])
        # Classes of the surface itself, such as `SessionAgent`, are also extended by subclasses.
        if package is cls.surface or vars(cls).get("is_base", False):
            return
        from .handler_checks import level_of_class, mistakes_of  # not needed for generated handlers

        definers = {method: definer_of(cls, method) for method in methods_of(cls)}
        stated = None if cls.stated is Handler.stated else partial(cls.stated, cls)
        for mistake in mistakes_of(cls, definers, stated, cls._more, cls._replaced):
            warnings.warn(mistake, stacklevel=level_of_class())

    @staticmethod
    def stated(handler: Any, /) -> Any:
        """Return the params or result that a handler, or a class, states for `initialize`.

        Returns:
            The result of `initialize` for an agent, the params for a client.
        """
        raise NotImplementedError  # for a surface without `initialize`

    def connected(self, peer: Any) -> Awaitable[None] | None:
        """Called when a connection gets this handler, before anything is received.

        An override can be `async`; its exceptions are then logged. Since a base class or a mixin
        can also override this, an override must call `super().connected(peer)` and return the
        result. An `async` override awaits the result, unless it is None. The same applies to
        `opened`, `closed` and `disconnected`.

        Args:
            peer: the connection.
        """
        return None

    def opened(
        self, session_id: str, cwd: str, additional_directories: Sequence[str]
    ) -> Awaitable[None] | None:
        """Called in clients when a session is open, before later messages are handled.

        The session was opened by a response, or a request to restore it was sent. Called again if
        an open session is restored with other directories. An override can be `async`, see
        `connected`. Its exceptions are logged.

        Args:
            session_id: the id of the session.
            cwd: its working directory; empty if the request names none.
            additional_directories: its other directories.
        """
        return None

    def closed(self, session_id: str) -> Awaitable[None] | None:
        """Called once in clients when a session that was `opened` is closed.

        The client closed or deleted the session, a request to restore it failed, or the connection
        ended. In the last case, this is called after all handlers have ended, and the end of the
        connection waits for it as long as for a handler. An override can be `async`, see
        `connected`; it starts when `opened` of this session is done. Its exceptions are logged.

        Args:
            session_id: the id of the session.
        """
        return None

    def received(self, method: Method[Any, Any], params: Any) -> None:
        """Called when a request or notification arrives, in the order of arrival.

        The Python method for it is called later, after the handlers of earlier messages of its
        session. Override this for work that must not wait for them. An override must call the base
        class, which can keep the state of sessions here. Its exceptions are logged.
        """

    def sent(self, method: Method[Any, Any], params: Any) -> OnResponse | None:
        """Called when a request to the peer was sent without its own `on_response`.

        Returns:
            The `on_response` of the request; see `Peer.request`.
        """

    def disconnected(self) -> Awaitable[None] | None:
        """Called when the peer has ended, so that nothing more will arrive.

        An override must call the base class, which can end turns here. In clients, it can be
        `async`, see `connected`. Its exceptions are logged.
        """
        return None

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method for a request or notification.

        Raises:
            RequestError: If the handler has no such method.
            TypeError: If the method is not `async`.
        """
        call: Callable[..., Coroutine[Any, Any, Any]] | None = getattr(self, method.handler, None)
        if call is None:  # a proxy's method, but this handler belongs to another side
            raise not_handled(method.name)
        handling = call(method.name, params) if method.is_extension else call(params)
        if handling.__class__ is CoroutineType:
            return handling
        arguments = ("method", "params") if method.is_extension else ("params",)
        return require_awaitable(self, method.handler, handling, arguments)


def _require_one_side(cls: type[Handler]) -> None:
    """Check that all handlers that a class extends belong to one surface and one side.

    Proxies are between the two sides, so their handlers combine with either side's handlers.

    Raises:
        TypeError: If they belong to different surfaces or sides.
    """
    handlers = [
        base for base in cls.__mro__ if issubclass(base, Handler) and "surface" in vars(base)
    ]
    sides = {base.side for base in handlers}
    if all(base.surface is cls.surface for base in handlers) and not sides >= {"agent", "client"}:
        return
    bases = [
        f"{base.__qualname__} ({name_of(base.surface)}, {base.side})"
        for base in cls.__bases__
        if issubclass(base, Handler) and hasattr(base, "surface")
    ]
    raise TypeError(
        f"{cls.__qualname__} extends handlers of different surfaces or sides: {', '.join(bases)}; "
        "write a class for each and put shared methods into a class without these bases"
    )


def _combine(cls: type[Handler]) -> None:
    """Add the methods of all extensions whose handlers a class extends.

    Raises:
        TypeError: If two methods have the same name.
    """
    listed = [each for base in cls.__mro__ for each in vars(base).get("extensions", ())]
    cls.extensions = tuple(dict.fromkeys(listed))
    by_name: dict[str, Method[Any, Any]] = {}
    for method in _added_methods(cls):
        for name in (method.name, method.handler):
            # By both names: messages are matched by one, Python methods by the other.
            if by_name.setdefault(name, method) is not method:
                problem = f"two of its extensions have a method {name!r}"
                raise TypeError(f"{cls.__qualname__}: {problem}; extend only one of them")


def require_awaitable(
    owner: object, name: str, result: Any, arguments: Sequence[str] = ()
) -> Coroutine[Any, Any, Any]:
    """Return the result of a method that should be `async`.

    Raises:
        TypeError: If the result cannot be awaited.
    """
    if hasattr(result, "__await__"):
        awaitable: Coroutine[Any, Any, Any] = result
        return awaitable
    from .handler_checks import not_async  # not imported for correct methods

    cls = type(owner)
    definer = next((base for base in cls.__mro__ if name in vars(base)), cls)
    raise TypeError(not_async(definer, name, arguments))


def not_handled(method: str) -> RequestError:
    """Return the error for a request without a handler."""
    return RequestError.method_not_found(message=f"method not found: {cut(method)}")


def not_advertised(side: Side, capability: Capability) -> RequestError:
    """Return the error for params that need a capability that a side did not advertise."""
    text = f"invalid params: the {side} did not advertise {capability.pointer}"
    return RequestError.invalid_params({"capability": capability.pointer}, text)


# --- introductions ---------------------------------------------------------------------------


def introduction(handler: Handler | type[Handler]) -> Any:
    """Return the params or result of a handler, or a class, for `initialize`.

    This is the stated value, with the capabilities of the methods that the class defines. A
    capability that is stated as absent, by null or false, remains absent.

    Returns:
        The result of `initialize` for an agent, the params for a client.

    Raises:
        EncodeError: If the stated value does not match the schema.
    """
    surface = handler.surface
    method = surface.METHODS["agent"][INITIALIZE]
    type_ = method.result if handler.side == "agent" else method.params
    stated = handler.stated(handler)
    data = jsontext.loads(method.codec.dumps(stated, type_))  # a copy, to add capabilities to
    cls = handler if isinstance(handler, type) else type(handler)
    for method in methods_of(cls):
        if method.capability is not None and is_implemented(cls, method):
            advertise(data, method.capability)
    return surface.decode(type_, data)


def advertise(data: dict[str, Any], capability: Capability) -> None:
    """Add a capability to the params or result of `initialize`, unless already stated."""
    steps = capability.pointer.removeprefix("/").split("/")
    *parents, last = (step.replace("~1", "/").replace("~0", "~") for step in steps)
    place: Any = data
    for name in parents:
        place = place.setdefault(name, {})
        if place.__class__ is not dict:
            return
    if capability.form in _FORMS:
        form = _FORMS[capability.form]
        place.setdefault(last, form.copy() if form.__class__ is dict else form)


# --- methods of handler classes --------------------------------------------------------------


def methods_of(cls: type[Handler]) -> list[Method[Any, Any]]:
    """Return the methods of the side of a class, including its extensions."""
    return [*cls.surface.METHODS.get(cls.side, {}).values(), *_added_methods(cls)]


def _added_methods(cls: type[Handler]) -> Iterator[Method[Any, Any]]:
    for extension in cls.extensions:
        yield from extension.METHODS.get(cls.side, {}).values()


def definer_of(cls: type[Handler], method: Method[Any, Any]) -> type:
    """Return the class that defines the Python method for a protocol method."""
    return next((base for base in cls.__mro__ if method.handler in vars(base)), cls)


def is_implemented(cls: type[Handler], method: Method[Any, Any]) -> bool:
    """Return whether a class handles a method, rather than inheriting a stub that refuses it."""
    return "surface" not in vars(definer_of(cls, method))
