# Made by acpgen 0.1.0 from templates/runtime/jsonrpc/method.py.
# Do not edit it; make it again with acpgen.

"""Methods: what the generated tables, handlers and stubs are made of."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from ..values.codec import SchemaInfo
from .errors import METHOD_NOT_FOUND, CapabilityError, RequestError

if TYPE_CHECKING:
    from typing_extensions import TypeForm

P = TypeVar("P")
R = TypeVar("R")
Side: TypeAlias = str
Kind: TypeAlias = Literal["request", "notification"]


@dataclass(frozen=True, slots=True)
class Capability:
    """What a peer must have advertised in `initialize`.

    Attributes:
        pointer: where it stands in the JSON of the initialize params or result.
        path: the same in the attributes of the typed object.
    """

    pointer: str
    path: tuple[str, ...]

    def is_advertised(self, advertised: object) -> bool:
        """Whether the params or the result of `initialize` hold it.

        A boolean counts when it is true, a list when it is not empty, a marker object when it is
        there at all.
        """
        value = advertised
        for name in self.path:
            value = getattr(value, name, None)
        return bool(value)


@dataclass(frozen=True, slots=True)
class CapabilityRequirement:
    """What it takes to send a member of params, or items of one kind in it.

    Attributes:
        member: its name in Python.
        capability: what must have been advertised.
        kind: the class of those items; None if the member itself needs the capability.
    """

    member: str
    capability: Capability
    kind: type | None = None

    def refuses(self, params: object, advertised: object) -> str | None:
        """What of the params may not be sent; None if nothing."""
        # Absent, null and empty all say that the member is not used.
        value: Any = getattr(params, self.member, None)
        if not value or self.capability.is_advertised(advertised):
            return None
        if self.kind is None:
            return self.member
        return self.kind.__name__ if any(isinstance(each, self.kind) for each in value) else None


@dataclass(frozen=True, slots=True, eq=False)
class Method(Generic[P, R]):
    """A request or notification of the protocol.

    Attributes:
        name: its name in JSON.
        side: who handles it; `protocol` is either side.
        kind: `request` or `notification`.
        params: the type of its params, as `decode` takes it.
        result: the type of its result; None for a notification.
        handler: the name of the handler's and the stub's Python method.
        capability: what the handling side must have advertised for it to be called.
        needs: what it takes to send members of the params.
        notification: the notification of the same name and side, if there is one, too.
        is_extension: whether it is one that the schema does not name.
    """

    name: str
    side: Side
    kind: Kind
    params: TypeForm[P]
    result: TypeForm[R]
    handler: str
    capability: Capability | None = field(default=None, repr=False)
    needs: tuple[CapabilityRequirement, ...] = field(default=(), repr=False)
    notification: Method[Any, None] | None = field(default=None, repr=False)
    is_extension: bool = False

    def named(self, name: str) -> Method[P, R]:
        """The extension method of that name.

        Raises:
            ValueError: it does not begin with an underscore, as names of extensions do.
        """
        if not (self.is_extension and name.startswith("_")):
            raise ValueError(f"{name!r} is no name of an extension: it must begin with '_'")
        return replace(self, name=name)


def table(*methods: Method[Any, Any]) -> Mapping[str, Method[Any, Any]]:
    """Methods by name, read-only."""
    return MappingProxyType({method.name: method for method in methods})


class Surface(Protocol):
    """What a connection needs of a surface; the package of a surface is one, such as `v1`."""

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


class Caller(Protocol):
    """The other side, as a stub calls it: a connection, or anything that can stand in for one."""

    async def request(self, method: Method[P, R], params: P, /) -> R:
        """Send a request and wait for its result."""
        ...

    async def notify(self, method: Method[P, None], params: P, /) -> None:
        """Send a notification."""
        ...


class Handler:
    """Base of the generated handlers.

    Attributes:
        surface: the surface whose methods it handles.
        side: the side that it is.
    """

    surface: ClassVar[Surface]
    side: ClassVar[Side]

    def handle(self, method: Method[Any, Any], params: Any) -> Coroutine[Any, Any, Any]:
        """Call the Python method for a request or notification.

        Raises:
            RequestError: there is none.
        """
        call: Callable[..., Coroutine[Any, Any, Any]] | None = getattr(self, method.handler, None)
        if call is None:  # a method for proxies, which this handler is none of
            raise not_handled(method.name)
        return call(method.name, params) if method.is_extension else call(params)


def not_handled(method: str) -> RequestError:
    """The error for a request that nothing handles."""
    return RequestError(METHOD_NOT_FOUND, f"method not found: {method}")


class Stub:
    """Base of the generated stubs: calls the methods that the other side handles."""

    def __init__(self, caller: Caller, advertised: object = None) -> None:
        """Call through `caller`.

        Args:
            advertised: what the other side advertised: the params of `initialize` if it is the
                client, the result if it is the agent. By default it is what the caller's attribute
                `advertised` says, if it has one, and the result of `initialize` once this stub has
                made that call. As long as it is not known, nothing is refused.
        """
        self._caller = caller
        self._advertised = advertised

    @property
    def advertised(self) -> Any:
        """What the other side advertised in `initialize`; None as long as it is not known."""
        return self._advertised or getattr(self._caller, "advertised", None)

    def _request(self, method: Method[P, R], params: P) -> Coroutine[Any, Any, R]:
        self.check(method, params)
        call = self._caller.request(method, params)
        return self._noted(call) if method.name == "initialize" else call

    async def _noted(self, call: Coroutine[Any, Any, R]) -> R:
        self._advertised = result = await call
        return result

    def _notify(self, method: Method[P, None], params: P) -> Coroutine[Any, Any, None]:
        self.check(method, params)
        return self._caller.notify(method, params)

    def check(self, method: Method[Any, Any], params: Any) -> None:
        """Say whether a call would be refused; every call does so first.

        Raises:
            CapabilityError: the other side did not advertise what it takes.
        """
        advertised = self.advertised
        if advertised is None:
            return
        if method.capability is not None and not method.capability.is_advertised(advertised):
            raise CapabilityError(method.name, method.capability.pointer)
        for need in method.needs:
            refused = need.refuses(params, advertised)
            if refused is not None:
                raise CapabilityError(f"{method.name} with {refused}", need.capability.pointer)
