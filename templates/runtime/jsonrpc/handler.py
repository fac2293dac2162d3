"""The base class of the generated handlers, and their `initialize` params or result."""

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

# Maps the form of a capability to the JSON value that advertises it. For other forms, the program
# provides the value.
_FORMS: dict[str, Any] = {"object": {}, "boolean": True}


class Handler:
    """Base class of the generated handlers.

    Attributes:
        surface: the surface that defines the handled methods.
        side: the side that receives the handled methods.
        extensions: the extensions of the surface that define additional handled methods.
        is_base: whether this class is only a base class for handlers. Set this attribute in the
            class body. Subclasses advertise the capabilities for the methods that this class
            defines. Only subclasses are checked for mistakes, so this class need not define all
            required methods.
    """

    surface: ClassVar[Surface]
    side: ClassVar[Side]
    extensions: ClassVar[tuple[Extension, ...]] = ()
    is_base: ClassVar[bool] = False
    # Maps a base-class method to the method that subclasses must define instead.
    _replaced: ClassVar[Mapping[str, str]] = {}
    # Maps the names of other methods that subclasses can define to their arguments.
    _more: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init__(self, peer: object = None) -> None:
        """Create a handler for a connection.

        Args:
            peer: the connection, for handlers that call the peer.
        """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Warn about a subclass's methods that are never called or have the wrong arguments.

        Raises:
            TypeError: If the class extends handlers for different surfaces or sides, or handlers
                for extensions with methods of the same name.
        """
        super().__init_subclass__(**kwargs)
        _require_one_side(cls)
        if not {"surface", "extensions"}.isdisjoint(vars(cls)) or not hasattr(cls, "surface"):
            return  # a generated class, or a base class of generated classes
        if cls.extensions:
            _combine(cls)
        package: Any = sys.modules.get(cls.__module__.rpartition(".")[0])
        # Classes of the surface itself, such as `SessionAgent`, are also base classes.
        if package is cls.surface or vars(cls).get("is_base", False):
            return
        from .handler_checks import level_of_class, mistakes_of  # not needed for generated handlers

        definers = {method: definer_of(cls, method) for method in methods_of(cls)}
        stated = None if cls.stated is Handler.stated else partial(cls.stated, cls)
        for mistake in mistakes_of(cls, definers, stated, cls._more, cls._replaced):
            warnings.warn(mistake, stacklevel=level_of_class())

    @staticmethod
    def stated(handler: Any, /) -> Any:
        """Return the `initialize` params or result that a handler or its class declares.

        Returns:
            The result for an agent, or the params for a client.
        """
        raise NotImplementedError  # for a surface without `initialize`

    def connected(self, peer: Any) -> Awaitable[None] | None:
        """Called when this handler is attached to a connection, before anything is received.

        If an override is `async`, its exceptions are logged. Since a base class or a mixin might
        also override this method, an override must call `super().connected(peer)` and return the
        result. An `async` override must instead await the result, unless it is None. The same
        applies to `opened`, `closed` and `disconnected`.

        Args:
            peer: the connection.
        """
        return None

    def opened(
        self, session_id: str, cwd: str, additional_directories: Sequence[str]
    ) -> Awaitable[None] | None:
        """Called in clients when a session is opened, before later messages are handled.

        A session is opened when the response to a request for a new session arrives, or when a
        request to restore a session is sent. This method is called again if an open session is
        restored with different directories. An override can be `async`; see `connected`. Exceptions
        raised by the override are logged.

        Args:
            session_id: the id of the session.
            cwd: the session's working directory, or an empty string if the request contains none.
            additional_directories: the session's other directories.
        """
        return None

    def closed(self, session_id: str) -> Awaitable[None] | None:
        """Called once in clients when a session passed to `opened` is closed.

        A session is closed when the client closes or deletes it, when a request to restore it
        fails, or when the connection closes. When the connection closes, this method is called
        after all handlers have finished, with the same time limit as for handlers. An override can
        be `async`; see `connected`. The override starts after `opened` has finished for the
        session. Exceptions raised by the override are logged.

        Args:
            session_id: the id of the session.
        """
        return None

    def received(self, method: Method[Any, Any], params: Any) -> None:
        """Called for each request or notification as soon as it arrives.

        The Python method for the message is called later, after the handlers for the session's
        earlier messages. Override this method for work that must not wait for these handlers. An
        override must call the base class, which can update session state in this method. Exceptions
        are logged.
        """

    def sent(self, method: Method[Any, Any], params: Any) -> OnResponse | None:
        """Called when a request without an `on_response` callback is sent to the peer.

        Returns:
            The callback to use as `on_response`, or None for no callback; see `Peer.request`.
        """

    def disconnected(self) -> Awaitable[None] | None:
        """Called when nothing more can arrive from the peer.

        An override must call the base class, which can end turns in this method. In clients, an
        override can be `async`; see `connected`. Exceptions raised by the override are logged.
        """
        return None

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method for a request or notification.

        Raises:
            RequestError: If the handler doesn't define the method.
            TypeError: If the method is not `async`.
        """
        call: Callable[..., Coroutine[Any, Any, Any]] | None = getattr(self, method.handler, None)
        if call is None:  # the method is for proxies, but this handler is not for a proxy
            raise not_handled(method.name)
        handling = call(method.name, params) if method.is_extension else call(params)
        if handling.__class__ is CoroutineType:
            return handling
        arguments = ("method", "params") if method.is_extension else ("params",)
        return require_awaitable(self, method.handler, handling, arguments)

    def ignores(self, method: Method[Any, Any]) -> bool:
        """Return whether a notification is ignored because `handle` isn't overridden."""
        return self._inherits(method, Handler)

    def _inherits(self, method: Method[Any, Any], *definers: type) -> bool:
        """Return whether a notification can reach only `handle` methods defined in `definers`."""
        cls = self.__class__
        if method.kind == "request" or is_implemented(cls, method):
            return False
        if "handle" in vars(self) or method.handler in vars(self):  # overridden in this object
            return False
        return all(base in definers for base in cls.__mro__ if "handle" in vars(base))


