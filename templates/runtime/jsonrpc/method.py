"""Building blocks of the generated method tables, handlers and stubs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
)

from ..values.codec import Codec, SchemaInfo
from ..values.deferred import dataclass
from ..values.errors import cut
from .errors import CapabilityError, RequestError
from .introducing import find_contradictions
from .naming import find_missing, find_mistakes, level_of_class

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from .events import Failure, Response

P = TypeVar("P")
R = TypeVar("R")
Side: TypeAlias = str
Kind: TypeAlias = Literal["request", "notification"]


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability that a peer can advertise in `initialize`.

    Attributes:
        pointer: its pointer in the JSON of the initialize params or result.
        path: the names of the attributes that lead to it in the typed params or result; in
            free-form JSON such as `_meta`, the names of members.
        form: what advertises it: an object, `true`, or a value that only the program knows.
    """

    pointer: str
    path: tuple[str, ...]
    form: Literal["object", "boolean", "value"] = "object"

    def is_advertised(self, advertised: object) -> bool:
        """Return whether the params or result of `initialize` advertise it.

        A boolean must be true, a list must not be empty, a marker object must be present.
        """
        value: Any = advertised
        for name in self.path:
            is_json = value.__class__ is dict
            value = value.get(name) if is_json else getattr(value, name, None)
        return value.__class__ is dict or bool(value)


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """A capability that a member of params needs, or items of one class in that member.

    Attributes:
        member: the name of the member in Python.
        capability: the capability that the peer must have advertised.
        kind: the class of the items; None if the member itself needs the capability.
    """

    member: str
    capability: Capability
    kind: type | None = None

    def refuses(self, params: object, advertised: object) -> str | None:
        """Return the name of the member or class that must not be sent; None if all may be."""
        # An absent, null or empty member is not in use.
        value: Any = getattr(params, self.member, None)
        if not value or self.capability.is_advertised(advertised):
            return None
        if self.kind is None:
            return self.member
        return self.kind.__name__ if any(isinstance(each, self.kind) for each in value) else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Method(Generic[P, R]):
    """A request or notification of the protocol.

    Attributes:
        name: its name in JSON.
        side: the side that handles it; `protocol` is either side.
        kind: `request` or `notification`.
        params: the type of its params, to be passed to `decode`.
        result: the type of its result; None for a notification.
        handler: the name of its Python method in handlers and stubs.
        codec: decodes and encodes its params and its result.
        capability: the capability that the handling side must have advertised; None for none.
        needs: the capabilities that members of its params need.
        notification: for a request, the notification of the same name and side, if there is one.
        is_extension: whether it stands for all methods that the schema does not name.
        ends_updates: whether its response ends a sequence of updates of its session: whoever
            waits for it finds their handlers done.
    """

    name: str
    side: Side
    kind: Kind
    params: TypeForm[P]
    result: TypeForm[R]
    handler: str
    codec: Codec
    capability: Capability | None = None
    needs: tuple[CapabilityRequirement, ...] = ()
    notification: Method[Any, None] | None = None
    is_extension: bool = False
    ends_updates: bool = False

    def __repr__(self) -> str:
        """Show what identifies it."""
        return f"Method(name={self.name!r}, side={self.side!r}, kind={self.kind!r})"

    def named(self, name: str) -> Method[P, R]:
        """Return the extension method of that name.

        Raises:
            ValueError: the name does not begin with an underscore, as those of extensions must.
        """
        if not (self.is_extension and name.startswith("_")):
            raise ValueError(f"{name!r} does not name an extension: it must begin with '_'")
        return _renamed(self, name)


def table(*methods: Method[Any, Any]) -> Mapping[str, Method[Any, Any]]:
    """Return a read-only table of methods by name."""
    return MappingProxyType({method.name: method for method in methods})


class Surface(Protocol):
    """The part of a surface that connections use, such as of the module `v1`."""

    @property
    def SCHEMA(self) -> SchemaInfo: ...
    @property
    def TYPES(self) -> Mapping[str, Any]: ...
    @property
    def AGENT_METHODS(self) -> Mapping[str, Method[Any, Any]]: ...
    @property
    def CLIENT_METHODS(self) -> Mapping[str, Method[Any, Any]]: ...
    @property
    def PROTOCOL_METHODS(self) -> Mapping[str, Method[Any, Any]]: ...
    @property
    def METHODS(self) -> Mapping[Side, Mapping[str, Method[Any, Any]]]: ...
    @property
    def NULL_ID(self) -> bool: ...
    @property
    def EXTENSIONS(self) -> Mapping[tuple[Side, Kind], Method[Any, Any]]: ...
    @property
    def decode(self) -> Callable[..., Any]: ...
    @property
    def encode(self) -> Callable[..., Any]: ...


def raw_method(surface: Surface, side: Side, kind: Kind, name: str) -> Method[Any, Any]:
    """Return a method of any name, whose params and result are JSON; see `Peer.request`.

    Args:
        surface: the surface that is spoken.
        side: the side that handles it.
        kind: `request` or `notification`.
        name: its name in JSON.
    """
    return _renamed(surface.EXTENSIONS[side, kind], name)


def _renamed(method: Method[P, R], name: str) -> Method[P, R]:
    from dataclasses import replace  # here, since it takes long

    return replace(method, name=name)


def surface_of(module: str) -> Surface:
    """Return the surface that a module belongs to, which may not be complete yet.

    Args:
        module: its `__name__`.
    """
    return cast(Surface, sys.modules[module.rpartition(".")[0]])


def name_of(surface: Surface) -> str:
    """Return the name of a surface, such as `v1`."""
    module = cast(ModuleType, surface)
    return module.__name__.rpartition(".")[2]


class Extension(Protocol):
    """The part of an extension of a surface that connections use: its methods."""

    @property
    def METHODS(self) -> Mapping[Side, Mapping[str, Method[Any, Any]]]: ...


def extension_of(module: str) -> Extension:
    """Return the extension that a module belongs to, which may not be complete yet.

    Args:
        module: its `__name__`.
    """
    return cast(Extension, sys.modules[module.rpartition(".")[0]])


class Caller(Protocol):
    """The other side, as stubs call it: a connection or a substitute."""

    async def request(self, method: Method[P, R], params: P, /) -> R:
        """Send a request and wait for its result."""
        ...

    async def notify(self, method: Method[P, None], params: P, /) -> None:
        """Send a notification."""
        ...


class Handler:
    """Base class of the generated handlers.

    Attributes:
        surface: the surface whose methods it handles.
        side: the side whose methods it handles.
        extensions: the extensions of that surface whose methods it handles, too.
    """

    surface: ClassVar[Surface]
    side: ClassVar[Side]
    extensions: ClassVar[tuple[Extension, ...]] = ()
    # What to write in a subclass in place of a method that a base class has.
    _replaced: ClassVar[Mapping[str, str]] = {}
    # The other methods that a subclass writes, each with the arguments that it is called with.
    _more: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init__(self, peer: object = None) -> None:
        """Start handling. A class is also the factory of a connection's handler.

        Args:
            peer: the other side, for those handlers that call it.
        """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Warn of methods of a subclass that are not called, or not as they expect.

        Raises:
            TypeError: it extends handlers of different surfaces or sides, or of extensions that
                have methods of the same name.
        """
        super().__init_subclass__(**kwargs)
        if not {"surface", "extensions"}.isdisjoint(vars(cls)) or not hasattr(cls, "surface"):
            return  # a generated class, or a base of some
        tables = cls.surface.METHODS
        methods = [*tables[cls.side].values(), *tables["protocol"].values()]
        if cls.extensions:
            methods += _combine(cls)
        extensions = [m for (side, _), m in cls.surface.EXTENSIONS.items() if side == cls.side]
        arguments: dict[str, Sequence[str]] = dict(cls._more)
        for each in (*methods, *extensions):
            arguments[each.handler] = ("method", "params") if each.is_extension else ("params",)
        mistakes = [*find_mistakes(cls, cls.side, arguments, cls._replaced)]
        mistakes = mistakes or [*find_missing(cls, arguments, cls._replaced)]
        for mistake in (*mistakes, *find_contradictions(cls)):
            warnings.warn(mistake, stacklevel=level_of_class())

    @staticmethod
    def stated(handler: Any, /) -> Any:
        """Return what a handler, or a class, states of itself for `initialize`.

        Returns:
            The result of `initialize` for an agent, the params for a client.
        """
        raise NotImplementedError  # of a surface without `initialize`

    def connected(self, peer: Any) -> None:
        """Called when a connection has this handler, before anything is received.

        Args:
            peer: the other side.
        """

    def received(self, method: Method[Any, Any], params: Any) -> None:
        """Called when a request or notification arrives, in the order of arrival.

        The Python method for it is called later, when those for earlier messages of its session are
        done. Override it for what must not wait for them; call the base class, which may keep the
        state of sessions so. What it raises is logged.
        """

    def sent(
        self, method: Method[Any, Any], params: Any
    ) -> Callable[[Response | Failure], None] | None:
        """Called when a request to the other side was sent without an `on_response` of its own.

        Returns:
            The `on_response` of the request; see `Peer.request`.
        """

    def disconnected(self) -> None:
        """Called when the other side has ended: nothing more will arrive.

        An override calls the base class, which may end turns so. What it raises is logged.
        """

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method for a request or notification.

        Raises:
            RequestError: there is none.
        """
        call: Callable[..., Coroutine[Any, Any, Any]] | None = getattr(self, method.handler, None)
        if call is None:  # a method of proxies, while this handler is of another side
            raise not_handled(method.name)
        return call(method.name, params) if method.is_extension else call(params)