def _require_one_side(cls: type[Handler]) -> None:
    """Check that all base handlers of a class belong to the same surface and side.

    A proxy's handlers belong to neither side and can be combined with the handlers of either side.

    Raises:
        TypeError: If the handlers belong to different surfaces or sides.
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
        f"{cls.__qualname__} extends handlers for different surfaces or sides: "
        f"{', '.join(bases)}; write a class for each and move shared methods to a class "
        "without these bases"
    )


def _combine(cls: type[Handler]) -> None:
    """Collect the extensions of all base handlers of a class.

    Raises:
        TypeError: If two methods of the extensions have the same name.
    """
    listed = [each for base in cls.__mro__ for each in vars(base).get("extensions", ())]
    cls.extensions = tuple(dict.fromkeys(listed))
    by_name: dict[str, Method[Any, Any]] = {}
    for method in _added_methods(cls):
        for name in (method.name, method.handler):
            # Both names must be unique, since one identifies messages and the other identifies
            # Python methods.
            if by_name.setdefault(name, method) is not method:
                problem = f"two of its extensions define the method {name!r}"
                raise TypeError(f"{cls.__qualname__}: {problem}; extend only one of them")


def require_awaitable(
    owner: object, name: str, result: Any, arguments: Sequence[str] = ()
) -> Coroutine[Any, Any, Any]:
    """Return the awaitable result of a method that should be `async`.

    Raises:
        TypeError: If the result cannot be awaited.
    """
    if hasattr(result, "__await__"):
        awaitable: Coroutine[Any, Any, Any] = result
        return awaitable
    from .handler_checks import not_async  # imported only for the error

    cls = type(owner)
    definer = next((base for base in cls.__mro__ if name in vars(base)), cls)
    raise TypeError(not_async(definer, name, arguments))


def not_handled(method: str) -> RequestError:
    """Return the error for a request without a handler."""
    return RequestError.method_not_found(message=f"method not found: {cut(method)}")


def not_advertised(side: Side, capability: Capability) -> RequestError:
    """Return the error for params that require a capability that `side` did not advertise."""
    text = f"invalid params: the {side} did not advertise {capability.pointer}"
    return RequestError.invalid_params({"capability": capability.pointer}, text)


# --- introductions ---------------------------------------------------------------------------


def introduction(handler: Handler | type[Handler]) -> Any:
    """Return the `initialize` params or result for a handler or its class.

    The return value is the declared value (see `Handler.stated`) with the capabilities of the
    defined methods added. A capability that is declared absent, by null or false, remains absent.

    Returns:
        The result for an agent, or the params for a client.

    Raises:
        EncodeError: If the declared value does not match the schema.
    """
    surface = handler.surface
    method = surface.METHODS["agent"][INITIALIZE]
    type_ = method.result if handler.side == "agent" else method.params
    stated = handler.stated(handler)
    data = jsontext.loads(method.codec.dumps(stated, type_))  # a copy, which can be modified
    cls = handler if isinstance(handler, type) else type(handler)
    for method in methods_of(cls):
        if method.capability is not None and is_implemented(cls, method):
            advertise(data, method.capability)
    return surface.decode(type_, data)


def advertise(data: dict[str, Any], capability: Capability) -> None:
    """Add a capability to the `initialize` params or result, unless it is already declared."""
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
    """Return all methods that a handler class can handle, including methods of its extensions."""
    return [*cls.surface.METHODS.get(cls.side, {}).values(), *_added_methods(cls)]


def _added_methods(cls: type[Handler]) -> Iterator[Method[Any, Any]]:
    for extension in cls.extensions:
        yield from extension.METHODS.get(cls.side, {}).values()


def definer_of(cls: type[Handler], method: Method[Any, Any]) -> type:
    """Return the class in a handler class's MRO that defines the method `method.handler`."""
    return next((base for base in cls.__mro__ if method.handler in vars(base)), cls)


def is_implemented(cls: type[Handler], method: Method[Any, Any]) -> bool:
    """Return whether a class handles a method instead of inheriting a stub that rejects it."""
    return "surface" not in vars(definer_of(cls, method))