def _combine(cls: type[Handler]) -> list[Method[Any, Any]]:
    """Let a class handle the methods of all extensions that it extends handlers of.

    Returns:
        These methods.

    Raises:
        TypeError: two methods have the same name, or the handlers are of different surfaces or
            sides.
    """
    stated = [vars(each) for each in cls.__mro__ if "surface" in vars(each)]
    if any((each["surface"], each["side"]) != (cls.surface, cls.side) for each in stated):
        bases = ", ".join(f"{each.__module__}.{each.__qualname__}" for each in cls.__bases__)
        raise TypeError(
            f"{cls.__qualname__} extends handlers of different surfaces or sides: {bases}"
        )
    listed = (vars(base).get("extensions", ()) for base in cls.__mro__)
    cls.extensions = tuple(dict.fromkeys(each for extensions in listed for each in extensions))
    found: dict[str, Method[Any, Any]] = {}
    for extension in cls.extensions:
        for method in extension.METHODS.get(cls.side, {}).values():
            for name in (method.name, method.handler):
                if found.setdefault(name, method) is not method:
                    problem = f"two of its extensions have a method {name!r}"
                    raise TypeError(f"{cls.__qualname__}: {problem}; extend one of them only")
    return list(dict.fromkeys(found.values()))


def not_handled(method: str) -> RequestError:
    """Return the error for a request that nothing handles."""
    return RequestError.method_not_found(message=f"method not found: {cut(method)}")


class Stub:
    """Base class of the generated stubs, which call the methods of the other side."""

    def __init__(self, caller: Caller, advertised: object = None) -> None:
        """Make a stub.

        Args:
            caller: sends the calls.
            advertised: what the other side advertised: the params of `initialize` if it is the
                client, the result if it is the agent. By default, it is taken from the attribute
                `advertised` of the caller, if there is one, or from the result of `initialize`
                when called with this stub. As long as it is unknown, no call is refused.
        """
        self._caller = caller
        self._advertised = advertised

    @property
    def advertised(self) -> Any:
        """The params or result of `initialize` from the other side; None as long as unknown."""
        return self._advertised or getattr(self._caller, "advertised", None)

    def _request(self, method: Method[P, R], params: P) -> Coroutine[Any, Any, R]:
        self.check(method, params)
        call = self._caller.request(method, params)
        return self._remember(call) if method.name == "initialize" else call

    async def _remember(self, call: Coroutine[Any, Any, R]) -> R:
        self._advertised = result = await call
        return result

    def _notify(self, method: Method[P, None], params: P) -> Coroutine[Any, Any, None]:
        self.check(method, params)
        return self._caller.notify(method, params)

    def check(self, method: Method[Any, Any], params: Any) -> None:
        """Check that a call may be sent, as every call does first.

        Raises:
            CapabilityError: the other side did not advertise a capability that the call needs.
        """
        if method.capability is None and not method.needs:
            return
        advertised = self.advertised
        if advertised is None:
            return
        if method.capability is not None and not method.capability.is_advertised(advertised):
            raise CapabilityError(method.name, method.capability.pointer)
        for need in method.needs:
            refused = need.refuses(params, advertised)
            if refused is not None:
                raise CapabilityError(f"{method.name} with {refused}", need.capability.pointer)
